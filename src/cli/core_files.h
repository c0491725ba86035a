/*
 * core_files -- modules of a core that have no build id, looked for on this machine by what they are called.
 *
 * A file counts where the core says it was mapped from: at the same path, at that path below a folder of
 * --symbols, or of that name in one.  A cell holds it against the core; only what was mapped from it is taken.
 */
#ifndef CLI_CORE_FILES_H
#define CLI_CORE_FILES_H

struct buf;
struct cJSON;
struct err;
struct standalone;

/* `modules` are the core's, `core_fd` the core, not packed.  Links what is found, and writes its ids as the
 * request's "modules", or nothing. */
int core_files_find(struct standalone *alone, const struct cJSON *modules, int core_fd,
		    struct buf *named, struct err *err) __attribute__((warn_unused_result));

#endif
