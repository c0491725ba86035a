/*
 * symbolication -- from stack traces and modules to the `stacktraces` and `modules` of an answer,
 * for every kind of request that ends in native frames.
 *
 *	symbolication_new     takes what is to be answered
 *	symbolication_step    gets nearer to the answer, as a request_kind's step
 *	symbolication_write   once it is there: the two members of the answer
 */
#ifndef KINDS_NATIVE_SYMBOLICATION_H
#define KINDS_NATIVE_SYMBOLICATION_H

#include "kinds/stacktrace.h"
#include "lookup/module_lookup.h"
#include "work/work.h"

struct json_writer;

struct symbolication_options {
	bool dif_candidates, apply_source_context, extract_variables;
	bool caller_first;           /* frames are answered outermost first */
};

struct symbolication_request {
	struct raw_report report;
	const struct source_list *sources;
	struct symbolication_options options;
	struct scraping scraping;
	/* Where the stacks were unwound here: of each module what was looked for until then.  It is
	 * gone on with, and modules tell their unwind_status.  NULL: the request brought its frames. */
	struct module_lookup *const *lookups;
};

/* Copies the request, not what it points to, which stays as long as the work.  In its arena; NULL
 * with err.  work->config says how. */
struct symbolication;
struct symbolication *symbolication_new(struct work *work,
					const struct symbolication_request *request,
					struct err *err) __attribute__((warn_unused_result));
enum stepped symbolication_step(struct symbolication *symbolication, struct resolver *resolver,
				struct err *err);
/* "stacktraces" and "modules". */
int symbolication_write(struct symbolication *symbolication, struct json_writer *json,
			struct err *err) __attribute__((warn_unused_result));
/* Of the first module whose architecture its file told; TEXT_NONE: of none. */
struct text symbolication_arch(const struct symbolication *symbolication);
/* "modules" for people who ask why: every candidate, and what became of it. */
int symbolication_write_candidates(struct symbolication *symbolication, struct json_writer *json,
				   struct err *err) __attribute__((warn_unused_result));
/* A frame of a finished one, in the answer's order, innermost first; false: the trace has no more. */
struct symbolicated_frame {
	size_t original_index;       /* of the frame it came of */
	bool is_symbolicated;
	struct text function, abs_path;      /* of a symbolicated one */
	uint32_t line;               /* 0: not known */
};
bool symbolication_frame(const struct symbolication *symbolication, size_t trace, size_t index,
			 struct symbolicated_frame *frame);
/* Holds given back, but for those of request->lookups; NULL is fine. */
void symbolication_release(struct symbolication *symbolication);

/* Reads what POST /symbolicate asks; `sources` are work->default_sources where it names none. */
int symbolication_request_read(struct symbolication_request *request, struct work *work,
			       const struct cJSON *json, struct err *err)
	__attribute__((warn_unused_result));

#endif
