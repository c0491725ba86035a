/* jvm_request.c -- see jvm_request.h: the members there are. */
#include "kinds/jvm/jvm_request.h"

#include <cjson/cJSON.h>

#include "kinds/jvm/jvm_json.h"
#include "kinds/request_members.h"
#include "work/request_json.h"
#include "work/work.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define AT(type, field) offsetof(struct type, field)
#define NAME(literal) { literal, sizeof(literal) - 1 }

#define LIST(type, field, number) AT(type, field), AT(type, number)

static const struct jvm_member exception_members[] = {
	{ NAME("type"), JVM_TEXT, JVM_REQUIRED, AT(jvm_exception, type), 0, NULL, NULL },
	{ NAME("module"), JVM_TEXT, JVM_REQUIRED, AT(jvm_exception, module), 0, NULL, NULL },
};
static const struct jvm_shape exception_shape = {
	exception_members, COUNT(exception_members), sizeof(struct jvm_exception)
};

/* What frames name most stands first: members are searched in this order. */
static const struct jvm_member frame_members[] = {
	{ NAME("function"), JVM_TEXT, JVM_REQUIRED, AT(jvm_frame, function), 0, NULL, NULL },
	{ NAME("module"), JVM_TEXT, JVM_REQUIRED, AT(jvm_frame, module), 0, NULL, NULL },
	{ NAME("index"), JVM_U64, JVM_REQUIRED, AT(jvm_frame, index), 0, NULL, NULL },
	{ NAME("lineno"), JVM_U32, JVM_NULL, AT(jvm_frame, lineno), AT(jvm_frame, has_lineno), NULL,
	  NULL },
	{ NAME("filename"), JVM_TEXT, JVM_NULL, AT(jvm_frame, filename), 0, NULL, NULL },
	{ NAME("abs_path"), JVM_TEXT, JVM_NULL, AT(jvm_frame, abs_path), 0, NULL, NULL },
	{ NAME("in_app"), JVM_MAYBE_BOOL, JVM_NULL, AT(jvm_frame, in_app), 0, NULL, NULL },
	{ NAME("platform"), JVM_TEXT, JVM_NULL, AT(jvm_frame, platform), 0, NULL, NULL },
	{ NAME("signature"), JVM_TEXT, JVM_NULL, AT(jvm_frame, signature), 0, NULL, NULL },
	{ NAME("pre_context"), JVM_TEXTS, 0, AT(jvm_frame, pre_context), 0, NULL, NULL },
	{ NAME("context_line"), JVM_TEXT, JVM_NULL, AT(jvm_frame, context_line), 0, NULL, NULL },
	{ NAME("post_context"), JVM_TEXTS, 0, AT(jvm_frame, post_context), 0, NULL, NULL },
	{ NAME("method_synthesized"), JVM_BOOL, 0, AT(jvm_frame, is_synthesized), 0, NULL, NULL },
};
static const struct jvm_shape frame_shape = {
	frame_members, COUNT(frame_members), sizeof(struct jvm_frame)
};

static const struct jvm_member trace_members[] = {
	{ NAME("exception"), JVM_OBJECT, JVM_NULL, AT(jvm_trace, exception), AT(jvm_trace, has_exception),
	  &exception_shape, NULL },
	{ NAME("frames"), JVM_OBJECTS, JVM_REQUIRED, LIST(jvm_trace, frames, count), &frame_shape, NULL },
};
static const struct jvm_shape trace_shape = {
	trace_members, COUNT(trace_members), sizeof(struct jvm_trace)
};

/* --- Modules -------------------------------------------------------------------------------- */

static int read_id(struct jvm_json *json, void *field, const struct schema_place *place, struct err *err)
{
	struct text text;

	if (jvm_json_text(json, &text, place, err) < 0)
		return -1;
	return schema_want(place, debugid_parse(text, field), "a debug id", err);
}

static int read_type(struct jvm_json *json, void *field, const struct schema_place *place, struct err *err)
{
	enum jvm_module_type *type = field;
	struct text text;

	if (jvm_json_text(json, &text, place, err) < 0)
		return -1;
	*type = text_is(text, "source") ? JVM_MODULE_SOURCE : JVM_MODULE_PROGUARD;
	return schema_want(place, *type == JVM_MODULE_SOURCE || text_is(text, "proguard"),
			   "`proguard` or `source`", err);
}

