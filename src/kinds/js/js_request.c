/* js_request.c -- what POST /symbolicate-js asks, from JSON.  The tables are doc/api/js.md. */
#include "kinds/js/js.h"

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "kinds/request_members.h"
#include "work/request_json.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define AT(type, field) offsetof(struct type, field)
#define OWNER(field, type, name) ((struct type *)((char *)(field) - AT(type, name)))
#define ASYNC "async "

/* --- Frames ------------------------------------------------------------------------------- */

static int read_lines(const cJSON *json, const struct schema_place *place, void *field,
		      void *context, struct err *err)
{
	struct work *work = context;

	return schema_texts(json, place, &work->arena, field, err);
}

/* Whatever was sent is told again. */
static int read_origin(const cJSON *json, const struct schema_place *place, void *field, void *context,
		       struct err *err)
{
	struct work *work = context;
	struct arena *lent = request_json_lend_arena(&work->arena);
	char *printed;

	(void)place;
	request_json_unmark((cJSON *)(uintptr_t)json);
	printed = cJSON_IsNull(json) ? NULL : cJSON_PrintUnformatted(json);
	(void)request_json_lend_arena(lent);
	*(struct text *)field = text_of(printed);
	return printed || cJSON_IsNull(json) ? 0 : err_no_memory(err);
}

static const struct schema_member data_members[] = {
	{ "sourcemap", SCHEMA_TEXT, AT(js_frame, sourcemap), SCHEMA_NULL, NULL },
	{ "sourcemap_origin", SCHEMA_OTHER, AT(js_frame, sourcemap_origin), 0, read_origin },
	{ "resolved_with", SCHEMA_TEXT, AT(js_frame, resolved_with), SCHEMA_NULL, NULL },
	{ "symbolicated", SCHEMA_BOOL, AT(js_frame, symbolicated), 0, NULL },
};

static int read_data(const cJSON *json, const struct schema_place *place, void *field, void *context,
		     struct err *err)
{
	return schema_read(json, place, data_members, COUNT(data_members),
			   OWNER(field, js_frame, symbolicated), context, err);
}

static const struct schema_member frame_members[] = {
	{ "platform", SCHEMA_TEXT, AT(js_frame, platform), SCHEMA_NULL, NULL },
	{ "function", SCHEMA_TEXT, AT(js_frame, function), SCHEMA_NULL, NULL },
	{ "filename", SCHEMA_TEXT, AT(js_frame, filename), SCHEMA_NULL, NULL },
	{ "module", SCHEMA_TEXT, AT(js_frame, module), SCHEMA_NULL, NULL },
	{ "abs_path", SCHEMA_TEXT, AT(js_frame, abs_path), SCHEMA_REQUIRED, NULL },
	{ "lineno", SCHEMA_U32, AT(js_frame, lineno), SCHEMA_REQUIRED, NULL },
	{ "colno", SCHEMA_U32, AT(js_frame, colno), SCHEMA_NULL, NULL },
	{ "pre_context", SCHEMA_OTHER, AT(js_frame, pre_context), 0, read_lines },
	{ "context_line", SCHEMA_TEXT, AT(js_frame, context_line), SCHEMA_NULL, NULL },
	{ "post_context", SCHEMA_OTHER, AT(js_frame, post_context), 0, read_lines },
	{ "token_name", SCHEMA_TEXT, AT(js_frame, token_name), SCHEMA_NULL, NULL },
	{ "data", SCHEMA_OTHER, AT(js_frame, symbolicated), 0, read_data },
};

static int finish_frame(void *item, void *context, struct err *err)
{
	struct js_frame *frame = item;

	(void)context, (void)err;
	if (text_starts_with(frame->abs_path, ASYNC))
		frame->abs_path = text_from(frame->abs_path, sizeof(ASYNC) - 1);
	return 0;
}

static int read_frames(const cJSON *json, const struct schema_place *place, void *field,
		       void *context, struct err *err)
{
	static const struct schema_element element = {
		frame_members, COUNT(frame_members), sizeof(struct js_frame), finish_frame,
	};
	struct work *work = context;
	void *frames = NULL;
	size_t count = 0;

	if (schema_array(json, place, &element, &work->arena, context, &frames, &count, err) < 0)
		return -1;
	*(struct js_frame **)field = frames;
	OWNER(field, js_trace, sent)->count = count;
	return 0;
}

static const struct schema_member trace_members[] = {
	{ "frames", SCHEMA_OTHER, AT(js_trace, sent), SCHEMA_REQUIRED, read_frames },
};

static int read_traces(const cJSON *json, const struct schema_place *place, void *field,
		       void *context, struct err *err)
{
	static const struct schema_element element = {
		trace_members, COUNT(trace_members), sizeof(struct js_trace), NULL,
	};
	struct work *work = context;
	void *traces = NULL;
	size_t count = 0;

	if (schema_array(json, place, &element, &work->arena, context, &traces, &count, err) < 0)
		return -1;
	*(struct js_trace **)field = traces;
	OWNER(field, js_request, traces)->trace_count = count;
	return 0;
}

/* --- Modules ------------------------------------------------------------------------------ */

static int read_type(const cJSON *json, const struct schema_place *place, void *field, void *context,
		     struct err *err)
{
	struct text text = TEXT_NONE;

	(void)field, (void)context;
	(void)schema_string(json, &text);
	return schema_want(place, text_is(text, "sourcemap"), "`sourcemap`", err);
}

