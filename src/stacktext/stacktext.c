/* stacktext.c -- see stacktext.h: each line is tried as one thing after the other. */
#include "stacktext/stacktext.h"

#include "base/arena.h"
#include "base/err.h"
#include "stacktext/line_words.h"
#include "stacktext/native_line.h"
#include "stacktext/stacktext_internal.h"

bool stacktext_address(struct text word, uint64_t *address)
{
	(void)take(&word, "0x");
	return text_to_u64(word, 16, address);
}

/* --- Stacks ------------------------------------------------------------------------------- */

struct stacktext_reading {
	struct stacktext *into;
	struct text rest;            /* of the text, behind the line at hand */
	struct stacktext_stack next; /* what is known of the stack that comes next */
	bool has_heading, has_good_title;
	enum stacktext_dialect open; /* whose lines the stack at hand is made of; none: it has ended */
	bool after_signal, has_panic;
	bool after_frame;            /* the line before was one */
	uint64_t last_number;
};

/* Lines that say what the stack after them is, better than any line that happens to be there. */
static bool is_good_title(struct text line)
{
	return text_ends_with(line, ":") || find_last(line, "ERROR: ") != SIZE_MAX ||
	       find_last(line, "runtime error: ") != SIZE_MAX ||
	       find_last(line, " received signal ") != SIZE_MAX;
}

/* Around gdb's mappings, and what sanitizers say in the end. */
static bool is_no_title(struct text line)
{
	return text_is(line, "Mapped address spaces:") || text_starts_with(line, "Start Addr ") ||
	       text_starts_with(line, "process ") || text_starts_with(line, "SUMMARY: ");
}

static void forget_title(struct stacktext_reading *reading)
{
	reading->next = (struct stacktext_stack){ .first = 0 };
	reading->has_heading = reading->has_good_title = false;
}

static void take_title(struct stacktext_reading *reading, struct text line)
{
	bool good = is_good_title(line);

	if (reading->open == STACKTEXT_GLIBC)
		reading->open = STACKTEXT_NO_DIALECT;
	if (is_no_title(line) || reading->has_heading || (!good && reading->has_good_title))
		return;
	reading->next.title = line;
	reading->has_good_title = good;
}

static void begin_stack(struct stacktext_reading *reading, enum stacktext_dialect dialect)
{
	struct stacktext *into = reading->into;

	reading->next.first = into->frame_count;
	reading->next.count = 0;
	into->stacks[into->stack_count++] = reading->next;
	reading->open = dialect;
	reading->after_signal = false;
}

static struct stacktext_frame *last_frame(const struct stacktext_reading *reading)
{
	return &reading->into->frames[reading->into->frame_count - 1];
}

static void add_frame(struct stacktext_reading *reading, const struct stacktext_frame *frame)
{
	struct stacktext *into = reading->into;

	into->frames[into->frame_count++] = *frame;
	into->stacks[into->stack_count - 1].count++;
	reading->after_frame = true;
}

/* Does a frame of that number belong to the stack at hand?  What stands between its frames, as the
 * variables of `bt full', does not end it. */
static bool continues(const struct stacktext_reading *reading, enum stacktext_dialect dialect, uint64_t number)
{
	if (reading->open != dialect || reading->has_heading || number <= reading->last_number)
		return false;
	return number == reading->last_number + 1 || !reading->has_good_title;
}

static void add_numbered(struct stacktext_reading *reading, enum stacktext_dialect dialect, uint64_t number,
			 const struct stacktext_frame *frame)
{
	if (!continues(reading, dialect, number))
		begin_stack(reading, dialect);
	forget_title(reading);
	reading->last_number = number;
	add_frame(reading, frame);
}

/* --- gdb and sanitizers --------------------------------------------------------------------- */

#define WRAPPED_LINES 16u            /* of one frame of gdb's */

/* gdb's frames over several lines are one text with the ends of lines in it. */
static bool read_wrapped(struct stacktext_reading *reading, struct text line, struct stacktext_frame *frame,
			 struct numbered_line *numbered)
{
	struct text rest = reading->rest, next;

