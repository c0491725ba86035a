/* stacktext.c -- see stacktext.h: each line is tried as one thing after the other. */
#include "cli/stacktext.h"

#include "base/arena.h"
#include "base/err.h"

/* --- Words ------------------------------------------------------------------------------ */

static struct text after(struct text text, size_t size)
{
	return (struct text){ text.bytes + size, text.size - size };
}

static struct text before(struct text text, size_t size)
{
	return (struct text){ text.bytes, size };
}

static void skip_blanks(struct text *rest)
{
	while (rest->size > 0 && (rest->bytes[0] == ' ' || rest->bytes[0] == '\t'))
		*rest = after(*rest, 1);
}

static bool take(struct text *rest, const char *word)
{
	if (!text_starts_with(*rest, word))
		return false;
	*rest = after(*rest, strlen(word));
	return true;
}

static struct text take_word(struct text *rest)
{
	struct text word = { rest->bytes, 0 };

	while (word.size < rest->size && rest->bytes[word.size] != ' ' &&
	       rest->bytes[word.size] != '\t')
		word.size++;
	*rest = after(*rest, word.size);
	skip_blanks(rest);
	return word;
}

static bool take_hex(struct text *rest, uint64_t *value)
{
	size_t size = 0;

	while (size < rest->size && ascii_hex_value(rest->bytes[size]) >= 0)
		size++;
	if (!text_to_u64(before(*rest, size), 16, value))
		return false;
	*rest = after(*rest, size);
	return true;
}

static bool take_0x(struct text *rest, uint64_t *value)
{
	struct text tried = *rest;

	if (!take(&tried, "0x") || !take_hex(&tried, value))
		return false;
	*rest = tried;
	return true;
}

static bool take_decimal(struct text *rest, uint64_t *value)
{
	size_t size = 0;

	while (size < rest->size && ascii_is_digit(rest->bytes[size]))
		size++;
	if (!text_to_u64(before(*rest, size), 10, value))
		return false;
	*rest = after(*rest, size);
	return true;
}

bool stacktext_address(struct text word, uint64_t *address)
{
	(void)take(&word, "0x");
	return text_to_u64(word, 16, address);
}

/* Where the last `what` begins; SIZE_MAX: nowhere. */
static size_t find_last(struct text text, const char *what)
{
	size_t size = strlen(what);

	for (size_t at = text.size >= size ? text.size - size + 1 : 0; at > 0; at--)
		if (memcmp(text.bytes + at - 1, what, size) == 0)
			return at - 1;
	return SIZE_MAX;
}

/* --- Mappings ---------------------------------------------------------------------------- */

static bool is_permissions(struct text word)
{
	if (word.size < 3 || word.size > 5)
		return false;
	for (size_t i = 0; i < word.size; i++)
		if (!strchr("rwxps-", word.bytes[i]) || !word.bytes[i])
			return false;
	return true;
}

/* "[stack]" and the like are no files. */
static struct text path_of(struct text rest)
{
	struct text path = text_trim(rest);

	if (text_ends_with(path, " (deleted)"))
		path.size -= strlen(" (deleted)");
	return path.size > 0 && path.bytes[0] != '[' ? path : TEXT_NONE;
}

/* "7f89ed000000-7f89ed026000 r--p 00000000 08:01 1234  /lib/libc.so.6" (proc(5)) */
static bool parse_proc(struct text line, struct stacktext_mapping *mapping)
{
	if (!take_hex(&line, &mapping->start) || !take(&line, "-") ||
	    !take_hex(&line, &mapping->end) || !take(&line, " ") ||
	    !is_permissions(take_word(&line)) || !take_hex(&line, &mapping->offset))
		return false;
	skip_blanks(&line);
	(void)take_word(&line);                      /* the device */
	(void)take_word(&line);                      /* the inode */
	mapping->path = path_of(line);
	return mapping->start < mapping->end;
}

/* "0x7ffff7dd2000 0x7ffff7df8000 0x26000 0x0 r--p /lib/libc.so.6"; older ones have no
 * permissions. */
static bool parse_gdb_mapping(struct text line, struct stacktext_mapping *mapping)
{
	uint64_t *const numbers[] = { &mapping->start, &mapping->end, NULL, &mapping->offset };
	struct text permissions;
	uint64_t size = 0;

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (!take_0x(&line, numbers[i] ? numbers[i] : &size))
			return false;
		skip_blanks(&line);
	}
	permissions = line;
	if (is_permissions(take_word(&permissions)))
		line = permissions;
	mapping->path = path_of(line);
	return mapping->start < mapping->end && size == mapping->end - mapping->start;
}

/* --- Frames of glibc --------------------------------------------------------------------- */

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
static bool parse_glibc(struct text line, struct stacktext_frame *frame)
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

/* --- Numbered frames ---------------------------------------------------------------------- */

/* "FILE:LINE" or "FILE:LINE:COLUMN"; false: it is neither. */
static bool read_place(struct text place, struct stacktext_frame *frame)
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

/* "(ARGUMENTS) at FILE:LINE", "(ARGUMENTS) from MODULE", "(ARGUMENTS)" after the function. */
static bool take_gdb_rest(struct text *rest, struct stacktext_frame *frame)
{
	size_t at = find_last(*rest, ") at "), from = find_last(*rest, ") from "), open;

	if (at != SIZE_MAX && read_place(after(*rest, at + strlen(") at ")), frame))
		*rest = before(*rest, at + 1);
	else if (from != SIZE_MAX)
		*rest = before(*rest, from + 1);
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
	    read_place(after(rest, blank + 1), frame))
		rest = text_trim(before(rest, blank));
	if (rest.size > 0 && !text_is(rest, "??"))
		frame->function = rest;
}

/* What a line of gdb's says without a frame. */
static bool is_signal_line(struct text rest)
{
	return text_is(rest, "<signal handler called>");
}

struct numbered { uint64_t number; bool is_signal, is_gdb; };

/* "#1  0x... in ..." */
static bool parse_numbered(struct text line, struct stacktext_frame *frame,
			   struct numbered *numbered)
{
	struct text rest = line;

	if (!take(&rest, "#") || !take_decimal(&rest, &numbered->number) || rest.size == 0 ||
	    (rest.bytes[0] != ' ' && rest.bytes[0] != '\t'))
		return false;
	skip_blanks(&rest);
	numbered->is_signal = is_signal_line(rest);
	if (numbered->is_signal)
		return true;
	frame->has_address = take_0x(&rest, &frame->address);
	skip_blanks(&rest);
	if (frame->has_address)
		(void)take(&rest, "in ");
	take_build_id(&rest, frame);
	if (!take_module(&rest, frame))
		numbered->is_gdb = take_gdb_rest(&rest, frame);
	read_function(rest, frame);
	/* A number and prose is a heading or a reference to something else. */
	return frame->has_address || numbered->is_gdb;
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
			 const struct numbered *numbered)
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
	struct numbered numbered = { .number = 0 };

	if (parse_proc(line, &mapping) || parse_gdb_mapping(line, &mapping)) {
		into->mappings[into->mapping_count++] = mapping;
		reading->in_stack = false;
		return;
	}
	if (parse_numbered(line, &frame, &numbered)) {
		add_numbered(reading, &frame, &numbered);
		return;
	}
	frame = (struct stacktext_frame){ .has_address = false };
	if (parse_glibc(line, &frame)) {
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
