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

/* --- Frames ------------------------------------------------------------------------------ */

enum frame_member {
	FRAME_ABS_PATH, FRAME_ADDRESS, FRAME_FILENAME, FRAME_FUNCTION, FRAME_PACKAGE, FRAME_STATUS,
	FRAME_SYMBOL, FRAME_TRUST, FRAME_TEXTS
};

/* What is shown of one; read in one pass, as there may be thousands. */
struct frame_members {
	struct text texts[FRAME_TEXTS];
	double line;                 /* 0: none */
	double index;                /* of the frame as it was found; -1: none */
};

static const char *const frame_texts[FRAME_TEXTS] = {
	"abs_path", "instruction_addr", "filename", "function", "package", "status", "symbol", "trust",
};

static void read_frame(const cJSON *frame, struct frame_members *members)
{
	const cJSON *item;

	*members = (struct frame_members){ .index = -1 };
	cJSON_ArrayForEach(item, frame) {
		const char *name = item->string ? item->string : "";

		for (unsigned i = 0; cJSON_IsString(item) && i < FRAME_TEXTS; i++)
			if (name[0] == frame_texts[i][0] && strcmp(name, frame_texts[i]) == 0)
				members->texts[i] = text_of(item->valuestring);
		if (cJSON_IsNumber(item) && strcmp(name, "lineno") == 0)
			members->line = item->valuedouble;
		if (cJSON_IsNumber(item) && strcmp(name, "original_index") == 0)
			members->index = item->valuedouble;
	}
}

/* Where the frame is: file and line, else the module and why nothing more is known. */
static void show_place(const struct frame_members *frame, struct buf *out)
{
	const struct text *texts = frame->texts;
	struct text file = texts[texts[FRAME_ABS_PATH].size > 0 ? FRAME_ABS_PATH : FRAME_FILENAME];

	if (file.size > 0) {
		buf_add_string(out, " at ");
		buf_add_visible(out, file);
		if (frame->line > 0)
			buf_printf(out, ":%.0f", frame->line);
	}
	if (texts[FRAME_PACKAGE].size > 0) {
		buf_add_string(out, " in ");
		buf_add_visible(out, text_basename(texts[FRAME_PACKAGE]));
	}
	/* What nobody could look up, and was told with the question. */
	if (!text_is(texts[FRAME_STATUS], "symbolicated") &&
	    !(text_is(texts[FRAME_STATUS], "unknown_image") && texts[FRAME_FUNCTION].size > 0)) {
		buf_add_string(out, " (");
		buf_add_visible(out, texts[FRAME_STATUS]);
		buf_add_char(out, ')');
	}
}

static bool show_frame(const struct frame_members *frame, const struct frame_members *outer, bool colour,
		       struct buf *out)
{
	struct text function = frame->texts[FRAME_FUNCTION], address = frame->texts[FRAME_ADDRESS];
	bool inlined = frame->index >= 0 && outer->index == frame->index;

	buf_add_string(out, "  ");
	/* A frame that came as a name alone. */
	if (function.size > 0 && text_is(address, "0x0"))
		address = TEXT("-");
	table_add_cell(out, address, ADDRESS_COLUMNS);
	table_add_cell(out, inlined ? text_of("inlined") : frame->texts[FRAME_TRUST], TRUST_COLUMNS);
	if (function.size == 0)
		function = frame->texts[FRAME_SYMBOL];
	buf_add_string(out, colour ? "\033[1m" : "");
	buf_add_visible(out, function.size > 0 ? function : text_of("??"));
	buf_add_string(out, colour ? "\033[0m" : "");
	show_place(frame, out);
	buf_add_char(out, '\n');
	return text_is(frame->texts[FRAME_STATUS], "symbolicated");
}

/* --- Stacks ------------------------------------------------------------------------------ */

bool trace_add_stack(const cJSON *stack, size_t index, const char *requesting, bool colour,
		     struct buf *out)
{
	const cJSON *frames = cJSON_GetObjectItemCaseSensitive(stack, "frames"), *frame;
	struct frame_members members, outer;
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
	read_frame(frames ? frames->child : NULL, &outer);
	cJSON_ArrayForEach(frame, frames) {
		members = outer;
		read_frame(frame->next, &outer);
		if (show_frame(&members, &outer, colour, out))
			found = true;
	}
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
