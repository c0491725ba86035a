/* stacktrace_json.c -- see stacktrace_json.h.  The tables are doc/api/symbolicate.md. */
#include "kinds/stacktrace_json.h"

#include <stdlib.h>

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "base/err.h"
#include "symbfile/file_id.h"
#include "work/work.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define AT(type, field) offsetof(struct type, field)
#define OWNER(field, type, name) ((struct type *)((char *)(field) - AT(type, name)))

/* --- Frames ------------------------------------------------------------------------------ */

static int read_trust(const cJSON *json, const struct schema_place *place, void *field,
		      void *context, struct err *err)
{
	struct text text = TEXT_NONE;

	(void)context;
	(void)schema_string(json, &text);
	return schema_want(place, trust_named(text, field),
			   "none, scan, cfiscan, fp, cfi, prewalked or context", err);
}

static int read_addr_mode(const cJSON *json, const struct schema_place *place, void *field,
			  void *context, struct err *err)
{
	struct addr_mode *mode = field;
	struct text text;

	(void)context;
	if (schema_string(json, &text)) {
		mode->is_relative = text_starts_with(text, "rel:");
		if (text_is(text, "abs"))
			return 0;
		if (mode->is_relative &&
		    text_to_u64((struct text){ text.bytes + 4, text.size - 4 }, 10, &mode->module))
			return 0;
	}
	return schema_want(place, false, "`abs` or `rel:` and a module's number", err);
}

static int read_language(const cJSON *json, const struct schema_place *place, void *field,
			 void *context, struct err *err)
{
	struct maybe_language *into = field;
	struct text text;

	(void)context;
	into->is_set = false;
	if (cJSON_IsNull(json))
		return 0;
	into->is_set = schema_string(json, &text) && language_named(text, &into->language);
	return schema_want(place, into->is_set, "the name of a language", err);
}

static int read_lines(const cJSON *json, const struct schema_place *place, void *field,
		      void *context, struct err *err)
{
	return schema_texts(json, place, context, field, err);
}

static int read_vars(const cJSON *json, const struct schema_place *place, void *field,
		     void *context, struct err *err)
{
	*(struct text_map *)field = (struct text_map){ NULL, 0 };
	return cJSON_IsNull(json) ? 0 : schema_text_map(json, place, context, field, err);
}

/* What frames name most stands first: members are searched in this order. */
static const struct schema_member frame_members[] = {
	{ "instruction_addr", SCHEMA_HEX, AT(raw_frame, address), SCHEMA_REQUIRED, NULL },
	{ "function", SCHEMA_TEXT, AT(raw_frame, function), SCHEMA_NULL, NULL },
	{ "package", SCHEMA_TEXT, AT(raw_frame, package), SCHEMA_NULL, NULL },
	{ "trust", SCHEMA_OTHER, AT(raw_frame, trust), 0, read_trust },
	{ "addr_mode", SCHEMA_OTHER, AT(raw_frame, mode), 0, read_addr_mode },
	{ "platform", SCHEMA_TEXT, AT(raw_frame, platform), SCHEMA_NULL, NULL },
	{ "adjust_instruction_addr", SCHEMA_MAYBE_BOOL, AT(raw_frame, adjust), SCHEMA_NULL, NULL },
	{ "function_id", SCHEMA_HEX, AT(raw_frame, function_id), SCHEMA_NULL, NULL },
	{ "lang", SCHEMA_OTHER, AT(raw_frame, lang), 0, read_language },
	{ "symbol", SCHEMA_TEXT, AT(raw_frame, symbol), SCHEMA_NULL, NULL },
	{ "sym_addr", SCHEMA_HEX, AT(raw_frame, sym_addr), SCHEMA_NULL, NULL },
	{ "filename", SCHEMA_TEXT, AT(raw_frame, filename), SCHEMA_NULL, NULL },
	{ "abs_path", SCHEMA_TEXT, AT(raw_frame, abs_path), SCHEMA_NULL, NULL },
	{ "lineno", SCHEMA_U32, AT(raw_frame, lineno), SCHEMA_NULL, NULL },
	{ "pre_context", SCHEMA_OTHER, AT(raw_frame, pre_context), 0, read_lines },
	{ "context_line", SCHEMA_TEXT, AT(raw_frame, context_line), SCHEMA_NULL, NULL },
	{ "post_context", SCHEMA_OTHER, AT(raw_frame, post_context), 0, read_lines },
	{ "source_link", SCHEMA_TEXT, AT(raw_frame, source_link), SCHEMA_NULL, NULL },
	{ "in_app", SCHEMA_MAYBE_BOOL, AT(raw_frame, in_app), SCHEMA_NULL, NULL },
	{ "vars", SCHEMA_OTHER, AT(raw_frame, vars), 0, read_vars },
};
_Static_assert(COUNT(frame_members) <= SCHEMA_MEMBERS_MAX, "one bit per member");

