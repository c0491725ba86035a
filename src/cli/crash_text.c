/* crash_text.c -- see crash_text.h. */
#include "cli/crash_text.h"

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/json_reader.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/vec.h"
#include "cli/cli.h"
#include "cli/cli_table.h"
#include "cli/trace.h"
#include "work/request_json.h"

#define STATUS_COLUMNS 16u
#define ADDRESS_COLUMNS 19u
#define REGISTER_COLUMNS 8u
#define REGISTERS_PER_LINE 3u
#define SYSTEM_BYTES ((size_t)4096)

/* --- What happened --------------------------------------------------------------------------- */

static void add_words(struct buf *out, const cJSON *system, const char *name, const char *before,
		      const char *after)
{
	struct text word = cli_member(system, name);

	if (word.size == 0)
		return;
	buf_add_string(out, out->size > 0 ? before : "");
	buf_add_text(out, word);
	buf_add_string(out, after);
}

/* "macOS 14.1.1 (23B74), arm64, MacBookPro18,1" */
static void show_system(const cJSON *system, struct buf *out)
{
	struct buf words;

	buf_init(&words, SYSTEM_BYTES);
	add_words(&words, system, "os_name", "", "");
	add_words(&words, system, "os_version", " ", "");
	add_words(&words, system, "os_build", " (", words.size > 0 ? ")" : "");
	add_words(&words, system, "cpu_arch", ", ", "");
	add_words(&words, system, "device_model", ", ", "");
	table_add_field(out, "system", buf_text(&words));
	buf_release(&words);
}

static void show_facts(const cJSON *reply, struct buf *out)
{
	const cJSON *timestamp = cJSON_GetObjectItemCaseSensitive(reply, "timestamp");
	const cJSON *remark;

	if (!cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(reply, "crashed")))
		buf_add_string(out, "no crash\n");
	table_add_field(out, "reason", cli_member(reply, "crash_reason"));
	table_add_field(out, "details", cli_member(reply, "crash_details"));
	table_add_field(out, "assertion", cli_member(reply, "assertion"));
	show_system(cJSON_GetObjectItemCaseSensitive(reply, "system_info"), out);
	cJSON_ArrayForEach(remark, cJSON_GetObjectItemCaseSensitive(reply, "remarks"))
		table_add_field(out, "remark", text_of(cJSON_GetStringValue(remark)));
	if (cJSON_IsNumber(timestamp)) {
		buf_add_string(out, "  time          ");
		table_add_time(out, (int64_t)timestamp->valuedouble, clock_unix_seconds());
		buf_add_char(out, '\n');
	}
}

/* --- Threads ---------------------------------------------------------------------------------- */

static void show_registers(const cJSON *registers, struct buf *out)
{
	const cJSON *item;
	unsigned count = 0;

	cJSON_ArrayForEach(item, registers) {
		buf_add_string(out, count == 0 ? "  registers\n    "
					       : count % REGISTERS_PER_LINE == 0 ? "\n    " : "  ");
		table_add_cell(out, text_of(item->string ? item->string : "?"), REGISTER_COLUMNS);
		if (count % REGISTERS_PER_LINE == REGISTERS_PER_LINE - 1 || !item->next)
			buf_add_visible(out, text_of(cJSON_GetStringValue(item)));
		else
			table_add_cell(out, text_of(cJSON_GetStringValue(item)), ADDRESS_COLUMNS);
		count++;
	}
	if (count > 0)
		buf_add_char(out, '\n');
}

/* One element of "stacktraces", and what it says before its frames. */
struct stack_text {
	struct text json;
	bool is_requesting;
};

/* A reply taken apart: its threads are parsed one after the other, in the same memory. */
struct reply_parts {
	struct arena arena;
	struct buf rest;             /* the reply without them */
	struct stack_text *stacks;
	size_t count, capacity;
};

static bool is_requesting(struct json_reader json)
{
	struct json_string name;
	bool value;

	if (json_reader_object(&json))
		while (json_reader_member(&json, &name) && !json_string_is(&name, "frames")) {
			if (json_string_is(&name, "is_requesting") && json_reader_bool(&json, &value))
				return value;
			json_reader_skip(&json);
		}
	return false;
}

static int take_stacks(struct reply_parts *parts, struct json_reader *json, struct err *err)
{
	if (!json_reader_array(json))
		return json_reader_check(json, err);
	while (json_reader_element(json)) {
		struct stack_text *stack;
		size_t from;

		if (vec_reserve(&parts->stacks, &parts->capacity, parts->count + 1,
				sizeof(*parts->stacks)) < 0)
			return err_set(err, ERR_NO_MEMORY, "no memory for the threads");
		(void)json_reader_peek(json);
		from = json->pos;
		stack = &parts->stacks[parts->count++];
		stack->is_requesting = is_requesting(*json);
		json_reader_skip(json);
		stack->json = (struct text){ json->bytes + from, json->pos - from };
	}
	return 0;
}

