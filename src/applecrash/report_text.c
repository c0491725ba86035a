/*
 * report_text.c -- the text form.
 *
 * A report is lines under headings.  Headings of threads, images and texts are looked for on
 * every line; what a line means otherwise depends on the heading it stands under.  One pass
 * counts what there may be, a second one reads it.
 */
#include "applecrash/applecrash_internal.h"

#include <stdlib.h>

#include "base/arch.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/search.h"

enum section { SECTION_ROOT, SECTION_THREAD, SECTION_REGISTERS, SECTION_IMAGES, SECTION_DETAILS,
	       SECTION_SYSLOG };

/* Values of `key: value` lines; the last one of a key counts. */
enum known_key { KEY_INCIDENT, KEY_REPORT_VERSION, KEY_DATE, KEY_CODE_TYPE, KEY_HARDWARE,
		 KEY_OS_VERSION, KEY_EXCEPTION_TYPE, KEY_MESSAGE, KEY_SUBTYPE, KEY_CODES, KEYS };
static const char *const key_names[KEYS] = {
	[KEY_INCIDENT] = "Incident Identifier", [KEY_REPORT_VERSION] = "Report Version",
	[KEY_DATE] = "Date/Time",               [KEY_CODE_TYPE] = "Code Type",
	[KEY_HARDWARE] = "Hardware Model",      [KEY_OS_VERSION] = "OS Version",
	[KEY_EXCEPTION_TYPE] = "Exception Type", [KEY_MESSAGE] = "Exception Message",
	[KEY_SUBTYPE] = "Exception Subtype",    [KEY_CODES] = "Exception Codes",
};

struct thread_name { uint64_t id; struct text name; };

struct reading {
	struct err *err;
	size_t line_number;          /* from 1 */
	enum section section;
	struct applecrash_thread *threads;
	size_t thread_count;
	struct applecrash_frame *frames;
	size_t frame_count;
	struct applecrash_image *images;
	size_t image_count;
	struct applecrash_register *registers;
	size_t register_count;
	struct thread_name *names;
	size_t name_count;
	struct text values[KEYS];
	char *details;               /* lines of the application, joined */
	size_t details_size;
	bool has_date;
	int64_t date;
};

/* How much of each a report can have at most. */
struct capacity { size_t threads, frames, images, registers, names, details; };

static int wrong(const struct reading *reading, const char *what)
{
	return err_set(reading->err, ERR_MALFORMED, "line %zu of the report: %s", reading->line_number,
		       what);
}

/* --- Words -------------------------------------------------------------------------------- */

static struct text from(struct text text, size_t at)
{
	return (struct text){ text.bytes + at, text.size - at };
}

static bool take_prefix(struct text *text, const char *prefix)
{
	if (!text_starts_with(*text, prefix))
		return false;
	*text = from(*text, strlen(prefix));
	return true;
}

/* At least one blank. */
static bool take_blanks(struct text *text)
{
	size_t blanks = 0;

	while (blanks < text->size && ascii_is_blank(text->bytes[blanks]))
		blanks++;
	*text = from(*text, blanks);
	return blanks > 0;
}

static struct text take_digits(struct text *text)
{
	struct text digits = { text->bytes, 0 };

	while (digits.size < text->size && ascii_is_digit(text->bytes[digits.size]))
		digits.size++;
	*text = from(*text, digits.size);
	return digits;
}

/* The digits after "0x"; empty: there are none. */
static struct text take_hex(struct text *text)
{
	struct text digits = TEXT_NONE;

	if (!text_starts_with(*text, "0x"))
		return digits;
	digits.bytes = text->bytes + 2;
	while (digits.size + 2 < text->size && ascii_hex_value(digits.bytes[digits.size]) >= 0)
		digits.size++;
	if (digits.size > 0)
		*text = from(*text, digits.size + 2);
	return digits;
}

static int hex_value(const struct reading *reading, struct text digits, uint64_t *value)
{
	while (digits.size > 1 && digits.bytes[0] == '0')
		digits = from(digits, 1);
	if (!text_to_u64(digits, 16, value))
		return wrong(reading, "an address of more than 64 bits");
	return 0;
}

/* --- Headings ----------------------------------------------------------------------------- */

