/* stacktext.c -- see stacktext.h: each line is tried as one thing after the other. */
#include "stacktext/stacktext.h"

#include "base/arena.h"
#include "base/err.h"
#include "stacktext/line_words.h"
#include "stacktext/stacktext_internal.h"

bool stacktext_address(struct text word, uint64_t *address)
{
	(void)take(&word, "0x");
	return text_to_u64(word, 16, address);
}

/* --- Lines -------------------------------------------------------------------------------- */

struct stacktext_reading {
	struct stacktext *into;
	struct text title;           /* of the stack that comes next */
	bool has_good_title;
	bool in_stack, after_signal;
	uint64_t last_number;
};

/* Lines that say what the stack after them is, better than any line that happens to be there. */
static bool is_good_title(struct text line)
{
	return text_starts_with(line, "Thread ") || text_ends_with(line, ":") ||
	       memmem(line.bytes, line.size, "ERROR: ", strlen("ERROR: ")) ||
	       memmem(line.bytes, line.size, "runtime error: ", strlen("runtime error: ")) ||
	       memmem(line.bytes, line.size, " received signal ", strlen(" received signal "));
}

/* Around gdb's mappings. */
static bool is_heading(struct text line)
{
	return text_is(line, "Mapped address spaces:") || text_starts_with(line, "Start Addr ") ||
	       text_starts_with(line, "process ");
}

static void take_title(struct stacktext_reading *reading, struct text line)
{
	bool good = is_good_title(line);

	if (reading->in_stack) {
		reading->title = TEXT_NONE;
		reading->has_good_title = false;
	}
	reading->in_stack = false;
	if (!good && reading->has_good_title)
		return;
	reading->title = line;
	reading->has_good_title = good;
}

static void begin_stack(struct stacktext_reading *reading)
{
	struct stacktext *into = reading->into;

	if (!reading->in_stack)
		into->stacks[into->stack_count++] = (struct stacktext_stack){
			.title = reading->title, .first = into->frame_count };
	reading->in_stack = true;
	reading->after_signal = false;
}

static void add_frame(struct stacktext_reading *reading, const struct stacktext_frame *frame)
{
	struct stacktext *into = reading->into;

	begin_stack(reading);
	into->frames[into->frame_count++] = *frame;
	into->stacks[into->stack_count - 1].count++;
}

static void add_numbered(struct stacktext_reading *reading, struct stacktext_frame *frame,
			 const struct numbered_line *numbered)
{
	bool exact = !numbered->is_gdb || numbered->number == 0 || reading->after_signal;

	if (reading->in_stack && numbered->number <= reading->last_number) {
		reading->in_stack = false;
		reading->title = TEXT_NONE;
		reading->has_good_title = false;
	}
	reading->last_number = numbered->number;
	if (numbered->is_signal) {
		reading->after_signal = true;
		return;
	}
	frame->is_return = frame->has_address && !exact;
	add_frame(reading, frame);
}

static void read_line(struct stacktext_reading *reading, struct text line)
{
	struct stacktext *into = reading->into;
	struct stacktext_mapping mapping = { .start = 0 };
	struct stacktext_frame frame = { .has_address = false };
	struct numbered_line numbered = { .number = 0 };

	if (mapping_line_read(line, &mapping)) {
		into->mappings[into->mapping_count++] = mapping;
		reading->in_stack = false;
		return;
	}
	if (numbered_line_read(line, &frame, &numbered)) {
		add_numbered(reading, &frame, &numbered);
		return;
	}
	frame = (struct stacktext_frame){ .has_address = false };
	if (glibc_line_read(line, &frame)) {
		if (!reading->in_stack)
			reading->last_number = UINT64_MAX;
		add_frame(reading, &frame);
		return;
	}
	if (line.size > 0 && !is_heading(line))
		take_title(reading, line);
}

static size_t count_lines(struct text text)
{
	size_t lines = 0;
	struct text line;

	while (text_take_line(&text, &line))
		lines++;
	return lines;
}

int stacktext_read(struct stacktext *into, struct text text, struct arena *arena, struct err *err)
{
	struct stacktext_reading reading = { .into = into };
	size_t lines;
	struct text line;

	*into = (struct stacktext){ .frame_count = 0 };
	if (text.size > STACKTEXT_BYTES_MAX)
		return err_set(err, ERR_TOO_LARGE, "a text of %zu bytes; %zu are read at most",
			       text.size, STACKTEXT_BYTES_MAX);
	lines = count_lines(text);
	into->mappings = arena_alloc(arena, lines + 1, sizeof(*into->mappings));
	into->frames = arena_alloc(arena, lines + 1, sizeof(*into->frames));
	into->stacks = arena_alloc(arena, lines + 1, sizeof(*into->stacks));
	if (!into->mappings || !into->frames || !into->stacks)
		return err_set(err, ERR_LIMIT, "a text of %zu lines", lines);
	while (text_take_line(&text, &line))
		read_line(&reading, text_trim(line));
	return 0;
}

/* --- What was mapped ------------------------------------------------------------------------ */

const struct stacktext_mapping *stacktext_mapping_at(const struct stacktext *text, uint64_t address)
{
	for (size_t i = 0; i < text->mapping_count; i++) {
		const struct stacktext_mapping *mapping = &text->mappings[i];

		if (address >= mapping->start && address < mapping->end && mapping->path.bytes)
			return mapping;
	}
	return NULL;
}

uint64_t stacktext_base(const struct stacktext *text, struct text path)
{
	for (size_t i = 0; i < text->mapping_count; i++) {
		const struct stacktext_mapping *mapping = &text->mappings[i];

		if (text_equal(mapping->path, path))
			return mapping->start >= mapping->offset ? mapping->start - mapping->offset
								 : mapping->start;
	}
	return 0;
}
