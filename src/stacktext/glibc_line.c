/* glibc_line.c -- frames of backtrace_symbols(). */
#include "stacktext/stacktext_internal.h"
#include "stacktext/line_words.h"

/* "SYMBOL+0x12", "+0x12", "SYMBOL", "" between parentheses */
static void read_inside(struct text inside, struct stacktext_frame *frame)
{
	size_t plus = find_last(inside, "+0x");
	struct text offset;

	if (plus == SIZE_MAX) {
		frame->symbol = TEXT_NONE;
		return;
	}
	offset = after(inside, plus + 1);
	frame->has_offset = take_0x(&offset, &frame->offset) && offset.size == 0;
	frame->symbol = frame->has_offset && plus > 0 ? before(inside, plus) : TEXT_NONE;
	frame->function = frame->symbol;
}

/* "MODULE(INSIDE)[0xADDRESS]", with or without a blank before the bracket; "MODULE[0xADDRESS]" */
bool glibc_line_read(struct text line, struct stacktext_frame *frame)
{
	size_t bracket = find_last(line, "[0x"), open;
	struct text address, module;

	if (bracket == SIZE_MAX || !text_ends_with(line, "]"))
		return false;
	address = after(line, bracket + 1);
	if (!take_0x(&address, &frame->address) || !text_is(address, "]"))
		return false;
	frame->has_address = frame->is_return = true;
	module = text_trim(before(line, bracket));
	open = text_ends_with(module, ")") ? find_last(module, "(") : SIZE_MAX;
	if (open != SIZE_MAX) {
		read_inside((struct text){ module.bytes + open + 1, module.size - open - 2 }, frame);
		module.size = open;
	}
	/* A word, or a path: else it is somebody's prose that ends in brackets. */
	if (module.size > 0 && module.bytes[0] != '/' && module.bytes[0] != '.' &&
	    memchr(module.bytes, ' ', module.size))
		return false;
	frame->module = module.size > 0 ? module : TEXT_NONE;
	return true;
}
