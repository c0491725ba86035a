/* jvm_answer.c -- the members of a completed reply, in Symbolicator's order. */
#include "kinds/jvm/jvm_work.h"

#include "base/json_writer.h"
#include "kinds/kinds_counters.h"

static void write_frame(struct json_writer *json, const struct jvm_result *frame)
{
	const struct jvm_frame *raw = frame->raw;

	json_object(json);
	json_member_text(json, "platform", raw->platform);
	json_member_text(json, "function", frame->function);
	json_member_text(json, "filename", frame->file.bytes ? frame->file : raw->filename);
	json_member_text(json, "module", frame->module);
	json_member_text(json, "abs_path", frame->file.bytes ? frame->file : raw->abs_path);
	if (frame->has_lineno)
		json_member_u64(json, "lineno", frame->lineno);
	if (frame->context)
		source_lines_write_context(json, frame->context);
	else
		source_lines_write(json, raw->pre_context, raw->context_line, raw->post_context);
	if (frame->is_in_app || raw->in_app != MAYBE_UNSET)
		json_member_bool(json, "in_app", frame->is_in_app || raw->in_app == MAYBE_TRUE);
	json_member_u64(json, "index", raw->index);
	json_member_text(json, "signature", frame->signature);
	if (frame->is_synthesized)
		json_member_bool(json, "method_synthesized", true);
	json_object_end(json);
}

static void write_exception(struct json_writer *json, const struct jvm_exception *exception)
{
	json_object(json);
	json_member_text(json, "type", exception->type);
	json_member_text(json, "module", exception->module);
	json_object_end(json);
}

static void write_trace(const struct jvm *jvm, const struct jvm_trace *sent,
			const struct jvm_trace_result *trace, struct json_writer *json)
{
	json_object(json);
	json_key(json, "exception");
	if (sent->has_exception)
		write_exception(json, &trace->exception);
	else
		json_null(json);
	json_key(json, "frames");
	json_array(json);
	for (size_t i = 0; i < trace->frames.count; i++) {
		size_t at = jvm->request.callee_first ? i : trace->frames.count - 1 - i;

		write_frame(json, &trace->frames.items[at]);
	}
	json_array_end(json);
	if (trace->cut)
		json_member_u64(json, "frames_omitted", trace->cut);
	if (trace->left_alone)
		json_member_u64(json, "frames_left_alone", trace->left_alone);
	json_object_end(json);
}

/* A file that was there and is no mapping is told from one that could not be had. */
static const char *error_word(enum err_kind failure)
{
	switch (failure) {
	case ERR_MALFORMED:
	case ERR_LIMIT:
	case ERR_CRASHED:
		return "invalid";
	default:
		return "missing";
	}
}

void jvm_answer_errors(const struct jvm *jvm, struct json_writer *json)
{
	json_key(json, "errors");
	json_array(json);
	for (size_t i = 0; i < jvm->mapping_count; i++) {
		const struct jvm_mapping *mapping = &jvm->mappings[i];
		char id[DEBUGID_TEXT_BYTES];

		if (!mapping->is_failed || !mapping->module)
			continue;
		debugid_format(&mapping->module->id, id);
		json_object(json);
		json_member_word(json, "uuid", id);
		json_member_word(json, "type", error_word(mapping->failure));
		json_object_end(json);
	}
	json_array_end(json);
}

static void count_frames(const struct jvm *jvm)
{
	uint64_t counts[FRAME_OUTCOMES] = { 0 };

	for (size_t i = 0; i < jvm->request.trace_count; i++)
		for (size_t j = 0; j < jvm->traces[i].frames.count; j++)
			counts[jvm->traces[i].frames.items[j].is_mapped ? FRAME_MAPPED : FRAME_UNMAPPED]++;
	for (unsigned i = 0; i < FRAME_OUTCOMES; i++)
		kinds_count(jvm->work, &kinds_jvm_frames, i, counts[i]);
}

void jvm_answer_write(const struct jvm *jvm, struct json_writer *json)
{
	json_key(json, "exceptions");
	json_array(json);
	for (size_t i = 0; i < jvm->request.exception_count; i++)
		write_exception(json, &jvm->exceptions[i]);
	json_array_end(json);
	json_key(json, "stacktraces");
	json_array(json);
	for (size_t i = 0; i < jvm->request.trace_count; i++)
		write_trace(jvm, &jvm->request.traces[i], &jvm->traces[i], json);
	json_array_end(json);
	json_key(json, "classes");
	json_object(json);
	for (size_t i = 0; i < jvm->class_count; i++) {
		json_key_text(json, jvm->classes[i].obfuscated);
		json_text(json, jvm->classes[i].original);
	}
	json_object_end(json);
	jvm_answer_errors(jvm, json);
	count_frames(jvm);
}
