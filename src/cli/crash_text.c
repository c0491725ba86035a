/* crash_text.c -- see crash_text.h. */
#include "cli/crash_text.h"

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/limits.h"
#include "cli/cli.h"
#include "cli/cli_table.h"
#include "cli/trace.h"

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

static bool is_requesting(const cJSON *stack)
{
	return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(stack, "is_requesting"));
}

static void show_threads(const cJSON *reply, const struct crash_text_options *options, struct buf *out,
			 size_t *threads)
{
	const cJSON *stacks = cJSON_GetObjectItemCaseSensitive(reply, "stacktraces"), *stack;
	const cJSON *first = stacks ? stacks->child : NULL;
	bool crashed = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(reply, "crashed"));
	const char *requesting = crashed ? "crashed" : "requesting";
	size_t index = 0, first_index = 0;

	cJSON_ArrayForEach(stack, stacks) {
		if (is_requesting(stack) && !is_requesting(first)) {
			first = stack;
			first_index = *threads;
		}
		*threads += 1;
	}
	if (!first)
		return;
	buf_add_char(out, '\n');
	(void)trace_add_stack(first, first_index, requesting, options->colour, out);
	show_registers(cJSON_GetObjectItemCaseSensitive(first, "registers"), out);
	cJSON_ArrayForEach(stack, stacks) {
		if (stack != first && !options->brief) {
			buf_add_char(out, '\n');
			(void)trace_add_stack(stack, index, requesting, options->colour, out);
		}
		index++;
	}
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

int crash_text_show(struct text reply, const struct crash_text_options *options, struct buf *out,
		    size_t *threads, struct err *err)
{
	struct arena arena;
	cJSON *json;
	int rc;

	*threads = 0;
	arena_init(&arena, 4 * LIMIT_REPLY_BYTES);
	rc = trace_read(reply, &arena, &json, err);
	if (rc == 0) {
		show_facts(json, out);
		show_threads(json, options, out, threads);
		if (!options->brief)
			show_modules(cJSON_GetObjectItemCaseSensitive(json, "modules"), out);
		rc = buf_check(out, err);
	}
	arena_release(&arena);
	return rc;
}
