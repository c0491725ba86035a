/* answer.c -- the stack traces and modules of a completed reply, members in Symbolicator's order. */
#include "kinds/native/native.h"

#include <stdio.h>

#include "base/arena.h"
#include "base/json_writer.h"

static const char *const frame_status_names[FRAME_STATUSES] = {
	[FRAME_SYMBOLICATED] = "symbolicated", [FRAME_MISSING_SYMBOL] = "missing_symbol",
	[FRAME_UNKNOWN_IMAGE] = "unknown_image", [FRAME_MISSING] = "missing",
	[FRAME_MALFORMED] = "malformed",
};

/* --- Frames ------------------------------------------------------------------------------ */

static void write_maybe_bool(struct json_writer *json, const char *key, enum maybe_bool value)
{
	if (value != MAYBE_UNSET)
		json_member_bool(json, key, value == MAYBE_TRUE);
}

static void write_maybe_hex(struct json_writer *json, const char *key, struct maybe_u64 value)
{
	if (value.is_set)
		json_member_hex(json, key, value.value);
}

static void write_maybe_number(struct json_writer *json, const char *key, struct maybe_u64 value)
{
	if (value.is_set)
		json_member_u64(json, key, value.value);
}

static void write_addr_mode(struct json_writer *json, struct addr_mode mode)
{
	char text[32];

	if (!mode.is_relative)
		return;
	snprintf(text, sizeof(text), "rel:%llu", (unsigned long long)mode.module);
	json_member_word(json, "addr_mode", text);
}

static void write_vars(struct json_writer *json, const struct text_map *vars)
{
	if (!vars->count)
		return;
	json_key(json, "vars");
	json_object(json);
	for (size_t i = 0; i < vars->count; i++) {
		json_key_text(json, vars->pairs[i].name);
		json_text(json, vars->pairs[i].value);
	}
	json_object_end(json);
}

/* The next text up to its NUL; false: there is no more. */
static bool take_word(struct text *list, struct text *word)
{
	const char *end = list->size ? memchr(list->bytes, 0, list->size) : NULL;

	if (!end)
		return false;
	*word = (struct text){ list->bytes, (size_t)(end - list->bytes) };
	list->bytes += word->size + 1;
	list->size -= word->size + 1;
	return true;
}

static void write_variables(struct json_writer *json, struct text list)
{
	struct text name, type;

	if (!take_word(&list, &name) || !take_word(&list, &type))
		return;
	json_key(json, "vars");
	json_object(json);
	do {
		json_key_text(json, name);
		json_text(json, type);
	} while (take_word(&list, &name) && take_word(&list, &type));
	json_object_end(json);
}

/* What a hit knows; where it knows no file, what the request said. */
static void write_hit(struct json_writer *json, const struct native_frame *frame)
{
	struct text path = frame->abs_path, name = text_basename(path);

	if (frame->language != LANGUAGE_UNKNOWN && frame->language < LANGUAGES)
		json_member_word(json, "lang", language_name(frame->language));
	json_member_text(json, "symbol", frame->symbol);
	write_maybe_hex(json, "sym_addr", frame->sym_addr);
	json_member_text(json, "function", frame->function);
	json_member_text(json, "filename", path.size ? name : frame->raw->filename);
	json_member_text(json, "abs_path", path.size ? path : frame->raw->abs_path);
	json_member_u64(json, "lineno", frame->line);
	if (frame->context)
		source_lines_write_context(json, frame->context);
	json_member_text(json, "source_link", frame->source_link);
	write_variables(json, frame->variables);
}

static void write_echo(struct json_writer *json, const struct native_frame *frame)
{
	const struct raw_frame *raw = frame->raw;
	bool is_placed = frame->status == FRAME_SYMBOLICATED;    /* managed code */
	struct text path = is_placed ? frame->abs_path : raw->abs_path;

	if (is_placed || raw->lang.is_set)
		json_member_word(json, "lang", language_name(is_placed ? frame->language
								  : raw->lang.language));
	json_member_text(json, "symbol", frame->symbol);
	write_maybe_hex(json, "sym_addr", raw->sym_addr);
	json_member_text(json, "function", frame->function);
	json_member_text(json, "filename", is_placed ? text_basename(path) : raw->filename);
	json_member_text(json, "abs_path", path);
	if (is_placed)
		json_member_u64(json, "lineno", frame->line);
	else
		write_maybe_number(json, "lineno", raw->lineno);
	if (frame->context)
		source_lines_write_context(json, frame->context);
	else
		source_lines_write(json, raw->pre_context, raw->context_line, raw->post_context);
	json_member_text(json, "source_link",
			 frame->source_link.bytes ? frame->source_link : raw->source_link);
	write_maybe_bool(json, "in_app", raw->in_app);
	write_vars(json, &raw->vars);
}

