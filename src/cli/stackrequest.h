/*
 * stackrequest -- stacks of a text as a request to /symbolicate, for the files of this machine.
 *
 * A frame is asked for where it is known which file it lies in: by a mapping around its address,
 * or by the module and offset the text names.  The others go along with what the text says.
 */
#ifndef CLI_STACKREQUEST_H
#define CLI_STACKREQUEST_H

#include "base/text.h"

struct buf;
struct err;
struct local;
struct stacktext;

/* Folders of --symbols without a layout: there too a module may lie, under its name. */
int stackrequest_write(const struct stacktext *text, struct local *local, const char *const *folders,
		       size_t folder_count, struct buf *out, struct err *err)
	__attribute__((warn_unused_result));

#endif
