/* mapping_read.c -- see mapping_read.h. */
#include "proguard/mapping_read.h"

#include "proguard/mapping_header.h"

#define VALID_RECORDS 50u

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

static bool is_line_end(char c)
{
	return c == '\n' || c == '\r';
}

struct mapping_reader mapping_reader_over(struct text text)
{
	return (struct mapping_reader){ .bytes = text.bytes ? text.bytes : "", .size = text.size,
					.newline_from = SIZE_MAX, .blanks_from = SIZE_MAX,
					.failed_at = SIZE_MAX };
}

/* --- Lines --------------------------------------------------------------------------------- */

/* Where the line of that byte ends.  A file without LF is searched for one once. */
static size_t end_of_line(struct mapping_reader *reader, size_t from)
{
	const char *at;

	if (from < reader->newline_from || from > reader->newline_at) {
		at = memchr(reader->bytes + from, '\n', reader->size - from);
		reader->newline_at = at ? (size_t)(at - reader->bytes) : reader->size;
		reader->newline_from = from;
	}
	at = memchr(reader->bytes + from, '\r', reader->newline_at - from);
	return at ? (size_t)(at - reader->bytes) : reader->newline_at;
}

static size_t skip_blanks(struct mapping_reader *reader, size_t from)
{
	size_t at = from;

	if (from >= reader->blanks_from && from < reader->blanks_end)
		return reader->blanks_end;
	while (at < reader->size && is_space(reader->bytes[at]))
		at++;
	if (at - from > 16) {
		reader->blanks_from = from;
		reader->blanks_end = at;
	}
	return at;
}

/* The trimming of header texts. */
static struct text trim(struct text text)
{
	while (text.size > 0 && is_space(text.bytes[0]))
		text = text_from(text, 1);
	while (text.size > 0 && is_space(text.bytes[text.size - 1]))
		text.size--;
	return text;
}

/* Most lines are ASCII: eight bytes a step. */
static inline bool is_utf8(struct text text)
{
	size_t at = 0;

	for (; at + 8 <= text.size; at += 8) {
		uint64_t word;

		memcpy(&word, text.bytes + at, sizeof(word));
		if (word & 0x8080808080808080u)
			return text_is_utf8(text);
	}
	for (; at < text.size; at++)
		if ((unsigned char)text.bytes[at] >= 0x80)
			return text_is_utf8(text);
	return true;
}

/* --- Pieces of a line ---------------------------------------------------------------------- */

/* Up to that byte, which is taken too but belongs to nobody; false: the line has none. */
static bool take_until(struct text *rest, char c, struct text *taken)
{
	const char *end = rest->size ? memchr(rest->bytes, c, rest->size) : NULL;

	if (!end)
		return false;
	*taken = (struct text){ rest->bytes, (size_t)(end - rest->bytes) };
	*rest = text_from(*rest, taken->size + 1);
	return true;
}

static inline bool take_bytes(struct text *rest, const char *literal, size_t size)
{
	if (rest->size < size || memcmp(rest->bytes, literal, size) != 0)
		return false;
	*rest = text_from(*rest, size);
	return true;
}
#define take_literal(rest, literal) take_bytes(rest, literal, sizeof(literal) - 1)

/* Digits of a number of 64 bits; false, and nothing taken: there are none, or too many. */
static inline bool take_number(struct text *rest, uint64_t *number)
{
	uint64_t value = 0;
	size_t at = 0;

	for (; at < rest->size && ascii_is_digit(rest->bytes[at]); at++)
		if (__builtin_mul_overflow(value, (uint64_t)10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(rest->bytes[at] - '0'), &value))
			return false;
	if (at == 0)
		return false;
	*number = value;
	*rest = text_from(*rest, at);
	return true;
}

/* --- Records ------------------------------------------------------------------------------- */

/* At the '#'; false: not UTF-8. */
static bool read_header(struct mapping_reader *reader, size_t at, struct mapping_record *record)
{
	struct text line, rest;

	at = skip_blanks(reader, at + 1);
	line = (struct text){ reader->bytes + at, end_of_line(reader, at) - at };
	if (!is_utf8(line))
		return false;
	reader->pos = at + line.size;
	if (line.size > 0 && line.bytes[0] == '{') {
		record->kind = MAPPING_R8_HEADER;
		record->json = line;
		return true;
	}
	record->kind = MAPPING_HEADER;
	rest = line;
	if (take_until(&rest, ':', &record->key))
		record->value = trim(rest);
	else
		record->key = line;
	record->key = trim(record->key);
	return true;
}

static bool take_range(struct text *rest, struct mapping_record *record)
{
	if (!take_number(rest, &record->start))
		return true;
	record->has_range = true;
	return take_literal(rest, ":") && take_number(rest, &record->end) && take_literal(rest, ":");
}

