/* lldb_line.c -- frames of lldb's `bt': "frame #1: 0x0000000100003f80 crash`pay(cart=0x0) at crash.c:9:5". */
#include "stacktext/stacktext_internal.h"
#include "stacktext/line_words.h"

/* " [opt]", " [inlined]", " [artificial]" off the end. */
static void drop_marks(struct text *rest)
{
	while (text_ends_with(*rest, "]")) {
		size_t open = find_last(*rest, " [");

		if (open == SIZE_MAX)
			return;
		*rest = text_trim(before(*rest, open));
	}
}

/* "(cart=0x0, n=3)" off the end; a function's name may have parentheses of its own. */
static void drop_arguments(struct text *name)
{
	size_t depth = 0;

	if (!text_ends_with(*name, ")"))
		return;
	for (size_t at = name->size; at-- > 0; ) {
		depth += name->bytes[at] == ')';
		depth -= name->bytes[at] == '(';
		if (depth > 0)
			continue;
		if (at > 0)
			*name = before(*name, at);
		return;
	}
}

/* "pay(cart=0x0) at crash.c:9:5", "main + 24", "pay" */
static void read_function(struct text rest, struct stacktext_frame *frame)
{
	size_t at = find_last(rest, " at "), plus;
	struct text digits;
	uint64_t offset;

	if (at != SIZE_MAX && numbered_line_place(after(rest, at + strlen(" at ")), frame))
		rest = before(rest, at);
	plus = find_last(rest, " + ");
	if (plus != SIZE_MAX) {
		digits = after(rest, plus + strlen(" + "));
		if (take_decimal(&digits, &offset) && digits.size == 0)
			rest = before(rest, plus);
	}
	rest = text_trim(rest);
	drop_arguments(&rest);
	if (rest.size > 0 && !text_starts_with(rest, "___lldb_unnamed_symbol"))
		frame->function = rest;
}

bool lldb_line_read(struct text line, struct stacktext_frame *frame, uint64_t *number)
{
	struct text rest = line;
	const char *mark;

	*frame = (struct stacktext_frame){ .has_address = false };
	if (take(&rest, "* "))
		skip_blanks(&rest);
	if (!take(&rest, "frame #") || !take_decimal(&rest, number) || !take(&rest, ": ") ||
	    !take_0x(&rest, &frame->address))
		return false;
	frame->has_address = true;
	frame->is_return = *number > 0;
	skip_blanks(&rest);
	drop_marks(&rest);
	mark = rest.size > 0 ? memchr(rest.bytes, '`', rest.size) : NULL;
	if (mark && mark > rest.bytes) {
		frame->module = before(rest, (size_t)(mark - rest.bytes));
		read_function(after(rest, frame->module.size + 1), frame);
	}
	return true;
}
