/*
 * symbolication -- one request for native frames being answered: modules, look-ups, frames,
 * names, answer.  Private to the native kind.
 *
 * Everything in struct symbolication is the work's arena's, but for the entries held (held.h)
 * and `path`.
 *
 *	request -> module table -> per module: lookup -> choice -> companions -> SymCache
 *	        -> frames -> names -> source lookups -> answer
 */
#ifndef KINDS_NATIVE_SYMBOLICATION_H
#define KINDS_NATIVE_SYMBOLICATION_H

#include "base/buf.h"
#include "lookup/lookup.h"
#include "kinds/native/symbolicate_request.h"
#include "ppdbcache/ppdbcache.h"
#include "sourcecache/sourcecache.h"
#include "symcache/symcache.h"

/* --- Modules ----------------------------------------------------------------------------- */

enum debug_status { DEBUG_UNUSED, DEBUG_FOUND, DEBUG_MISSING, DEBUG_MALFORMED,
		    DEBUG_FETCHING_FAILED, DEBUG_TIMEOUT, DEBUG_UNSUPPORTED, DEBUG_OTHER,
		    DEBUG_STATUSES };
const char *debug_status_name(enum debug_status status);

enum module_stage { MODULE_LOOKUP, MODULE_COMPANIONS, MODULE_SYMCACHE, MODULE_SETTLED };

/* What the chosen object was good for, as its candidate says it. */
enum use_status { USE_NONE, USE_OK, USE_MALFORMED, USE_ERROR };
struct use { enum use_status status; struct text details; };

struct features { bool debug_info, unwind_info, symbols, sources; struct text srcsrv_vcs; };

struct companion_lookup {
	const struct object_want *want;
	struct object_ids ids;
	struct object_ids first_ids;
	struct lookup first;                 /* of a BCSymbolMap: the UUID maps that lead to it */
	struct lookup lookup;                /* planned with no location: absent */
};

/* A source file that has to be fetched. */
struct source_link {
	struct source_link *next;
	struct source source;                /* what keys and candidates call its source */
	struct location location;
	struct derive_link order;
	struct candidate candidate;
	struct sourcecache cache;            /* over its payload, while it is open */
};

struct module_sources {
	bool is_wanted;                      /* a frame has a path and a line */
	struct held held;
	struct sourcecache cache;            /* over its payload, while it is open */
	struct source_link *links;
	size_t link_count;
};

struct module_variables {
	struct held held;
	struct symcache cache;               /* over its payload, while it is open */
};

struct native_module {
	const struct raw_module *raw;
	uint64_t image_addr, image_size;     /* size 0: open ended */
	bool has_size;                       /* said or inferred: goes into the answer */
	bool is_referenced, is_source_referenced;
	enum module_stage stage;
	enum debug_status status;
	struct features features;
	struct lookup debug, source;
	size_t winner;                       /* of debug.candidates, or NO_WINNER */
	struct use use;                      /* of the winner */
	struct companion_lookup *companions;
	size_t companion_count;
	bool is_managed;                     /* answers by method and IL offset: has a ppdb cache */
	struct held symcache;                /* or the ppdb cache */
	enum err_kind failure;               /* why there is no SymCache; ERR_NONE: there is */
	struct text details;
	struct symcache cache;               /* over its payload, when settled without failure */
	struct ppdbcache managed;            /* instead of cache, when is_managed */
	struct module_variables variables;
	struct module_sources sources;
	uint32_t arch;
};

struct module_table {
	struct native_module *modules;              /* in request order */
	size_t count;
	struct native_module **by_address;
};

/* --- Frames ------------------------------------------------------------------------------ */

enum frame_status { FRAME_SYMBOLICATED, FRAME_MISSING_SYMBOL, FRAME_UNKNOWN_IMAGE, FRAME_MISSING,
		    FRAME_MALFORMED, FRAME_STATUSES };

#define NO_NAME UINT32_MAX
#define CONTEXT_LINES 5u             /* before a frame's line, and as many after */

struct frame_context {
	struct text before[CONTEXT_LINES], line, after[CONTEXT_LINES];
	unsigned before_count, after_count;
};

struct native_frame {
	const struct raw_frame *raw;
	size_t original_index;
	enum frame_status status;
	uint64_t address;                    /* as answered */
	struct addr_mode mode;
	struct text package, symbol, function;
	uint32_t name;                       /* index into names, or NO_NAME */
	bool is_managed;                     /* answered as asked, but for the place */
	const struct frame_context *context; /* NULL: as asked */
	struct text source_link;             /* TEXT_NONE: as asked */
	struct source_link *link;            /* followed for the context; NULL: none */
	/* symbolicated ones only: */
	struct maybe_u64 sym_addr;
	uint32_t language, line;
	struct text abs_path;                /* TEXT_NONE: the cache knows no file */
	struct text variables;               /* as object.h has them; TEXT_NONE: none */
};

struct native_trace {
	struct native_frame *frames;
	size_t count, capacity;
};

struct name_table {
	struct convert_name *names;
	size_t count;
	uint32_t *slots;                     /* open addressing; NO_NAME: free */
	size_t slot_count;                   /* a power of two */
};

