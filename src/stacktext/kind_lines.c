/*
 * kind_lines.c -- which text some lines are: what most of the lines that are frames say.
 *
 * Each line is asked by itself, without what loggers put before it, but for the places that Rust and its
 * like print below a frame.
 */
#include "stacktext/js_stack.h"
#include "stacktext/line_words.h"
#include "stacktext/native_line.h"
#include "stacktext/stacktext_internal.h"

struct lines_look {
	size_t apple;                /* different lines only Apple's reports have */
	size_t js, jvm, mappings;
	size_t native[STACKTEXT_DIALECTS];
	bool after_rust;             /* the line before was a frame of Rust's */
	bool has_panic;              /* frames of Rust's without addresses count only behind one */
	const char *reason;          /* of what is not read */
};

/* --- Apple ------------------------------------------------------------------------------------- */

static bool is_apple(struct text line)
{
	static const char *const prefixes[] = {
		"Incident Identifier:", "Binary Images:", "Exception Type:", "Report Version:", "Code Type:",
		"Hardware Model:", "Date/Time:", "OS Version:", "Crashed Thread:", "Triggered by Thread:",
		"Last Exception Backtrace:",
	};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (text_starts_with(line, prefixes[i]))
			return true;
	return text_starts_with(line, "Thread ") && text_ends_with(line, " Crashed:");
}

/* --- Java -------------------------------------------------------------------------------------- */

/* "Shop.java:12", "SourceFile", "Native Method", "r8-map-id-...:3": what stands in the parentheses. */
static bool is_java_place(struct text place)
{
	static const char *const words[] = { "Native Method", "Unknown Source", "SourceFile", "<generated>" };
	size_t colon;
	struct text number;
	uint64_t line;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (text_is(place, words[i]))
			return true;
	colon = find_last(place, ":");
	if (colon == SIZE_MAX)
		return text_ends_with(place, ".java") || text_ends_with(place, ".kt");
	number = after(place, colon + 1);
	place = before(place, colon);
	(void)take(&number, "-");
	return take_decimal(&number, &line) && number.size == 0 && place.size > 0 &&
	       !memchr(place.bytes, ':', place.size) && !memchr(place.bytes, '/', place.size);
}

/* "at shop.Cart.pay(Cart.java:12)": no blank before the parenthesis, which V8 writes. */
static bool is_java_frame(struct text line)
{
	size_t open;

	if (!take(&line, "at "))
		return false;
	/* Newer ones say what file a class comes from behind it. */
	if (text_ends_with(line, "]") && find_last(line, " ~[") != SIZE_MAX)
		line = before(line, find_last(line, " ~["));
	open = find_last(line, "(");
	if (open == SIZE_MAX || open == 0 || !text_ends_with(line, ")") || line.bytes[open - 1] == ' ' ||
	    !memchr(line.bytes, '.', open))
		return false;
	return is_java_place((struct text){ line.bytes + open + 1, line.size - open - 2 });
}

/* --- JavaScript -------------------------------------------------------------------------------- */

/* More than js_stack.h asks: an address of mail and a port are no frame, and a place has both numbers. */
static bool is_js_frame(struct text line)
{
	struct js_stack_frame frame;

	if (!js_stack_line(line, &frame) || frame.column == 0)
		return false;
	return text_starts_with(line, "at ") || memmem(frame.url.bytes, frame.url.size, "/", 1) ||
	       memmem(frame.url.bytes, frame.url.size, ".js", 3) || text_is(frame.url, "[native code]");
}

/* --- Native code ------------------------------------------------------------------------------- */

static enum stacktext_dialect numbered_dialect(struct text line)
{
	struct stacktext_frame frame = { .has_address = false };
	struct numbered_line numbered = { .number = 0 };
	struct native_line native;

	if (native_line_read(line, &native))
		return STACKTEXT_ANDROID;
	if (!numbered_line_read(line, &frame, &numbered))
		return STACKTEXT_NO_DIALECT;
	return numbered.is_gdb || numbered.is_signal ? STACKTEXT_GDB : STACKTEXT_SANITIZER;
}

static enum stacktext_dialect native_dialect(struct lines_look *look, struct text line)
{
	enum stacktext_dialect dialect = numbered_dialect(line);
	struct stacktext_frame frame = { .has_address = false };
	uint64_t number, thread;

