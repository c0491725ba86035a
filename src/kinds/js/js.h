/*
 * js -- POST /symbolicate-js: minified frames of JavaScript as they were written (doc/api/js.md).
 *
 *	request -> modules: minified file, source map -> frames -> original sources -> answer
 *
 * Private to this folder.  All texts and arrays are the work's arena's, unless something else is said.
 */
#ifndef KINDS_JS_JS_H
#define KINDS_JS_JS_H

#include "jsfile/jsbundle.h"
#include "jsfile/jsfile.h"
#include "lookup/lookup.h"
#include "lookup/scraping.h"
#include "sourcemap/sourcemap.h"
#include "work/held.h"
#include "work/schema.h"
#include "work/work.h"

struct json_writer;

/* --- What is asked, and the answer's frames ------------------------------------------------ */

/* As it was sent, with what is set on the way. */
struct js_frame {
	struct text platform, function, filename, module, abs_path;
	struct maybe_u64 lineno, colno;
	struct text_list pre_context, post_context;
	struct text context_line;
	struct text token_name;              /* never answered */
	struct text sourcemap, resolved_with;
	struct text sourcemap_origin;        /* JSON */
	bool symbolicated;
};

/* From caller to callee. */
struct js_trace {
	struct js_frame *sent;
	struct js_frame *raw, *out;          /* what is answered */
	struct js_need **needs;              /* of original sources, by frame; NULL: none */
	const struct js_module **modules;    /* they were looked up in, by frame */
	size_t count;
};

struct js_code {                     /* a module of the request */
	struct text code_file;
	struct debugid debug_id;             /* nil: it was none */
};

struct js_options { bool apply_source_context, is_callee_first; };

struct js_request {
	const struct source_list *sources;
	bool has_sources;
	struct js_trace *traces;
	size_t trace_count;
	struct js_code *codes;
	size_t code_count;
	struct text release, dist;           /* TEXT_NONE: none */
	bool allow_scraping;
	struct scraping scraping;
	struct js_options options;
};

/* js_request.c */
int js_request_read(struct js_request *request, struct work *work, struct text body, struct err *err)
	__attribute__((warn_unused_result));
int js_request_read_json(struct js_request *request, struct work *work, const struct cJSON *json,
			 struct err *err) __attribute__((warn_unused_result));

/* --- What went wrong ------------------------------------------------------------------------ */

enum js_error_type {                 /* in the order they are told */
	JS_INVALID_LOCATION, JS_MISSING_SOURCE_CONTENT, JS_MISSING_SOURCE, JS_MALFORMED_SOURCEMAP,
	JS_MISSING_SOURCEMAP, JS_SCRAPING_DISABLED,
	JS_ERROR_TYPES
};

struct js_error {
	struct js_error *next;
	enum js_error_type type;
	struct text abs_path;
	struct maybe_u64 line, col;          /* INVALID_LOCATION; col may be unset */
	struct text source, sourcemap;       /* MISSING_SOURCE_CONTENT */
	struct text url;                     /* MALFORMED_SOURCEMAP */
};

struct js_attempt {                  /* to fetch a file from the web */
	bool is_told;
	struct text url;
	const char *status, *reason;         /* NULL: none */
	struct text details;
};

/* --- Finding files (js_file.c) --------------------------------------------------------------- */

enum js_file_type { JS_MINIFIED, JS_MAP, JS_SOURCE };

struct js_file_key {
	enum js_file_type type;
	struct text url;                     /* TEXT_NONE: none */
	struct debugid debug_id;             /* nil: none */
};

/* One way to have a file; what it points to stays as long as the work. */
enum js_way { JS_WAY_BUNDLE, JS_WAY_ARTIFACT, JS_WAY_OWN, JS_WAY_SCRAPED };
struct js_try {
	enum js_way way;
	struct held held;
	struct location location;
	struct derive_link link;             /* SCRAPED */
	struct source source;                /* of it */
	const struct js_bundle *bundle;      /* BUNDLE: and its file */
	struct derive_companion index;       /* which tells where that is */
	uint32_t number;
	struct text uri, resolved_with;
	bool is_never_empty;                 /* without contents it is as good as not there */
	struct text header;                  /* what one says of the map, where the file does not have it */

