/* quote.c -- a line and those around it. */
#include "kinds/native/source_contexts.h"

#include "base/arena.h"

bool native_frame_place(const struct native_frame *frame, struct text *path, uint32_t *line)
{
	bool is_hit = frame->status == FRAME_SYMBOLICATED;
	uint64_t number = is_hit ? frame->line : frame->raw->lineno.value;

	*path = is_hit && frame->abs_path.size ? frame->abs_path : frame->raw->abs_path;
	*line = (uint32_t)number;
	return path->size && number > 0 && number <= UINT32_MAX &&
	       (is_hit || frame->raw->lineno.is_set);
}

int native_frame_quote(struct native_frame *frame, const struct sourcecache_source *source,
		       struct arena *arena, struct err *err)
{
	uint32_t number;
	struct text path;

	if (!native_frame_place(frame, &path, &number))
		return 0;
	return source_lines_quote(source, number, arena, &frame->context, err);
}