static int finish_frame(void *item, void *context, struct err *err)
{
	struct raw_frame *frame = item;

	(void)context, (void)err;
	if (text_is(frame->platform, "nodejs"))
		frame->platform = TEXT("node");
	return 0;
}

static int read_frames(const cJSON *json, const struct schema_place *place, void *field,
		       void *context, struct err *err)
{
	static const struct schema_element element = {
		frame_members, COUNT(frame_members), sizeof(struct raw_frame), finish_frame
	};
	struct raw_trace *trace = OWNER(field, raw_trace, frames);
	void *items;

	if (schema_array(json, place, &element, context, context, &items, &trace->frame_count,
			 err) < 0)
		return -1;
	trace->frames = items;
	return 0;
}

/* --- Registers --------------------------------------------------------------------------- */

struct ordered_register { struct cpu_register cpu; size_t order; };

static int compare_registers(const void *left, const void *right)
{
	const struct ordered_register *a = left, *b = right;
	int order = text_compare(a->cpu.name, b->cpu.name);

	return order ? order : (a->order > b->order) - (a->order < b->order);
}

/* Of those given twice the later one counts. */
static int sort_registers(struct ordered_register *registers, size_t count, struct arena *arena,
			  struct raw_trace *trace, struct err *err)
{
	size_t kept = 0;

	trace->registers = arena_alloc_raw(arena, count, sizeof(*trace->registers));
	if (!trace->registers)
		return err_no_memory(err);
	if (count > 1)
		qsort(registers, count, sizeof(*registers), compare_registers);
	for (size_t i = 0; i < count; i++) {
		if (kept && text_equal(trace->registers[kept - 1].name, registers[i].cpu.name))
			kept--;
		trace->registers[kept++] = registers[i].cpu;
	}
	trace->register_count = kept;
	return 0;
}

static int read_registers(const cJSON *json, const struct schema_place *place, void *field,
			  void *context, struct err *err)
{
	struct ordered_register *registers;
	size_t count = 0;

	if (schema_want(place, cJSON_IsObject(json), "an object", err) < 0)
		return -1;
	for (const cJSON *child = json->child; child; child = child->next)
		count++;
	registers = arena_alloc_raw(context, count, sizeof(*registers));
	if (!registers)
		return err_no_memory(err);
	count = 0;
	for (const cJSON *child = json->child; child; child = child->next) {
		struct schema_place here = { .above = place, .name = child->string };
		struct ordered_register *into = &registers[count];

		into->cpu.name = text_of(child->string);
		into->order = count++;
		if (schema_hex(child, &here, &into->cpu.value, err) < 0)
			return -1;
	}
	return sort_registers(registers, count, context, OWNER(field, raw_trace, registers), err);
}

static const struct schema_member trace_members[] = {
	{ "thread_id", SCHEMA_U64, AT(raw_trace, thread_id), SCHEMA_NULL, NULL },
	{ "thread_name", SCHEMA_TEXT, AT(raw_trace, thread_name), SCHEMA_NULL, NULL },
	{ "is_requesting", SCHEMA_MAYBE_BOOL, AT(raw_trace, is_requesting), SCHEMA_NULL, NULL },
	{ "registers", SCHEMA_OTHER, AT(raw_trace, registers), 0, read_registers },
	{ "frames", SCHEMA_OTHER, AT(raw_trace, frames), SCHEMA_REQUIRED, read_frames },
};

