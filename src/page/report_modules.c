/* report_modules.c -- see report_modules.h. */
#include "page/report_modules.h"

#include <stdlib.h>

#include "base/vec.h"
#include "why/why.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MODULE(field) offsetof(struct report_module, field)

static const struct report_member feature_members[] = {
	{ REPORT_NAME("has_debug_info"), REPORT_BOOL, MODULE(has_debug_info), MODULE(is_other), NULL, 0 },
	{ REPORT_NAME("has_unwind_info"), REPORT_BOOL, MODULE(has_unwind_info), MODULE(is_other), NULL, 0 },
	{ REPORT_NAME("has_symbols"), REPORT_BOOL, MODULE(has_symbols), MODULE(is_other), NULL, 0 },
	{ REPORT_NAME("has_sources"), REPORT_BOOL, MODULE(has_sources), MODULE(is_other), NULL, 0 },
};
static const struct report_member module_members[] = {
	{ REPORT_NAME("debug_status"), REPORT_TEXT, MODULE(status), 0, NULL, 0 },
	{ REPORT_NAME("unwind_status"), REPORT_TEXT, MODULE(unwind_status), 0, NULL, 0 },
	{ REPORT_NAME("features"), REPORT_GROUP, 0, 0, feature_members, COUNT(feature_members) },
	{ REPORT_NAME("arch"), REPORT_TEXT, MODULE(arch), 0, NULL, 0 },
	{ REPORT_NAME("type"), REPORT_TEXT, MODULE(type), 0, NULL, 0 },
	{ REPORT_NAME("code_id"), REPORT_TEXT, MODULE(code_id), 0, NULL, 0 },
	{ REPORT_NAME("code_file"), REPORT_TEXT, MODULE(code_file), 0, NULL, 0 },
	{ REPORT_NAME("debug_id"), REPORT_TEXT, MODULE(debug_id), 0, NULL, 0 },
	{ REPORT_NAME("debug_file"), REPORT_TEXT, MODULE(debug_file), 0, NULL, 0 },
	{ REPORT_NAME("image_addr"), REPORT_NUMBER, MODULE(address), MODULE(has_address), NULL, 0 },
	{ REPORT_NAME("image_size"), REPORT_NUMBER, MODULE(size), MODULE(has_size), NULL, 0 },
	{ REPORT_NAME("details"), REPORT_TEXT, MODULE(details), 0, NULL, 0 },
	{ REPORT_NAME("candidates"), REPORT_LIST, MODULE(candidates_at), 0, NULL, 0 },
};

static void add(struct report *report, const struct report_module *module)
{
	if (report->module_count == REPORT_MODULES_MAX) {
		report->modules_left_out++;
		return;
	}
	if (vec_reserve(&report->modules, &report->module_capacity, report->module_count + 1,
			sizeof(*report->modules)) < 0)
		report->json.no_memory = true;
	else
		report->modules[report->module_count++] = *module;
}

void report_modules_read(struct report *report, struct json_reader *reader)
{
	if (!json_reader_array(reader)) {
		json_reader_skip(reader);
		return;
	}
	while (json_reader_element(reader)) {
		struct report_module module = { .has_address = false };

		report_json_object(&report->json, reader, module_members, COUNT(module_members), &module);
		add(report, &module);
	}
}

/* --- Mozilla's --------------------------------------------------------------------------------- */

/* "NAME/ID" */
static void split_key(struct text key, struct text *name, struct text *id)
{
	size_t at = key.size;

	while (at > 0 && key.bytes[at - 1] != '/')
		at--;
	*name = at > 0 ? (struct text){ key.bytes, at - 1 } : key;
	*id = at > 0 ? text_from(key, at) : TEXT_NONE;
}

static void read_key(struct report *report, const struct json_string *name, struct report_module *module)
{
	split_key(report_json_string(&report->json, name, REPORT_TEXT_BYTES), &module->debug_file,
		  &module->debug_id);
}

void report_modules_found(struct report *report, struct json_reader *reader)
{
	struct json_string name;

	if (!json_reader_object(reader)) {
		json_reader_skip(reader);
		return;
	}
	while (json_reader_member(reader, &name)) {
		struct report_module module = { .status = TEXT("unused") };
		bool is_found;

		if (json_reader_bool(reader, &is_found))
			module.status = is_found ? TEXT("found") : TEXT("missing");
		else
			json_reader_skip(reader);
		read_key(report, &name, &module);
		add(report, &module);
	}
}