static void write_frame(struct json_writer *json, const struct native_frame *frame)
{
	const struct raw_frame *raw = frame->raw;

	json_object(json);
	json_member_word(json, "status", frame_status_names[frame->status]);
	json_member_u64(json, "original_index", frame->original_index);
	json_member_text(json, "platform", raw->platform);
	write_addr_mode(json, frame->mode);
	json_member_hex(json, "instruction_addr", frame->address);
	write_maybe_bool(json, "adjust_instruction_addr", raw->adjust);
	write_maybe_hex(json, "function_id", raw->function_id);
	json_member_text(json, "package", frame->package);
	if (frame->status == FRAME_SYMBOLICATED && !frame->is_managed)
		write_hit(json, frame);
	else
		write_echo(json, frame);
	if (raw->trust != TRUST_NONE)
		json_member_word(json, "trust", trust_name(raw->trust));
	json_object_end(json);
}

static void write_registers(struct json_writer *json, const struct raw_trace *raw)
{
	if (!raw->register_count)
		return;
	json_key(json, "registers");
	json_object(json);
	for (size_t i = 0; i < raw->register_count; i++) {
		json_key_text(json, raw->registers[i].name);
		json_hex(json, raw->registers[i].value);
	}
	json_object_end(json);
}

static void write_trace(struct json_writer *json, const struct raw_trace *raw,
			const struct native_trace *trace, bool caller_first)
{
	json_object(json);
	write_maybe_number(json, "thread_id", raw->thread_id);
	json_member_text(json, "thread_name", raw->thread_name);
	write_maybe_bool(json, "is_requesting", raw->is_requesting);
	write_registers(json, raw);
	json_key(json, "frames");
	json_array(json);
	for (size_t i = 0; i < trace->count; i++)
		write_frame(json, &trace->frames[caller_first ? trace->count - 1 - i : i]);
	json_array_end(json);
	json_object_end(json);
}

/* --- Modules ----------------------------------------------------------------------------- */

static void write_identity(struct json_writer *json, const struct native_module *module)
{
	const struct object_ids *ids = &module->raw->ids;
	char debug_id[DEBUGID_TEXT_BYTES];

	json_member_word(json, "type", object_type_name(ids->type));
	json_member_text(json, "code_id", ids->code_id);
	json_member_text(json, "code_file", ids->code_file);
	if (!debugid_is_nil(&ids->debug_id)) {
		debugid_format(&ids->debug_id, debug_id);
		json_member_string(json, "debug_id", debug_id);
	}
	json_member_text(json, "debug_file", ids->debug_file);
	json_member_text(json, "debug_checksum", ids->debug_checksum);
	json_member_hex(json, "image_addr", module->image_addr);
	if (module->has_size)
		json_member_u64(json, "image_size", module->image_size);
}

static int write_module(struct symbolication *native, const struct native_module *module,
			struct json_writer *json, struct err *err)
{
	const struct module_lookup *files = module->files;

	json_object(json);
	json_member_word(json, "debug_status",
			   module_status_name(files->purposes[LOOKUP_DEBUG].status));
	if (native->request.lookups)
		json_member_word(json, "unwind_status",
				   module_status_name(files->purposes[LOOKUP_UNWIND].status));
	features_write(&files->features, json);
	json_member_word(json, "arch", arch_name(module->arch));
	write_identity(json, module);
	if (native->request.options.dif_candidates &&
	    candidates_write(files, false, &native->work->arena, json, err) < 0)
		return -1;
	json_object_end(json);
	return 0;
}

/* --- The whole --------------------------------------------------------------------------- */

struct text symbolication_arch(const struct symbolication *native)
{
	for (size_t i = 0; i < native->table.count; i++) {
		struct text name = text_of(arch_name(native->table.modules[i].arch));

		if (!text_is(name, "unknown"))
			return name;
	}
	return TEXT_NONE;
}

int symbolication_write(struct symbolication *native, struct json_writer *json, struct err *err)
{
	const struct raw_report *report = &native->request.report;

	json_key(json, "stacktraces");
	json_array(json);
	for (size_t i = 0; i < report->trace_count; i++)
		write_trace(json, &report->traces[i], &native->traces[i],
			    native->request.options.caller_first);
	json_array_end(json);
	json_key(json, "modules");
	json_array(json);
	for (size_t i = 0; i < native->table.count; i++)
		if (write_module(native, &native->table.modules[i], json, err) < 0)
			return -1;
	json_array_end(json);
	return 0;
}

/* --- For `symgate why` ------------------------------------------------------------------- */

static int write_reasons(struct symbolication *native, const struct native_module *module,
			 struct json_writer *json, struct err *err)
{
	const struct purpose_lookup *debug = native_module_debug(module);

	json_object(json);
	write_identity(json, module);
	json_member_word(json, "debug_status", module_status_name(debug->status));
	if (module->is_referenced && debug->failure) {
		json_member_string(json, "reason", err_kind_name(debug->failure));
		json_member_text(json, "details", debug->details);
	}
	if (candidates_write(module->files, true, &native->work->arena, json, err) < 0)
		return -1;
	json_object_end(json);
	return 0;
}

int symbolication_write_candidates(struct symbolication *native, struct json_writer *json,
				   struct err *err)
{
	json_key(json, "modules");
	json_array(json);
	for (size_t i = 0; i < native->table.count; i++)
		if (write_reasons(native, &native->table.modules[i], json, err) < 0)
			return -1;
	json_array_end(json);
	return 0;
}