enum symbolication_stage {
	SYMBOLICATION_MODULES, SYMBOLICATION_FRAMES, SYMBOLICATION_VARIABLES, SYMBOLICATION_NAMES,
	SYMBOLICATION_SOURCES, SYMBOLICATION_CONTEXTS, SYMBOLICATION_LINKS, SYMBOLICATION_DONE
};

struct symbolication {
	struct work *work;
	struct symbolicate_request request;
	struct module_table table;
	struct native_trace *traces;                /* one per request trace */
	struct name_table names;
	/* What is open, by what reads it together. */
	struct held *open_symcaches, *open_variables, *open_sources, *open_links;
	bool is_sources_marked;              /* which modules' sources are wanted is known */
	size_t link_count;                   /* of all modules */
	enum symbolication_stage stage;
	struct buf path;                     /* scratch for one cleaned path */
};

/* --- modules.c --------------------------------------------------------------------------- */

int module_table_make(struct module_table *table, const struct symbolicate_request *request,
		      struct arena *arena, struct err *err) __attribute__((warn_unused_result));
/* NULL: no module covers it. */
struct native_module *module_table_find(const struct module_table *table, struct addr_mode mode,
					uint64_t address);
/* Frames of a module at 0 have relative addresses only. */
static inline bool native_module_is_absolute(const struct native_module *module)
{
	return module->image_addr != 0;
}

/* --- resolve.c: one module on its way ---------------------------------------------------- */

/* READY: module->stage is MODULE_SETTLED. */
enum resolved native_module_advance(struct symbolication *native, struct native_module *module,
				    struct resolver *resolver, struct err *err);
enum resolved native_module_advance_sources(struct symbolication *native,
					    struct native_module *module,
					    struct resolver *resolver, struct err *err);
/* What its SymCache's key says after the scope: the object, and the companions. */
int native_module_symcache_text(struct symbolication *native, struct native_module *module,
				struct text *text,
				struct err *err) __attribute__((warn_unused_result));
/* details as candidates print them, in the arena or static. */
struct text lookup_failure_details(enum err_kind kind, struct text details, struct arena *arena);

/* --- upgrade.c --------------------------------------------------------------------------- */

/* Of a module that was answered: asks again for what would be better. */
void native_module_upgrade(const struct native_module *module, struct resolver *resolver);

/* --- companions.c ------------------------------------------------------------------------ */

int companions_plan(struct symbolication *native, struct native_module *module,
		    struct resolver *resolver,
		    struct err *err) __attribute__((warn_unused_result));
enum resolved companions_resolve(struct symbolication *native, struct native_module *module,
				 struct resolver *resolver, struct err *err);
void companion_release(struct companion_lookup *companion);
/* Fills derive->companions and appends them to the key's text. */
int companions_describe(struct symbolication *native, struct native_module *module, struct buf *key,
			struct err *err) __attribute__((warn_unused_result));

/* --- adjust.c: addresses ----------------------------------------------------------------- */

struct adjustment {
	uint32_t arch;
	bool any_frame_says;                 /* some frame of the trace has the field */
	const struct raw_trace *trace;
	struct maybe_u64 signal;
};
/* The instruction inside the call, or false when it falls below the module. */
bool adjust_address(const struct adjustment *adjustment, size_t index, uint64_t image_addr,
		    uint64_t address, uint64_t *adjusted);

/* --- variables.c: what functions hold, for those who ask ---------------------------------- */

/* READY: frames of modules with DWARF have the variables of their functions. */
enum resolved frame_variables_look_up(struct symbolication *native, struct resolver *resolver,
				      struct err *err);

/* --- frames.c, names.c ------------------------------------------------------------------- */

/* READY: every trace has its frames, names still to be read.  WAIT: a SymCache was damaged,
 * its module is on its way again. */
enum resolved native_frames_look_up(struct symbolication *native, struct resolver *resolver,
				    struct err *err);
int symbolication_copy_text(struct arena *arena, struct text text, struct text *copy,
			    struct err *err)
	__attribute__((warn_unused_result));

int  frame_names_collect(struct symbolication *native,
			 struct err *err) __attribute__((warn_unused_result));
/* Puts readable names in and drops the frames nobody can use. */
void frame_names_settle(struct symbolication *native);
/* Marks modules the answer still refers to; forgets the others. */
void native_frames_mark_modules(struct symbolication *native);

/* --- candidates.c, answer.c -------------------------------------------------------------- */

struct json_writer;
struct candidate_report {
	struct text source, location;
	const struct candidate *candidate;   /* NULL: the source listed nothing */
	struct use use;
	size_t order;
};
/* What was considered for a module, sorted and merged. */
int candidates_list(const struct native_module *module, const struct source_list *sources,
		    struct arena *arena, struct candidate_report **list, size_t *count,
		    struct err *err)
	__attribute__((warn_unused_result));
void candidate_write(const struct candidate_report *report, bool with_story, struct arena *arena,
		     struct json_writer *json);
void features_write(const struct features *features, struct json_writer *json);
struct features features_of(const struct convert_meta *meta);

int symbolication_answer(struct symbolication *native, struct buf *reply, struct err *err)
	__attribute__((warn_unused_result));
int symbolication_candidates(struct symbolication *native, struct buf *json, struct err *err)
	__attribute__((warn_unused_result));

#endif
