/* js_answer.c -- the answer's members: doc/api/js.md. */
#include "kinds/js/js.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/json_writer.h"
#include "kinds/source_lines.h"

/* --- Frames ------------------------------------------------------------------------------------- */

static void write_frame(struct json_writer *json, const struct js_frame *frame)
{
	json_object(json);
	json_member_text(json, "platform", frame->platform);
	json_member_text(json, "function", frame->function);
	json_member_text(json, "filename", frame->filename);
	json_member_text(json, "module", frame->module);
	json_member_text(json, "abs_path", frame->abs_path);
	json_member_u64(json, "lineno", frame->lineno.value);
	if (frame->colno.is_set)
		json_member_u64(json, "colno", frame->colno.value);
	source_lines_write(json, frame->pre_context, frame->context_line, frame->post_context);
	json_key(json, "data");
	json_object(json);
	json_member_text(json, "sourcemap", frame->sourcemap);
	if (frame->sourcemap_origin.bytes) {
		json_key(json, "sourcemap_origin");
		json_raw(json, frame->sourcemap_origin);
	}
	json_member_text(json, "resolved_with", frame->resolved_with);
	json_member_bool(json, "symbolicated", frame->symbolicated);
	json_object_end(json);
	json_object_end(json);
}

static void write_traces(struct json_writer *json, const struct js *js, bool is_raw)
{
	json_array(json);
	for (size_t i = 0; i < js->request.trace_count; i++) {
		const struct js_trace *trace = &js->request.traces[i];
		const struct js_frame *frames = is_raw ? trace->raw : trace->out;

		json_object(json);
		json_key(json, "frames");
		json_array(json);
		for (size_t j = 0; j < trace->count; j++)
			write_frame(json, &frames[js->request.options.is_callee_first
						  ? trace->count - 1 - j : j]);
		json_array_end(json);
		json_object_end(json);
	}
	json_array_end(json);
}

/* --- Errors --------------------------------------------------------------------------------------- */

static void write_error(struct json_writer *json, const struct js_error *error)
{
	static const char *const names[JS_ERROR_TYPES] = {
		[JS_INVALID_LOCATION] = "invalid_location",
		[JS_MISSING_SOURCE_CONTENT] = "missing_source_content",
		[JS_MISSING_SOURCE] = "missing_source",
		[JS_MALFORMED_SOURCEMAP] = "malformed_sourcemap",
		[JS_MISSING_SOURCEMAP] = "missing_sourcemap",
		[JS_SCRAPING_DISABLED] = "scraping_disabled",
	};

	json_object(json);
	json_member_text(json, "abs_path", error->abs_path);
	json_member_word(json, "type", names[error->type]);
	if (error->type == JS_INVALID_LOCATION) {
		json_member_u64(json, "line", error->line.value);
		json_key(json, "col");
		if (error->col.is_set)
			json_u64(json, error->col.value);
		else
			json_null(json);
	}
	json_member_text(json, "source", error->source);
	json_member_text(json, "sourcemap", error->sourcemap);
	json_member_text(json, "url", error->url);
	json_object_end(json);
}

int js_answer_errors(const struct js *js, struct json_writer *json, struct err *err)
{
	const struct js_error **errors;
	size_t count;

	if (js_errors_sorted(js, &errors, &count, err) < 0)
		return -1;
	if (!count)
		return 0;
	json_key(json, "errors");
	json_array(json);
	for (size_t i = 0; i < count; i++)
		write_error(json, errors[i]);
	json_array_end(json);
	return 0;
}

/* --- Attempts --------------------------------------------------------------------------------------- */

struct told_attempt { const struct js_attempt *attempt; size_t order; };

static int compare_attempts(const void *left, const void *right)
{
	const struct told_attempt *a = left, *b = right;
	int order = text_compare(a->attempt->url, b->attempt->url);

	return order ? order : (a->order > b->order) - (a->order < b->order);
}

static void write_attempt(struct json_writer *json, const struct js_attempt *attempt)
{
	json_object(json);
	json_member_text(json, "url", attempt->url);
	json_member_word(json, "status", attempt->status);
	if (attempt->reason)
		json_member_word(json, "reason", attempt->reason);
	if (attempt->details.size)
		json_member_text(json, "details", attempt->details);
	json_object_end(json);
}

static int write_attempts(struct json_writer *json, const struct js *js, struct err *err)
{
	struct js_files files = js_files_of(js);
	const struct js_file *file;
	struct told_attempt *told;
	size_t count = 0, all = 0;

	while ((file = js_files_next(&files)) != NULL)
		all += file->attempt.is_told;
	if (!all)
		return 0;
	told = arena_alloc_raw(&js->work->arena, all, sizeof(*told));
	if (!told)
		return err_no_memory(err);
	files = js_files_of(js);
	while ((file = js_files_next(&files)) != NULL) {
		if (!file->attempt.is_told)
			continue;
		told[count] = (struct told_attempt){ &file->attempt, count };
		count++;
	}
	qsort(told, count, sizeof(*told), compare_attempts);
	json_key(json, "scraping_attempts");
	json_array(json);
	for (size_t i = 0; i < count; i++)
		write_attempt(json, told[i].attempt);
	json_array_end(json);
	return 0;
}

int js_answer_write(const struct js *js, struct json_writer *json, struct err *err)
{
	json_key(json, "stacktraces");
	write_traces(json, js, false);
	json_key(json, "raw_stacktraces");
	write_traces(json, js, true);
	if (js_answer_errors(js, json, err) < 0)
		return -1;
	if (write_attempts(json, js, err) < 0)
		return -1;
	js_count(js);
	return 0;
}
