/* trace.c -- see trace.h. */
#include "cli/trace.h"

#include <string.h>

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/limits.h"
#include "cli/cli.h"
#include "cli/cli_table.h"
#include "work/request_json.h"
#include "work/work.h"

#define ADDRESS_COLUMNS 19u
#define TRUST_COLUMNS 9u

static double number(const cJSON *object, const char *name, double missing)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);

	return cJSON_IsNumber(item) ? item->valuedouble : missing;
}

/* Where the frame is: file and line, else the module and why nothing more is known. */
static void show_place(const cJSON *frame, struct buf *out)
{
	struct text file = cli_member(frame, "abs_path"), package = cli_member(frame, "package");
	struct text status = cli_member(frame, "status");

	if (file.size == 0)
		file = cli_member(frame, "filename");
	if (file.size > 0) {
		buf_add_string(out, " at ");
		buf_add_visible(out, file);
		if (number(frame, "lineno", 0) > 0)
			buf_printf(out, ":%.0f", number(frame, "lineno", 0));
	}
	if (package.size > 0) {
		buf_add_string(out, " in ");
		buf_add_visible(out, text_basename(package));
	}
	/* What nobody could look up, and was told with the question. */
	if (!text_is(status, "symbolicated") &&
	    !(text_is(status, "unknown_image") && cli_member(frame, "function").size > 0)) {
		buf_add_string(out, " (");
		buf_add_visible(out, status);
		buf_add_char(out, ')');
	}
}

static bool show_frame(const cJSON *frame, const cJSON *outer, bool colour, struct buf *out)
{
	struct text function = cli_member(frame, "function");
	struct text address = cli_member(frame, "instruction_addr");
	bool inlined = outer && number(outer, "original_index", -1) ==
				       number(frame, "original_index", -2);

	buf_add_string(out, "  ");
	/* A frame that came as a name alone. */
	if (function.size > 0 && text_is(address, "0x0"))
		address = TEXT("-");
	table_add_cell(out, address, ADDRESS_COLUMNS);
	table_add_cell(out, inlined ? text_of("inlined") : cli_member(frame, "trust"), TRUST_COLUMNS);
	if (function.size == 0)
		function = cli_member(frame, "symbol");
	buf_add_string(out, colour ? "\033[1m" : "");
	buf_add_visible(out, function.size > 0 ? function : text_of("??"));
	buf_add_string(out, colour ? "\033[0m" : "");
	show_place(frame, out);
	buf_add_char(out, '\n');
	return text_is(cli_member(frame, "status"), "symbolicated");
}

bool trace_add_stack(const cJSON *stack, size_t index, const char *requesting, bool colour,
		     struct buf *out)
{
	const cJSON *frames = cJSON_GetObjectItemCaseSensitive(stack, "frames"), *frame;
	struct text name = cli_member(stack, "thread_name");
	bool found = false;

	buf_printf(out, "thread %.0f", number(stack, "thread_id", (double)index));
	if (name.size > 0) {
		buf_add_char(out, ' ');
		buf_add_visible(out, name);
	}
	if (cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(stack, "is_requesting")))
		buf_printf(out, " (%s)", requesting);
	buf_add_char(out, '\n');
	cJSON_ArrayForEach(frame, frames)
		if (show_frame(frame, frame->next, colour, out))
			found = true;
	return found;
}

static bool has_frames_without(const cJSON *module)
{
	struct text status = cli_member(module, "debug_status");

	return status.size > 0 && !text_is(status, "found") && !text_is(status, "unused");
}

static void show_missing_modules(const cJSON *modules, struct buf *out)
{
	const cJSON *module;
	bool first = true;

	cJSON_ArrayForEach(module, modules) {
		struct text file = cli_member(module, "code_file");

		if (!has_frames_without(module))
			continue;
		buf_add_string(out, first ? "\nwithout debug information:\n" : "");
		first = false;
		buf_add_string(out, "  ");
		table_add_cell(out, cli_member(module, "debug_status"), 12);
		buf_add_visible(out, file.size > 0 ? file : cli_member(module, "debug_file"));
		buf_add_char(out, ' ');
		buf_add_visible(out, cli_member(module, "debug_id"));
		buf_add_char(out, '\n');
	}
}

int trace_read(struct text reply, struct arena *arena, struct cJSON **json, struct err *err)
{
	struct text status, message;

	if (request_json_parse(reply, arena, json, err) < 0)
		return -1;
	status = cli_member(*json, "status");
	message = cli_member(*json, "message");
	if (!text_is(status, "completed"))
		return err_set(err, ERR_INTERNAL, "the request ended as %.*s%s%.*s",
			       (int)status.size, status.size ? status.bytes : "",
			       message.size ? ": " : "", (int)message.size,
			       message.size ? message.bytes : "");
	return 0;
}

static int show_reply(const cJSON *reply, bool colour, struct buf *out, bool *found,
		      struct err *err)
{
	const cJSON *stack;
	size_t index = 0;

	cJSON_ArrayForEach(stack, cJSON_GetObjectItemCaseSensitive(reply, "stacktraces")) {
		buf_add_string(out, index > 0 ? "\n" : "");
		if (trace_add_stack(stack, index++, "requesting", colour, out))
			*found = true;
	}
	show_missing_modules(cJSON_GetObjectItemCaseSensitive(reply, "modules"), out);
	return buf_check(out, err);
}

int trace_show(struct text reply, bool colour, struct buf *out, bool *found, struct err *err)
{
	struct arena arena;
	cJSON *json;
	int rc;

	*found = false;
	arena_init(&arena, 4 * LIMIT_REPLY_BYTES);
	rc = trace_read(reply, &arena, &json, err);
	if (rc == 0)
		rc = show_reply(json, colour, out, found, err);
	arena_release(&arena);
	return rc;
}
