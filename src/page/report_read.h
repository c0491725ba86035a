/*
 * report_read.h -- an answer's JSON, of whatever kind, as threads, modules and facts.
 *
 * One pass notes where each frame stands; a frame is read when it is written (report_frame_read()).
 * Texts live as long as the JSON and the arena.
 */
#ifndef PAGE_REPORT_READ_H
#define PAGE_REPORT_READ_H

#include "base/arena.h"
#include "base/err.h"
#include "page/report.h"
#include "page/report_json.h"

/* More are counted and left out: the JSON has them. */
#define REPORT_FRAMES_MAX ((size_t)1000 * 1000)
#define REPORT_THREADS_MAX ((size_t)20 * 1000)
#define REPORT_MODULES_MAX ((size_t)20 * 1000)
#define REPORT_ERRORS_MAX ((size_t)1000)

#define REPORT_NOTHING SIZE_MAX      /* no thread, no module */
#define REPORT_NO_CALL UINT64_MAX

enum report_shape {
	REPORT_SHAPELESS,            /* JSON without stacks */
	REPORT_STACKS,               /* `stacktraces` of objects */
	REPORT_MOZILLA,              /* `results` of version 5 */
	REPORT_LINES,                /* `symbolicatedStacks` of version 4: a frame is a string */
};

/* Where a frame stands, and which call it is a part of: inlined calls share it. */
struct frame_place { size_t at; uint64_t call; };

struct report_thread {
	struct text name, exception_type, exception_module;
	uint64_t id, frames_omitted, frames_left_alone;
	bool has_id, is_requesting, is_other;        /* is_other: of what else a table knows */
	size_t registers_at;                         /* 0: none */
	size_t first, count;                         /* of the report's places */
	size_t unnamed;                              /* frames without a name */
	bool is_reversed;                            /* the innermost frame comes last */
};

struct report_module {
	struct text code_file, debug_file, code_id, debug_id, type, arch, status, unwind_status, details;
	uint64_t address, size;
	bool has_address, has_size, has_debug_info, has_unwind_info, has_symbols, has_sources, is_other;
	size_t candidates_at;                        /* 0: none */
};

/* What kept a frame of JavaScript or a mapping from being found. */
struct report_error {
	struct text type, abs_path, uuid, source, sourcemap, url;
	uint64_t line, column;
	bool has_line, has_column;
};

struct report_facts {
	struct text status, message, reason, details, assertion;
	struct text os_name, os_version, os_build, arch, device;
	uint64_t signal, timestamp;
	bool has_signal, has_timestamp, crashed, has_crashed, is_other;
	size_t remarks_at, scraping_at, exceptions_at, texts_at, classes_at;         /* 0: none */
};

/* Where a module lies. */
struct report_range { uint64_t first, last; size_t module; };

struct report {
	const struct report_view *view;
	struct report_json json;
	struct arena arena;
	enum report_shape shape;
	struct err refusal;                          /* it is no JSON; ERR_NONE: it is */
	struct report_facts facts;
	struct frame_place *places;
	struct report_thread *threads;
	struct report_module *modules;
	struct report_error *errors;
	size_t place_count, thread_count, module_count, error_count;
	size_t place_capacity, thread_capacity, module_capacity, error_capacity;
	size_t frames, frames_left_out, threads_left_out, modules_left_out;
	bool is_native;                              /* frames have an original_index */
	size_t crashed;                              /* a thread; REPORT_NOTHING: there is none */
	struct report_range *ranges;                 /* by address */
	size_t range_count;
	size_t *order;                               /* of the modules' rows */
	size_t *rank;                                /* the row of each module */
};

/* Takes what `report` holds even if it fails. */
int  report_read(struct report *report, const struct report_view *view, struct text json, struct err *err)
	__attribute__((warn_unused_result));
void report_release(struct report *report);

/* The i-th frame of a thread, the innermost first. */
const struct frame_place *report_place(const struct report *report, const struct report_thread *thread, size_t i);
bool report_is_same_call(const struct report *report, const struct report_thread *thread, size_t a, size_t b);
#endif
