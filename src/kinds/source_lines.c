/* source_lines.c -- see source_lines.h. */
#include "kinds/source_lines.h"

#include "base/arena.h"
#include "base/json_writer.h"
#include "work/work.h"

#define LINE_WHOLE_BYTES 150u        /* longer lines are cut */
#define LINE_CUT_BYTES   140u
#define SNIP " {snip}"

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

int source_lines_quote(const struct sourcecache_source *source, uint32_t number, struct arena *arena,
		       const struct frame_context **quoted, struct err *err)
{
	struct frame_context *context;
	uint32_t before;
	struct text line;

	if (!sourcecache_line(source, number, &line))
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
	*quoted = context;
	return 0;
}

static void write_lines(struct json_writer *json, const char *key, struct text_list lines)
{
	if (!lines.count)
		return;
	json_key(json, key);
	json_array(json);
	for (size_t i = 0; i < lines.count; i++)
		json_text(json, lines.texts[i]);
	json_array_end(json);
}

void source_lines_write(struct json_writer *json, struct text_list before, struct text line,
			struct text_list after)
{
	write_lines(json, "pre_context", before);
	json_member_text(json, "context_line", line);
	write_lines(json, "post_context", after);
}

void source_lines_write_context(struct json_writer *json, const struct frame_context *context)
{
	source_lines_write(json, (struct text_list){ context->before, context->before_count },
			   context->line, (struct text_list){ context->after, context->after_count });
}