	for (unsigned i = 0; i < WRAPPED_LINES && text_take_line(&rest, &next); i++) {
		if (!text_starts_with(next, "  ") || text_starts_with(text_trim(next), "#"))
			return false;
		line.size = (size_t)(next.bytes + next.size - line.bytes);
		if (numbered_line_read(text_trim(line), frame, numbered) && numbered->is_gdb) {
			reading->rest = rest;
			return true;
		}
	}
	return false;
}

/* A function and the beginning of its arguments, which end in another line; or "at FILE" does. */
static bool may_be_wrapped(struct text line, const struct stacktext_frame *frame)
{
	return !frame->has_offset && !frame->file.bytes && find_last(line, " (") != SIZE_MAX;
}

static bool read_numbered(struct stacktext_reading *reading, struct text line)
{
	struct stacktext_frame frame, wrapped;
	struct numbered_line numbered, further;
	bool is_frame;

	if (!text_starts_with(line, "#"))
		return false;
	is_frame = numbered_line_read(line, &frame, &numbered);
	if (!numbered.is_signal && may_be_wrapped(line, &frame) &&
	    read_wrapped(reading, line, &wrapped, &further)) {
		frame = wrapped;
		numbered = further;
		is_frame = true;
	}
	if (!is_frame)
		return false;
	if (numbered.is_signal) {
		reading->after_signal = true;
		reading->last_number = numbered.number;
		return true;
	}
	if (!continues(reading, STACKTEXT_GDB, numbered.number))
		reading->after_signal = false;
	frame.is_return = frame.has_address && numbered.is_gdb && numbered.number > 0 && !reading->after_signal;
	add_numbered(reading, STACKTEXT_GDB, numbered.number, &frame);
	reading->after_signal = false;
	return true;
}

static bool read_listed(struct stacktext_reading *reading, struct text line)
{
	struct stacktext_frame frame;
	struct stacktext_stack stack;

	if (!heading_line_listed(line, &stack, &frame))
		return false;
	reading->next = stack;
	begin_stack(reading, STACKTEXT_NO_DIALECT);
	forget_title(reading);
	add_frame(reading, &frame);
	return true;
}

/* --- The others ------------------------------------------------------------------------------ */

static bool read_android(struct stacktext_reading *reading, struct text line)
{
	struct native_line native;
	struct stacktext_frame frame;

	if (!native_line_read(line, &native))
		return false;
	frame = (struct stacktext_frame){
		.module = native.path, .has_offset = true, .offset = native.pc,
		.build_id = native.build_id, .function = native.function,
	};
	reading->into->facts.is_android = true;
	add_numbered(reading, STACKTEXT_ANDROID, native.number, &frame);
	return true;
}

static bool read_glibc(struct stacktext_reading *reading, struct text line)
{
	struct stacktext_frame frame = { .has_address = false };

	if (!glibc_line_read(line, &frame))
		return false;
	if (reading->open != STACKTEXT_GLIBC || reading->has_heading)
		begin_stack(reading, STACKTEXT_GLIBC);
	forget_title(reading);
	add_frame(reading, &frame);
	return true;
}

/* Without addresses only behind a panic: lists of anything look like that. */
static bool read_rust(struct stacktext_reading *reading, struct text line)
{
	struct stacktext_frame frame;
	uint64_t number;

	if (!rust_line_read(line, &frame, &number) || (!frame.has_address && !reading->has_panic))
		return false;
	if (frame.has_address && frame.address == 0)         /* where the walk ended */
		return true;
	add_numbered(reading, STACKTEXT_RUST, number, &frame);
	return true;
}

static bool read_lldb(struct stacktext_reading *reading, struct text line)
{
	struct stacktext_frame frame;
	uint64_t number;

	if (!lldb_line_read(line, &frame, &number))
		return false;
	add_numbered(reading, STACKTEXT_LLDB, number, &frame);
	return true;
}

static bool read_machine(struct stacktext_reading *reading, struct text line)
{
	struct stacktext_frame frame;
	uint64_t thread, number;

	if (!stackwalk_line_machine(line, &frame, &thread, &number))
		return false;
	if (!continues(reading, STACKTEXT_STACKWALK_MACHINE, number)) {
		forget_title(reading);
		reading->next.has_number = true;
		reading->next.number = thread;
	}
	frame.is_return = number > 0;
	add_numbered(reading, STACKTEXT_STACKWALK_MACHINE, number, &frame);
	return true;
}