/* One that is none is as good as not there. */
static int read_id(const cJSON *json, const struct schema_place *place, void *field, void *context,
		   struct err *err)
{
	struct text text = TEXT_NONE;
	struct debugid *id = field;

	(void)context;
	if (schema_want(place, schema_string(json, &text), "a string", err) < 0)
		return -1;
	if (!debugid_parse(text, id))
		*id = (struct debugid){ .kind = DEBUGID_NIL };
	return 0;
}

static const struct schema_member code_members[] = {
	{ "type", SCHEMA_OTHER, 0, SCHEMA_REQUIRED, read_type },
	{ "code_file", SCHEMA_TEXT, AT(js_code, code_file), SCHEMA_REQUIRED, NULL },
	{ "debug_id", SCHEMA_OTHER, AT(js_code, debug_id), SCHEMA_REQUIRED, read_id },
};

static int read_codes(const cJSON *json, const struct schema_place *place, void *field,
		      void *context, struct err *err)
{
	static const struct schema_element element = {
		code_members, COUNT(code_members), sizeof(struct js_code), NULL,
	};
	struct work *work = context;
	void *codes = NULL;
	size_t count = 0;

	if (schema_array(json, place, &element, &work->arena, context, &codes, &count, err) < 0)
		return -1;
	*(struct js_code **)field = codes;
	OWNER(field, js_request, codes)->code_count = count;
	return 0;
}

/* --- Sources, options --------------------------------------------------------------------- */

/* One object; a server of Sentry's, unless it says something else. */
static int read_source(const cJSON *json, const struct schema_place *place, void *field, void *context,
		       struct err *err)
{
	struct work *work = context;
	struct arena *lent;
	cJSON *array, *one;
	int rc = -1;

	OWNER(field, js_request, sources)->has_sources = true;
	if (cJSON_IsNull(json))
		return request_members_sources(json, place, field, context, err);
	if (schema_want(place, cJSON_IsObject(json), "an object", err) < 0)
		return -1;
	lent = request_json_lend_arena(&work->arena);
	array = cJSON_CreateArray();
	one = cJSON_Duplicate(json, true);
	if (array && one && (cJSON_HasObjectItem(one, "type") || cJSON_AddStringToObject(one, "type", "sentry")) &&
	    cJSON_AddItemToArray(array, one))
		rc = 0;
	(void)request_json_lend_arena(lent);
	return rc < 0 ? err_no_memory(err) : request_members_parse_sources(array, work, field, err);
}

static int read_sources(const cJSON *json, const struct schema_place *place, void *field,
			void *context, struct err *err)
{
	OWNER(field, js_request, sources)->has_sources = true;
	return request_members_sources(json, place, field, context, err);
}

static const struct schema_member option_members[] = {
	{ "apply_source_context", SCHEMA_BOOL, AT(js_options, apply_source_context), 0, NULL },
	{ "frame_order", SCHEMA_OTHER, AT(js_options, is_callee_first), 0, request_members_callee_first },
};

static int read_options(const cJSON *json, const struct schema_place *place, void *field,
			void *context, struct err *err)
{
	return schema_read(json, place, option_members, COUNT(option_members), field, context, err);
}

static const struct schema_member request_members[] = {
	{ "platform", SCHEMA_OTHER, 0, 0, request_members_platform },
	{ "source", SCHEMA_OTHER, AT(js_request, sources), 0, read_source },
	{ "sources", SCHEMA_OTHER, AT(js_request, sources), 0, read_sources },
	{ "stacktraces", SCHEMA_OTHER, AT(js_request, traces), 0, read_traces },
	{ "modules", SCHEMA_OTHER, AT(js_request, codes), 0, read_codes },
	{ "release", SCHEMA_TEXT, AT(js_request, release), SCHEMA_NULL, NULL },
	{ "dist", SCHEMA_TEXT, AT(js_request, dist), SCHEMA_NULL, NULL },
	{ "allow_scraping", SCHEMA_BOOL, AT(js_request, allow_scraping), 0, NULL },
	{ "scraping", SCHEMA_OTHER, AT(js_request, scraping), 0, request_members_scraping },
	{ "options", SCHEMA_OTHER, AT(js_request, options), 0, read_options },
};

static void reverse(struct js_trace *trace)
{
	for (size_t i = 0; i < trace->count / 2; i++) {
		struct js_frame *other = &trace->sent[trace->count - 1 - i];
		struct js_frame swap = trace->sent[i];

		trace->sent[i] = *other;
		*other = swap;
	}
}

int js_request_read_json(struct js_request *request, struct work *work, const cJSON *json, struct err *err)
{
	*request = (struct js_request){
		.allow_scraping = true, .scraping = scraping_default(),
		.options = { .apply_source_context = true },
	};
	if (schema_read(json, NULL, request_members, COUNT(request_members), request, work, err) < 0)
		return -1;
	if (!request->has_sources)
		return err_set(err, ERR_BAD_SHAPE, "missing field `source`");
	request->scraping.enabled &= request->allow_scraping;
	for (size_t i = 0; i < request->trace_count && request->options.is_callee_first; i++)
		reverse(&request->traces[i]);
	return 0;
}

int js_request_read(struct js_request *request, struct work *work, struct text body, struct err *err)
{
	cJSON *json;

	if (request_json_parse(body, &work->arena, &json, err) < 0)
		return -1;
	return js_request_read_json(request, work, json, err);
}
