/*
 * jvm_work -- the inside of POST /symbolicate-jvm.
 *
 *	request -> mappings and source bundles, by UUID -> exceptions, frames, classes -> contexts -> answer
 *
 * Everything is the work's arena's, but for what is held and the scratch memory of remapping.  Private to
 * the jvm kind.
 */
#ifndef KINDS_JVM_JVM_WORK_H
#define KINDS_JVM_JVM_WORK_H

#include "base/buf.h"
#include "base/map.h"
#include "kinds/jvm/jvm_request.h"
#include "kinds/source_lines.h"
#include "lookup/module_lookup.h"
#include "proguard/proguard.h"
#include "work/held.h"
#include "work/work.h"

struct json_writer;
struct jvm_text;
struct retrace;

/* --- Files ----------------------------------------------------------------------------------- */

#define JVM_MAP_ID_BYTES 80u         /* of a mapping's own ids: longer ones do not count */
#define JVM_MAPS_ASKED   8u          /* mappings that are looked for by their own ids, of one request */

struct jvm_mapping {
	const struct jvm_module *module;     /* NULL: looked for by its own id, which is ids.code_id */
	struct text map_id, map_hash;        /* what it says of itself, once it is open */
	char names[2][JVM_MAP_ID_BYTES];     /* memory for that */
	struct object_ids ids;
	struct source_query query;
	struct lookup lookup;
	size_t at;                           /* of its locations, the one that is tried */
	struct held *held;                   /* of that; NULL: not yet */
	bool is_failed;
	enum err_kind failure;
	struct proguard cache;               /* over its payload, while it is open */
};

struct jvm_bundle {
	struct object_ids ids;
	struct module_lookup files;
	struct held held;                    /* its sources, by URL */
	struct sourcecache cache;            /* over its payload, while it is open */
};

static inline bool jvm_mapping_is_open(const struct jvm_mapping *mapping)
{
	return mapping->held && mapping->held->is_settled && !mapping->held->failure;
}

static inline bool jvm_bundle_is_open(const struct jvm_bundle *bundle)
{
	return bundle->held.is_settled && !bundle->held.failure;
}

/* --- What becomes of frames ------------------------------------------------------------------ */

struct jvm_result {
	const struct jvm_frame *raw;
	struct text module, function, signature;
	struct text file;                    /* TEXT_NONE: the frame's own names */
	uint32_t lineno;
	bool has_lineno, is_mapped, is_synthesized, is_in_app;
	const struct frame_context *context; /* NULL: the frame's own */
};

struct jvm_result_list { struct jvm_result *items; size_t count, capacity; };

struct jvm_trace_result {
	struct jvm_exception exception;
	struct jvm_result_list frames;       /* the innermost first */
	uint64_t cut;                        /* frames that were too many */
	uint64_t left_alone;                 /* frames nothing was asked for, as that took too long */
};

struct jvm_class { struct text obfuscated, original; };

/* Names that were copied, by where they lie in a mapping: those of one trace are few. */
#define JVM_COPIES 256u
struct jvm_copy { struct text name, copy; };

enum jvm_stage { JVM_FILES, JVM_MAPS, JVM_REMAP, JVM_CONTEXTS, JVM_NATIVE, JVM_DONE };

struct jvm {
	struct work *work;
	struct jvm_request request;
	enum jvm_stage stage;
	/* Of the request's modules, in their order; then those frames ask for by ids. */
	struct jvm_mapping *mappings;
	size_t mapping_count, module_mapping_count;
	struct source_list map_sources;      /* which are asked for those */
	struct jvm_bundle *bundles;
	size_t bundle_count;
	struct held *open_mappings, *open_bundles;   /* by what reads them together */

	struct jvm_exception *exceptions;    /* one for each of the request */
	struct jvm_trace_result *traces;
	struct jvm_class *classes;
	size_t class_count;
	struct map seen;                     /* of them, by the obfuscated name */

	/* Of remapping: */
	struct proguard_carry *carries;      /* one for each mapping */
	struct proguard_frames found;
	struct buf name, shown, parameters;
	struct jvm_copy copies[JVM_COPIES];
	uint64_t extra_left;                 /* frames there may still be beyond one for each */

	/* Of texts (jvm_text.c): */
	struct jvm_text *texts;              /* one for each of the request */
	struct retrace *retraces;            /* one for each mapping */
	size_t retrace_count;                /* opened */
	struct buf lines, line;
	uint64_t text_left;                  /* bytes there may still be beyond those sent */
	uint64_t text_unread;                /* bytes that may still go through mappings */
};

/* jvm_files.c.  READY: all mappings and bundles are open, or have failed. */
int  jvm_files_begin(struct jvm *jvm, struct err *err) __attribute__((warn_unused_result));
enum resolved jvm_files_resolve(struct jvm *jvm, struct resolver *resolver, struct err *err);
void jvm_files_release(struct jvm *jvm);

/* jvm_maps.c: the mapping a frame itself names ("r8-map-id-..."). */
bool jvm_maps_are_named(const struct jvm_frame *frame, struct text *id);
/* The open one of that id; NULL: there is none. */
struct jvm_mapping *jvm_maps_find(const struct jvm *jvm, struct text id);
/* Adds those that are still to be looked for to the mappings: how many; -1. */
int  jvm_maps_add(struct jvm *jvm, struct err *err) __attribute__((warn_unused_result));

/* jvm_remap.c.  WAIT: a mapping was damaged, and is on its way again. */
enum resolved jvm_remap(struct jvm *jvm, struct resolver *resolver, struct err *err);
void jvm_remap_release(struct jvm *jvm);

/* jvm_context.c.  WAIT: a bundle's sources were damaged, and are on their way again. */
enum resolved jvm_context_quote(struct jvm *jvm, struct resolver *resolver, struct err *err);
/* The URL of a frame's source, into an emptied buf. */
void jvm_context_url(const struct jvm_result *frame, struct buf *url);

/* jvm_answer.c: "exceptions", "stacktraces", "classes", "errors". */
/* Mappings that could not be had or read, for `symgate why` too. */
void jvm_answer_errors(const struct jvm *jvm, struct json_writer *json);
void jvm_answer_write(const struct jvm *jvm, struct json_writer *json);

#endif