static const struct jvm_member module_members[] = {
	{ NAME("uuid"), JVM_OTHER, JVM_REQUIRED, AT(jvm_module, id), 0, .read = read_id },
	{ NAME("type"), JVM_OTHER, JVM_REQUIRED, AT(jvm_module, type), 0, .read = read_type },
};
static const struct jvm_shape module_shape = {
	module_members, COUNT(module_members), sizeof(struct jvm_module)
};

/* --- Options -------------------------------------------------------------------------------- */

static int read_apply(struct jvm_json *json, void *field, const struct schema_place *place, struct err *err)
{
	bool *leaves = field, applies;

	if (!json_reader_bool(&json->reader, &applies))
		return schema_want(place, false, "true or false", err);
	*leaves = !applies;
	return 0;
}

static int read_order(struct jvm_json *json, void *field, const struct schema_place *place, struct err *err)
{
	struct text word;

	if (jvm_json_text(json, &word, place, err) < 0)
		return -1;
	return request_members_frame_order(word, place, field, err);
}

static const struct jvm_member option_members[] = {
	{ NAME("apply_source_context"), JVM_OTHER, 0, AT(jvm_request, leaves_contexts), 0,
	  .read = read_apply },
	{ NAME("frame_order"), JVM_OTHER, 0, AT(jvm_request, callee_first), 0, .read = read_order },
};
static const struct jvm_shape option_shape = {
	option_members, COUNT(option_members), sizeof(struct jvm_request)
};

/* --- The whole ------------------------------------------------------------------------------ */

static int read_sources(struct jvm_json *json, void *field, const struct schema_place *place,
			struct err *err)
{
	struct work *work = json->work;
	cJSON *tree;

	if (request_json_parse(jvm_json_take(json), &work->arena, &tree, err) < 0)
		return -1;
	if (!cJSON_IsArray(tree))
		return schema_want(place, false, "an array", err);
	return request_members_parse_sources(tree, work, field, err);
}

/* It is checked, and means nothing to the answer. */
static int read_platform(struct jvm_json *json, void *field, const struct schema_place *place,
			 struct err *err)
{
	struct text ignored;

	(void)field;
	if (jvm_json_take_null(json))
		return 0;
	return jvm_json_text(json, &ignored, place, err);
}

static const struct jvm_member request_members[] = {
	{ NAME("stacktraces"), JVM_OBJECTS, 0, LIST(jvm_request, traces, trace_count), &trace_shape, NULL },
	{ NAME("modules"), JVM_OBJECTS, 0, LIST(jvm_request, modules, module_count), &module_shape, NULL },
	{ NAME("sources"), JVM_OTHER, JVM_REQUIRED, AT(jvm_request, sources), 0, .read = read_sources },
	{ NAME("exceptions"), JVM_OBJECTS, 0, LIST(jvm_request, exceptions, exception_count),
	  &exception_shape, NULL },
	{ NAME("classes"), JVM_TEXTS, 0, AT(jvm_request, classes), 0, NULL, NULL },
	{ NAME("texts"), JVM_TEXTS, 0, AT(jvm_request, texts), 0, NULL, NULL },
	{ NAME("release_package"), JVM_TEXT, JVM_NULL, AT(jvm_request, release_package), 0, NULL, NULL },
	{ NAME("options"), JVM_OBJECT_HERE, 0, 0, 0, &option_shape, NULL },
	{ NAME("platform"), JVM_OTHER, 0, 0, 0, .read = read_platform },
};
static const struct jvm_shape request_shape = {
	request_members, COUNT(request_members), sizeof(struct jvm_request)
};

int jvm_request_read(struct jvm_request *request, struct work *work, struct text body, struct err *err)
{
	struct jvm_json json;

	*request = (struct jvm_request){ .sources = NULL };
	if (jvm_json_begin(&json, work, body, err) < 0)
		return -1;
	return jvm_json_object(&json, &request_shape, request, NULL, err);
}
