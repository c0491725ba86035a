/* stackwalk_line.c -- what minidump_stackwalk prints, for people and (-m) for programs. */
#include "stacktext/stacktext_internal.h"
#include "stacktext/line_words.h"

/* --- For people ------------------------------------------------------------------------------ */

/* " [FILE : LINE + 0x12]" off the end; inlined calls have no offset. */
static void take_source(struct text *rest, struct stacktext_frame *frame)
{
	size_t open = find_last(*rest, " ["), colon;
	struct text digits;
	uint64_t line;

	if (open == SIZE_MAX || !text_ends_with(*rest, "]"))
		return;
	digits = after(*rest, open + 2);
	colon = find_last(digits, " : ");
	if (colon == SIZE_MAX)
		return;
	frame->file = before(digits, colon);
	digits = after(digits, colon + 3);
	if (take_decimal(&digits, &line) && line <= UINT32_MAX)
		frame->line = (uint32_t)line;
	*rest = before(*rest, open);
}

/* "MODULE!FUNCTION", "MODULE" and where in it, " + 0x12" */
static bool read_where(struct text rest, struct stacktext_frame *frame)
{
	size_t plus = find_last(rest, " + 0x");
	const char *mark;
	struct text offset;

	if (plus != SIZE_MAX) {
		offset = after(rest, plus + 3);
		frame->has_offset = take_0x(&offset, &frame->offset) && offset.size == 0;
		if (frame->has_offset)
			rest = before(rest, plus);
	}
	mark = rest.size > 0 ? memchr(rest.bytes, '!', rest.size) : NULL;
	if (!mark) {
		frame->module = rest;
		return rest.size > 0 && frame->has_offset;
	}
	frame->module = before(rest, (size_t)(mark - rest.bytes));
	frame->function = frame->symbol = after(rest, frame->module.size + 1);
	return frame->module.size > 0 && frame->function.size > 0;
}

bool stackwalk_line_read(struct text line, struct stacktext_frame *frame, uint64_t *number)
{
	struct text rest = line;

	*frame = (struct stacktext_frame){ .has_address = false };
	if (!take_decimal(&rest, number) || !take(&rest, "  "))
		return false;
	rest = text_trim(rest);
	if (take_0x(&rest, &frame->address)) {
		frame->has_address = true;
		return rest.size == 0;
	}
	take_source(&rest, frame);
	return read_where(rest, frame);
}

bool stackwalk_line_counter(struct text line, uint64_t *address)
{
	static const char *const names[] = { "rip = ", "eip = ", "pc = ", "srr0 = " };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t at = find_last(line, names[i]);
		struct text rest;

		if (at == SIZE_MAX || (at > 0 && line.bytes[at - 1] != ' '))
			continue;
		rest = after(line, at + strlen(names[i]));
		if (take_0x(&rest, address))
			return true;
	}
	return false;
}

/* --- For programs ---------------------------------------------------------------------------- */

size_t stackwalk_line_fields(struct text line, struct text fields[STACKWALK_FIELDS])
{
	size_t count = 0;

	while (count < STACKWALK_FIELDS) {
		const char *bar = line.size > 0 ? memchr(line.bytes, '|', line.size) : NULL;
		size_t size = bar && count + 1 < STACKWALK_FIELDS ? (size_t)(bar - line.bytes) : line.size;

		fields[count++] = before(line, size);
		if (size == line.size)
			break;
		line = after(line, size + 1);
	}
	return count;
}

bool stackwalk_line_machine(struct text line, struct stacktext_frame *frame, uint64_t *thread,
			    uint64_t *number)
{
	struct text fields[STACKWALK_FIELDS];
	uint64_t offset, source_line;

	*frame = (struct stacktext_frame){ .has_address = false };
	if (stackwalk_line_fields(line, fields) != 7 || !text_to_u64(fields[0], 10, thread) ||
	    !text_to_u64(fields[1], 10, number) || !take_0x(&fields[6], &offset) || fields[6].size > 0)
		return false;
	if (fields[2].size == 0) {
		frame->has_address = true;
		frame->address = offset;
		return true;
	}
	frame->module = fields[2];
	if (fields[3].size > 0)
		frame->function = frame->symbol = fields[3];
	if (fields[4].size > 0 && text_to_u64(fields[5], 10, &source_line) && source_line <= UINT32_MAX) {
		frame->file = fields[4];
		frame->line = (uint32_t)source_line;
	} else {
		/* With a line it would be counted from that line's first instruction. */
		frame->has_offset = true;
		frame->offset = offset;
	}
	return true;
}

/* --- Modules --------------------------------------------------------------------------------- */

/* "Module|crash|1.0|crash.pdb|5A98...|0x00400000|0x0042bfff|1" */
static bool read_machine_module(struct text line, struct stacktext_module *module)
{
	struct text fields[STACKWALK_FIELDS];

	if (!text_starts_with(line, "Module|") || stackwalk_line_fields(line, fields) != 8 ||
	    !take_0x(&fields[5], &module->start) || !take_0x(&fields[6], &module->end))
		return false;
	module->path = fields[1];
	module->debug_file = fields[3];
	module->debug_id = fields[4];
	return fields[5].size == 0 && fields[6].size == 0;
}

/* "(WARNING: No symbols, crash.pdb, 5A98...)" at the end: only who has no symbols is told by id. */
static void take_warning(struct text *rest, struct stacktext_module *module)
{
	size_t open = find_last(*rest, "  (WARNING: "), comma;
	struct text inside;

	if (open == SIZE_MAX || !text_ends_with(*rest, ")"))
		return;
	inside = after(*rest, open + strlen("  (WARNING: "));
	inside.size--;
	*rest = before(*rest, open);
	comma = find_last(inside, ", ");
	if (comma == SIZE_MAX)
		return;
	module->debug_id = after(inside, comma + 2);
	inside = before(inside, comma);
	comma = find_last(inside, ", ");
	module->debug_file = comma == SIZE_MAX ? TEXT_NONE : after(inside, comma + 2);
}

bool stackwalk_line_module(struct text line, struct stacktext_module *module)
{
	struct text rest = line;
	size_t blanks;

	*module = (struct stacktext_module){ .start = 0 };
	if (read_machine_module(line, module)) {
		module->end += module->end < UINT64_MAX;
		return module->start < module->end && module->path.size > 0;
	}
	*module = (struct stacktext_module){ .start = 0 };
	if (!take_0x(&rest, &module->start) || !take(&rest, " - ") || !take_0x(&rest, &module->end) ||
	    !take(&rest, "  "))
		return false;
	take_warning(&rest, module);
	if (text_ends_with(rest, "  (main)"))
		rest = before(rest, rest.size - strlen("  (main)"));
	blanks = find_last(rest, "  ");
	module->path = text_trim(blanks == SIZE_MAX ? rest : before(rest, blanks));
	module->end += module->end < UINT64_MAX;
	return module->start < module->end && module->path.size > 0;
}