static int take_apart(struct reply_parts *parts, struct text reply, struct err *err)
{
	struct json_reader json = json_reader_over("the reply", reply);
	struct json_string name;

	if (!json_reader_object(&json))
		return json_reader_check(&json, err);
	buf_add_char(&parts->rest, '{');
	while (json_reader_member(&json, &name)) {
		size_t from;

		if (json_string_is(&name, "stacktraces")) {
			if (take_stacks(parts, &json, err) < 0)
				return -1;
			continue;
		}
		buf_add_string(&parts->rest, parts->rest.size > 1 ? ",\"" : "\"");
		buf_add_text(&parts->rest, name.raw);
		buf_add_string(&parts->rest, "\":");
		from = json.pos;
		json_reader_skip(&json);
		buf_add(&parts->rest, json.bytes + from, json.pos - from);
	}
	buf_add_char(&parts->rest, '}');
	return json_reader_check(&json, err) < 0 ? -1 : buf_check(&parts->rest, err);
}

/* With its registers, if it is the first. */
static int show_thread(struct reply_parts *parts, size_t index, const char *requesting,
		       const struct crash_text_options *options, bool is_first, struct buf *out,
		       struct err *err)
{
	struct arena_mark mark = arena_mark(&parts->arena);
	cJSON *stack;

	if (request_json_parse(parts->stacks[index].json, &parts->arena, &stack, err) < 0)
		return -1;
	buf_add_char(out, '\n');
	(void)trace_add_stack(stack, index, requesting, options->colour, out);
	if (is_first)
		show_registers(cJSON_GetObjectItemCaseSensitive(stack, "registers"), out);
	arena_rewind(&parts->arena, mark);
	return 0;
}

static int show_threads(const cJSON *reply, struct reply_parts *parts,
			const struct crash_text_options *options, struct buf *out, struct err *err)
{
	bool crashed = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(reply, "crashed"));
	const char *requesting = crashed ? "crashed" : "requesting";
	size_t first = 0;

	while (first < parts->count && !parts->stacks[first].is_requesting)
		first++;
	if (first == parts->count)
		first = 0;
	if (parts->count > 0 &&
	    show_thread(parts, first, requesting, options, true, out, err) < 0)
		return -1;
	for (size_t i = 0; i < parts->count && !options->brief; i++)
		if (i != first && show_thread(parts, i, requesting, options, false, out, err) < 0)
			return -1;
	return 0;
}

/* --- Modules ---------------------------------------------------------------------------------- */

static void show_module(const cJSON *module, struct buf *out)
{
	struct text file = cli_member(module, "code_file"), id = cli_member(module, "debug_id");

	buf_add_string(out, "  ");
	table_add_cell(out, cli_member(module, "image_addr"), ADDRESS_COLUMNS);
	table_add_cell(out, cli_member(module, "debug_status"), STATUS_COLUMNS);
	table_add_cell(out, cli_member(module, "unwind_status"), STATUS_COLUMNS);
	buf_add_visible(out, file.size > 0 ? file : cli_member(module, "debug_file"));
	if (id.size > 0) {
		buf_add_char(out, ' ');
		buf_add_visible(out, id);
	}
	buf_add_char(out, '\n');
}

static void show_modules(const cJSON *modules, struct buf *out)
{
	const cJSON *module;

	if (!modules || !modules->child)
		return;
	buf_add_string(out, "\nmodules\n  ");
	table_add_cell(out, TEXT("address"), ADDRESS_COLUMNS);
	table_add_cell(out, TEXT("debug"), STATUS_COLUMNS);
	table_add_cell(out, TEXT("unwind"), STATUS_COLUMNS);
	buf_add_string(out, "file, id\n");
	cJSON_ArrayForEach(module, modules)
		show_module(module, out);
}

static int show(struct reply_parts *parts, const struct crash_text_options *options, struct buf *out,
		struct err *err)
{
	cJSON *json;

	if (trace_read(buf_text(&parts->rest), &parts->arena, &json, err) < 0)
		return -1;
	show_facts(json, out);
	if (show_threads(json, parts, options, out, err) < 0)
		return -1;
	if (!options->brief)
		show_modules(cJSON_GetObjectItemCaseSensitive(json, "modules"), out);
	return buf_check(out, err);
}

int crash_text_show(struct text reply, const struct crash_text_options *options, struct buf *out,
		    size_t *threads, struct err *err)
{
	struct reply_parts parts = { .stacks = NULL };
	int rc;

	arena_init(&parts.arena, 4 * LIMIT_REPLY_BYTES);
	buf_init(&parts.rest, LIMIT_REPLY_BYTES);
	rc = take_apart(&parts, reply, err);
	if (rc == 0)
		rc = show(&parts, options, out, err);
	*threads = parts.count;
	mem_give_back(parts.stacks);
	buf_release(&parts.rest);
	arena_release(&parts.arena);
	return rc;
}
