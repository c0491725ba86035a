/*
 * crash_any.c -- the body of POST /symbolicate-any: a request like those of /symbolicate, with a
 * crash file that lies elsewhere instead of stack traces; or one like those of another kind.
 */
#include "kinds/crash/crash_work.h"

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "base/json_reader.h"
#include "kinds/kinds.h"
#include "work/derived.h"
#include "work/request_json.h"
#include "work/schema.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct stored {
	struct text type, url, token;
	const struct cJSON *rules;           /* NULL: not sent */
};

static int read_rules(const cJSON *json, const struct schema_place *place, void *field,
		      void *context, struct err *err)
{
	(void)context;
	*(const struct cJSON **)field = json;
	return schema_want(place, cJSON_IsArray(json), "an array", err);
}

static const struct schema_member stored_members[] = {
	{ "type", SCHEMA_TEXT, offsetof(struct stored, type), SCHEMA_REQUIRED, NULL },
	{ "storage_url", SCHEMA_TEXT, offsetof(struct stored, url), SCHEMA_REQUIRED, NULL },
	{ "storage_token", SCHEMA_TEXT, offsetof(struct stored, token), SCHEMA_NULL, NULL },
	{ "rewrite_first_module", SCHEMA_OTHER, offsetof(struct stored, rules), 0, read_rules },
};

static int set_link(struct crash *crash, const struct stored *stored, struct err *err)
{
	struct arena *arena = &crash->work->arena;
	struct fetch_header *header;
	char *value;

	crash->link = (struct derive_link){ .is_trusted = true };
	crash->link.url = arena_strndup(arena, stored->url.bytes, stored->url.size);
	if (!crash->link.url)
		return err_no_memory(err);
	crash->held.derive.link = &crash->link;
	if (!stored->token.bytes)
		return 0;
	header = arena_alloc(arena, 1, sizeof(*header));
	if (!header)
		return err_no_memory(err);
	value = arena_printf(arena, "Bearer %.*s", (int)stored->token.size, stored->token.bytes);
	if (!value)
		return err_no_memory(err);
	*header = (struct fetch_header){ .name = TEXT("Authorization"), .value = text_of(value) };
	if (text_has_controls(stored->token))
		return err_set(err, ERR_BAD_SHAPE, "storage_token has control characters");
	crash->link.headers = header;
	crash->link.header_count = 1;
	return 0;
}

static int read_stored(struct crash *crash, const struct cJSON *json, struct err *err)
{
	struct stored stored = { .rules = NULL };

	if (!cJSON_IsObject(json))
		return err_set(err, ERR_BAD_SHAPE, "missing field `symbolicate`");
	if (schema_read(json, NULL, stored_members, COUNT(stored_members), &stored, NULL, err) < 0)
		return err_while(err, "symbolicate");
	if (text_is(stored.type, "applecrashreport")) {
		crash->held.derive.kind = &derived_linked_applecrash_report;
		crash->is_walked = false;
	} else if (!text_is(stored.type, "minidump")) {
		return err_set(err, ERR_BAD_SHAPE, "symbolicate.type: unknown variant `%.*s`, expected "
			       "`minidump`, `applecrashreport`, `jvm` or `js`", (int)stored.type.size, stored.type.bytes);
	} else if (!stored.rules) {
		return err_set(err, ERR_BAD_SHAPE, "symbolicate: missing field `rewrite_first_module`");
	} else if (crash_form_read_rules(crash, stored.rules, err) < 0) {
		if (err->kind == ERR_BAD_REQUEST)
			err->kind = ERR_BAD_SHAPE;
		return -1;
	}
	return set_link(crash, &stored, err);
}

/* --- Requests of other kinds ------------------------------------------------------------------ */

static const struct { const char *type; const struct request_kind *kind; } others[] = {
	{ "jvm", &request_kind_jvm },
	{ "js", &request_kind_js },
};

/* Into an object, up to the value of that member. */
static bool find_member(struct json_reader *json, const char *wanted)
{
	struct json_string name;

	if (!json_reader_object(json))
		return false;
	while (json_reader_member(json, &name)) {
		if (json_string_is(&name, wanted))
			return true;
		json_reader_skip(json);
	}
	return false;
}

const struct request_kind *crash_any_other(struct text body)
{
	struct json_reader json;
	struct json_string type;

	if (text_starts_with(body, "\xef\xbb\xbf"))
		body = text_from(body, 3);
	json = json_reader_over("the body", body);
	if (!find_member(&json, "symbolicate") || !find_member(&json, "type") || !json_reader_string(&json, &type))
		return NULL;
	for (size_t i = 0; i < COUNT(others); i++)
		if (json_string_is(&type, others[i].type))
			return others[i].kind;
	return NULL;
}

int crash_any_read(struct crash *crash, struct text body, struct err *err)
{
	struct cJSON *json;

	if (request_json_parse(body, &crash->work->arena, &json, err) < 0)
		return -1;
	if (!cJSON_IsObject(json))
		return err_set(err, ERR_BAD_SHAPE, "the body is no object");
	if (read_stored(crash, cJSON_GetObjectItemCaseSensitive(json, "symbolicate"), err) < 0)
		return -1;
	/* Stack traces and modules come from the file. */
	cJSON_DeleteItemFromObjectCaseSensitive(json, "stacktraces");
	cJSON_DeleteItemFromObjectCaseSensitive(json, "modules");
	return symbolication_request_read(&crash->request, crash->work, json, err);
}
