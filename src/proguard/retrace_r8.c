/*
 * retrace_r8.c -- lines as R8's retrace writes them: inlined calls one below the other, alternatives marked
 * with <OR>, outlines and what the compiler made left out.
 */
#include "proguard/retrace_internal.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/vec.h"
#include "proguard/retrace_pattern.h"

/* What stands in a line; bytes NULL: not there. */
struct r8_parts {
	struct text class_name, method, file, line_text;
	uint32_t line;
	bool has_line;
};

struct r8_writer {
	struct retrace *retrace;
	struct text line;
	const struct r8_parts *parts;
	bool is_ambiguous;
	struct buf *out;
};

static void read_parts(const struct retrace_match *matches, int count, struct r8_parts *parts)
{
	*parts = (struct r8_parts){ 0 };
	for (int i = 0; i < count; i++) {
		struct text text = matches[i].text;

		switch (matches[i].wildcard) {
		case 'c':
			if (!parts->class_name.bytes)
				parts->class_name = text;
			break;
		case 'm': parts->method = text; break;
		case 's': parts->file = text; break;
		case 'l':
			parts->line_text = text;
			parts->has_line = retrace_line_number(text, &parts->line);
			break;
		default: break;
		}
	}
}

/* --- Files ----------------------------------------------------------------------------------- */

static struct text outer_name(struct text class_name)
{
	const char *dot = class_name.size ? memrchr(class_name.bytes, '.', class_name.size) : NULL;
	const char *dollar;

	if (dot)
		class_name = text_from(class_name, (size_t)(dot - class_name.bytes) + 1);
	dollar = class_name.size ? memchr(class_name.bytes, '$', class_name.size) : NULL;
	if (dollar && dollar > class_name.bytes)
		class_name.size = (size_t)(dollar - class_name.bytes);
	return class_name;
}

static struct text file_in_mapping(const struct proguard *mapping, struct text class_name)
{
	uint32_t index, ref;

	if (!proguard_find_original(mapping, class_name, &index))
		return TEXT_NONE;
	ref = proguard_word(mapping, PGMC_CLASSES, index, PGMC_CLASS_FILE);
	return ref == PGMC_NONE ? TEXT_NONE : proguard_string(mapping, ref);
}

static void add_file(const struct r8_writer *writer, struct text class_name, struct buf *out)
{
	struct text given = writer->parts->file, name = outer_name(class_name);
	struct text told = file_in_mapping(writer->retrace->mapping, class_name);
	bool is_kt = text_ends_with(given, ".kt");
	bool has_extension = given.size && memchr(given.bytes, '.', given.size);

	if (told.bytes && !text_is(told, "R8$$SyntheticClass")) {
		buf_add_text(out, told);
		return;
	}
	if (text_is(given, "Native Method")) {
		buf_add_text(out, given);
		return;
	}
	if (name.size > 2 && text_ends_with(name, "Kt") && (is_kt || !has_extension)) {
		name.size -= 2;
		is_kt = true;
	}
	buf_add_text(out, name);
	buf_add_string(out, is_kt ? ".kt" : ".java");
}

/* --- One frame ------------------------------------------------------------------------------- */

/* Arguments as they stand in the mapping, without blanks. */
static void add_arguments(struct text arguments, struct buf *out)
{
	for (size_t i = 0; i < arguments.size; i++)
		if (arguments.bytes[i] != ' ')
			buf_add_char(out, arguments.bytes[i]);
}

static void add_method(const struct r8_writer *writer, const struct proguard_frame *frame, struct buf *out)
{
	bool verbose = writer->retrace->options.verbose && !frame->is_class_only;

	if (verbose) {
		buf_add_text(out, frame->type);
		buf_add_char(out, ' ');
	}
	buf_add_text(out, frame->method);
	if (verbose) {
		buf_add_char(out, '(');
		add_arguments(frame->parameters, out);
		buf_add_char(out, ')');
	}
}

