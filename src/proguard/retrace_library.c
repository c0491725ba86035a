/* retrace_library.c -- frames and exceptions as the remapping library of Sentry writes them. */
#include "proguard/retrace_internal.h"

#include "base/err.h"

static bool is_space(char c)
{
	return ascii_is_blank(c) || c == '\f' || c == '\v';
}

static struct text trim(struct text text)
{
	while (text.size > 0 && is_space(text.bytes[0]))
		text = text_from(text, 1);
	while (text.size > 0 && is_space(text.bytes[text.size - 1]))
		text.size--;
	return text;
}

/* --- Exceptions ------------------------------------------------------------------------------ */

struct throwable { struct text class_name, message; };       /* message TEXT_NONE: none */

static bool read_throwable(struct text text, struct throwable *throwable)
{
	const char *colon;

	text = trim(text);
	colon = text.size ? memmem(text.bytes, text.size, ": ", 2) : NULL;
	throwable->class_name = text;
	throwable->message = TEXT_NONE;
	if (colon) {
		throwable->class_name.size = (size_t)(colon - text.bytes);
		throwable->message = text_from(text, throwable->class_name.size + 2);
	}
	return throwable->class_name.size == 0 ||
	       !memchr(throwable->class_name.bytes, ' ', throwable->class_name.size);
}

static void write_throwable(struct retrace *retrace, const struct throwable *throwable, const char *prefix,
			    struct text line, struct buf *out)
{
	struct text original = proguard_class(retrace->mapping, throwable->class_name);

	retrace_begin_stack(retrace, throwable->class_name, original);
	if (!original.bytes) {
		retrace_pass(line, out);
		return;
	}
	buf_add_string(out, prefix);
	buf_add_text(out, original);
	if (throwable->message.bytes) {
		buf_add(out, ": ", 2);
		buf_add_text(out, throwable->message);
	}
	buf_add_char(out, '\n');
}

/* --- Frames ---------------------------------------------------------------------------------- */

struct frame_text { struct text class_name, method; uint32_t line; bool has_line; };

static bool read_frame(struct text text, struct frame_text *frame)
{
	struct text place;
	const char *open, *dot, *colon;

	text = trim(text);
	if (!text_starts_with(text, "at ") || !text_ends_with(text, ")"))
		return false;
	text = text_from(text, 3);
	open = memchr(text.bytes, '(', text.size);
	if (!open)
		return false;
	place = (struct text){ open + 1, text.size - (size_t)(open - text.bytes) - 2 };
	text.size = (size_t)(open - text.bytes);
	dot = text.size ? memrchr(text.bytes, '.', text.size) : NULL;
	if (!dot)
		return false;
	frame->class_name = (struct text){ text.bytes, (size_t)(dot - text.bytes) };
	frame->method = text_from(text, frame->class_name.size + 1);
	colon = place.size ? memrchr(place.bytes, ':', place.size) : NULL;
	frame->has_line = colon != NULL;
	if (!colon || !retrace_line_number(text_from(place, (size_t)(colon - place.bytes) + 1), &frame->line))
		frame->line = 0;
	return true;
}

static void write_frames(const struct proguard_frames *frames, struct buf *out)
{
	for (size_t i = 0; i < frames->count; i++) {
		const struct proguard_frame *frame = &frames->frames[i];

		buf_add_string(out, "    at ");
		buf_add_text(out, frame->class_name);
		buf_add_char(out, '.');
		buf_add_text(out, frame->method);
		buf_add_char(out, '(');
		proguard_file_add(frame->file, out);
		if (frame->has_line) {
			buf_add_char(out, ':');
			retrace_add_number(frame->line, out);
		}
		buf_add(out, ")\n", 2);
	}
}

static int write_frame(struct retrace *retrace, const struct frame_text *frame, struct text line,
		       struct buf *out, struct err *err)
{
	enum proguard_outcome outcome;

	if (retrace_frame(retrace, frame->class_name, frame->method, frame->has_line, frame->line, &outcome,
			  err) < 0)
		return -1;
	if (outcome == PROGUARD_UNKNOWN)
		retrace_pass(line, out);
	else if (outcome == PROGUARD_FOUND)
		write_frames(&retrace->frames, out);
	return 0;
}

int retrace_line_library(struct retrace *retrace, struct text line, struct buf *out, struct err *err)
{
	static const char cause[] = "Caused by: ";
	struct throwable throwable;
	struct frame_text frame;

	if (read_throwable(line, &throwable)) {
		write_throwable(retrace, &throwable, "", line, out);
	} else if (read_frame(line, &frame)) {
		return write_frame(retrace, &frame, line, out, err);
	} else if (text_starts_with(line, cause) &&
		   read_throwable(text_from(line, sizeof(cause) - 1), &throwable)) {
		write_throwable(retrace, &throwable, cause, line, out);
	} else {
		retrace->may_rewrite = false;
		retrace->thrown = TEXT_NONE;
		retrace_pass(line, out);
	}
	return 0;
}