/* "Thread 3 crashed with ARM Thread State (64-bit):" */
static bool is_register_heading(struct text line)
{
	struct text head;
	size_t at;

	if (line.size == 0 || line.bytes[line.size - 1] != ':' || !take_prefix(&line, "Thread "))
		return false;
	head = take_digits(&line);
	if (head.size == 0 || !take_prefix(&line, " crashed with "))
		return false;
	line.size--;
	if (line.size > 0 && line.bytes[line.size - 1] == ')') {
		for (at = line.size; at > 0 && line.bytes[at - 1] != '('; at--)
			;
		line = text_trim((struct text){ line.bytes, at > 0 ? at - 1 : 0 });
	}
	return text_ends_with(line, "Thread State");
}

static int read_thread_name(struct reading *reading, uint64_t id, struct text rest)
{
	static const char queue[] = " Dispatch queue: ";
	size_t end = rest.size;

	for (size_t i = 1; i + sizeof(queue) - 1 <= rest.size; i++)
		if (memcmp(rest.bytes + i, queue, sizeof(queue) - 1) == 0) {
			end = i;
			break;
		}
	reading->names[reading->name_count++] =
		(struct thread_name){ id, text_trim((struct text){ rest.bytes, end }) };
	reading->section = SECTION_ROOT;
	return 1;
}

static void begin_thread(struct reading *reading, const struct applecrash_thread *thread)
{
	reading->threads[reading->thread_count] = *thread;
	reading->threads[reading->thread_count++].frames = reading->frames + reading->frame_count;
	reading->section = SECTION_THREAD;
}

/* "Thread 0:", "Thread 1 Crashed: a name", "Thread 2 name: NAME": 1, 0 none of them, -1. */
static int read_thread_heading(struct reading *reading, struct text line)
{
	struct applecrash_thread thread = { .has_id = true, .name = TEXT_NONE };
	struct text digits;

	if (!take_prefix(&line, "Thread "))
		return 0;
	digits = take_digits(&line);
	if (digits.size == 0)
		return 0;
	if (!text_starts_with(line, ":") && !text_starts_with(line, " Crashed:") &&
	    !text_starts_with(line, " name:"))
		return 0;
	if (!text_to_u64(digits, 10, &thread.id))
		return wrong(reading, "a thread number of more than 64 bits");
	if (take_prefix(&line, " name:")) {
		line = text_trim(line);
		return line.size > 0 ? read_thread_name(reading, thread.id, line) : 0;
	}
	thread.is_crashed = take_prefix(&line, " Crashed");
	line = text_trim(from(line, 1));
	if (line.size > 0)
		thread.name = line;
	begin_thread(reading, &thread);
	return 1;
}

static int read_heading(struct reading *reading, struct text line)
{
	static const struct applecrash_thread exception = { .name = { "Last Exception Backtrace", 24 } };
	static const struct { const char *prefix; enum section section; } sections[] = {
		{ "Binary Images:", SECTION_IMAGES },
		{ "Application Specific Information:", SECTION_DETAILS },
		{ "Filtered syslog:", SECTION_SYSLOG },
	};

	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
		if (text_starts_with(line, sections[i].prefix)) {
			reading->section = sections[i].section;
			return 1;
		}
	if (text_is(line, "Last Exception Backtrace:")) {
		begin_thread(reading, &exception);
		return 1;
	}
	if (is_register_heading(line)) {
		reading->section = SECTION_REGISTERS;
		return 1;
	}
	return read_thread_heading(reading, line);
}

/* --- Lines under headings ----------------------------------------------------------------- */

static int keep_value(struct reading *reading, enum known_key key, struct text value)
{
	struct debugid incident;
	uint64_t version;

	reading->values[key] = value;
	if (key == KEY_INCIDENT && (!debugid_parse(value, &incident) || incident.age != 0))
		return wrong(reading, "an incident identifier that is no UUID");
	if (key == KEY_REPORT_VERSION && (!text_to_u64(value, 10, &version) || version > UINT32_MAX))
		return wrong(reading, "a report version that is no number");
	if (key == KEY_DATE) {
		if (!applecrash_date(value, &reading->date))
			return wrong(reading, "a date that is none");
		reading->has_date = true;
	}
	return 0;
}

static int read_root(struct reading *reading, struct text line)
{
	const char *colon = line.size > 0 ? memchr(line.bytes, ':', line.size) : NULL;
	struct text key, value;

	if (!colon)
		return 0;
	key = text_trim((struct text){ line.bytes, (size_t)(colon - line.bytes) });
	value = text_trim(from(line, (size_t)(colon - line.bytes) + 1));
	for (unsigned i = 0; i < KEYS; i++)
		if (text_is(key, key_names[i]))
			return keep_value(reading, i, value);
	return 0;
}

