/* line_starts.c -- see line_starts.h. */
#include "base/line_starts.h"

#include "base/load.h"

bool line_starts_slice(const struct line_starts *lines, uint32_t index, struct text *slice)
{
	size_t begin, end = lines->text.size;

	if (index >= lines->count)
		return false;
	begin = load_u32(lines->starts + (size_t)index * LINE_STARTS_BYTES);
	if (index + 1 < lines->count)
		end = load_u32(lines->starts + ((size_t)index + 1) * LINE_STARTS_BYTES);
	if (begin > end || end > lines->text.size)
		return false;
	*slice = (struct text){ lines->text.bytes + begin, end - begin };
	return true;
}

bool line_starts_line(const struct line_starts *lines, uint32_t index, struct text *line)
{
	if (!line_starts_slice(lines, index, line))
		return false;
	if (line->size && line->bytes[line->size - 1] == '\n')
		line->size--;
	if (line->size && line->bytes[line->size - 1] == '\r')
		line->size--;
	return true;
}
