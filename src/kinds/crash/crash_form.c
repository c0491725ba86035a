/*
 * crash_form.c -- the fields of the form a crash file came with.
 *
 * Each is JSON by itself.  Together they are read as a request to /symbolicate that has neither
 * stack traces nor modules: those come from the file.
 */
#include "kinds/crash/crash_work.h"

#include <stdlib.h>

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/search.h"
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

/* By address, and the first of one address first. */
static int compare_named(const void *left, const void *right)
{
	const struct raw_module *const *a = left, *const *b = right;
	uint64_t at = (*a)->image_addr.value, other = (*b)->image_addr.value;

	return at != other ? (at > other) - (at < other) : (*a > *b) - (*a < *b);
}

static int read_named(struct crash *crash, const struct cJSON *json, struct err *err)
{
	const struct schema_place place = { .name = "modules" };
	struct raw_report report = { .module_count = 0 };
	const struct raw_module **named;
	size_t count = 0;

	if (stacktrace_json_modules(json, &place, &crash->work->arena, &report, err) < 0)
		return -1;
	named = arena_alloc_raw(&crash->work->arena, report.module_count, sizeof(const struct raw_module *));
	if (!named)
		return err_no_memory(err);
	for (size_t i = 0; i < report.module_count; i++)
		if (report.modules[i].image_addr.is_set)
			named[count++] = &report.modules[i];
	qsort(named, count, sizeof(*named), compare_named);
	crash->named = named;
	crash->named_count = count;
	return 0;
}

void crash_name_module(const struct crash *crash, struct raw_module *module)
{
	uint64_t address = module->image_addr.value;
	size_t at;

	if (module->ids.code_id.size > 0 || !debugid_is_nil(&module->ids.debug_id))
		return;
	SEARCH_PARTITION_POINT(at, 0, crash->named_count, crash->named[at]->image_addr.value < address);
	if (at == crash->named_count || crash->named[at]->image_addr.value != address)
		return;
	module->ids.code_id = crash->named[at]->ids.code_id;
	module->ids.debug_id = crash->named[at]->ids.debug_id;
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
