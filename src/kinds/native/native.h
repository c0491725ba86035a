/*
 * native -- the inside of a symbolication: modules, frames, names, sources.  Private to the native
 * kind.
 *
 *	request -> module table -> per module: look-up -> companions -> SymCache
 *	        -> frames -> names -> source look-ups -> answer
 *
 * Everything in struct symbolication is the work's arena's, but for the entries held (held.h)
 * and `path`.
 */
#ifndef KINDS_NATIVE_NATIVE_H
#define KINDS_NATIVE_NATIVE_H

#include "base/buf.h"
#include "kinds/native/symbolication.h"
#include "ppdbcache/ppdbcache.h"
#include "kinds/source_lines.h"
#include "kinds/symbfile/symbfile_parts.h"
#include "symcache/symcache.h"

/* --- Modules ----------------------------------------------------------------------------- */

enum module_stage { MODULE_SYMBFILES, MODULE_LOOKUP, MODULE_COMPANIONS, MODULE_SYMCACHE, MODULE_SETTLED };

struct module_sources {
	bool is_wanted;                      /* a frame has a path and a line */
	struct held held;
	struct sourcecache cache;            /* over its payload, while it is open */
};

struct module_variables {
	struct held held;
	struct symcache cache;               /* over its payload, while it is open */
};

struct native_module {
	const struct raw_module *raw;
	struct module_lookup *files;
	uint64_t image_addr, image_size;     /* size 0: open ended */
	bool has_size;                       /* said or inferred: goes into the answer */
	bool is_referenced, is_source_referenced;
	enum module_stage stage;
	bool is_managed;                     /* answers by method and IL offset: has a ppdb cache */
	bool has_symbfiles;                  /* answers from uploaded symbfiles, and has no symcache */
	bool asked_build_id;
	struct symbfile_parts symbfiles;
	struct held symcache;                /* or the ppdb cache */
	struct symcache cache;               /* over its payload, when settled without failure */
	struct ppdbcache managed;            /* instead of cache, when is_managed */
	struct module_variables *variables;  /* NULL: nobody has asked for any */
	struct module_sources sources;
	uint32_t arch;
};

struct module_table {
	struct native_module *modules;       /* in request order */
	size_t count;
	struct native_module **by_address;
};

/* Its debug information: `failure` says why there is no SymCache. */
static inline struct purpose_lookup *native_module_debug(const struct native_module *module)
{
	return &module->files->purposes[LOOKUP_DEBUG];
}

/* --- Frames ------------------------------------------------------------------------------ */

enum frame_status { FRAME_SYMBOLICATED, FRAME_MISSING_SYMBOL, FRAME_UNKNOWN_IMAGE, FRAME_MISSING,
		    FRAME_MALFORMED, FRAME_STATUSES };

#define NO_NAME UINT32_MAX

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
	struct text abs_path;                /* TEXT_NONE: the cache has no file for it */
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
	struct symbolication_request request;
	struct module_table table;
	struct native_trace *traces;         /* one per trace of the report */
	struct name_table names;
	/* What is open, by what reads it together. */
	struct held *open_symcaches, *open_variables, *open_sources, *open_links;
	bool is_sources_marked;              /* which modules' sources are wanted is known */
	size_t link_count;                   /* of all modules */
	enum symbolication_stage stage;
	struct buf path;                     /* scratch for one cleaned path */
};

/* --- modules.c --------------------------------------------------------------------------- */

/* The modules' look-ups are those given, one each, or new ones of these sources. */
int module_table_make(struct module_table *table, const struct symbolication_request *request,
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

/* --- frame_variables.c: what functions hold, for those who ask ---------------------------- */

/* READY: frames of modules with DWARF have the variables of their functions. */
enum resolved frame_variables_look_up(struct symbolication *native, struct resolver *resolver,
				      struct err *err);

/* --- native_frames.c, frame_names.c ------------------------------------------------------- */

/* READY: every trace has its frames, names still to be read.  WAIT: a SymCache was damaged,
 * its module is on its way again. */
enum resolved native_frames_look_up(struct symbolication *native, struct resolver *resolver,
				    struct err *err);
int native_frames_copy_text(struct arena *arena, struct text text, struct text *copy,
			    struct err *err) __attribute__((warn_unused_result));
/* Marks modules the answer still refers to; forgets the others. */
void native_frames_mark_modules(struct symbolication *native);

int  frame_names_collect(struct symbolication *native, struct err *err)
	__attribute__((warn_unused_result));
/* Fills readable names in and drops the frames that are of no use in an answer. */
void frame_names_settle(struct symbolication *native);

#endif
