/* mozilla_answer.c -- the answers of both versions, in both dialects. */
#include "kinds/mozilla/mozilla.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/json_writer.h"
#include "base/limits.h"

#define HEX_BYTES 24u

/* "0x1f", "-0x1" */
static const char *show(const struct mozilla_offset *offset, char out[HEX_BYTES])
{
	snprintf(out, HEX_BYTES, "%s0x%" PRIx64, offset->is_negative ? "-" : "", offset->magnitude);
	return out;
}

static const struct mozilla_module *module_of(const struct mozilla_job *job,
					      const struct mozilla_frame *frame)
{
	return frame->index < 0 ? NULL : job->slots[frame->index].module;
}

/* As today's server calls it: by its file, where its symbols say that. */
static struct text module_name(const struct mozilla_module *module)
{
	if (module && module->found == MOZILLA_FOUND && module->file_name.size)
		return module->file_name;
	return module && module->name.size ? module->name : TEXT("<unknown>");
}

static void write_found(const struct mozilla_module *module, struct json_writer *json)
{
	if (!module->is_wanted || module->found == MOZILLA_NOT_ASKED)
		json_null(json);
	else
		json_bool(json, module->found == MOZILLA_FOUND);
}

/* --- Version 5 ------------------------------------------------------------------------------------ */

static void write_place(struct text file, uint32_t line, struct json_writer *json)
{
	json_member_text(json, "file", file);
	if (file.bytes && line)
		json_member_u64(json, "line", line);
}

static void write_calls(const struct mozilla_frame *frame, struct json_writer *json)
{
	json_key(json, "inlines");
	json_array(json);
	for (size_t i = 0; i < frame->call_count; i++) {
		const struct mozilla_call *call = &frame->calls[i];

		json_object(json);
		json_member_text(json, "function", call->function.bytes ? call->function : TEXT("<unknown>"));
		write_place(call->file, call->line, json);
		json_object_end(json);
	}
	json_array_end(json);
}

static void write_frame(const struct mozilla_job *job, const struct mozilla_frame *frame, size_t index,
			struct json_writer *json)
{
	char hex[HEX_BYTES];

	json_object(json);
	json_member_u64(json, "frame", index);
	json_member_text(json, "module", module_name(module_of(job, frame)));
	json_member_string(json, "module_offset", show(&frame->offset, hex));
	if (frame->is_resolved) {
		json_member_text(json, "function", frame->function);
		if (frame->is_offset_known)
			json_member_hex(json, "function_offset", frame->function_offset);
		if (frame->function_size)
			json_member_hex(json, "function_size", frame->function_size);
		write_place(frame->file, frame->line, json);
		if (frame->call_count)
			write_calls(frame, json);
	}
	json_object_end(json);
}

static void write_modules(const struct mozilla_job *job, struct json_writer *json)
{
	json_key(json, "found_modules");
	json_object(json);
	for (size_t i = 0; i < job->slot_count; i++) {
		if (!job->slots[i].is_first)
			continue;
		json_key_text(json, job->slots[i].module->key);
		write_found(job->slots[i].module, json);
	}
	json_object_end(json);
}

static bool has_error(const struct mozilla_slot *slot)
{
	return slot->is_first && slot->module->is_wanted && slot->module->found == MOZILLA_MISSING;
}

static void write_error(const struct mozilla_module *module, struct json_writer *json)
{
	json_key_text(json, module->key);
	json_array(json);
	json_object(json);
	json_member_string(json, "name", module->error_kind);
	json_member_text(json, "message", module->error);
	json_object_end(json);
	json_array_end(json);
}

/* Left out where there are none. */
static void write_errors(const struct mozilla_job *job, struct json_writer *json)
{
	bool is_open = false;

	for (size_t i = 0; i < job->slot_count; i++) {
		if (!has_error(&job->slots[i]))
			continue;
		if (!is_open) {
			json_key(json, "module_errors");
			json_object(json);
		}
		is_open = true;
		write_error(job->slots[i].module, json);
	}
	if (is_open)
		json_object_end(json);
}