	/* While it is held, and copied when it was opened: */
	struct jsfile file;
	enum jsfile_map map;
	struct text reference;
	struct debugid debug_id;
	uint8_t sha256[HASH_SHA256_BYTES];
	bool is_empty;
};

struct js_file {
	struct js_file_key key;
	unsigned stage;                      /* of the search (js_file.c) */
	struct held *listings;               /* answers about it, one for each server; NULL: not asked */
	struct js_listing *asked;
	struct location_list own;            /* where other sources have it */
	size_t own_tried;
	struct js_try *attempted;            /* the one under way, or found */
	bool awaits_turn;                    /* to go on would tell something new (js_turns.c) */
	bool has_fetched;                    /* its own bundles, ahead of its turn */
	bool is_settled;
	bool is_empty;                       /* it is there, without contents, and nothing is held */
	enum err_kind failure;               /* of a settled one; ERR_NONE: it is there */
	bool is_scraping_disabled;           /* that is the failure */
	struct text details;
	struct js_attempt attempt;
};

/* Of the answers so far. */
struct js_bundle {
	struct js_bundle *next;              /* by URI, descending */
	struct text uri, resolved_with;
	struct location location;
	struct held index;
	struct jsbundle entries;             /* while it is held */
	struct js_bad_entry *bad;            /* that could not be read */
};

struct js_artifact {
	struct js_artifact *next;            /* in the order they were named */
	struct text abs_path, id, url, resolved_with, source_map;
	bool has_headers;
	const struct source *source;
};

/* --- The request on its way ------------------------------------------------------------------ */

struct js_module {                   /* of one abs_path */
	struct js_module *next;
	struct text abs_path;
	struct js_file minified;
	struct js_file map;
	bool has_map_key;                    /* map.key is set: it is looked for */
	bool is_without_map;                 /* neither a reference nor a debug id */
	bool is_inside;                      /* the map is in the minified file */
	struct text base;                    /* what names of sources are joined to */
	struct text label;                   /* how the map is told of */
	struct held cache;                   /* the source map cache, */
	struct derive_companion companion;
	struct sourcemap sourcemap;          /* while it is held */
	struct text origin;                  /* of the map: JSON */
	bool is_ahead;                       /* begun before those in front of it are done */
};

struct js_need {                     /* an original source */
	struct js_need *next;
	struct js_file file;
	bool is_ahead;
};

struct js {
	struct work *work;
	struct js_request request;
	struct js_module *modules, **last_module;
	struct js_bundle *bundles;
	struct js_bundle *fetched;           /* ahead of their turns; they answer for nothing yet */
	struct js_artifact *artifacts, **last_artifact;
	struct js_need *needs, **last_need;
	struct held *open;                   /* everything that is read */
	struct js_error *errors;             /* found so far; from frames: made again with them */
	size_t error_count;
	bool is_read;                        /* frames are done but for original sources */
	bool is_done;
	bool is_ahead;                       /* what is resolved now: it may not add to what is known */
	bool has_news;                       /* something became known since js_turns.c looked */
	bool is_told_nothing;                /* a server was asked, and knew nothing */
};

/* READY: it is settled; what was found is open in js->open. */
enum resolved js_file_resolve(struct js *js, struct js_file *file, struct resolver *resolver,
			      struct err *err);
void js_file_release(struct js_file *file);
/* Of one that is there: JSON, as `sourcemap_origin` tells it; TEXT_NONE: no memory. */
struct text js_file_origin(const struct js_file *file, struct work *work);
/* The same as text for keys: what else was made of that very file answers for it. */
struct text js_file_identity(const struct js_file *file, struct work *work);

/* js_listing.c: asks every server about the key, and adds what is new. */
enum resolved js_listing_ask(struct js *js, struct js_file *file, bool *is_news,
			     struct resolver *resolver, struct err *err);
