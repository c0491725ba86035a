/* symbolicate_request.c -- see symbolicate_request.h.  The tables are doc/api/symbolicate.md. */
#include "kinds/native/symbolicate_request.h"

#include <stdlib.h>

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "base/err.h"
#include "work/request_json.h"
#include "kinds/native/symbolication.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define AT(type, field) offsetof(struct type, field)
#define OWNER(field, type, name) ((struct type *)((char *)(field) - AT(type, name)))

struct body_reader {
	struct work *work;
};

static int want(const struct schema_place *place, bool is_so, const char *what, struct err *err)
{
	return is_so ? 0 : schema_wrong(place, err, "%s was expected", what);
}

/* --- Frames ------------------------------------------------------------------------------ */

static const char *const trusts[TRUSTS] = {
	[TRUST_NONE] = "none", [TRUST_SCAN] = "scan", [TRUST_CFISCAN] = "cfiscan",
	[TRUST_FP] = "fp", [TRUST_CFI] = "cfi", [TRUST_PREWALKED] = "prewalked",
	[TRUST_CONTEXT] = "context",
};

const char *trust_name(enum trust trust)
{
	return trusts[trust];
}

static int read_trust(const cJSON *json, const struct schema_place *place, void *field,
		      void *context,
		      struct err *err)
{
	struct text text;

	(void)context;
	if (schema_string(json, &text)) {
		for (unsigned i = 0; i < TRUSTS; i++) {
			if (text_is(text, trusts[i])) {
				*(enum trust *)field = (enum trust)i;
				return 0;
			}
		}
	}
	return want(place, false, "none, scan, cfiscan, fp, cfi, prewalked or context", err);
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
	return want(place, false, "`abs` or `rel:` and a module's number", err);
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
	return want(place, into->is_set, "the name of a language", err);
}

static int read_texts(const cJSON *json, const struct schema_place *place, void *field,
		      void *context,
		      struct err *err)
{
	struct text text;

	(void)context;
	if (want(place, cJSON_IsArray(json), "an array of strings", err) < 0)
		return -1;
	for (const cJSON *child = json->child; child; child = child->next)
		if (want(place, schema_string(child, &text), "an array of strings", err) < 0)
			return -1;
	*(const cJSON **)field = json;
	return 0;
}

static int read_text_map(const cJSON *json, const struct schema_place *place, void *field,
			 void *context, struct err *err)
{
	struct text text;

	(void)context;
	if (want(place, cJSON_IsObject(json), "an object of strings", err) < 0)
		return -1;
	for (const cJSON *child = json->child; child; child = child->next)
		if (want(place, schema_string(child, &text), "an object of strings", err) < 0)
			return -1;
	*(const cJSON **)field = json;
	return 0;
}

static int read_vars(const cJSON *json, const struct schema_place *place, void *field,
		     void *context,
		     struct err *err)
{
	*(const cJSON **)field = NULL;
	return cJSON_IsNull(json) ? 0 : read_text_map(json, place, field, context, err);
}

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
	{ "pre_context", SCHEMA_OTHER, AT(raw_frame, pre_context), 0, read_texts },
	{ "context_line", SCHEMA_TEXT, AT(raw_frame, context_line), SCHEMA_NULL, NULL },
	{ "post_context", SCHEMA_OTHER, AT(raw_frame, post_context), 0, read_texts },
	{ "source_link", SCHEMA_TEXT, AT(raw_frame, source_link), SCHEMA_NULL, NULL },
	{ "in_app", SCHEMA_MAYBE_BOOL, AT(raw_frame, in_app), SCHEMA_NULL, NULL },
	{ "vars", SCHEMA_OTHER, AT(raw_frame, vars), 0, read_vars },
};
_Static_assert(COUNT(frame_members) <= SCHEMA_MEMBERS_MAX, "one bit per member");

/* --- Arrays of things -------------------------------------------------------------------- */

struct element {                     /* how each object of an array is read */
	const struct schema_member *members;
	size_t member_count, size;
	int (*finish)(void *item, const struct schema_place *place, struct body_reader *reader,
		      struct err *err);      /* NULL: nothing to do */
};