/* Is the line to be told, where the frame had none? */
static bool tells_line(const struct r8_writer *writer, const struct proguard_frame *frame)
{
	return frame->has_line && frame->line > 0 &&
	       (writer->retrace->options.verbose || !writer->is_ambiguous);
}

/* From `from` of the line on: the file and what becomes of its line.  Returns where the rest begins. */
static const char *add_place(const struct r8_writer *writer, const struct proguard_frame *frame,
			     struct buf *out)
{
	const struct r8_parts *parts = writer->parts;
	const char *behind = parts->file.bytes + parts->file.size;

	add_file(writer, frame->class_name, out);
	if (parts->line_text.bytes)
		behind = parts->line_text.bytes + parts->line_text.size;
	if (parts->has_line ? frame->has_line : tells_line(writer, frame)) {
		buf_add_char(out, ':');
		retrace_add_number(frame->line, out);
	}
	return behind;
}

static void write_frame(const struct r8_writer *writer, const struct proguard_frame *frame, bool is_marked,
			struct buf *out)
{
	const struct r8_parts *parts = writer->parts;
	const char *at = writer->line.bytes, *end = at + writer->line.size;
	size_t from = out->size, mark;

	buf_add(out, at, (size_t)(parts->class_name.bytes - at));
	mark = out->size;
	buf_add_text(out, frame->class_name);
	at = parts->class_name.bytes + parts->class_name.size;
	buf_add(out, at, (size_t)(parts->method.bytes - at));
	add_method(writer, frame, out);
	at = parts->method.bytes + parts->method.size;
	if (parts->file.bytes) {
		buf_add(out, at, (size_t)(parts->file.bytes - at));
		at = add_place(writer, frame, out);
	}
	buf_add(out, at, (size_t)(end - at));
	buf_add_char(out, '\n');
	if (!is_marked || out->failed)
		return;
	/* "<OR> " before the "at ", which stands before the class. */
	while (mark > from + 3 && memcmp(out->bytes + mark - 3, "at ", 3) != 0)
		mark--;
	mark = mark > from + 3 ? mark - 3 : from;
	buf_add_string(out, "<OR> ");
	if (out->failed)
		return;
	memmove(out->bytes + mark + 5, out->bytes + mark, out->size - 5 - mark);
	memcpy(out->bytes + mark, "<OR> ", 5);
}

/* --- Alternatives ---------------------------------------------------------------------------- */

static struct text class_of(const struct retrace *retrace, uint32_t frame)
{
	return retrace->frames.frames[frame].class_name;
}

static int compare_frames(const void *a, const void *b, void *payload)
{
	const struct retrace *retrace = payload;
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	const struct proguard_frame *first = &retrace->frames.frames[i], *second = &retrace->frames.frames[j];
	int order = text_compare(class_of(retrace, i), class_of(retrace, j));

	if (order == 0)
		order = text_compare(first->method, second->method);
	if (order == 0)
		order = (first->line > second->line) - (first->line < second->line);
	return order ? order : (i > j) - (i < j);
}

/* Do two neighbours belong to one chain of inlined calls? */
static bool is_inlined_into(const struct retrace *retrace, const struct proguard_frame *frame,
			    const struct proguard_frame *next)
{
	const struct proguard *mapping = retrace->mapping;
	struct proguard_entry entry, behind;

	if (frame->is_class_only || next->is_class_only || next->entry != frame->entry + 1)
		return false;
	entry = proguard_entry(mapping, frame->entry);
	behind = proguard_entry(mapping, next->entry);
	return !proguard_is_base(&entry) && entry.start == behind.start && entry.end == behind.end;
}

/* The first frames of the alternatives, sorted. */
static int order_alternatives(struct retrace *retrace, size_t *count, struct err *err)
{
	const struct proguard_frames *frames = &retrace->frames;

	*count = 0;
	if (vec_reserve(&retrace->order, &retrace->order_capacity, frames->count + 1, sizeof(*retrace->order)) < 0)
		return err_set(err, ERR_NO_MEMORY, "no memory for the frames of a method");
	for (uint32_t i = 0; i < frames->count; i++)
		if (i == 0 || !is_inlined_into(retrace, &frames->frames[i - 1], &frames->frames[i]))
			retrace->order[(*count)++] = i;
	if (*count > 1)
		qsort_r(retrace->order, *count, sizeof(*retrace->order), compare_frames, retrace);
	return 0;
}