/* The number of "(file:line)" at the end of what names a frame has 32 bits. */
static int check_line_number(const struct reading *reading, struct text symbol)
{
	size_t at = symbol.size;
	uint64_t number;
	struct text digits;

	if (at < 2 || symbol.bytes[at - 1] != ')')
		return 0;
	at--;
	while (at > 0 && ascii_is_digit(symbol.bytes[at - 1]))
		at--;
	digits = (struct text){ symbol.bytes + at, symbol.size - 1 - at };
	if (digits.size == 0 || at == 0 || symbol.bytes[at - 1] != ':')
		return 0;
	if (!text_to_u64(digits, 10, &number) || number > UINT32_MAX)
		return wrong(reading, "a line number of more than 32 bits");
	return 0;
}

/* Module and address of the shortest "module  0xADDR  symbol"; 1, 0 none, -1. */
static int split_frame(const struct reading *reading, struct text text,
		       struct applecrash_frame *frame)
{
	for (size_t i = 1; i + 2 < text.size; i++) {
		struct text rest = from(text, i), digits;

		if (!ascii_is_blank(text.bytes[i - 1]) || text.bytes[i] != '0')
			continue;
		digits = take_hex(&rest);
		if (digits.size == 0 || !take_blanks(&rest) || rest.size == 0)
			continue;
		frame->module = text_trim((struct text){ text.bytes, i });
		if (text_is(frame->module, "???"))
			frame->module = TEXT_NONE;
		if (hex_value(reading, digits, &frame->address) < 0 ||
		    check_line_number(reading, rest) < 0)
			return -1;
		return 1;
	}
	return 0;
}

/* "(0x1a2b 0x3c4d ...)": an exception's backtrace nobody has symbolicated. */
static int read_bare_addresses(struct reading *reading, struct text line)
{
	while (line.size > 0) {
		struct text digits = take_hex(&line);
		struct applecrash_frame frame = { .module = TEXT_NONE };

		if (digits.size == 0) {
			line = from(line, 1);
			continue;
		}
		if (hex_value(reading, digits, &frame.address) < 0)
			return -1;
		reading->frames[reading->frame_count++] = frame;
		reading->threads[reading->thread_count - 1].frame_count++;
	}
	return 0;
}

static int read_frame(struct reading *reading, struct text line)
{
	struct applecrash_thread *thread = &reading->threads[reading->thread_count - 1];
	struct applecrash_frame frame;
	int rc = 0;

	if (!thread->has_id && text_starts_with(line, "(0x"))
		return read_bare_addresses(reading, line);
	if (take_digits(&line).size > 0 && take_blanks(&line))
		rc = split_frame(reading, line, &frame);
	if (rc < 0)
		return -1;
	if (rc == 0) {
		reading->section = SECTION_ROOT;
		return 0;
	}
	reading->frames[reading->frame_count++] = frame;
	thread->frame_count++;
	return 0;
}

static bool is_register_name(char c)
{
	return (c >= 'a' && c <= 'z') || ascii_is_digit(c);
}

/* Every "name: 0xHEX" of the line. */
static int read_registers(struct reading *reading, struct text line)
{
	if (line.size == 0) {
		reading->section = SECTION_ROOT;
		return 0;
	}
	for (size_t i = 0; i < line.size; i++) {
		struct applecrash_register found;
		struct text rest, digits;
		size_t start = i;

		if (line.bytes[i] != ':')
			continue;
		while (start > 0 && is_register_name(line.bytes[start - 1]))
			start--;
		rest = from(line, i + 1);
		if (start == i || !take_blanks(&rest))
			continue;
		digits = take_hex(&rest);
		if (digits.size == 0)
			continue;
		if (hex_value(reading, digits, &found.value) < 0)
			return -1;
		found.name = (struct text){ line.bytes + start, i - start };
		reading->registers[reading->register_count++] = found;
	}
	return 0;
}

/* "name arch (version)" before the UUID; arch and version may be missing. */
static void split_image_head(struct text head, struct applecrash_image *image)
{
	size_t at = head.size;
	enum arch arch;

	head = text_trim(head);
	image->version = image->arch = TEXT_NONE;
	if (head.size > 0 && head.bytes[head.size - 1] == ')') {
		for (at = head.size; at > 0 && head.bytes[at - 1] != '('; at--)
			;
		if (at > 0) {
			image->version = (struct text){ head.bytes + at, head.size - 1 - at };
			head = text_trim((struct text){ head.bytes, at - 1 });
		}
	}
	for (at = head.size; at > 0 && head.bytes[at - 1] != ' '; at--)
		;
	if (at > 0 && arch_named(from(head, at), &arch)) {
		image->arch = from(head, at);
		head = text_trim((struct text){ head.bytes, at });
	}
	image->name = head;
}