	if (dialect != STACKTEXT_NO_DIALECT)
		return dialect;
	if (rust_line_read(line, &frame, &number) && (frame.has_address || look->has_panic))
		return STACKTEXT_RUST;
	if (lldb_line_read(line, &frame, &number))
		return STACKTEXT_LLDB;
	if (stackwalk_line_machine(line, &frame, &thread, &number))
		return STACKTEXT_STACKWALK_MACHINE;
	if (stackwalk_line_read(line, &frame, &number))
		return STACKTEXT_STACKWALK;
	frame = (struct stacktext_frame){ .has_address = false };
	return glibc_line_read(line, &frame) ? STACKTEXT_GLIBC : STACKTEXT_NO_DIALECT;
}

/* --- What is not read -------------------------------------------------------------------------- */

static const char *other_language(struct text line)
{
	if (text_starts_with(line, "Traceback (most recent call last):"))
		return "a traceback of Python, which names its lines itself";
	if (text_starts_with(line, "goroutine ") && text_ends_with(line, "]:"))
		return "a trace of Go, which names its lines itself";
	if (text_starts_with(line, "at ") && memmem(line.bytes, line.size, ":line ", 6))
		return "a trace of .NET as text: it has no offsets to look up";
	if (text_starts_with(line, "<!DOCTYPE html") || text_starts_with(line, "<html"))
		return "a page of HTML: drop the text it shows";
	return NULL;
}

/* --- Lines ------------------------------------------------------------------------------------- */

static void look_at_line(struct lines_look *look, struct text line)
{
	struct stacktext_mapping mapping = { .start = 0 };
	struct stacktext_frame place = { .has_address = false };
	bool after_rust = look->after_rust;
	enum stacktext_dialect dialect;

	look->after_rust = false;
	look->apple += is_apple(line);
	look->has_panic |= memmem(line.bytes, line.size, "panicked at ", strlen("panicked at ")) != NULL ||
			   text_is(line, "stack backtrace:");
	if (after_rust && rust_line_place(line, &place))
		return;
	dialect = native_dialect(look, line);
	if (dialect != STACKTEXT_NO_DIALECT) {
		look->native[dialect]++;
		look->after_rust = dialect == STACKTEXT_RUST;
	} else if (is_java_frame(line)) {
		look->jvm++;
	} else if (is_js_frame(line)) {
		look->js++;
	} else if (mapping_line_read(line, &mapping)) {
		look->mappings++;
	} else if (!look->reason) {
		look->reason = other_language(line);
	}
}

static enum stacktext_dialect most_native(const struct lines_look *look)
{
	enum stacktext_dialect most = STACKTEXT_NO_DIALECT;

	for (enum stacktext_dialect i = 1; i < STACKTEXT_DIALECTS; i++)
		if (look->native[i] > look->native[most])
			most = i;
	return most;
}

static struct stacktext_detected conclude(const struct lines_look *look)
{
	enum stacktext_dialect dialect = most_native(look);
	size_t native = look->native[dialect];
	struct stacktext_detected detected = { .kind = STACKTEXT_UNKNOWN };

	/* Tombstones and traces of Java stand in one log: whichever there is more of. */
	if (look->apple >= 2) {
		detected.kind = STACKTEXT_APPLE;
	} else if (look->jvm > 0 && look->jvm >= native && look->jvm >= look->js) {
		detected.kind = STACKTEXT_JVM;
	} else if (look->js > native) {
		detected.kind = STACKTEXT_JS;
	} else if (native > 0) {
		detected.kind = STACKTEXT_NATIVE;
		detected.dialect = dialect;
	} else if (look->mappings > 0) {
		detected.reason = "mappings of memory without a stack";
	} else {
		detected.reason = look->reason ? look->reason
					       : "text in which no line is a frame of a stack";
	}
	return detected;
}

struct stacktext_detected kind_lines_detect(struct text text)
{
	struct lines_look look = { .apple = 0 };
	struct text line;

	while (text_take_line(&text, &line))
		look_at_line(&look, log_prefix_skip(text_trim(line)));
	return conclude(&look);
}