static void write_job(const struct mozilla_job *job, bool with_errors, struct json_writer *json)
{
	json_object(json);
	json_key(json, "stacks");
	json_array(json);
	for (size_t i = 0; i < job->stack_count; i++) {
		json_array(json);
		for (size_t j = 0; j < job->stacks[i].count; j++)
			write_frame(job, &job->stacks[i].frames[j], j, json);
		json_array_end(json);
	}
	json_array_end(json);
	write_modules(job, json);
	if (with_errors)
		write_errors(job, json);
	json_object_end(json);
}

static void write_results(const struct mozilla_request *request, bool with_errors,
			  struct json_writer *json)
{
	json_key(json, "results");
	json_array(json);
	for (size_t i = 0; i < request->job_count; i++)
		write_job(&request->jobs[i], with_errors, json);
	json_array_end(json);
}

/* --- Version 4 ------------------------------------------------------------------------------------ */

static void write_line(enum mozilla_dialect dialect, const struct mozilla_job *job,
		       const struct mozilla_frame *frame, struct buf *line)
{
	const struct mozilla_module *module = module_of(job, frame);
	char hex[HEX_BYTES];

	buf_clear(line);
	if (frame->echoed.bytes) {
		buf_add_text(line, frame->echoed);
		return;
	}
	if (frame->is_resolved)
		buf_add_text(line, frame->function);
	else
		buf_add_string(line, show(&frame->offset, hex));
	if (!module && dialect == MOZILLA_TECKEN)
		return;
	buf_add_string(line, " (in ");
	buf_add_text(line, dialect == MOZILLA_TECKEN ? module->name : module_name(module));
	buf_add_char(line, ')');
}

static int write_stack(const struct mozilla_request *request, const struct mozilla_job *job,
		       const struct mozilla_stack *stack, struct json_writer *json, struct err *err)
{
	struct buf line;
	int rc = 0;

	buf_init(&line, 2 * LIMIT_NAME_BYTES);
	json_array(json);
	for (size_t i = 0; i < stack->count && rc == 0; i++) {
		write_line(request->dialect, job, &stack->frames[i], &line);
		rc = buf_check(&line, err);
		json_text(json, buf_text(&line));
	}
	json_array_end(json);
	buf_release(&line);
	return rc;
}

static int write_lines(const struct mozilla_request *request, struct json_writer *json, struct err *err)
{
	const struct mozilla_job *job = &request->jobs[0];

	json_key(json, "symbolicatedStacks");
	json_array(json);
	for (size_t i = 0; i < job->stack_count; i++)
		if (write_stack(request, job, &job->stacks[i], json, err) < 0)
			return -1;
	json_array_end(json);
	json_key(json, "knownModules");
	json_array(json);
	for (size_t i = 0; i < job->slot_count; i++) {
		const struct mozilla_slot *slot = &job->slots[i];

		if (request->dialect == MOZILLA_TECKEN)
			json_bool(json, slot->is_used && slot->module->found == MOZILLA_FOUND);
		else
			write_found(slot->module, json);
	}
	json_array_end(json);
	return 0;
}

/* --- Outside -------------------------------------------------------------------------------------- */

int mozilla_write_answer(const struct mozilla_request *request, double seconds, bool with_errors,
			 struct json_writer *json, struct err *err)
{
	json_object(json);
	if (request->version == 5)
		write_results(request, with_errors, json);
	else if (write_lines(request, json, err) < 0)
		return -1;
	if (request->wants_figures)
		mozilla_write_figures(request, seconds, json);
	json_object_end(json);
	return 0;
}

void mozilla_write_refusal(enum mozilla_dialect dialect, struct text words, struct json_writer *json)
{
	json_object(json);
	json_member_text(json, dialect == MOZILLA_TECKEN ? "error" : "title", words);
	json_object_end(json);
}
