/* js_stack_show.c -- an answer as the stack it was asked with, or by itself. */
#include "cli/js_stack_show.h"

#include <cjson/cJSON.h>

#include "base/buf.h"
#include "base/err.h"
#include "cli/cli.h"
#include "stacktext/js_stack.h"

static unsigned long long number_of(const struct cJSON *frame, const char *name)
{
	const struct cJSON *member = cJSON_GetObjectItemCaseSensitive(frame, name);

	return cJSON_IsNumber(member) && member->valuedouble > 0 ? (unsigned long long)member->valuedouble : 0;
}

static void show_line(struct buf *out, char mark, unsigned long long number, const struct cJSON *line)
{
	if (!cJSON_IsString(line))
		return;
	buf_printf(out, "    %c %6llu  ", mark, number);
	buf_add_visible(out, text_of(cJSON_GetStringValue(line)));
	buf_add_char(out, '\n');
}

static void show_context(const struct cJSON *frame, struct buf *out)
{
	const struct cJSON *before = cJSON_GetObjectItemCaseSensitive(frame, "pre_context");
	const struct cJSON *behind = cJSON_GetObjectItemCaseSensitive(frame, "post_context"), *line;
	unsigned long long at = number_of(frame, "lineno"), number = at;

	if (cJSON_IsArray(before) && (unsigned long long)cJSON_GetArraySize(before) < at)
		number -= (unsigned long long)cJSON_GetArraySize(before);
	cJSON_ArrayForEach(line, before)
		show_line(out, ' ', number++, line);
	show_line(out, '>', at, cJSON_GetObjectItemCaseSensitive(frame, "context_line"));
	number = at + 1;
	cJSON_ArrayForEach(line, behind)
		show_line(out, ' ', number++, line);
}

static void show_frame(const struct cJSON *frame, struct buf *out)
{
	struct text name = cli_member(frame, "function"), file = cli_member(frame, "filename");

	if (!file.size)
		file = cli_member(frame, "abs_path");
	buf_add_string(out, "at ");
	buf_add_visible(out, name.size ? name : TEXT("<anonymous>"));
	buf_add_string(out, " (");
	buf_add_visible(out, file);
	buf_printf(out, ":%llu", number_of(frame, "lineno"));
	if (number_of(frame, "colno"))
		buf_printf(out, ":%llu", number_of(frame, "colno"));
	buf_add_string(out, ")\n");
}

static bool is_symbolicated(const struct cJSON *frame)
{
	const struct cJSON *data = cJSON_GetObjectItemCaseSensitive(frame, "data");

	return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(data, "symbolicated"));
}

static const struct cJSON *frames_of(const struct cJSON *trace)
{
	return cJSON_GetObjectItemCaseSensitive(trace, "frames");
}

/* A frame that was not found stays as it is written. */
static void show_stack_line(struct text line, const struct cJSON *frame, bool with_context, struct buf *out)
{
	size_t blanks = 0;

	while (blanks < line.size && (line.bytes[blanks] == ' ' || line.bytes[blanks] == '\t'))
		blanks++;
	if (frame && is_symbolicated(frame)) {
		buf_add(out, line.bytes, blanks);
		show_frame(frame, out);
	} else {
		buf_add_text(out, line);
		buf_add_char(out, '\n');
	}
	if (frame && with_context)
		show_context(frame, out);
}

int js_stack_show(struct text stack, const struct cJSON *reply, bool with_context, struct buf *out,
		  struct err *err)
{
	const struct cJSON *traces = cJSON_GetObjectItemCaseSensitive(reply, "stacktraces");
	const struct cJSON *frames = frames_of(traces ? traces->child : NULL);
	const struct cJSON *frame = frames ? frames->child : NULL;
	struct js_stack_frame read;
	struct text line;

	while (text_take_line(&stack, &line)) {
		bool is_frame = js_stack_line(line, &read);

		show_stack_line(line, is_frame ? frame : NULL, with_context, out);
		if (is_frame && frame)
			frame = frame->next;
	}
	return buf_check(out, err);
}

void js_stack_show_reply(const struct cJSON *reply, bool with_context, struct buf *out)
{
	const struct cJSON *traces = cJSON_GetObjectItemCaseSensitive(reply, "stacktraces"), *trace, *frame;
	bool is_first = true;

	cJSON_ArrayForEach(trace, traces) {
		if (!is_first)
			buf_add_char(out, '\n');
		is_first = false;
		cJSON_ArrayForEach(frame, frames_of(trace)) {
			buf_add_string(out, "    ");
			show_frame(frame, out);
			if (with_context)
				show_context(frame, out);
		}
	}
}

void js_stack_show_errors(const struct cJSON *reply, struct buf *out)
{
	const struct cJSON *errors = cJSON_GetObjectItemCaseSensitive(reply, "errors"), *error;

	cJSON_ArrayForEach(error, errors) {
		struct text source = cli_member(error, "source"), url = cli_member(error, "url");

		buf_add_visible(out, cli_member(error, "abs_path"));
		buf_add_string(out, ": ");
		buf_add_visible(out, cli_member(error, "type"));
		if (source.size || url.size) {
			buf_add_char(out, ' ');
			buf_add_visible(out, source.size ? source : url);
		}
		buf_add_char(out, '\n');
	}
}