static int read_array(const cJSON *json, const struct schema_place *place,
		      const struct element *element,
		      struct body_reader *reader, void **items, size_t *count, struct err *err)
{
	size_t capacity = 0, i = 0;
	char *at;

	if (want(place, cJSON_IsArray(json), "an array", err) < 0)
		return -1;
	for (const cJSON *child = json->child; child; child = child->next)
		capacity++;
	at = arena_alloc(&reader->work->arena, capacity, element->size);
	if (!at)
		return err_no_memory(err);
	*items = at;
	for (const cJSON *child = json->child; child; child = child->next, at += element->size) {
		struct schema_place here = { .above = place, .index = i++ };

		if (schema_read(child, &here, element->members, element->member_count, at, reader,
			       err) < 0)
			return -1;
		if (element->finish && element->finish(at, &here, reader, err) < 0)
			return -1;
	}
	*count = i;
	return 0;
}

static int finish_frame(void *item, const struct schema_place *place, struct body_reader *reader,
			struct err *err)
{
	struct raw_frame *frame = item;

	(void)place, (void)reader, (void)err;
	if (text_is(frame->platform, "nodejs"))
		frame->platform = TEXT("node");
	return 0;
}

static int read_frames(const cJSON *json, const struct schema_place *place, void *field,
		       void *context,
		       struct err *err)
{
	static const struct element element = {
		frame_members, COUNT(frame_members), sizeof(struct raw_frame), finish_frame
	};
	struct raw_trace *trace = OWNER(field, raw_trace, frames);
	void *items;

	if (read_array(json, place, &element, context, &items, &trace->frame_count, err) < 0)
		return -1;
	trace->frames = items;
	return 0;
}

/* --- Registers --------------------------------------------------------------------------- */

static int compare_registers(const void *left, const void *right)
{
	const struct cpu_register *a = left, *b = right;
	int order = text_compare(a->name, b->name);

	return order ? order : (a->order > b->order) - (a->order < b->order);
}

/* Of those given twice the later one counts. */
static void sort_registers(struct raw_trace *trace)
{
	struct cpu_register *registers = trace->registers;
	size_t kept = 0;

	if (trace->register_count > 1)
		qsort(registers, trace->register_count, sizeof(*registers), compare_registers);
	for (size_t i = 0; i < trace->register_count; i++) {
		if (kept && text_compare(registers[kept - 1].name, registers[i].name) == 0)
			kept--;
		registers[kept++] = registers[i];
	}
	trace->register_count = kept;
}

static int read_registers(const cJSON *json, const struct schema_place *place, void *field,
			  void *context, struct err *err)
{
	struct raw_trace *trace = OWNER(field, raw_trace, registers);
	struct body_reader *reader = context;
	struct cpu_register *registers;
	size_t count = 0;

	if (want(place, cJSON_IsObject(json), "an object", err) < 0)
		return -1;
	for (const cJSON *child = json->child; child; child = child->next)
		count++;
	registers = arena_alloc(&reader->work->arena, count, sizeof(*registers));
	if (!registers)
		return err_no_memory(err);
	trace->registers = registers;
	trace->register_count = 0;
	for (const cJSON *child = json->child; child; child = child->next) {
		struct schema_place here = { .above = place, .name = child->string };
		struct cpu_register *into = &trace->registers[trace->register_count];

		into->name = text_of(child->string);
		into->order = trace->register_count++;
		if (schema_hex(child, &here, &into->value, err) < 0)
			return -1;
	}
	sort_registers(trace);
	return 0;
}

static const struct schema_member trace_members[] = {
	{ "thread_id", SCHEMA_U64, AT(raw_trace, thread_id), SCHEMA_NULL, NULL },
	{ "thread_name", SCHEMA_TEXT, AT(raw_trace, thread_name), SCHEMA_NULL, NULL },
	{ "is_requesting", SCHEMA_MAYBE_BOOL, AT(raw_trace, is_requesting), SCHEMA_NULL, NULL },
	{ "registers", SCHEMA_OTHER, AT(raw_trace, registers), 0, read_registers },
	{ "frames", SCHEMA_OTHER, AT(raw_trace, frames), SCHEMA_REQUIRED, read_frames },
};