/* All frames of an alternative, but what the compiler made. */
static void write_alternative(const struct r8_writer *writer, uint32_t first, bool is_marked, struct buf *out)
{
	const struct proguard_frames *frames = &writer->retrace->frames;

	for (uint32_t i = first; i < frames->count; i++) {
		if (i > first &&
		    !is_inlined_into(writer->retrace, &frames->frames[i - 1], &frames->frames[i]))
			break;
		if (frames->frames[i].is_synthesized && writer->parts->has_line)
			continue;
		write_frame(writer, &frames->frames[i], is_marked, out);
		is_marked = false;
	}
}

/* Equal ones stand beside each other, but for their mark: each is written plain first. */
static int write_alternatives(struct r8_writer *writer, struct err *err)
{
	struct retrace *retrace = writer->retrace;
	struct buf plain[2];
	bool is_first = true;
	size_t count;
	int rc = order_alternatives(retrace, &count, err);

	buf_init(&plain[0], SIZE_MAX / 2);
	buf_init(&plain[1], SIZE_MAX / 2);
	writer->is_ambiguous = count > 1;
	for (size_t i = 0; i < count && rc == 0; i++) {
		struct buf *now = &plain[i % 2], *before = &plain[(i + 1) % 2];

		buf_clear(now);
		if (count > 1)
			write_alternative(writer, retrace->order[i], false, now);
		if (count > 1 && i > 0 && text_equal(buf_text(now), buf_text(before)))
			continue;
		write_alternative(writer, retrace->order[i], !is_first, writer->out);
		is_first = false;
		rc = buf_check(now, err);
	}
	buf_release(&plain[0]);
	buf_release(&plain[1]);
	return rc;
}

/* --- Lines ----------------------------------------------------------------------------------- */

static int retrace_at(struct retrace *retrace, struct text line, const struct r8_parts *parts,
		      struct buf *out, struct err *err)
{
	struct r8_writer writer = { .retrace = retrace, .line = line, .parts = parts, .out = out };
	enum proguard_outcome outcome;

	if (retrace_frame(retrace, parts->class_name, parts->method, parts->has_line, parts->line, &outcome,
			  err) < 0)
		return -1;
	if (outcome == PROGUARD_UNKNOWN)
		retrace_pass(line, out);
	return outcome == PROGUARD_FOUND ? write_alternatives(&writer, err) : 0;
}

static void retrace_class(struct retrace *retrace, struct text line, struct text class_name, struct buf *out)
{
	struct text original = proguard_class(retrace->mapping, class_name);
	const char *behind = class_name.bytes + class_name.size;

	retrace_begin_stack(retrace, class_name, original);
	if (!original.bytes) {
		retrace_pass(line, out);
		return;
	}
	buf_add(out, line.bytes, (size_t)(class_name.bytes - line.bytes));
	buf_add_text(out, original);
	buf_add(out, behind, (size_t)(line.bytes + line.size - behind));
	buf_add_char(out, '\n');
}

int retrace_line_r8(struct retrace *retrace, struct text line, struct buf *out, struct err *err)
{
	struct retrace_match matches[RETRACE_WILDCARDS_MAX];
	int count = retrace_pattern_match(retrace->pattern, line, matches);
	struct r8_parts parts = { 0 };

	if (count > 0)
		read_parts(matches, count, &parts);
	if (parts.method.bytes && parts.class_name.bytes && parts.method.bytes > parts.class_name.bytes)
		return retrace_at(retrace, line, &parts, out, err);
	if (parts.class_name.bytes) {
		retrace_class(retrace, line, parts.class_name, out);
		return 0;
	}
	if (count < 0)
		retrace->may_rewrite = false;
	retrace_pass(line, out);
	return 0;
}
