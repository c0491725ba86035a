/* crash_report.c -- what a cell found in a crash file, and what the answer tells of it. */
#include "kinds/crash/crash_work.h"

#include <string.h>

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "base/json_writer.h"
#include "kinds/stacktrace_json.h"
#include "work/request_json.h"

int crash_report_read(struct crash *crash, struct text bytes, struct err *err)
{
	struct raw_report *report = &crash->request.report;
	struct arena *arena = &crash->work->arena;
	const cJSON *signal;
	struct cJSON *json;

	if (request_json_parse(bytes, arena, &json, err) < 0 ||
	    stacktrace_json_traces(cJSON_GetObjectItemCaseSensitive(json, "stacktraces"), NULL, arena,
				   report, err) < 0 ||
	    stacktrace_json_modules(cJSON_GetObjectItemCaseSensitive(json, "modules"), NULL, arena,
				    report, err) < 0)
		return -1;
	for (size_t i = 0; crash->named_count > 0 && i < report->module_count; i++)
		crash_name_module(crash, &report->modules[i]);
	signal = cJSON_GetObjectItemCaseSensitive(json, "signal");
	if (cJSON_IsNumber(signal) && signal->valuedouble > 0)
		report->signal = (struct maybe_u64){ .is_set = true,
						     .value = (uint64_t)signal->valuedouble };
	crash->facts = json;
	return 0;
}

/* A processor the file does not tell by a name we know is that of its modules' files. */
static struct text arch_of(const struct crash *crash, struct text told)
{
	struct text found = text_is(told, "unknown") ? symbolication_arch(crash->symbolication) : TEXT_NONE;

	return found.size > 0 ? found : told;
}

static void write_system(const struct crash *crash, struct json_writer *json)
{
	static const char *const names[] = { "os_name", "os_version", "os_build", "cpu_arch",
					     "device_model" };
	const cJSON *system = cJSON_GetObjectItemCaseSensitive(crash->facts, "system_info");

	json_key(json, "system_info");
	json_object(json);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *string =
			cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(system, names[i]));
		struct text value = text_of(string ? string : "");

		json_member_text(json, names[i],
				 strcmp(names[i], "cpu_arch") == 0 ? arch_of(crash, value) : value);
	}
	json_object_end(json);
}

void crash_report_write(const struct crash *crash, struct json_writer *json)
{
	static const char *const texts[] = { "crash_reason", "crash_details", "assertion" };
	const cJSON *timestamp = cJSON_GetObjectItemCaseSensitive(crash->facts, "timestamp");
	const cJSON *remarks = cJSON_GetObjectItemCaseSensitive(crash->facts, "remarks");
	const cJSON *crashed = cJSON_GetObjectItemCaseSensitive(crash->facts, "crashed");
	const struct maybe_u64 signal = crash->request.report.signal;

	if (remarks && remarks->child) {
		const cJSON *remark;

		json_key(json, "remarks");
		json_array(json);
		cJSON_ArrayForEach(remark, remarks)
			json_string(json, cJSON_IsString(remark) ? remark->valuestring : "");
		json_array_end(json);
	}
	if (cJSON_IsNumber(timestamp)) {
		json_key(json, "timestamp");
		json_i64(json, (int64_t)timestamp->valuedouble);
	}
	if (signal.is_set)
		json_member_u64(json, "signal", signal.value);
	write_system(crash, json);
	json_member_bool(json, "crashed", cJSON_IsTrue(crashed));
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		json_member_string(json, texts[i],
				   cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(crash->facts,
											 texts[i])));
}
