/* quote.c -- a line and those around it. */
#include "kinds/native/source_contexts.h"

#include "base/arena.h"

#define LINE_WHOLE_BYTES 150u        /* longer lines are cut */
#define LINE_CUT_BYTES   140u
#define SNIP " {snip}"

bool native_frame_place(const struct native_frame *frame, struct text *path, uint32_t *line)
{
	bool is_hit = frame->status == FRAME_SYMBOLICATED;
	uint64_t number = is_hit ? frame->line : frame->raw->lineno.value;

	*path = is_hit && frame->abs_path.size ? frame->abs_path : frame->raw->abs_path;
	*line = (uint32_t)number;
	return path->size && number > 0 && number <= UINT32_MAX &&
	       (is_hit || frame->raw->lineno.is_set);
}

/* Never inside a character. */
static size_t cut_at(struct text line)
{
	size_t end = LINE_CUT_BYTES;

	while (end > 0 && ((unsigned char)line.bytes[end] & 0xc0) == 0x80)
		end--;
	return end;
}

static int copy_line(struct text line, struct arena *arena, struct text *copy, struct err *err)
{
	size_t tail = sizeof(SNIP) - 1;
	bool is_cut = line.size > LINE_WHOLE_BYTES;
	size_t size = is_cut ? cut_at(line) : line.size;
	char *bytes = arena_alloc_raw(arena, size + tail + 1, 1);

	if (!bytes)
		return err_no_memory(err);
	memcpy(bytes, line.bytes, size);
	if (is_cut)
		memcpy(bytes + size, SNIP, tail);
	*copy = (struct text){ bytes, size + (is_cut ? tail : 0) };
	return 0;
}

static int copy_lines(const struct sourcecache_source *source, uint32_t first, uint32_t count,
		      struct arena *arena, struct text *lines, unsigned *copied, struct err *err)
{
	struct text line;

	for (*copied = 0; *copied < count; ++*copied) {
		if (!sourcecache_line(source, first + *copied, &line))
			return 0;
		if (copy_line(line, arena, &lines[*copied], err) < 0)
			return -1;
	}
	return 0;
}

int native_frame_quote(struct native_frame *frame, const struct sourcecache_source *source,
		       struct arena *arena, struct err *err)
{
	struct frame_context *context;
	uint32_t number, before;
	struct text path, line;

	if (!native_frame_place(frame, &path, &number) || !sourcecache_line(source, number, &line))
		return 0;
	context = arena_alloc(arena, 1, sizeof(*context));
	if (!context)
		return err_no_memory(err);
	before = number - 1 < CONTEXT_LINES ? number - 1 : CONTEXT_LINES;
	if (copy_lines(source, number - before, before, arena, context->before,
		       &context->before_count, err) < 0 ||
	    copy_line(line, arena, &context->line, err) < 0 ||
	    (number < UINT32_MAX - CONTEXT_LINES &&
	     copy_lines(source, number + 1, CONTEXT_LINES, arena, context->after,
			&context->after_count, err) < 0))
		return -1;
	frame->context = context;
	return 0;
}
