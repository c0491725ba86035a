/*
 * subject -- the OBJECT of a command line: found, described in a cell, converted in another.
 *
 * A path may name an object file, a compressed one, a dSYM folder, a Breakpad .sym file or a
 * SymCache.  An object without debug information stands aside for its .build-id file or the
 * dSYM beside it.
 */
#ifndef CLI_SUBJECT_H
#define CLI_SUBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/file.h"
#include "cli/cells.h"
#include "cli/companions.h"

struct config;
struct convert_symcache_reply;

struct subject {
	const struct config *config;
	struct nursery *nursery;
	const char *arch;            /* --arch; NULL: the first */
	struct companions companions;
	struct arena arena;
	char path[COMPANIONS_PATH_BYTES];    /* what is read in the end */
	int fd;                      /* of the file at path */
	int object_fd;               /* of the chosen object: fd, or a temporary file */
	int unpacked_fd, slice_fd;
	bool is_symcache;
	struct description description;
	const struct described *object;      /* chosen; NULL for a SymCache */
};

/* --debug-dir folders are put into companions before; without any, /usr/lib/debug. */
void subject_init(struct subject *subject, const struct config *config, struct nursery *nursery);
void subject_release(struct subject *subject);

/* Opens the path as it is and describes it. */
int  subject_open(struct subject *subject, const char *path, struct err *err)
	__attribute__((warn_unused_result));
/* Goes over to the file that holds the debug information, where there is a better one. */
int  subject_prefer_debug(struct subject *subject, struct err *err)
	__attribute__((warn_unused_result));
/* Converts into `fd`, an empty file; `report` may be NULL and lives in the subject's arena. */
int  subject_convert(struct subject *subject, int fd, struct convert_symcache_reply *report,
		     struct err *err) __attribute__((warn_unused_result));

#endif