/* --- Modules ----------------------------------------------------------------------------- */

static const struct schema_member module_members[] = {
	{ "type", SCHEMA_TEXT, AT(raw_module, type), SCHEMA_REQUIRED, NULL },
	{ "code_id", SCHEMA_TEXT, AT(raw_module, code_id_text), SCHEMA_NULL, NULL },
	{ "code_file", SCHEMA_TEXT, AT(raw_module, ids.code_file), SCHEMA_NULL, NULL },
	{ "debug_id", SCHEMA_TEXT, AT(raw_module, debug_id_text), SCHEMA_NULL, NULL },
	{ "debug_file", SCHEMA_TEXT, AT(raw_module, ids.debug_file), SCHEMA_NULL, NULL },
	{ "debug_checksum", SCHEMA_TEXT, AT(raw_module, ids.debug_checksum), SCHEMA_NULL, NULL },
	{ "image_addr", SCHEMA_HEX, AT(raw_module, image_addr), 0, NULL },
	{ "image_size", SCHEMA_U64, AT(raw_module, image_size), SCHEMA_NULL, NULL },
};

/* Ids that cannot be read are as good as none. */
static int finish_module(void *item, const struct schema_place *place, struct body_reader *reader,
			 struct err *err)
{
	struct raw_module *module = item;

	(void)place;
	module->ids.type = object_type_named(module->type);
	if (!debugid_parse(module->debug_id_text, &module->ids.debug_id))
		module->ids.debug_id = (struct debugid){ .kind = DEBUGID_NIL };
	if (module->code_id_text.size) {
		char *code_id = arena_alloc_raw(&reader->work->arena,
						module->code_id_text.size + 1, 1);

		if (!code_id)
			return err_no_memory(err);
		if (codeid_normalise(module->code_id_text, code_id))
			module->ids.code_id = text_of(code_id);
	}
	return 0;
}

/* --- The body ---------------------------------------------------------------------------- */

static int read_frame_order(const cJSON *json, const struct schema_place *place, void *field,
			    void *context, struct err *err)
{
	struct text text = TEXT_NONE;
	bool *caller_first = field;

	(void)context;
	(void)schema_string(json, &text);
	*caller_first = text_is(text, "caller_first");
	return want(place, *caller_first || text_is(text, "callee_first"),
		    "`callee_first` or `caller_first`", err);
}

static const struct schema_member option_members[] = {
	{ "dif_candidates", SCHEMA_BOOL, AT(request_options, dif_candidates), 0, NULL },
	{ "apply_source_context", SCHEMA_BOOL, AT(request_options, apply_source_context), 0, NULL },
	{ "frame_order", SCHEMA_OTHER, AT(request_options, caller_first), 0, read_frame_order },
	{ "extract_variables", SCHEMA_BOOL, AT(request_options, extract_variables), 0, NULL },
};

/* They go to whatever server a debug file names. */
static int read_headers(const cJSON *json, const struct schema_place *place, void *field,
			void *context,
			struct err *err)
{
	if (read_text_map(json, place, field, context, err) < 0)
		return -1;
	for (const cJSON *child = json->child; child; child = child->next) {
		const char *refusal = source_header_refusal(text_of(child->string), false);

		if (refusal)
			return schema_wrong(place, err, "`%s` cannot be set: %s", child->string, refusal);
	}
	return 0;
}

static const struct schema_member scraping_members[] = {
	{ "enabled", SCHEMA_BOOL, AT(scraping, enabled), SCHEMA_REQUIRED, NULL },
	{ "verify_ssl", SCHEMA_BOOL, AT(scraping, verify_ssl), 0, NULL },
	{ "allowed_origins", SCHEMA_OTHER, AT(scraping, allowed_origins), SCHEMA_REQUIRED,
	  read_texts },
	{ "headers", SCHEMA_OTHER, AT(scraping, headers), SCHEMA_REQUIRED, read_headers },
};

