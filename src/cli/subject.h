/*
 * subject -- the OBJECT of a command line: found, described in a cell, converted in another.
 *
 * A path may name an object file, a compressed one, a dSYM folder, a Breakpad .sym file, or a
 * SymCache or PpdbCache.  An object without debug information stands aside for its .build-id
 * file, the dSYM or the PDB beside it.
 */
#ifndef CLI_SUBJECT_H
#define CLI_SUBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/file.h"
#include "cli/cli_cells.h"
#include "cli/companions.h"
#include "cli/maps.h"

struct config;
struct convert_symcache_reply;

enum subject_kind { SUBJECT_OBJECT, SUBJECT_SYMCACHE, SUBJECT_PPDBCACHE };

struct subject {
	const struct config *config;
	struct nursery *nursery;
	const char *arch;            /* --arch; NULL: the first */
	struct companions companions;
	struct maps maps;
	struct arena arena;
	char path[COMPANIONS_PATH_BYTES];    /* what is read in the end */
	int fd;                      /* of the file at path */
	int object_fd;               /* of the chosen object: fd, or a temporary file */
	int unpacked_fd, slice_fd;
	enum subject_kind kind;      /* by its first bytes */
	struct description description;
	const struct described *object;      /* chosen; NULL for a cache */
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
/* Managed code, which is asked by method and IL offset: it becomes a PpdbCache. */
bool subject_is_managed(const struct subject *subject);
/* Converts into `fd`, an empty file; `report` may be NULL and lives in the subject's arena. */
int  subject_convert(struct subject *subject, int fd, struct convert_symcache_reply *report,
		     struct err *err) __attribute__((warn_unused_result));

#endif
