/*
 * cli_cells -- the command line's way to have hostile bytes looked at: one cell, waited for.
 *
 * Private to cli.  Besides the operations of convert there are some of our own, in
 * operations.c:
 *
 *   describe: input "file", outputs "unpacked" and "slice"; the parameters are the wanted
 *             architecture and debug id.  Unpacks one level, lists what is in the file (fat
 *             files hold several objects) and chooses one.
 *   dump:     input "symcache", output "text"; parameter "json" or "text".
 *   dump-methods: the same of a PpdbCache.
 *   dump-cfi: input "cficache", output "text".
 *   find-cfi: the same; the parameters are "json" or "text" and addresses, a line each.
 *   dump-symbfile: input "symbfile", output "text"; parameter "json" or "text".
 *   sourcemap-text: inputs "map" and perhaps "minified", outputs "text" and "cache" (a lookup file on
 *             the way); the parameters are a line each: check, dump or lookup, "json" or "text", how
 *             many lines of context, then places as LINE:COLUMN.  The reply is "invalid" for a map
 *             with errors.
 *   locate:   input "object"; the parameters are a section's name and those of symbols, the reply
 *             their addresses.
 *   sort-look: input "file", outputs "member", "unpacked" and "slice"; the parameters are two numbers, of
 *             an archive's member and of an object in it.  Tells what that is, where its bytes are, and how
 *             many members and objects there are.
 *   match-core: inputs "core", not packed, and "file"; the parameter is a module's base in hex. Fails where the module
 *             was not mapped from the file.
 *   sort-sources: input "object", output "paths": the source files its lines are of, a line each.
 */
#ifndef CLI_CLI_CELLS_H
#define CLI_CLI_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/debugid.h"
#include "base/text.h"
#include "sandbox/sandbox.h"

struct arena;
struct buf;
struct cli;
struct config;
struct err;

extern const struct cell_operation cells_operation_describe, cells_operation_dump,
	cells_operation_dump_methods, cells_operation_dump_cfi, cells_operation_find_cfi,
	cells_operation_locate, cells_operation_sort_look, cells_operation_sort_sources, cells_operation_dump_symbfile,
	cells_operation_sourcemap_text, cells_operation_match_core;

/* Call before any thread is made. */
int cells_start(struct nursery **nursery, const struct config *config, struct err *err)
	__attribute__((warn_unused_result));

/* Runs a command that needs cells, with the configuration and a nursery: `fn` returns its exit code, or -1 with
 * err, which is said. */
typedef int cells_command_fn(struct cli *cli, struct nursery *nursery, const struct config *config, void *payload,
			     struct err *err);
int cells_command(struct cli *cli, cells_command_fn *fn, void *payload);

/* A companion the cell asks for: its descriptor, or -1. */
typedef int cells_find_fn(void *payload, const char *role, struct text id, struct text name);

/* Runs one operation to its end; `reply` gets its facts.  -1: the cell's own words. */
int cells_run(struct nursery *nursery, const struct cell_order *order, cells_find_fn *find,
	      void *payload, struct buf *reply, struct err *err)
	__attribute__((warn_unused_result));

/* A temporary file that has no name any more: it goes with its last descriptor. */
int cells_temporary(int *fd, struct err *err) __attribute__((warn_unused_result));

/* What a cell wrote there, to standard output. */
int cells_copy_out(int fd, struct err *err) __attribute__((warn_unused_result));

/* Runs an operation that makes "text" of one input, to standard output; of a file, whose name errors begin with. */
int cells_show(struct nursery *nursery, const char *operation, const struct cell_file *input,
	       struct text parameters, struct err *err) __attribute__((warn_unused_result));
int cells_show_file(struct nursery *nursery, const char *operation, const char *role, const char *path,
		    struct text parameters, struct err *err) __attribute__((warn_unused_result));

/* --- What "describe" says ------------------------------------------------------------- */

enum { DESCRIBE_DEBUG = 1, DESCRIBE_SYMBOLS = 2, DESCRIBE_UNWIND = 4, DESCRIBE_SOURCES = 8 };

struct described_want { struct text role, id, name; };

/* One object of a file.  Absent texts are TEXT_NONE. */
struct described {
	struct text trouble;         /* why it cannot be read; the rest is then absent */
	struct text format, kind, arch, debug_id, code_id, debug_file;
	uint64_t load_address, size;
	unsigned offers;
	bool has_methods, has_sources;           /* are these counted? */
	uint64_t methods, points, bad_methods;   /* of managed code */
	uint64_t sources_inside, sources_linked, sources_unreadable, source_links;
	const struct described_want *wants;
	size_t want_count;
};

struct description {
	struct text packed;          /* "gzip", ... when it was compressed */
	const struct described *slices;
	size_t slice_count;
	size_t chosen;               /* slice_count: none fits */
	struct text use;             /* where the chosen one lies: "file", "unpacked", "slice" */
};

/* `arch` and `debug_id` may be absent (NULL, nil).  The arena keeps the texts. */
int cells_describe(struct nursery *nursery, int fd, const char *arch,
		   const struct debugid *debug_id, int unpacked_fd, int slice_fd,
		   struct arena *arena, struct description *description, struct err *err)
	__attribute__((warn_unused_result));

/* --- What "locate" says ---------------------------------------------------------------- */

struct cells_symbol {
	struct text name;
	bool is_found;
	uint64_t address;            /* relative to the load address */
};

/* `section` may be NULL, else *section_address is set.  Of symbols with one name the first counts. */
int cells_locate(struct nursery *nursery, int fd, const char *section, uint64_t *section_address,
		 struct cells_symbol *symbols, size_t count, struct err *err)
	__attribute__((warn_unused_result));

#endif
