/*
 * local -- debug files of this machine, put in order for a request.
 *
 * A file that was found by its name lies where no layout has it.  Each is described in a cell, and
 * a symbolic link made to it in a folder of ours, at the place the unified layout has for what the
 * file itself says it is: the wrong file answers nothing.  Its debug information is found as
 * `symgate lookup` finds it: below the debug folders (/usr/lib/debug) by build id and by path,
 * beside it, and the files those point to.
 */
#ifndef CLI_LOCAL_H
#define CLI_LOCAL_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "source/source.h"

struct buf;
struct config;
struct err;
struct nursery;

struct local {
	const struct config *config;
	struct nursery *nursery;
	char folder[PATH_MAX];       /* of the links */
	struct arena arena;
	struct source_list sources;  /* one: the folder */
	size_t link_count;           /* in it */
};

/* What a file said about itself.  The texts live in the arena of `struct local`. */
struct local_file {
	struct text path, format, debug_id, code_id;
	uint64_t load_address;       /* not 0: its addresses are the process's */
};

/* `folder` is made. */
int  local_init(struct local *local, const struct config *config, struct nursery *nursery,
		const char *folder, struct err *err) __attribute__((warn_unused_result));
void local_release(struct local *local);

/* The JSON of the source, as `"sources"` has them. */
void local_source(const struct local *local, struct buf *out);

/* Links a file and what belongs to it.  1: done; 0: there is no such file, or it is no debug file;
 * -1: nothing more can be done. */
int  local_add(struct local *local, const char *path, struct local_file *file, struct err *err)
	__attribute__((warn_unused_result));

/* The files below a folder that are called like one of the names (paths, of which the last part
 * counts, without .debug, .sym, .dSYM and the like); `found` is told each of them.
 * NULL: their ids are known, and one that lies where a symbol server has it is left to a source. */
typedef void local_found_fn(void *payload, const struct local_file *file);
int  local_add_folder(struct local *local, const char *folder, const struct text *names, size_t count,
		      local_found_fn *found, void *payload, struct err *err)
	__attribute__((warn_unused_result));

/* Are both names of one file, with what belongs to debug files taken off? */
bool local_is_called(struct text path, struct text name);

#endif
