/* rust_line.c -- frames of Rust's panics: "N: NAME", "N: 0xADDRESS - NAME", and "at FILE:LINE:COLUMN" below. */
#include "stacktext/stacktext_internal.h"
#include "stacktext/line_words.h"

bool rust_line_read(struct text line, struct stacktext_frame *frame, uint64_t *number)
{
	struct text rest = line;

	*frame = (struct stacktext_frame){ .has_address = false };
	if (!take_decimal(&rest, number) || !take(&rest, ": "))
		return false;
	skip_blanks(&rest);
	if (take_0x(&rest, &frame->address)) {
		frame->has_address = frame->is_return = true;
		if (!take(&rest, " - "))
			return false;
	}
	rest = text_trim(rest);
	if (rest.size == 0)
		return false;
	if (!text_is(rest, "<unknown>"))
		frame->function = rest;
	return true;
}

bool rust_line_place(struct text line, struct stacktext_frame *frame)
{
	return take(&line, "at ") && numbered_line_place(line, frame);
}