int stacktrace_json_traces(const cJSON *json, const struct schema_place *place,
			   struct arena *arena, struct raw_report *report, struct err *err)
{
	static const struct schema_element element = {
		trace_members, COUNT(trace_members), sizeof(struct raw_trace), NULL
	};
	void *items;

	if (schema_array(json, place, &element, arena, arena, &items, &report->trace_count,
			 err) < 0)
		return -1;
	report->traces = items;
	return 0;
}

/* --- Modules ----------------------------------------------------------------------------- */

static int read_type(const cJSON *json, const struct schema_place *place, void *field,
		     void *context, struct err *err)
{
	struct text text = TEXT_NONE;

	(void)context;
	if (schema_want(place, schema_string(json, &text), "a string", err) < 0)
		return -1;
	*(enum object_type *)field = object_type_named(text);
	return 0;
}

/* A text or null: TEXT_NONE. */
static int read_id(const cJSON *json, const struct schema_place *place, struct text *id,
		   struct err *err)
{
	*id = TEXT_NONE;
	return cJSON_IsNull(json) ? 0 : schema_want(place, schema_string(json, id), "a string", err);
}

static int read_debug_id(const cJSON *json, const struct schema_place *place, void *field,
			 void *context, struct err *err)
{
	struct debugid *id = field;
	struct text text;

	(void)context;
	if (read_id(json, place, &text, err) < 0)
		return -1;
	if (!debugid_parse(text, id))
		*id = (struct debugid){ .kind = DEBUGID_NIL };
	return 0;
}

static int read_code_id(const cJSON *json, const struct schema_place *place, void *field,
			void *context, struct err *err)
{
	struct text *id = field, text;
	char *bytes;

	*id = TEXT_NONE;
	if (read_id(json, place, &text, err) < 0)
		return -1;
	if (!text.size)
		return 0;
	bytes = arena_alloc_raw(context, text.size + 1, 1);
	if (!bytes)
		return err_no_memory(err);
	if (codeid_normalise(text, bytes))
		*id = text_of(bytes);
	return 0;
}

static int read_file_id(const cJSON *json, const struct schema_place *place, void *field, void *context,
			struct err *err)
{
	struct text *text = field;
	struct file_id id;

	(void)context;
	*text = TEXT_NONE;
	if (cJSON_IsNull(json))
		return 0;
	return schema_want(place, schema_string(json, text) && file_id_parse_any(*text, &id),
			   "a file id of 16 bytes, in hexadecimal digits or base64,", err);
}

static const struct schema_member module_members[] = {
	{ "type", SCHEMA_OTHER, AT(raw_module, ids.type), SCHEMA_REQUIRED, read_type },
	{ "code_id", SCHEMA_OTHER, AT(raw_module, ids.code_id), 0, read_code_id },
	{ "code_file", SCHEMA_TEXT, AT(raw_module, ids.code_file), SCHEMA_NULL, NULL },
	{ "debug_id", SCHEMA_OTHER, AT(raw_module, ids.debug_id), 0, read_debug_id },
	{ "debug_file", SCHEMA_TEXT, AT(raw_module, ids.debug_file), SCHEMA_NULL, NULL },
	{ "debug_checksum", SCHEMA_TEXT, AT(raw_module, ids.debug_checksum), SCHEMA_NULL, NULL },
	{ "image_addr", SCHEMA_HEX, AT(raw_module, image_addr), 0, NULL },
	{ "image_size", SCHEMA_U64, AT(raw_module, image_size), SCHEMA_NULL, NULL },
	{ "file_id", SCHEMA_OTHER, AT(raw_module, file_id), SCHEMA_NULL, read_file_id },
	{ "image_vmaddr", SCHEMA_HEX, AT(raw_module, image_vmaddr), SCHEMA_NULL, NULL },
};

int stacktrace_json_modules(const cJSON *json, const struct schema_place *place,
			    struct arena *arena, struct raw_report *report, struct err *err)
{
	static const struct schema_element element = {
		module_members, COUNT(module_members), sizeof(struct raw_module), NULL
	};
	void *items;

	if (schema_array(json, place, &element, arena, arena, &items, &report->module_count,
			 err) < 0)
		return -1;
	report->modules = items;
	return 0;
}
