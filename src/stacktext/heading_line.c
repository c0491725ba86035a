/* heading_line.c -- lines that say which thread a stack is of. */
#include "stacktext/stacktext_internal.h"
#include "stacktext/line_words.h"

/* What stands between the next `open` and the last `close` of the line; TEXT_NONE: nothing. */
static struct text between(struct text line, char open, char close)
{
	const char *from = line.size > 0 ? memchr(line.bytes, open, line.size) : NULL;
	const char *to = line.size > 0 ? memrchr(line.bytes, close, line.size) : NULL;

	if (!from || !to || to <= from + 1)
		return TEXT_NONE;
	return (struct text){ from + 1, (size_t)(to - from) - 1 };
}

/* The number behind a word; false: it is not there. */
static bool number_behind(struct text line, const char *word, uint64_t *number)
{
	size_t at = find_last(line, word);
	struct text rest;

	if (at == SIZE_MAX)
		return false;
	rest = after(line, at + strlen(word));
	return take_decimal(&rest, number);
}

static void read_system_thread(struct text line, struct stacktext_stack *stack)
{
	stack->has_id = number_behind(line, "(LWP ", &stack->id) || number_behind(line, " tid: ", &stack->id);
}

/* "(Thread 0x7ffff7dce6c0 (LWP 27841) "worker"):" behind gdb's number */
static void read_gdb(struct text rest, struct stacktext_stack *next)
{
	read_system_thread(rest, next);
	next->name = between(rest, '"', '"');
}

/* "main (crashed) - tid: 12" behind minidump_stackwalk's number, all of it optional */
static bool read_stackwalk(struct text rest, struct stacktext_stack *next)
{
	size_t crashed = find_last(rest, "(crashed)"), dash;

	read_system_thread(rest, next);
	dash = find_last(rest, " - tid: ");
	if (dash != SIZE_MAX)
		rest = before(rest, dash);
	next->is_crashed = crashed != SIZE_MAX;
	if (crashed != SIZE_MAX && crashed < rest.size)
		rest = before(rest, crashed);
	rest = text_trim(rest);
	if (rest.size > 0)
		next->name = rest;
	/* A sentence that begins with "Thread 3". */
	return next->is_crashed || dash != SIZE_MAX || rest.size == 0;
}

static bool read_thread(struct text line, struct stacktext_stack *next)
{
	struct text rest = line;
	bool is_known;

	if (!take(&rest, "Thread ") || !take_decimal(&rest, &next->number))
		return false;
	if (text_starts_with(rest, " (Thread ") || text_starts_with(rest, " (LWP ")) {
		read_gdb(rest, next);
		is_known = true;
	} else {
		is_known = read_stackwalk(rest, next);
	}
	next->has_number = is_known;
	return is_known;
}

/* "pid: 1234, tid: 1240, name: RenderThread  >>> shop <<<" */
static bool read_android(struct text line, struct stacktext_stack *next)
{
	size_t name = find_last(line, ", name: "), end;

	if (!text_starts_with(line, "pid: ") || name == SIZE_MAX || !number_behind(before(line, name), ", tid: ", &next->id))
		return false;
	next->has_id = true;
	line = after(line, name + strlen(", name: "));
	end = find_last(line, " >>> ");
	next->name = text_trim(end == SIZE_MAX ? line : before(line, end));
	return true;
}

/* ""RenderThread" sysTid=1240" of debuggerd -b and of ANR traces */
static bool read_quoted(struct text line, struct stacktext_stack *next)
{
	if (!text_starts_with(line, "\"") || !number_behind(line, " sysTid=", &next->id))
		return false;
	next->has_id = true;
	next->name = between(line, '"', '"');
	return true;
}

/* "thread 'main' (12) panicked at ..." */
static bool read_rust(struct text line, struct stacktext_stack *next)
{
	size_t panicked = find_last(line, " panicked at ");

	if (!text_starts_with(line, "thread '") || panicked == SIZE_MAX)
		return false;
	line = before(line, panicked);
	next->name = between(line, '\'', '\'');
	next->has_id = number_behind(line, "' (", &next->id);
	next->is_crashed = true;
	return true;
}

/* "* thread #1, name = 'crash', stop reason = signal SIGSEGV", "thread #2" */
static bool read_lldb(struct text line, struct stacktext_stack *next)
{
	struct text rest = line, name;
	size_t at;

	next->is_crashed = take(&rest, "* ");
	skip_blanks(&rest);
	if (!take(&rest, "thread #") || !take_decimal(&rest, &next->number) ||
	    (rest.size > 0 && rest.bytes[0] != ',' && rest.bytes[0] != ':'))
		return false;
	next->has_number = true;
	at = find_last(rest, "name = '");
	name = at == SIZE_MAX ? TEXT_NONE : after(rest, at + strlen("name = '"));
	if (name.size > 0 && memchr(name.bytes, '\'', name.size))
		next->name = before(name, (size_t)((const char *)memchr(name.bytes, '\'', name.size) - name.bytes));
	return true;
}

bool heading_line_read(struct text line, struct stacktext_stack *next)
{
	static const struct stacktext_stack none = { .title = { NULL, 0 } };
	bool (*const readers[])(struct text, struct stacktext_stack *) = {
		read_thread, read_android, read_quoted, read_rust, read_lldb,
	};

	for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++) {
		*next = none;
		if (readers[i](line, next)) {
			next->title = line;
			return true;
		}
	}
	return false;
}

/* Behind "(LWP 12)" a name in quotes, and then the frame. */
bool heading_line_listed(struct text line, struct stacktext_stack *stack, struct stacktext_frame *frame)
{
	struct text rest = line, quoted;
	const char *end;

	*stack = (struct stacktext_stack){ .is_listed = true };
	stack->is_crashed = take(&rest, "* ");
	skip_blanks(&rest);
	if (!take_decimal(&rest, &stack->number) || rest.size == 0 || rest.bytes[0] != ' ')
		return false;
	skip_blanks(&rest);
	if (!take(&rest, "Thread 0x") && !take(&rest, "LWP "))
		return false;
	stack->has_number = true;
	stack->has_id = number_behind(line, "(LWP ", &stack->id);
	end = rest.size > 0 ? memmem(rest.bytes, rest.size, ") ", 2) : NULL;
	if (!end)
		return false;
	rest = after(rest, (size_t)(end - rest.bytes) + 2);
	quoted = rest;
	end = take(&quoted, "\"") && quoted.size > 0 ? memchr(quoted.bytes, '"', quoted.size) : NULL;
	if (end) {
		stack->name = before(quoted, (size_t)(end - quoted.bytes));
		rest = after(quoted, stack->name.size + 1);
	}
	skip_blanks(&rest);
	return numbered_line_rest(rest, frame);
}
