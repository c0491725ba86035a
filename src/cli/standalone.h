/*
 * standalone -- requests answered by this process alone, without a service.
 *
 * The state folder of --state-dir, or one that is gone afterwards; the sources of the
 * configuration, of --symbols and --source, and the files of this machine (local.h).
 */
#ifndef CLI_STANDALONE_H
#define CLI_STANDALONE_H

#include <limits.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/text.h"
#include "cli/local.h"

struct cJSON;
struct cli;
struct request_kind;
struct work_body;

#define STANDALONE_SYMBOLS_MAX 24u   /* folders; each is a source for every layout */

/* Of the command line, borrowed. */
struct standalone_symbols {
	const char *folders[STANDALONE_SYMBOLS_MAX];     /* --symbols */
	const char *urls[STANDALONE_SYMBOLS_MAX];        /* --source */
	unsigned folder_count, url_count;
};
/* One more; false: they are too many. */
bool standalone_takes(struct standalone_symbols *symbols, bool is_url, const char *value);

struct standalone {
	struct cli *cli;
	const struct config *config;
	struct nursery *nursery;
	struct local local;
	struct buf sources;          /* JSON objects, with commas between */
	char folders[STANDALONE_SYMBOLS_MAX][PATH_MAX];  /* of --symbols without a layout */
	const char *folder_list[STANDALONE_SYMBOLS_MAX];
	size_t folder_count;
	bool has_only_links;         /* no source was named, by options or the configuration */
};

/* Calls `fn` once everything stands.  Call before any thread is made. */
typedef int standalone_fn(struct standalone *alone, void *payload, struct err *err);
int standalone_run(struct cli *cli, const struct standalone_symbols *symbols, standalone_fn *fn,
		   void *payload, struct err *err) __attribute__((warn_unused_result));

/* Can only files of this machine answer anything? */
bool standalone_has_no_source(const struct standalone *alone);
/* The files a request's modules (a JSON array) name, where this machine has the very same ones. */
int standalone_add_modules(struct standalone *alone, const struct cJSON *modules, struct err *err)
	__attribute__((warn_unused_result));
/* One request to its end, with a line of progress. */
int standalone_answer(struct standalone *alone, const struct request_kind *kind,
		      const struct work_body *body, struct buf *reply, struct err *err)
	__attribute__((warn_unused_result));
/* To standard output: with --json the reply, else what was made of it for people, when rc is 0.
 * Returns rc, or -1. */
int standalone_write(struct cli *cli, struct text reply, struct buf *out, int rc, struct err *err)
	__attribute__((warn_unused_result));

#endif
