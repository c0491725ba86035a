/*
 * cli_sources -- a request body with more sources in it.
 */
#ifndef CLI_CLI_SOURCES_H
#define CLI_CLI_SOURCES_H

#include <limits.h>

#include "base/text.h"

struct buf;
struct err;

/*
 * --symbols "LAYOUT:DIR" or "DIR" as the JSON of filesystem sources, appended to a list of such.
 * Without a layout it is one source for each: which one a folder has shows when a file is asked
 * for, and asking costs nothing here.  0: it has a layout; 1: files may lie in it by their names,
 * too, and `folder` is where.
 */
int sources_local(const char *symbols, unsigned number, char folder[PATH_MAX], struct buf *out,
		  struct err *err) __attribute__((warn_unused_result));

/* --source "LAYOUT:URL" or "URL": the JSON of http sources, appended to a list of such.  Without a
 * layout it is asked as a debuginfod and as a symbol server, each for its kinds of files. */
int sources_remote(const char *server, unsigned number, struct buf *out, struct err *err)
	__attribute__((warn_unused_result));

/* One array: `source`, one or several, then the members of another. */
void sources_list(struct text source, struct text array, struct buf *out);

/* `body` is valid JSON; `source`, one or several, join its "sources", or `defaults` (a JSON array) where it
 * names none.  What is no object goes through as it is. */
void sources_add(struct text body, struct text source, struct text defaults, struct buf *out);

#endif