static int read_options(const cJSON *json, const struct schema_place *place, void *field,
			void *context,
			struct err *err)
{
	return schema_read(json, place, option_members, COUNT(option_members), field, context, err);
}

static int read_scraping(const cJSON *json, const struct schema_place *place, void *field,
			 void *context, struct err *err)
{
	return schema_read(json, place, scraping_members, COUNT(scraping_members), field, context,
			  err);
}

/* The source component reads JSON of its own and knows nothing of marks. */
static int read_sources(const cJSON *json, const struct schema_place *place, void *field,
			void *context,
			struct err *err)
{
	struct body_reader *reader = context;
	struct source_list *list;

	(void)place;
	if (cJSON_IsNull(json)) {
		*(const struct source_list **)field = reader->work->default_sources;
		return 0;
	}
	list = arena_alloc(&reader->work->arena, 1, sizeof(*list));
	if (!list)
		return err_no_memory(err);
	for (cJSON *child = json->child; child; child = child->next)
		request_json_unmark(child);
	if (source_list_parse(json, SOURCE_OF_REQUEST, reader->work->config,
			      &reader->work->arena, list, err) < 0)
		return err->kind == ERR_BAD_SHAPE
			? err_while(err, "the body has not the expected form") : -1;
	*(const struct source_list **)field = list;
	return 0;
}

static int read_traces(const cJSON *json, const struct schema_place *place, void *field,
		       void *context,
		       struct err *err)
{
	static const struct element element = {
		trace_members, COUNT(trace_members), sizeof(struct raw_trace), NULL
	};
	struct symbolicate_request *request = OWNER(field, symbolicate_request, traces);
	void *items;

	if (read_array(json, place, &element, context, &items, &request->trace_count, err) < 0)
		return -1;
	request->traces = items;
	return 0;
}

static int read_modules(const cJSON *json, const struct schema_place *place, void *field,
			void *context,
			struct err *err)
{
	static const struct element element = {
		module_members, COUNT(module_members), sizeof(struct raw_module), finish_module
	};
	struct symbolicate_request *request = OWNER(field, symbolicate_request, modules);
	void *items;

	if (read_array(json, place, &element, context, &items, &request->module_count, err) < 0)
		return -1;
	request->modules = items;
	return 0;
}

static const struct schema_member request_members[] = {
	{ "platform", SCHEMA_TEXT, AT(symbolicate_request, platform), SCHEMA_NULL, NULL },
	{ "signal", SCHEMA_U32, AT(symbolicate_request, signal), SCHEMA_NULL, NULL },
	{ "sources", SCHEMA_OTHER, AT(symbolicate_request, sources), 0, read_sources },
	{ "stacktraces", SCHEMA_OTHER, AT(symbolicate_request, traces), 0, read_traces },
	{ "modules", SCHEMA_OTHER, AT(symbolicate_request, modules), 0, read_modules },
	{ "options", SCHEMA_OTHER, AT(symbolicate_request, options), 0, read_options },
	{ "scraping", SCHEMA_OTHER, AT(symbolicate_request, scraping), 0, read_scraping },
};

static void reverse_frames(struct raw_trace *trace)
{
	for (size_t i = 0; i < trace->frame_count / 2; i++) {
		struct raw_frame *other = &trace->frames[trace->frame_count - 1 - i];
		struct raw_frame swap = trace->frames[i];

		trace->frames[i] = *other;
		*other = swap;
	}
}

int symbolicate_request_read(struct symbolicate_request *request, struct work *work,
			     const cJSON *json, struct err *err)
{
	struct body_reader reader = { .work = work };

	*request = (struct symbolicate_request){
		.sources = work->default_sources,
		.options = { .apply_source_context = true },
		.scraping = { .enabled = true, .verify_ssl = true },
	};
	if (schema_read(json, NULL, request_members, COUNT(request_members), request, &reader,
		       err) < 0)
		return -1;
	if (request->options.caller_first)
		for (size_t i = 0; i < request->trace_count; i++)
			reverse_frames(&request->traces[i]);
	return 0;
}
