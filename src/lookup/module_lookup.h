/*
 * module_lookup -- the files of one module, by what they are for: its unwind information, its
 * debug information, its sources.
 *
 *	module_lookup_choose   looks for the best file of one purpose
 *	module_lookup_derive   says what to make of it; who holds that is the caller's business
 *	module_lookup_found    what was made of it is there,
 *	module_lookup_failed   or is not
 *	candidates_write       tells what was considered for any purpose
 *
 * A struct module_lookup is zeroed, but for `ids`, `sources` and `types`, which stay as long as the
 * work.  Everything else is the work's arena's, except for what module_lookup_release() gives back.
 */
#ifndef LOOKUP_MODULE_LOOKUP_H
#define LOOKUP_MODULE_LOOKUP_H

#include "lookup/lookup.h"
#include "lookup/source_link.h"

struct buf;
struct json_writer;

/* As debug_status and unwind_status of a module tell it. */
enum module_status {
	MODULE_STATUS_UNUSED, MODULE_STATUS_FOUND, MODULE_STATUS_MISSING, MODULE_STATUS_MALFORMED,
	MODULE_STATUS_FETCHING_FAILED, MODULE_STATUS_TIMEOUT, MODULE_STATUS_UNSUPPORTED,
	MODULE_STATUS_OTHER, MODULE_STATUSES
};
const char *module_status_name(enum module_status status);

/* What the chosen file was good for, as its candidate tells it. */
enum use_status { USE_NONE, USE_OK, USE_MALFORMED, USE_ERROR };
struct candidate_use { enum use_status status; struct text details; };

/* Of the files chosen, together. */
struct features { bool debug_info, unwind_info, symbols, sources; struct text srcsrv_vcs; };

struct purpose_lookup {
	struct source_query query;
	struct lookup lookup;
	bool is_chosen;
	size_t winner;                       /* of a chosen one: a candidate, or NO_WINNER */
	enum module_status status;
	struct candidate_use use;            /* of the winner */
	enum err_kind failure;               /* why nothing can be made of it; ERR_NONE: it can */
	struct text details;                 /* of the failure */
};

struct companion_lookup {
	const struct object_want *want;
	struct object_ids ids, first_ids;
	struct source_query query, first_query;
	struct lookup first;                 /* of a BCSymbolMap: the UUID maps that lead to it */
	struct lookup lookup;                /* planned with no location: absent */
};

struct module_lookup {
	const struct object_ids *ids;
	const struct source_list *sources;
	const enum file_type *types;         /* looked for, whatever the purpose; NULL: purpose.c says */
	size_t type_count;
	struct purpose_lookup purposes[LOOKUP_PURPOSES];
	struct features features;
	struct companion_lookup *companions; /* of the file with debug information */
	size_t companion_count;
	bool has_companions_planned;
	struct source_links links;           /* source files that are fetched for it */
};

/* READY: the file is chosen, or `failure` says why there is none.  Never asks for what is made of
 * it.  What the file offers is in `features`. */
enum resolved module_lookup_choose(struct module_lookup *module, enum lookup_purpose purpose,
				   struct work *work, struct resolver *resolver, struct err *err);
/* The best candidate, which may be a failure; NULL: not chosen yet, or none will do. */
const struct candidate *module_lookup_winner(const struct module_lookup *module,
					     enum lookup_purpose purpose);
/* The derive of what is made of the winner alone, without companions: its key is the file's. */
struct derive module_lookup_derive(const struct module_lookup *module, enum lookup_purpose purpose,
				   const struct derived_kind *kind);
/* The end of a purpose: what is made of its file is there, or `failure` came instead. */
void module_lookup_found(struct module_lookup *module, enum lookup_purpose purpose);
void module_lookup_failed(struct module_lookup *module, enum lookup_purpose purpose,
			  enum err_kind failure, struct text details, struct arena *arena);
void module_lookup_release(struct module_lookup *module);

/* details as candidates print them, in the arena or static. */
struct text lookup_failure_details(enum err_kind kind, struct text details, struct arena *arena);

/* --- companion_lookup.c: files that belong to the one with debug information --------------- */

int companion_lookup_plan(struct module_lookup *module, struct work *work,
			  struct resolver *resolver, struct err *err)
	__attribute__((warn_unused_result));
enum resolved companion_lookup_resolve(struct module_lookup *module, struct work *work,
				       struct resolver *resolver, struct err *err);
/* Fills companions of a SymCache's derive; *text is what its key says after the scope: the object,
 * and the companions. */
int companion_lookup_describe(const struct module_lookup *module, struct derive *derive,
			      struct arena *arena, struct text *text, struct err *err)
	__attribute__((warn_unused_result));

/* --- upgrade.c --------------------------------------------------------------------------- */

/* Of a module that was answered from that SymCache: asks again for what would be better. */
void module_lookup_upgrade(const struct module_lookup *module, const struct derive *symcache,
			   struct resolver *resolver);

/* --- candidates.c: what is told of all this ---------------------------------------------- */

/* "candidates", where there are any: all that was considered for any purpose, sorted and merged.
 * with_story: with what is for people alone. */
int candidates_write(const struct module_lookup *module, bool with_story, struct arena *arena,
		     struct json_writer *json, struct err *err)
	__attribute__((warn_unused_result));
void features_write(const struct features *features, struct json_writer *json);

#endif