static bool read_stackwalk(struct stacktext_reading *reading, struct text line)
{
	struct stacktext_frame frame;
	uint64_t number;

	if (!stackwalk_line_read(line, &frame, &number))
		return false;
	frame.is_return = number > 0;
	add_numbered(reading, STACKTEXT_STACKWALK, number, &frame);
	return true;
}

/* What belongs to the frame before. */
static bool read_more(struct stacktext_reading *reading, struct text line, bool after_frame)
{
	struct stacktext_frame *frame = reading->into->frame_count > 0 ? last_frame(reading) : NULL;

	if (reading->open == STACKTEXT_STACKWALK && !frame->has_address)
		return frame->has_address = stackwalk_line_counter(line, &frame->address);
	return reading->open == STACKTEXT_RUST && after_frame && rust_line_place(line, frame);
}

static bool read_module(struct stacktext *into, struct text line)
{
	struct stacktext_mapping mapping = { .start = 0 };
	struct stacktext_module module;

	if (mapping_line_read(line, &mapping))
		into->mappings[into->mapping_count++] = mapping;
	else if (stackwalk_line_module(line, &module))
		into->modules[into->module_count++] = module;
	else
		return false;
	return true;
}

/* --- Lines -------------------------------------------------------------------------------- */

static bool read_heading(struct stacktext_reading *reading, struct text line)
{
	struct stacktext_stack next;
	struct text message = reading->rest, said;
	struct stacktext_facts *facts = &reading->into->facts;
	bool is_fact = fact_line_read(line, facts);

	reading->has_panic |= find_last(line, " panicked at ") != SIZE_MAX || text_is(line, "stack backtrace:");
	if (is_fact && text_starts_with(line, "thread '") && text_ends_with(line, ":") && !facts->details.bytes &&
	    text_take_line(&message, &said))
		facts->details = text_trim(said);
	if (!heading_line_read(line, &next))
		return is_fact && !is_good_title(line);
	reading->next = next;
	reading->has_heading = true;
	return true;
}

static void read_line(struct stacktext_reading *reading, struct text line)
{
	bool after_frame = reading->after_frame;

	reading->after_frame = false;
	if (read_android(reading, line) || read_numbered(reading, line) || read_glibc(reading, line) ||
	    read_rust(reading, line) || read_lldb(reading, line) || read_machine(reading, line) || read_stackwalk(reading, line) ||
	    read_listed(reading, line) || read_more(reading, line, after_frame))
		return;
	if (read_module(reading->into, line)) {
		reading->open = STACKTEXT_NO_DIALECT;
		forget_title(reading);
		return;
	}
	if (line.size > 0 && !read_heading(reading, line))
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

static int make_room(struct stacktext *into, size_t lines, struct arena *arena, struct err *err)
{
	into->mappings = arena_alloc(arena, lines + 1, sizeof(*into->mappings));
	into->modules = arena_alloc(arena, lines + 1, sizeof(*into->modules));
	into->frames = arena_alloc(arena, lines + 1, sizeof(*into->frames));
	into->stacks = arena_alloc(arena, lines + 1, sizeof(*into->stacks));
	if (!into->mappings || !into->modules || !into->frames || !into->stacks)
		return err_set(err, ERR_LIMIT, "a text of %zu lines", lines);
	return 0;
}

int stacktext_read(struct stacktext *into, struct text text, struct arena *arena, struct err *err)
{
	struct stacktext_reading reading = { .into = into };
	struct text line;

	*into = (struct stacktext){ .frame_count = 0 };
	if (text.size > STACKTEXT_BYTES_MAX)
		return err_set(err, ERR_TOO_LARGE, "a text of %zu bytes; %zu are read at most",
			       text.size, STACKTEXT_BYTES_MAX);
	if (make_room(into, count_lines(text), arena, err) < 0)
		return -1;
	reading.rest = text_starts_with(text, "\xef\xbb\xbf") ? after(text, 3) : text;
	while (text_take_line(&reading.rest, &line))
		read_line(&reading, log_prefix_skip(text_trim(line)));
	stacktext_threads_settle(into);
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
