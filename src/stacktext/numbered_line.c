/* numbered_line.c -- frames that begin with their number: gdb's and those of sanitizers. */
#include "stacktext/stacktext_internal.h"
#include "stacktext/line_words.h"

/* "FILE:LINE" or "FILE:LINE:COLUMN"; false: it is neither. */
bool numbered_line_place(struct text place, struct stacktext_frame *frame)
{
	size_t colon = find_last(place, ":");
	uint64_t number, column;
	struct text digits;

	if (colon == SIZE_MAX || colon == 0)
		return false;
	digits = after(place, colon + 1);
	if (!take_decimal(&digits, &number) || digits.size > 0 || number > UINT32_MAX)
		return false;
	place.size = colon;
	colon = find_last(place, ":");
	if (colon != SIZE_MAX && colon > 0) {
		digits = after(place, colon + 1);
		if (take_decimal(&digits, &column) && digits.size == 0 && column <= UINT32_MAX) {
			number = column;
			place.size = colon;
		}
	}
	frame->file = place;
	frame->line = (uint32_t)number;
	return true;
}

/* "(BuildId: 704fb21d...)" off the end. */
static void take_build_id(struct text *rest, struct stacktext_frame *frame)
{
	static const char label[] = "(BuildId: ";
	size_t at = find_last(*rest, label);
	struct text id;

	if (at == SIZE_MAX || !text_ends_with(*rest, ")"))
		return;
	id = after(*rest, at + sizeof(label) - 1);
	id.size--;
	for (size_t i = 0; i < id.size; i++)
		if (ascii_hex_value(id.bytes[i]) < 0)
			return;
	frame->build_id = id;
	*rest = text_trim(before(*rest, at));
}

/* "(MODULE+0x12)" off the end. */
static bool take_module(struct text *rest, struct stacktext_frame *frame)
{
	size_t plus = find_last(*rest, "+0x"), open = find_last(*rest, "(/");
	struct text offset;
	uint64_t number;

	if (open == SIZE_MAX)
		open = find_last(*rest, "(");
	if (plus == SIZE_MAX || open == SIZE_MAX || open + 1 >= plus || !text_ends_with(*rest, ")"))
		return false;
	offset = after(*rest, plus + 1);
	if (!take_0x(&offset, &number) || !text_is(offset, ")"))
		return false;
	frame->module = (struct text){ rest->bytes + open + 1, plus - open - 1 };
	frame->has_offset = true;
	frame->offset = number;
	*rest = text_trim(before(*rest, open));
	return true;
}

/* gdb has a blank before the arguments; those among a template's are none. */
static size_t find_arguments(struct text text)
{
	size_t depth = 0;

	for (size_t at = 0; at + 1 < text.size; at++) {
		depth += text.bytes[at] == '<';
		depth -= text.bytes[at] == '>' && depth > 0;
		if (depth == 0 && at > 0 && text.bytes[at] == ' ' && text.bytes[at + 1] == '(')
			return at;
	}
	return find_last(text, " (");
}

/* Where the last WORD begins that stands behind a parenthesis, over a line's end perhaps; SIZE_MAX. */
static size_t find_behind(struct text text, const char *word)
{
	for (size_t at = find_last(text, word); at != SIZE_MAX; at = find_last(before(text, at), word)) {
		struct text head = text_trim(before(text, at));

		if (head.size < at && text_ends_with(head, ")"))
			return at;
	}
	return SIZE_MAX;
}

/* "(ARGUMENTS) at FILE:LINE", "(ARGUMENTS) from MODULE", "(ARGUMENTS)" after the function. */
static bool take_gdb_rest(struct text *rest, struct stacktext_frame *frame)
{
	size_t at = find_behind(*rest, "at "), from = find_behind(*rest, "from "), open;

	if (at != SIZE_MAX && numbered_line_place(text_trim(after(*rest, at + strlen("at "))), frame)) {
		*rest = text_trim(before(*rest, at));
	} else if (from != SIZE_MAX) {
		frame->module = text_trim(after(*rest, from + strlen("from ")));
		*rest = text_trim(before(*rest, from));
	}
	if (!text_ends_with(*rest, ")"))
		return false;
	open = find_arguments(*rest);
	if (open == SIZE_MAX)
		return false;
	*rest = before(*rest, open);
	return true;
}

/* "FUNCTION FILE:LINE:COLUMN" of a sanitizer, or a function alone. */
static void read_function(struct text rest, struct stacktext_frame *frame)
{
	size_t blank = find_last(rest, " ");

	if (!frame->file.bytes && blank != SIZE_MAX && blank > 0 &&
	    numbered_line_place(after(rest, blank + 1), frame))
		rest = text_trim(before(rest, blank));
	if (text_ends_with(rest, " <null>"))
		rest = text_trim(before(rest, rest.size - strlen(" <null>")));
	if (rest.size > 0 && !text_is(rest, "??") && !text_is(rest, "<null>"))
		frame->function = rest;
}

/* What a line of gdb's says without a frame. */
static bool is_signal_line(struct text rest)
{
	return text_is(rest, "<signal handler called>");
}

static bool read_rest(struct text rest, struct stacktext_frame *frame, struct numbered_line *numbered)
{
	bool has_module;

	frame->has_address = take_0x(&rest, &frame->address);
	skip_blanks(&rest);
	if (frame->has_address)
		(void)take(&rest, "in ");
	take_build_id(&rest, frame);
	has_module = take_module(&rest, frame);
	if (!has_module)
		numbered->is_gdb = take_gdb_rest(&rest, frame);
	read_function(rest, frame);
	/* A number and prose is a heading or a reference to something else. */
	return frame->has_address || has_module || numbered->is_gdb;
}

bool numbered_line_read(struct text line, struct stacktext_frame *frame, struct numbered_line *numbered)
{
	struct text rest = line;

	*frame = (struct stacktext_frame){ .has_address = false };
	*numbered = (struct numbered_line){ .number = 0 };
	if (!take(&rest, "#") || !take_decimal(&rest, &numbered->number) || rest.size == 0 ||
	    (rest.bytes[0] != ' ' && rest.bytes[0] != '\t'))
		return false;
	skip_blanks(&rest);
	numbered->is_signal = is_signal_line(rest);
	return numbered->is_signal || read_rest(rest, frame, numbered);
}

bool numbered_line_rest(struct text rest, struct stacktext_frame *frame)
{
	struct numbered_line numbered = { .number = 0 };

	*frame = (struct stacktext_frame){ .has_address = false };
	return read_rest(rest, frame, &numbered) && numbered.is_gdb;
}
