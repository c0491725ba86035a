/*
 * retrace_proguard.c -- lines as ProGuard's retrace 6.2.2 writes them: every method of the name whose range
 * holds the line, in the order of the mapping; without a line, alternatives below each other.
 */
#include "proguard/retrace_internal.h"

#include "base/err.h"
#include "proguard/retrace_pattern.h"

/* What stands in a line; TEXT_NONE: not there. */
struct frame_parts {
	struct text class_name, method, type, arguments;
	int64_t line;
	bool has_slashes;
};

/* One result. */
struct frame_result {
	struct text class_name, method, type, arguments;
	int64_t line;
};

/* What a line is written with. */
struct line_writer {
	struct retrace *retrace;
	struct text line;
	const struct retrace_match *matches;
	int match_count;
	struct buf *out;
	size_t previous, previous_size;      /* the last result, as it would be without trimming, in scratch */
	bool has_previous;
	struct buf scratch;
};

static void read_parts(const struct retrace_match *matches, int count, struct frame_parts *parts)
{
	*parts = (struct frame_parts){ 0 };
	for (int i = 0; i < count; i++) {
		struct text text = matches[i].text;
		uint32_t number;

		switch (matches[i].wildcard) {
		case 'C':
			parts->has_slashes = true;
			parts->class_name = text;
			break;
		case 'c':
			parts->has_slashes = false;
			parts->class_name = text;
			break;
		case 'm': parts->method = text; break;
		case 't': parts->type = text; break;
		case 'a': parts->arguments = text; break;
		case 'l':
			if (text.size > 0 && text.bytes[0] == '-')
				parts->line = retrace_line_number(text_from(text, 1), &number) ? -(int64_t)number : 0;
			else
				parts->line = retrace_line_number(text, &number) ? number : 0;
			break;
		default:
			break;
		}
	}
}

/* --- Writing --------------------------------------------------------------------------------- */

/* "Class.java" of the outermost class. */
static void add_source_file(struct text class_name, struct buf *out)
{
	const char *dot = class_name.size ? memrchr(class_name.bytes, '.', class_name.size) : NULL;
	size_t from = dot ? (size_t)(dot - class_name.bytes) + 1 : 0;
	struct text simple = text_from(class_name, from);
	const char *dollar = simple.size ? memchr(simple.bytes, '$', simple.size) : NULL;

	if (dollar && dollar > class_name.bytes)
		simple.size = (size_t)(dollar - simple.bytes);
	buf_add_text(out, simple);
	buf_add_string(out, ".java");
}

static void add_or_null(struct text text, struct buf *out)
{
	if (text.bytes)
		buf_add_text(out, text);
	else
		buf_add_string(out, "null");
}

static void add_method(const struct frame_result *result, bool verbose, struct buf *out)
{
	if (verbose) {
		add_or_null(result->type, out);
		buf_add_char(out, ' ');
	}
	buf_add_text(out, result->method);
	if (verbose) {
		buf_add_char(out, '(');
		add_or_null(result->arguments, out);
		buf_add_char(out, ')');
	}
}

static void add_with_slashes(struct text name, struct buf *out)
{
	for (size_t i = 0; i < name.size; i++)
		buf_add_char(out, name.bytes[i] == '.' ? '/' : name.bytes[i]);
}

static void add_wildcard(const struct line_writer *writer, const struct retrace_match *match,
			 const struct frame_result *result, struct buf *out)
{
	switch (match->wildcard) {
	case 'c': buf_add_text(out, result->class_name); break;
	case 'C': add_with_slashes(result->class_name, out); break;
	case 's': add_source_file(result->class_name, out); break;
	case 'l': retrace_add_number(result->line, out); break;
	case 't': add_or_null(result->type, out); break;
	case 'm': add_method(result, writer->retrace->options.verbose, out); break;
	case 'a': add_or_null(result->arguments, out); break;
	default:  buf_add_text(out, match->text); break;
	}
}

static void write_whole(const struct line_writer *writer, const struct frame_result *result, struct buf *out)
{
	const char *at = writer->line.bytes, *end = at + writer->line.size;

	for (int i = 0; i < writer->match_count; i++) {
		const struct retrace_match *match = &writer->matches[i];

		buf_add(out, at, (size_t)(match->text.bytes - at));
		add_wildcard(writer, match, result, out);
		at = match->text.bytes + match->text.size;
	}
	buf_add(out, at, (size_t)(end - at));
}