/* The first error's words. */
static struct text read_message(struct report *report, struct json_reader *reader)
{
	static const struct report_member members[] = {
		{ REPORT_NAME("message"), REPORT_TEXT, 0, 0, NULL, 0 },
	};
	struct text first = TEXT_NONE;

	if (!json_reader_array(reader)) {
		json_reader_skip(reader);
		return first;
	}
	while (json_reader_element(reader)) {
		struct text message = TEXT_NONE;

		report_json_object(&report->json, reader, members, COUNT(members), &message);
		first = first.bytes ? first : message;
	}
	return first;
}

void report_modules_blame(struct report *report, struct json_reader *reader)
{
	struct json_string name;

	if (!json_reader_object(reader)) {
		json_reader_skip(reader);
		return;
	}
	while (json_reader_member(reader, &name)) {
		struct text message = read_message(report, reader);
		struct report_module blamed = { .has_address = false };

		read_key(report, &name, &blamed);
		for (size_t i = 0; i < report->module_count; i++)
			if (text_equal(report->modules[i].debug_file, blamed.debug_file) &&
			    text_equal(report->modules[i].debug_id, blamed.debug_id) && message.bytes)
				report->modules[i].details = message;
	}
}

/* --- Order ------------------------------------------------------------------------------------- */

enum report_module_class report_module_class(const struct report_module *module)
{
	if (text_is(module->status, "unused"))
		return REPORT_MODULE_UNUSED;
	return why_module(module->status).is_good ? REPORT_MODULE_GOOD : REPORT_MODULE_BAD;
}

static int compare_ranges(const void *left, const void *right)
{
	const struct report_range *a = left, *b = right;

	if (a->first != b->first)
		return a->first > b->first ? 1 : -1;
	return (a->module > b->module) - (a->module < b->module);
}

static void list_ranges(struct report *report)
{
	for (size_t i = 0; i < report->module_count; i++) {
		const struct report_module *module = &report->modules[i];

		if (!module->has_address || !module->has_size || module->size == 0 ||
		    module->size - 1 > UINT64_MAX - module->address)
			continue;
		report->ranges[report->range_count++] = (struct report_range){
			.first = module->address, .last = module->address + (module->size - 1), .module = i,
		};
	}
	if (report->range_count > 1)
		qsort(report->ranges, report->range_count, sizeof(*report->ranges), compare_ranges);
}

static void list_rows(struct report *report)
{
	size_t row = 0;

	for (unsigned class = REPORT_MODULE_BAD; class <= REPORT_MODULE_UNUSED; class++) {
		for (size_t i = 0; i < report->module_count; i++) {
			if (report_module_class(&report->modules[i]) != class)
				continue;
			report->order[row] = i;
			report->rank[i] = row++;
		}
	}
}

void report_modules_sort(struct report *report)
{
	size_t count = report->module_count;

	if (!count)
		return;
	report->ranges = arena_alloc_raw(&report->arena, count, sizeof(*report->ranges));
	report->order = arena_alloc_raw(&report->arena, count, sizeof(*report->order));
	report->rank = arena_alloc_raw(&report->arena, count, sizeof(*report->rank));
	if (!report->ranges || !report->order || !report->rank) {
		report->json.no_memory = true;
		return;
	}
	list_ranges(report);
	list_rows(report);
}

/* --- Found ------------------------------------------------------------------------------------- */

struct text report_module_name(const struct report_module *module)
{
	struct text name = text_basename(module->code_file.size ? module->code_file : module->debug_file);

	return name.size ? name : TEXT("a module without a name");
}

size_t report_module_at(const struct report *report, uint64_t address)
{
	size_t low = 0, high = report->range_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (report->ranges[middle].first <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || report->ranges[low - 1].last < address)
		return REPORT_NOTHING;
	return report->ranges[low - 1].module;
}

size_t report_module_named(const struct report *report, struct text name)
{
	if (!name.size)
		return REPORT_NOTHING;
	for (size_t i = 0; i < report->module_count; i++)
		if (text_equal(report->modules[i].code_file, name) ||
		    text_equal(report->modules[i].debug_file, name))
			return i;
	return REPORT_NOTHING;
}