void js_listing_release(struct js_file *file);
/* js_bundle.c: adds one, unless it is known; the rest of a bundle's life. */
int js_bundle_add(struct js *js, const struct location *location, struct text resolved_with, bool *is_news,
		  struct err *err) __attribute__((warn_unused_result));
bool js_bundle_is_known(const struct js *js, struct text uri);
/* Those that are neither open nor failed. */
bool js_bundles_awaited_are_by_id(const struct js *js);
/* Has it fetched, so that it is there when it is added; WAIT: its turn is to come. */
enum resolved js_bundle_fetch(struct js *js, const struct location *location, struct resolver *resolver,
			      struct err *err);
/* READY: all that could be had are open. */
enum resolved js_bundles_resolve(struct js *js, struct resolver *resolver, struct err *err);
/* READY: *try is what was found, or NULL. */
enum resolved js_bundles_search(struct js *js, const struct js_file_key *key, struct js_try **found,
				struct resolver *resolver, struct err *err);
int js_bundle_mark_bad(struct js *js, const struct js_try *attempted, struct err *err)
	__attribute__((warn_unused_result));
/* js_scrape.c: 1: it may be fetched, 0: not (the file is settled), -1. */
int js_scrape_begin(struct js *js, struct js_file *file, struct err *err)
	__attribute__((warn_unused_result));
void js_scrape_end(struct js_file *file, const struct held *held, struct arena *arena);

/* js_query.c: what sources are asked for it; in the arena.  NULL: no memory. */
const struct source_query *js_query(const struct js *js, const struct js_file_key *key, bool is_bundle);
const struct source_query *js_query_nothing(void);

/* js_module.c: READY: the module's files are settled. */
struct js_module *js_module_find(const struct js *js, struct text abs_path);
struct js_module *js_module_add(struct js *js, struct text abs_path, struct err *err);
enum resolved js_module_resolve(struct js *js, struct js_module *module, struct resolver *resolver,
				struct err *err);
void js_module_release(struct js_module *module);

/* js_turns.c: READY: the files of all modules are settled; all original sources are. */
enum resolved js_turns_of_modules(struct js *js, struct resolver *resolver, struct err *err);
enum resolved js_turns_of_needs(struct js *js, struct resolver *resolver, struct err *err);
/* All files that were looked for, in the order of frames: those of modules, then original sources. */
struct js_files { const struct js_module *module; const struct js_need *need; bool is_map; };
struct js_files js_files_of(const struct js *js);
const struct js_file *js_files_next(struct js_files *files);   /* NULL: no more */

/* js_frames.c: READY: all frames are done. */
enum resolved js_frames_resolve(struct js *js, struct resolver *resolver, struct err *err);

/* js_quote.c: the line and those around it; false in *found: there is no such line. */
typedef bool js_line_fn(const void *payload, uint64_t number, struct text *line);
int js_quote(struct js_frame *frame, uint64_t line, uint64_t column, js_line_fn *read, const void *payload,
	     struct arena *arena, struct err *err) __attribute__((warn_unused_result));

/* js_error.c */
int js_error_add(struct js *js, const struct js_error *error, struct err *err)
	__attribute__((warn_unused_result));
/* Sorted, each once, in the arena. */
int js_errors_sorted(const struct js *js, const struct js_error ***sorted, size_t *count, struct err *err)
	__attribute__((warn_unused_result));

/* js_answer.c: the members of the answer but for its status. */
/* What kept frames from being found, for `symgate why` too. */
int js_answer_errors(const struct js *js, struct json_writer *json, struct err *err)
	__attribute__((warn_unused_result));
int js_answer_write(const struct js *js, struct json_writer *json, struct err *err)
	__attribute__((warn_unused_result));

/* js_count.c: an answer was written. */
void js_count(const struct js *js);

/* js_kind.c, for /symbolicate-any too. */
struct js *js_new(struct work *work, struct err *err);
enum stepped js_step(struct js *js, struct resolver *resolver, struct err *err);
void js_release(struct js *js);

static inline int js_no_memory(struct err *err)
{
	return err_no_memory(err);
}

#endif