/* Where " <" begins the UUID, with a '>' after it: its position, or 0. */
static size_t find_uuid(struct text rest)
{
	for (size_t i = 1; i < rest.size; i++)
		if (rest.bytes[i] == '<' && ascii_is_blank(rest.bytes[i - 1]))
			return memchr(rest.bytes + i, '>', rest.size - i) ? i : 0;
	return 0;
}

/* "0xSTART - 0xEND [+]" */
static bool take_range(struct text *line, struct text *start, struct text *end)
{
	*start = take_hex(line);
	if (start->size == 0 || !take_blanks(line) || !take_prefix(line, "-") || !take_blanks(line))
		return false;
	*end = take_hex(line);
	if (end->size == 0 || !take_blanks(line))
		return false;
	(void)take_prefix(line, "+");
	return true;
}

/* "0xSTART - 0xEND [+]name arch [(version)] <uuid> path": 1, 0 none, -1. */
static int split_image(const struct reading *reading, struct text line,
		       struct applecrash_image *image)
{
	struct text start, end, uuid;
	uint64_t last;
	size_t at, size;

	if (!take_range(&line, &start, &end))
		return 0;
	at = find_uuid(line);
	if (at == 0)
		return 0;
	size = (size_t)((const char *)memchr(line.bytes + at, '>', line.size - at) - line.bytes) - at - 1;
	uuid = (struct text){ line.bytes + at + 1, size };
	split_image_head((struct text){ line.bytes, at }, image);
	line = from(line, at + size + 2);
	if (!take_blanks(&line) || line.size == 0 || image->name.size == 0)
		return 0;
	image->path = line;
	if (hex_value(reading, start, &image->base) < 0 || hex_value(reading, end, &last) < 0)
		return -1;
	if (last < image->base)
		return wrong(reading, "an image that ends before it begins");
	image->size = last - image->base;
	if (!debugid_parse(uuid, &image->uuid) || image->uuid.kind != DEBUGID_UUID || image->uuid.age != 0)
		return wrong(reading, "an image's UUID that is none");
	return 1;
}

static int read_image(struct reading *reading, struct text line)
{
	struct applecrash_image image;
	int rc;

	line = text_trim(line);
	if (line.size == 0)
		return 0;
	rc = split_image(reading, line, &image);
	if (rc == 0)
		reading->section = SECTION_ROOT;
	if (rc > 0)
		reading->images[reading->image_count++] = image;
	return rc < 0 ? -1 : 0;
}

static int read_details(struct reading *reading, struct text line)
{
	if (line.size == 0 && reading->details_size == 0)
		return 0;
	if (line.size > 0)
		memcpy(reading->details + reading->details_size, line.bytes, line.size);
	reading->details_size += line.size;
	reading->details[reading->details_size++] = '\n';
	return 0;
}

static int read_line(struct reading *reading, struct text line)
{
	int rc;

	while (line.size > 0 && ascii_is_blank(line.bytes[line.size - 1]))
		line.size--;
	rc = read_heading(reading, line);
	if (rc != 0)
		return rc < 0 ? -1 : 0;
	switch (reading->section) {
	case SECTION_THREAD:
		return read_frame(reading, line);
	case SECTION_REGISTERS:
		return read_registers(reading, line);
	case SECTION_IMAGES:
		return read_image(reading, line);
	case SECTION_DETAILS:
		return read_details(reading, line);
	case SECTION_SYSLOG:
		return 0;
	case SECTION_ROOT:
		break;
	}
	return read_root(reading, line);
}

/* --- The whole ------------------------------------------------------------------------------ */

static void count_line(struct text line, struct capacity *capacity)
{
	capacity->threads += text_starts_with(line, "Thread ") || text_starts_with(line, "Last ");
	capacity->names += text_starts_with(line, "Thread ");
	capacity->frames += line.size > 0 && ascii_is_digit(line.bytes[0]);
	capacity->images += line.size > 0 && text_starts_with(text_trim(line), "0x");
	capacity->details += line.size + 1;
	for (size_t i = 0; i + 1 < line.size; i++) {
		capacity->registers += line.bytes[i] == ':';
		capacity->frames += line.bytes[0] == '(' && line.bytes[i] == '0' && line.bytes[i + 1] == 'x';
	}
}

