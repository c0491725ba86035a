/* js_quote.c -- a line and those around it, long ones cut around the column. */
#include "kinds/js/js.h"

#include "base/arena.h"

#define CONTEXT_LINES 5u
#define LINE_WHOLE_BYTES 150u        /* longer lines are cut, */
#define LINE_CUT_BYTES 140u          /* to this, */
#define LINE_BEFORE_BYTES 60u        /* of which so much is before the column */
#define LINE_EDGE_BYTES 5u           /* nearer to an end it is not cut there */

static size_t character_before(struct text line, size_t at)
{
	while (at > 0 && at < line.size && ((unsigned char)line.bytes[at] & 0xc0) == 0x80)
		at--;
	return at;
}

static int cut(struct text line, uint64_t column, struct arena *arena, struct text *out, struct err *err)
{
	static const char before[] = "{snip} ", behind[] = " {snip}";
	size_t at = column < line.size ? (size_t)column : line.size;
	size_t start = 0, end = line.size, size = 0;
	char *bytes = arena_alloc_raw(arena, LINE_WHOLE_BYTES + sizeof(before) + sizeof(behind), 1);

	if (!bytes)
		return err_no_memory(err);
	if (line.size > LINE_WHOLE_BYTES) {
		start = at > LINE_BEFORE_BYTES ? at - LINE_BEFORE_BYTES : 0;
		start = start < LINE_EDGE_BYTES ? 0 : start;
		end = start + LINE_CUT_BYTES < line.size ? start + LINE_CUT_BYTES : line.size;
		end = end > line.size - LINE_EDGE_BYTES ? line.size : end;
		if (end == line.size)
			start = end - LINE_CUT_BYTES;
		start = character_before(line, start);
		end = character_before(line, end);
	}
	if (start > 0) {
		memcpy(bytes, before, sizeof(before) - 1);
		size = sizeof(before) - 1;
	}
	memcpy(bytes + size, line.bytes ? line.bytes + start : "", end - start);
	size += end - start;
	if (end < line.size) {
		memcpy(bytes + size, behind, sizeof(behind) - 1);
		size += sizeof(behind) - 1;
	}
	*out = (struct text){ bytes, size };
	return 0;
}

static int quote_run(uint64_t first, size_t count, uint64_t column, js_line_fn *read, const void *payload,
		     struct arena *arena, struct text_list *list, struct err *err)
{
	struct text *texts = arena_alloc_raw(arena, count + 1, sizeof(*texts));
	struct text line;
	size_t i;

	if (!texts)
		return err_no_memory(err);
	for (i = 0; i < count && read(payload, first + i, &line); i++)
		if (cut(line, column, arena, &texts[i], err) < 0)
			return -1;
	*list = (struct text_list){ texts, i };
	return 0;
}

int js_quote(struct js_frame *frame, uint64_t number, uint64_t column, js_line_fn *read,
	     const void *payload, struct arena *arena, struct err *err)
{
	size_t before = number - 1 < CONTEXT_LINES ? (size_t)(number - 1) : CONTEXT_LINES;
	struct text line;

	if (number == 0 || !read(payload, number, &line))
		return 0;
	if (quote_run(number - before, before, column, read, payload, arena, &frame->pre_context, err) < 0 ||
	    quote_run(number + 1, CONTEXT_LINES, column, read, payload, arena, &frame->post_context, err) < 0)
		return -1;
	return cut(line, column, arena, &frame->context_line, err);
}
