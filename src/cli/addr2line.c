/* addr2line.c -- see addr2line.h. */
#include "cli/addr2line.h"

#include <inttypes.h>

#include "base/buf.h"

void addr2line_begin(const struct addr2line *style, uint64_t address, struct buf *out)
{
	if (style->addresses)
		buf_printf(out, "0x%0*" PRIx64 "%s", (int)style->digits, address,
			   style->pretty ? ": " : "\n");
}

void addr2line_frame(const struct addr2line *style, size_t index, struct text function,
		     struct text file, uint32_t line, struct buf *out)
{
	if (index > 0 && !style->inlines)
		return;
	if (index > 0 && style->pretty)
		buf_add_string(out, " (inlined by) ");
	if (style->functions) {
		buf_add_visible(out, function.size > 0 ? function : TEXT("??"));
		buf_add_string(out, style->pretty ? " at " : "\n");
	}
	if (file.size > 0)
		buf_add_visible(out, style->basenames ? text_basename(file) : file);
	else
		buf_add_string(out, "??");
	if (line > 0)
		buf_printf(out, ":%u\n", (unsigned)line);
	else
		buf_add_string(out, ":?\n");
}

void addr2line_nothing(const struct addr2line *style, struct buf *out)
{
	if (style->functions)
		buf_add_string(out, style->pretty ? "?? " : "??\n");
	buf_add_string(out, "??:0\n");
}