static bool take_original_lines(struct text *rest, struct mapping_record *record)
{
	if (!take_literal(rest, ":"))
		return true;
	record->has_original_start = true;
	if (!take_number(rest, &record->original_start))
		return false;
	if (!take_literal(rest, ":"))
		return true;
	record->has_original_end = true;
	return take_number(rest, &record->original_end);
}

static void split_name(struct mapping_record *record)
{
	const char *dot = record->original.size ?
			  memrchr(record->original.bytes, '.', record->original.size) : NULL;
	size_t before;

	record->receiver = TEXT_NONE;
	if (!dot)
		return;
	before = (size_t)(dot - record->original.bytes);
	record->receiver = (struct text){ record->original.bytes, before };
	record->original = text_from(record->original, before + 1);
}

/* The name: up to a blank or a parenthesis, which stays. */
static bool take_name(struct text *rest, struct text *name)
{
	size_t at = 0;

	while (at < rest->size && rest->bytes[at] != ' ' && rest->bytes[at] != '(')
		at++;
	if (at == rest->size)
		return false;
	*name = (struct text){ rest->bytes, at };
	*rest = text_from(*rest, at);
	return true;
}

static bool read_member(struct mapping_reader *reader, size_t at, struct mapping_record *record)
{
	struct text rest = { reader->bytes + at, end_of_line(reader, at) - at };
	struct text line = rest;
	const char *from;

	if (!take_range(&rest, record))
		return false;
	from = rest.bytes;
	if (!take_until(&rest, ' ', &record->type) || !take_name(&rest, &record->original))
		return false;
	record->kind = MAPPING_FIELD;
	if (take_literal(&rest, "(")) {
		record->kind = MAPPING_METHOD;
		if (!take_until(&rest, ')', &record->arguments))
			return false;
		record->declaration = (struct text){ from, (size_t)(rest.bytes - from) };
		if (!take_original_lines(&rest, record))
			return false;
		split_name(record);
	}
	if (!take_literal(&rest, " -> ") || !is_utf8(line))
		return false;
	record->obfuscated = rest;
	reader->pos = at + line.size;
	return true;
}

static bool read_class(struct mapping_reader *reader, size_t at, struct mapping_record *record)
{
	struct text rest = { reader->bytes + at, end_of_line(reader, at) - at };

	if (!take_until(&rest, ' ', &record->original) || !take_literal(&rest, "-> ") ||
	    !take_until(&rest, ':', &record->obfuscated) || !is_utf8(record->original) ||
	    !is_utf8(record->obfuscated))
		return false;
	record->kind = MAPPING_CLASS;
	reader->pos = (size_t)(rest.bytes - reader->bytes);
	return true;
}

static bool read_record(struct mapping_reader *reader, struct mapping_record *record)
{
	char first = reader->bytes[reader->pos];
	size_t at = skip_blanks(reader, reader->pos);
	bool is_read;

	reader->record_at = reader->pos;
	reader->text_at = at;
	if (at < reader->size && reader->bytes[at] == '#')
		is_read = at != reader->failed_at && read_header(reader, at, record);
	else if (first != ' ' && first != '\t')
		return read_class(reader, reader->pos, record);
	else
		is_read = at != reader->failed_at && at < reader->size && read_member(reader, at, record);
	if (!is_read)
		reader->failed_at = at;
	return is_read;
}

static void skip_line_ends(struct mapping_reader *reader)
{
	while (reader->pos < reader->size && is_line_end(reader->bytes[reader->pos]))
		reader->pos++;
}

bool mapping_reader_next(struct mapping_reader *reader, struct mapping_record *record)
{
	skip_line_ends(reader);
	if (reader->pos >= reader->size)
		return false;
	*record = (struct mapping_record){ .kind = MAPPING_FAILED };
	if (!read_record(reader, record)) {
		record->kind = MAPPING_FAILED;
		reader->pos = end_of_line(reader, reader->record_at);
	}
	return true;
}

void mapping_reader_refuse(struct mapping_reader *reader)
{
	reader->failed_at = reader->text_at;
	reader->pos = end_of_line(reader, reader->record_at);
}

struct mapping_record mapping_read_line(struct text line)
{
	struct mapping_reader reader = mapping_reader_over(line);
	struct mapping_record record = { .kind = MAPPING_FAILED };

	if (!mapping_reader_next(&reader, &record))
		return record;
	skip_line_ends(&reader);
	if (reader.pos < reader.size)
		record.kind = MAPPING_FAILED;
	return record;
}

bool mapping_read_is_valid(struct text text)
{
	struct mapping_reader reader = mapping_reader_over(text);
	struct mapping_record record;
	bool has_class = false;

	for (unsigned i = 0; i < VALID_RECORDS && mapping_reader_next(&reader, &record); i++) {
		if (record.kind == MAPPING_CLASS)
			has_class = true;
		else if (has_class && (record.kind == MAPPING_FIELD || record.kind == MAPPING_METHOD))
			return true;
		else if (record.kind == MAPPING_R8_HEADER && !mapping_header_is_valid(record.json))
			mapping_reader_refuse(&reader);
	}
	return false;
}
