/*
 * sources -- a request body with one more source in it.
 */
#ifndef CLI_SOURCES_H
#define CLI_SOURCES_H

#include "base/text.h"

struct buf;
struct err;

/* --symbols "LAYOUT:DIR" or "DIR" as the JSON of a filesystem source. */
int sources_local(const char *symbols, struct buf *out, struct err *err)
	__attribute__((warn_unused_result));

/* `body` is valid JSON; `source` joins its "sources", or `defaults` (a JSON array) where it
 * names none.  What is no object goes through as it is. */
void sources_add(struct text body, struct text source, struct text defaults, struct buf *out);

#endif
