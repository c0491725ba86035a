/*
 * mozilla -- the inside of Mozilla's symbolication API, versions 4 and 5.  Private to these kinds.
 *
 *	body -> jobs of modules and frames -> per module: its .sym, or else a native file -> SymCache
 *	     -> functions, files, lines -> names -> answer
 *
 * Bodies come in two dialects that validate, look up and answer differently (doc/api/mozilla.md): that
 * of 2017, called tecken, on /symbolicate/v4, and today's, called eliot.
 *
 * Everything is the work's arena's, but for the entries held.
 */
#ifndef KINDS_MOZILLA_MOZILLA_H
#define KINDS_MOZILLA_MOZILLA_H

#include "kinds/mozilla/mozilla_module.h"

struct json_writer;

#define MOZILLA_JOBS_MAX 10u
#define MOZILLA_MISSES_SECONDS 3600  /* as the service of 2017 */

/* --- What is asked ------------------------------------------------------------------------- */

enum mozilla_dialect { MOZILLA_TECKEN, MOZILLA_ELIOT };

/* An offset within a module, or any number below 0. */
struct mozilla_offset { bool is_negative; uint64_t magnitude; };

struct mozilla_call {                /* one inlined into the frame's function */
	struct text function, file;
	uint32_t line, name;
};

struct mozilla_frame {
	int64_t index;                       /* into its job's modules; below 0: none */
	struct mozilla_offset offset;
	struct text echoed;                  /* the answer, as it was sent; TEXT_NONE: looked up */
	bool is_resolved;
	bool is_offset_known;                /* function_offset says something */
	struct text function, file;          /* TEXT_NONE: not known */
	uint64_t function_offset, function_size;     /* 0: the size is not known */
	uint32_t line, name;                 /* 0: not known; of the names to be read, or MOZILLA_NO_NAME */
	struct mozilla_call *calls;          /* innermost first */
	size_t call_count;
};
#define MOZILLA_NO_NAME UINT32_MAX

struct mozilla_stack { struct mozilla_frame *frames; size_t count; };

/* An entry of a memoryMap: several may be one module. */
struct mozilla_slot {
	struct mozilla_module *module;
	bool is_first;                       /* of its module, in its job */
	bool is_used;                        /* by some frame */
};

struct mozilla_job {
	struct mozilla_slot *slots;
	size_t slot_count;
	struct mozilla_stack *stacks;
	size_t stack_count;
};

struct mozilla_request {
	enum mozilla_dialect dialect;
	unsigned version;                    /* 4 or 5 */
	bool wants_figures;
	const char *refusal;                 /* in the arena: nothing was looked up; NULL: all is well */
	struct mozilla_job jobs[MOZILLA_JOBS_MAX];
	size_t job_count;
	struct mozilla_modules modules;
};

/* --- mozilla_eliot.c, mozilla_tecken.c: reading bodies --------------------------------------- */

/* What is wrong with it becomes request->refusal; -1 is for what is not the body's fault. */
int mozilla_read_eliot(struct mozilla_request *request, struct text body, struct arena *arena,
		       struct err *err) __attribute__((warn_unused_result));
int mozilla_read_tecken(struct mozilla_request *request, struct text body, struct arena *arena,
			struct err *err) __attribute__((warn_unused_result));

/* --- mozilla_symbols.c: from offsets to functions --------------------------------------------- */

/* Which modules are wanted, by which slots and how many frames. */
void mozilla_mark(struct mozilla_request *request);

struct mozilla_names { struct convert_name *names; size_t count; };

/* READY: every frame has what is known of it, names as they stand in the files.  WAIT: a file has
 * changed, its module is on its way again. */
enum resolved mozilla_look_up(struct mozilla_request *request, struct work *work,
			      struct resolver *resolver, struct err *err);
/* All names of native code, each once; those of .sym files stand for themselves. */
int  mozilla_names_collect(struct mozilla_request *request, struct mozilla_names *names,
			   struct arena *arena, struct err *err) __attribute__((warn_unused_result));
void mozilla_names_settle(struct mozilla_request *request, const struct mozilla_names *names);

/* --- mozilla_answer.c -------------------------------------------------------------------------- */

int  mozilla_write_answer(const struct mozilla_request *request, double seconds, bool with_errors,
			  struct json_writer *json, struct err *err) __attribute__((warn_unused_result));
/* {"error": ...} or {"title": ...} */
void mozilla_write_refusal(enum mozilla_dialect dialect, struct text words, struct json_writer *json);

/* --- mozilla_figures.c: "debug" ------------------------------------------------------------------ */

void mozilla_write_figures(const struct mozilla_request *request, double seconds,
			   struct json_writer *json);

#endif
