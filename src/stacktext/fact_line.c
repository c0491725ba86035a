/* fact_line.c -- why a program ended and on what, in the words of whoever says so. */
#include "stacktext/stacktext_internal.h"
#include "stacktext/line_words.h"

/* The first to be said counts: what comes after is of another crash. */
static void say(struct text *fact, struct text words)
{
	words = text_trim(words);
	if (!fact->bytes && words.size > 0)
		*fact = words;
}

static bool take_behind(struct text line, const char *word, struct text *rest)
{
	size_t at = find_last(line, word);

	if (at == SIZE_MAX)
		return false;
	*rest = after(line, at + strlen(word));
	return true;
}

/* "==12==ERROR: AddressSanitizer: ...", "WARNING: ThreadSanitizer: ...", "a.c:3:5: runtime error: ..." */
static bool read_sanitizer(struct text line, struct stacktext_facts *facts)
{
	struct text rest;

	if (text_starts_with(line, "==") && take_behind(line, "==ERROR: ", &rest))
		say(&facts->reason, rest);
	else if (text_starts_with(line, "WARNING: ") && find_last(line, "Sanitizer: ") != SIZE_MAX)
		say(&facts->reason, after(line, strlen("WARNING: ")));
	else if (find_last(line, ": runtime error: ") != SIZE_MAX)
		say(&facts->reason, line);
	else
		return false;
	return true;
}

/* "Program received signal SIGSEGV, Segmentation fault.", "Thread 1 "a" received signal ..." */
static bool read_gdb(struct text line, struct stacktext_facts *facts)
{
	struct text rest, number = line;

	if (text_starts_with(line, "[Current thread is ")) {
		number = after(line, strlen("[Current thread is "));
		facts->has_crashed_number = take_decimal(&number, &facts->crashed_number);
		return true;
	}
	if (!take_behind(line, " received signal ", &rest) && !take_behind(line, " terminated with signal ", &rest))
		return false;
	if (text_ends_with(rest, "."))
		rest.size--;
	say(&facts->reason, rest);
	if (take(&number, "Thread ") && !facts->has_crashed_number)
		facts->has_crashed_number = take_decimal(&number, &facts->crashed_number);
	return true;
}

/* "signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0", "Abort message: 'no cart'" */
static bool read_android(struct text line, struct stacktext_facts *facts)
{
	struct text rest = line;
	uint64_t number;

	if (take(&rest, "signal ") && take_decimal(&rest, &number) && text_starts_with(rest, " (SIG"))
		say(&facts->reason, line);
	else if (text_starts_with(line, "Abort message: "))
		say(&facts->details, after(line, strlen("Abort message: ")));
	else if (text_starts_with(line, "Build fingerprint: "))
		say(&facts->os_version, after(line, strlen("Build fingerprint: ")));
	else if (text_starts_with(line, "ABI: '") && text_ends_with(line, "'") && line.size > strlen("ABI: '"))
		say(&facts->cpu, (struct text){ line.bytes + 6, line.size - 7 });
	else
		return false;
	return true;
}

/* "* thread #1, queue = 'main', stop reason = EXC_BAD_ACCESS (code=1, address=0x0)" */
static bool read_lldb(struct text line, struct stacktext_facts *facts)
{
	struct text rest;

	if (!text_starts_with(line, "* thread #") || !take_behind(line, ", stop reason = ", &rest))
		return false;
	say(&facts->reason, rest);
	return true;
}

/* "thread 'main' panicked at src/main.rs:3:5:"; what the panic says stands in the line below. */
static bool read_rust(struct text line, struct stacktext_facts *facts)
{
	size_t panicked = find_last(line, " panicked at ");

	if (!text_starts_with(line, "thread '") || panicked == SIZE_MAX)
		return false;
	line = after(line, panicked + 1);
	if (text_ends_with(line, ":"))
		line.size--;
	say(&facts->reason, line);
	return true;
}

/* "OS|Linux|0.0.0", "CPU|amd64|...", "Crash|SIGSEGV|0x0|0" */
static bool read_machine(struct text line, struct stacktext_facts *facts)
{
	struct text fields[STACKWALK_FIELDS];
	size_t count = stackwalk_line_fields(line, fields);

	if (count == 3 && text_is(fields[0], "OS")) {
		say(&facts->os_name, fields[1]);
		say(&facts->os_version, fields[2]);
	} else if (count == 4 && text_is(fields[0], "CPU")) {
		say(&facts->cpu, fields[1]);
	} else if (count >= 4 && text_is(fields[0], "Crash")) {
		say(&facts->reason, fields[1]);
		say(&facts->details, fields[2]);
		facts->has_crashed_number = text_to_u64(fields[3], 10, &facts->crashed_number);
	} else {
		return false;
	}
	return true;
}

static bool read_stackwalk(struct text line, struct stacktext_facts *facts)
{
	static const struct { const char *label; size_t offset; } labels[] = {
		{ "Crash reason:", offsetof(struct stacktext_facts, reason) },
		{ "Crash address:", offsetof(struct stacktext_facts, details) },
		{ "Operating system:", offsetof(struct stacktext_facts, os_name) },
		{ "CPU:", offsetof(struct stacktext_facts, cpu) },
	};

	for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++) {
		struct text *fact = (struct text *)((char *)facts + labels[i].offset);

		if (!text_starts_with(line, labels[i].label))
			continue;
		say(fact, after(line, strlen(labels[i].label)));
		return true;
	}
	return read_machine(line, facts);
}

bool fact_line_read(struct text line, struct stacktext_facts *facts)
{
	return read_sanitizer(line, facts) || read_gdb(line, facts) || read_android(line, facts) ||
	       read_rust(line, facts) || read_lldb(line, facts) || read_stackwalk(line, facts);
}