static int make_room(struct reading *reading, const struct capacity *capacity, struct arena *arena)
{
	reading->threads = arena_alloc(arena, capacity->threads + 1, sizeof(*reading->threads));
	reading->frames = arena_alloc(arena, capacity->frames + 1, sizeof(*reading->frames));
	reading->images = arena_alloc(arena, capacity->images + 1, sizeof(*reading->images));
	reading->registers = arena_alloc(arena, capacity->registers + 1, sizeof(*reading->registers));
	reading->names = arena_alloc(arena, capacity->names + 1, sizeof(*reading->names));
	reading->details = arena_alloc_raw(arena, capacity->details + 1, 1);
	if (!reading->threads || !reading->frames || !reading->images || !reading->registers ||
	    !reading->names || !reading->details)
		return err_set(reading->err, ERR_NO_MEMORY, "no memory for a report of that size");
	return 0;
}

struct thread_ref { uint64_t id; size_t index; };

static int compare_refs(const void *a, const void *b)
{
	const struct thread_ref *left = a, *right = b;

	if (left->id != right->id)
		return left->id < right->id ? -1 : 1;
	return (left->index > right->index) - (left->index < right->index);
}

/* A name goes to the first thread of its number. */
static int name_threads(struct reading *reading, struct arena *arena)
{
	struct thread_ref *refs = arena_alloc(arena, reading->thread_count + 1, sizeof(*refs));
	size_t count = 0;

	if (!refs)
		return err_set(reading->err, ERR_NO_MEMORY, "no memory for the threads of a report");
	for (size_t i = 0; i < reading->thread_count; i++)
		if (reading->threads[i].has_id)
			refs[count++] = (struct thread_ref){ reading->threads[i].id, i };
	qsort(refs, count, sizeof(*refs), compare_refs);
	for (size_t i = 0; i < reading->name_count; i++) {
		size_t at;

		SEARCH_PARTITION_POINT(at, 0, count, refs[at].id < reading->names[i].id);
		if (at < count && refs[at].id == reading->names[i].id)
			reading->threads[refs[at].index].name = reading->names[i].name;
	}
	return 0;
}

static void give_registers(struct reading *reading)
{
	for (size_t i = 0; i < reading->thread_count; i++)
		if (reading->threads[i].is_crashed) {
			reading->threads[i].registers = reading->registers;
			reading->threads[i].register_count = reading->register_count;
			return;
		}
}

/* What the application said, or the best the system did. */
static struct text details_of(const struct reading *reading)
{
	static const enum known_key others[] = { KEY_MESSAGE, KEY_SUBTYPE, KEY_CODES };

	struct text told = { reading->details, reading->details_size };

	/* That of the last line, and one more: a blank line stands before the next heading. */
	for (unsigned i = 0; i < 2 && told.size > 0 && told.bytes[told.size - 1] == '\n'; i++)
		told.size--;
	if (told.size > 0)
		return told;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (reading->values[others[i]].bytes)
			return reading->values[others[i]];
	return TEXT_NONE;
}

int applecrash_read_text(struct applecrash *report, struct text text, struct arena *arena,
			 struct err *err)
{
	struct reading reading = { .err = err };
	struct capacity capacity = { 0 };
	struct text rest = text, line;

	while (text_take_line(&rest, &line))
		count_line(line, &capacity);
	if (make_room(&reading, &capacity, arena) < 0)
		return -1;
	for (rest = text; text_take_line(&rest, &line); ) {
		reading.line_number++;
		if (read_line(&reading, line) < 0)
			return -1;
	}
	if (name_threads(&reading, arena) < 0)
		return -1;
	give_registers(&reading);
	*report = (struct applecrash){
		.has_timestamp = reading.has_date, .timestamp = reading.date,
		.code_type = reading.values[KEY_CODE_TYPE],
		.hardware_model = reading.values[KEY_HARDWARE],
		.os_version = reading.values[KEY_OS_VERSION],
		.exception_type = reading.values[KEY_EXCEPTION_TYPE], .details = details_of(&reading),
		.threads = reading.threads, .thread_count = reading.thread_count,
		.images = reading.images, .image_count = reading.image_count,
	};
	return 0;
}