/* Part of a name of Java, of which the trimming takes all or nothing. */
static bool is_name_byte(char c)
{
	return ascii_is_digit(c) || (ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z') || c == '_' || c == '$' ||
	       (unsigned char)c >= 0x80;
}

/* What differs from the line before, in its place.  False: nothing does. */
static bool write_trimmed(struct text line, struct text before, struct buf *out)
{
	size_t same = 0;

	while (same < line.size && same < before.size && line.bytes[same] == before.bytes[same])
		same++;
	if (same == line.size)
		return false;
	/* A name that differs is not cut; what differs and is no part of one goes too. */
	if (!is_name_byte(line.bytes[same]))
		same++;
	while (same > 0 && is_name_byte(line.bytes[same - 1]))
		same--;
	for (size_t i = 0; i < same; i++)
		buf_add_char(out, ascii_is_blank(line.bytes[i]) ? line.bytes[i] : ' ');
	buf_add_text(out, text_from(line, same));
	buf_add_char(out, '\n');
	return true;
}

static void write_result(struct line_writer *writer, const struct frame_result *result, bool trims)
{
	struct buf *scratch = &writer->scratch;
	size_t from = scratch->size;
	struct text whole, before;

	if (!trims) {
		write_whole(writer, result, writer->out);
		buf_add_char(writer->out, '\n');
		return;
	}
	write_whole(writer, result, scratch);
	whole = (struct text){ scratch->bytes + from, scratch->size - from };
	before = (struct text){ scratch->bytes + writer->previous, writer->previous_size };
	if (!writer->has_previous)
		retrace_pass(whole, writer->out);
	else
		(void)write_trimmed(whole, before, writer->out);
	if (writer->has_previous) {
		memmove(scratch->bytes, scratch->bytes + from, whole.size);
		scratch->size = whole.size;
	}
	writer->previous = 0;
	writer->previous_size = whole.size;
	writer->has_previous = true;
}

/* --- Finding --------------------------------------------------------------------------------- */

/* A range as it was written, which ProGuard does not swap. */
struct written_range { int64_t start, end, original_start, original_end; };

static struct written_range range_of(const struct proguard_entry *entry)
{
	struct written_range range = {
		entry->start == PGMC_NONE ? 0 : entry->start, entry->end == PGMC_NONE ? 0 : entry->end,
		entry->original_start == PGMC_NONE ? 0 : entry->original_start, entry->original_end,
	};
	int64_t kept = range.start;

	if (entry->original_end == PGMC_NONE)
		range.original_end = range.original_start;
	if (entry->extra & PGMC_SWAPPED) {
		range.start = range.end;
		range.end = kept;
	}
	kept = range.original_start;
	if (entry->extra & PGMC_SWAPPED_ORIGINAL) {
		range.original_start = range.original_end;
		range.original_end = kept;
	}
	return range;
}

static int64_t line_of(const struct written_range *range, int64_t line)
{
	if (range->original_start == range->start)
		return line;
	if (range->original_end != 0 && range->original_end != range->original_start && range->start != 0 &&
	    line != 0)
		return range->original_start - range->start + line;
	return range->original_start;
}

/* A type of a line, "a.b[]", called as the mapping has it, and the same with arguments. */
static void add_original_types(const struct proguard *mapping, struct text types, struct buf *out)
{
	while (types.size > 0) {
		const char *comma = memchr(types.bytes, ',', types.size);
		size_t size = comma ? (size_t)(comma - types.bytes) : types.size;
		struct text type, name, original;

		type = text_trim((struct text){ types.bytes, size });
		name = type;
		while (text_ends_with(name, "[]"))
			name.size -= 2;
		original = proguard_class(mapping, name);
		buf_add_text(out, original.bytes ? original : name);
		buf_add_text(out, text_from(type, name.size));
		if (size == types.size)
			return;
		buf_add_char(out, ',');
		types = text_from(types, size + 1);
	}
}

struct wanted_types { struct text type, arguments; };

static bool fits(const struct retrace *retrace, const struct proguard_entry *entry,
		 const struct written_range *range, int64_t line, const struct wanted_types *wanted)
{
	const struct proguard *mapping = retrace->mapping;

	if (line != 0 && range->end != 0 && (line < range->start || line > range->end))
		return false;
	if (wanted->type.bytes &&
	    !text_equal(wanted->type, proguard_string(mapping, proguard_method_word(mapping, entry->method,
										    PGMC_METHOD_TYPE))))
		return false;
	return !wanted->arguments.bytes ||
	       text_equal(wanted->arguments,
			  proguard_string(mapping, proguard_method_word(mapping, entry->method,
									PGMC_METHOD_PARAMETERS)));
}

static void write_entries(struct line_writer *writer, const struct frame_parts *parts, struct text original,
			  uint32_t group, const struct wanted_types *wanted, bool *has_any)
{
	const struct proguard *mapping = writer->retrace->mapping;
	struct proguard_range entries = proguard_part(mapping, PGMC_GROUPS, group, PGMC_GROUP_ENTRY, PGMC_ENTRIES);

	writer->retrace->frames.visited += entries.to - entries.from;
	for (uint32_t i = entries.from; i < entries.to && !writer->out->failed; i++) {
		struct proguard_entry entry = proguard_entry(mapping, i);
		struct written_range range = range_of(&entry);
		uint32_t class_ref = proguard_method_word(mapping, entry.method, PGMC_METHOD_CLASS);
		struct frame_result result;

		if (!fits(writer->retrace, &entry, &range, parts->line, wanted))
			continue;
		result = (struct frame_result){
			.class_name = class_ref == PGMC_NONE ? original : proguard_string(mapping, class_ref),
			.method = proguard_string(mapping, proguard_method_word(mapping, entry.method,
										PGMC_METHOD_NAME)),
			.type = proguard_string(mapping, proguard_method_word(mapping, entry.method,
									      PGMC_METHOD_TYPE)),
			.arguments = proguard_string(mapping, proguard_method_word(mapping, entry.method,
										   PGMC_METHOD_PARAMETERS)),
			.line = line_of(&range, parts->line),
		};
		write_result(writer, &result, parts->line == 0);
		*has_any = true;
	}
}

static void write_frame(struct line_writer *writer, const struct frame_parts *parts)
{
	const struct proguard *mapping = writer->retrace->mapping;
	struct text original = proguard_class(mapping, parts->class_name);
	struct wanted_types wanted = { TEXT_NONE, TEXT_NONE };
	struct frame_result result = { .class_name = original.bytes ? original : parts->class_name,
				       .method = parts->method, .type = parts->type,
				       .arguments = parts->arguments, .line = parts->line };
	uint32_t class_index, group;
	struct buf types;
	size_t type_size;
	bool has_any = false;

	buf_init(&types, RETRACE_LINE_BYTES_MAX * 4);
	if (parts->type.bytes)
		add_original_types(mapping, parts->type, &types);
	type_size = types.size;
	if (parts->arguments.bytes)
		add_original_types(mapping, parts->arguments, &types);
	if (parts->type.bytes)
		wanted.type = (struct text){ buf_string(&types), type_size };
	if (parts->arguments.bytes)
		wanted.arguments = (struct text){ buf_string(&types) + type_size, types.size - type_size };
	if (parts->method.bytes &&
	    (proguard_find_class(mapping, parts->class_name, &class_index) ||
	     proguard_find_original(mapping, parts->class_name, &class_index)) &&
	    proguard_find_group(mapping, class_index, parts->method, &group))
		write_entries(writer, parts, result.class_name, group, &wanted, &has_any);
	if (!has_any)
		write_result(writer, &result, false);
	buf_release(&types);
}

int retrace_line_proguard(struct retrace *retrace, struct text line, struct buf *out, struct err *err)
{
	struct retrace_match matches[RETRACE_WILDCARDS_MAX];
	struct line_writer writer = { .retrace = retrace, .line = line, .matches = matches, .out = out };
	struct frame_parts parts;
	char dotted[1024];
	int rc;

	writer.match_count = retrace_pattern_match(retrace->pattern, line, matches);
	if (writer.match_count > 0)
		read_parts(matches, writer.match_count, &parts);
	if (writer.match_count <= 0 || !parts.class_name.bytes || parts.class_name.size > sizeof(dotted) ||
	    (parts.method.bytes && !retrace_may_look(retrace))) {
		retrace_pass(line, out);
		return 0;
	}
	if (parts.has_slashes) {
		for (size_t i = 0; i < parts.class_name.size; i++)
			dotted[i] = parts.class_name.bytes[i] == '/' ? '.' : parts.class_name.bytes[i];
		parts.class_name.bytes = dotted;
	}
	buf_init(&writer.scratch, SIZE_MAX / 2);
	write_frame(&writer, &parts);
	rc = buf_check(&writer.scratch, err);
	buf_release(&writer.scratch);
	return rc;
}
