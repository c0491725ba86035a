/* js_stack.c -- see js_stack.h. */
#include "stacktext/js_stack.h"

#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/json_writer.h"
#include "stacktext/stacktext_internal.h"

/* --- Lines --------------------------------------------------------------------------------------- */

/* Takes ":123" off the end; false: there is none. */
static bool take_number(struct text *text, uint32_t *number)
{
	size_t digits = 0;
	uint64_t value;

	while (digits < text->size && ascii_is_digit(text->bytes[text->size - digits - 1]))
		digits++;
	if (digits == 0 || digits + 1 >= text->size || text->bytes[text->size - digits - 1] != ':' ||
	    !text_to_u64(text_from(*text, text->size - digits), 10, &value) || value > UINT32_MAX)
		return false;
	*number = (uint32_t)value;
	text->size -= digits + 1;
	return true;
}

static bool read_place(struct text place, struct js_stack_frame *frame)
{
	uint32_t last, line;

	if (text_starts_with(place, "address at "))
		place = text_from(place, sizeof("address at ") - 1);
	if (text_starts_with(place, "async "))
		place = text_from(place, sizeof("async ") - 1);
	if (!take_number(&place, &last))
		return false;
	frame->line = last;
	frame->column = 0;
	if (take_number(&place, &line)) {
		frame->line = line;
		frame->column = last;
	}
	frame->url = place;
	return place.size > 0;
}

/* "function (place)", "place", "function (eval at other (place), <anonymous>:1:1)" */
static bool read_v8(struct text rest, struct js_stack_frame *frame)
{
	const char *open = rest.size ? memchr(rest.bytes, '(', rest.size) : NULL, *last, *close;
	struct text place = rest;

	frame->function = TEXT_NONE;
	if (open && open > rest.bytes && open[-1] == ' ' && text_ends_with(rest, ")")) {
		frame->function = (struct text){ rest.bytes, (size_t)(open - rest.bytes) - 1 };
		last = memrchr(rest.bytes, '(', rest.size);
		close = memchr(last, ')', (size_t)(rest.bytes + rest.size - last));
		place = (struct text){ last + 1, (size_t)(close - last) - 1 };
	}
	if (text_starts_with(frame->function, "async "))
		frame->function = text_from(frame->function, sizeof("async ") - 1);
	return read_place(place, frame);
}

/* "function@place"; scopes of packages have an '@' of their own, behind the first. */
static bool read_at_sign(struct text line, struct js_stack_frame *frame)
{
	const char *at = line.size ? memchr(line.bytes, '@', line.size) : NULL;
	struct text name;

	if (!at)
		return false;
	name = (struct text){ line.bytes, (size_t)(at - line.bytes) };
	frame->function = name.size ? name : TEXT_NONE;
	return read_place(text_from(line, name.size + 1), frame);
}

bool js_stack_line(struct text line, struct js_stack_frame *frame)
{
	line = log_prefix_skip(text_trim(line));
	if (text_starts_with(line, "at "))
		return read_v8(text_from(line, 3), frame);
	return read_at_sign(line, frame);
}

/* --- The request ------------------------------------------------------------------------------------ */

static void write_frame(struct json_writer *json, const struct js_stack_frame *frame)
{
	json_object(json);
	json_member_text(json, "abs_path", frame->url);
	json_member_text(json, "function", frame->function);
	json_member_u64(json, "lineno", frame->line);
	if (frame->column)
		json_member_u64(json, "colno", frame->column);
	json_object_end(json);
}

int js_stack_write_frames(struct text stack, struct buf *out, size_t *count, struct err *err)
{
	struct js_stack_frame frame;
	struct json_writer json;
	struct text line;

	*count = 0;
	json_writer_init(&json, out);
	json_array(&json);
	json_object(&json);
	json_key(&json, "frames");
	json_array(&json);
	while (text_take_line(&stack, &line)) {
		if (!js_stack_line(line, &frame))
			continue;
		write_frame(&json, &frame);
		++*count;
	}
	json_array_end(&json);
	json_object_end(&json);
	json_array_end(&json);
	return buf_check(out, err);
}
