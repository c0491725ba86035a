/*
 * crash_form.c -- the fields of the form a crash file came with.
 *
 * Each is JSON by itself.  Together they are read as a request to /symbolicate that has neither
 * stack traces nor modules: those come from the file.
 */
#include "kinds/crash/crash_work.h"

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "kinds/stacktrace_json.h"
#include "work/request_json.h"
#include "work/schema.h"

#define FORM_BYTES ((size_t)8 << 20)

/* --- rewrite_first_module ------------------------------------------------------------------ */

static const struct schema_member rule_members[] = {
	{ "from", SCHEMA_TEXT, offsetof(struct rewrite_rule, from), SCHEMA_REQUIRED, NULL },
	{ "to", SCHEMA_TEXT, offsetof(struct rewrite_rule, to), SCHEMA_REQUIRED, NULL },
};

int crash_form_read_rules(struct crash *crash, const struct cJSON *json, struct err *err)
{
	size_t count = (size_t)cJSON_GetArraySize(json), at = 0;
	struct rewrite_rule *rules = arena_alloc(&crash->work->arena, count + 1, sizeof(*rules));
	const cJSON *item;

	if (!cJSON_IsArray(json))
		return err_set(err, ERR_BAD_REQUEST, "rewrite_first_module is no array");
	if (!rules)
		return err_no_memory(err);
	cJSON_ArrayForEach(item, json) {
		if (schema_read(item, NULL, rule_members, 2, &rules[at++], NULL, err) < 0)
			return err_while(err, "rewrite_first_module");
	}
	crash->rules = rules;
	crash->rule_count = at;
	crash->rewrite_tries = REWRITE_TRIES;
	return rewrite_check(rules, at, err);
}

/* --- modules ------------------------------------------------------------------------------- */

static int read_named(struct crash *crash, const struct cJSON *json, struct err *err)
{
	const struct schema_place place = { .name = "modules" };
	struct raw_report named = { .module_count = 0 };

	if (stacktrace_json_modules(json, &place, &crash->work->arena, &named, err) < 0)
		return -1;
	crash->named = named.modules;
	crash->named_count = named.module_count;
	return 0;
}

void crash_name_module(const struct crash *crash, struct raw_module *module)
{
	if (module->ids.code_id.size > 0 || !debugid_is_nil(&module->ids.debug_id))
		return;
	for (size_t i = 0; i < crash->named_count; i++) {
		const struct raw_module *named = &crash->named[i];

		if (named->image_addr.is_set && named->image_addr.value == module->image_addr.value) {
			module->ids.code_id = named->ids.code_id;
			module->ids.debug_id = named->ids.debug_id;
			return;
		}
	}
}

/* --- The others ----------------------------------------------------------------------------- */

/* One that is JSON goes into the body as it is; NULL: it is not there. */
static int add_field(struct crash *crash, const struct cJSON *fields, const char *name,
		     struct buf *body, struct err *err)
{
	const char *value = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(fields, name));
	struct cJSON *json;

	if (!value)
		return 0;
	if (request_json_parse(text_of(value), &crash->work->arena, &json, err) < 0)
		return -1;
	if (strcmp(name, "rewrite_first_module") == 0)
		return crash_form_read_rules(crash, json, err);
	if (strcmp(name, "modules") == 0)
		return read_named(crash, json, err);
	buf_printf(body, ",\"%s\":", name);
	buf_add_string(body, value);
	return 0;
}

static int read_body(struct crash *crash, struct text body, struct err *err)
{
	struct cJSON *json;

	if (request_json_parse(body, &crash->work->arena, &json, err) < 0)
		return -1;
	return symbolication_request_read(&crash->request, crash->work, json, err);
}

static const char *const names[] = {
	"sources", "scraping", "options", "platform", "rewrite_first_module", "modules",
};

int crash_form_read(struct crash *crash, struct text fields, struct err *err)
{
	struct cJSON *json = NULL;
	struct text kept = TEXT_NONE;
	struct buf body;
	int rc = 0;

	if (fields.size > 0 && request_json_parse(fields, &crash->work->arena, &json, err) < 0)
		return -1;
	buf_init(&body, FORM_BYTES);
	buf_add_string(&body, "{\"stacktraces\":[],\"modules\":[]");
	for (size_t i = 0; json && i < sizeof(names) / sizeof(names[0]) && rc == 0; i++)
		rc = add_field(crash, json, names[i], &body, err);
	buf_add_char(&body, '}');
	if (rc == 0)
		rc = buf_check(&body, err);
	if (rc == 0) {
		char *copy = arena_strndup(&crash->work->arena, body.bytes, body.size);

		kept = (struct text){ copy, body.size };
		rc = copy ? 0 : err_no_memory(err);
	}
	buf_release(&body);
	if (rc == 0)
		rc = read_body(crash, kept, err);
	return rc;
}
