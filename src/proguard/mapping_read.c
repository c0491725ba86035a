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
					.blanks_from = SIZE_MAX, .failed_at = SIZE_MAX };
}

/* --- Lines --------------------------------------------------------------------------------- */

/* What is looked for stands few bytes away: a call of memchr() would cost more than the search. */
typedef uint8_t block __attribute__((vector_size(16)));
typedef uint64_t halves __attribute__((vector_size(16)));
#define BLOCK_BYTES sizeof(block)
#define HIGH_BITS   0x8080808080808080u

static inline block block_at(const char *at)
{
	block bytes;

	memcpy(&bytes, at, sizeof(bytes));
	return bytes;
}

/* A bit for each byte; each of them is all ones or zero.  Without a branch, which would be foreseen seldom. */
static inline unsigned bits_of(block found)
{
	halves half = (halves)found & 0x8040201008040201u;

	half[0] = half[0] * 0x0101010101010101u >> 56;
	half[1] = half[1] * 0x0101010101010101u >> 56;
	return (unsigned)(half[0] | half[1] << 8);
}

/* The first byte that is one of both or ends the line; the text's size: none is.  Was a byte on the way there
 * no ASCII, is_ascii ends; it may end for one behind it. */
static inline size_t find_either(struct mapping_reader *reader, size_t from, char one, char other)
{
	size_t at = from;
	block any = { 0 };
	unsigned bits = 0;
	uint64_t high;

	for (; at + BLOCK_BYTES <= reader->size && !bits; at += BLOCK_BYTES) {
		block here = block_at(reader->bytes + at);

		any |= here;
		bits = bits_of((block)(here == (uint8_t)one) | (block)(here == (uint8_t)other) |
			       (block)(here == '\n') | (block)(here == '\r'));
	}
	high = (((halves)any)[0] | ((halves)any)[1]) & HIGH_BITS;
	if (bits)
		at += (size_t)__builtin_ctz(bits) - BLOCK_BYTES;
	for (; !bits && at < reader->size && reader->bytes[at] != one && reader->bytes[at] != other &&
	       !is_line_end(reader->bytes[at]); at++)
		high |= (uint8_t)reader->bytes[at] & 0x80;
	reader->is_ascii &= !high;
	return at;
}

static inline size_t end_of_line(struct mapping_reader *reader, size_t from)
{
	return find_either(reader, from, '\n', '\n');
}

static inline size_t skip_blanks(struct mapping_reader *reader, size_t from)
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

/* Of what was read of a line; is_ascii was set before. */
static inline bool is_utf8(const struct mapping_reader *reader, struct text text)
{
	return reader->is_ascii || text_is_utf8(text);
}

static inline struct text text_between(const struct mapping_reader *reader, size_t from, size_t to)
{
	return (struct text){ reader->bytes + from, to - from };
}

/* --- Pieces of a line ---------------------------------------------------------------------- */

/* Up to that byte, which is taken too but belongs to nobody; false: the line has none. */
static inline bool take_until(struct mapping_reader *reader, size_t *at, char c, struct text *taken)
{
	size_t end = find_either(reader, *at, c, c);

	if (end == reader->size || reader->bytes[end] != c)
		return false;
	*taken = text_between(reader, *at, end);
	*at = end + 1;
	return true;
}

static inline bool take_bytes(const struct mapping_reader *reader, size_t *at, const char *literal, size_t size)
{
	if (reader->size - *at < size || memcmp(reader->bytes + *at, literal, size) != 0)
		return false;
	*at += size;
	return true;
}
#define take_literal(reader, at, literal) take_bytes(reader, at, literal, sizeof(literal) - 1)

/* A number of any length. */
static bool take_digits(const struct mapping_reader *reader, size_t *at, uint64_t *number)
{
	uint64_t value = 0;
	size_t end = *at;

	for (; end < reader->size && ascii_is_digit(reader->bytes[end]); end++)
		if (__builtin_mul_overflow(value, (uint64_t)10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(reader->bytes[end] - '0'), &value))
			return false;
	if (end == *at)
		return false;
	*number = value;
	*at = end;
	return true;
}

/* Digits of a number of 64 bits; false, and nothing taken: there are none, or too many.  Up to seven are taken
 * at once: set against the upper end of a word, and added up by pairs. */
static inline bool take_number(const struct mapping_reader *reader, size_t *at, uint64_t *number)
{
	uint64_t word, others;
	unsigned bits;

	if (reader->size - *at < sizeof(word))
		return take_digits(reader, at, number);
	memcpy(&word, reader->bytes + *at, sizeof(word));
	word ^= 0x3030303030303030u;
	others = ((word + 0x7676767676767676u) | word) & HIGH_BITS;
	if (!others)
		return take_digits(reader, at, number);
	bits = (unsigned)__builtin_ctzll(others) & ~7u;
	if (bits == 0)
		return false;
	word <<= 64 - bits;
	word = word * (1 + (10 << 8)) >> 8 & 0x00ff00ff00ff00ffu;
	word = word * (1 + (100 << 16)) >> 16 & 0x0000ffff0000ffffu;
	*number = word * (1 + ((uint64_t)10000 << 32)) >> 32;
	*at += bits / 8;
	return true;
}

/* --- Records ------------------------------------------------------------------------------- */

/* At the '#'; false: not UTF-8. */
static bool read_header(struct mapping_reader *reader, size_t at, struct mapping_record *record)
{
	struct text line;
	const char *colon;

	at = skip_blanks(reader, at + 1);
	line = text_between(reader, at, end_of_line(reader, at));
	if (!is_utf8(reader, line))
		return false;
	reader->pos = at + line.size;
	if (line.size > 0 && line.bytes[0] == '{') {
		record->kind = MAPPING_R8_HEADER;
		record->json = line;
		return true;
	}
	record->kind = MAPPING_HEADER;
	colon = line.size > 0 ? memchr(line.bytes, ':', line.size) : NULL;
	record->key = line;
	if (colon) {
		record->key.size = (size_t)(colon - line.bytes);
		record->value = trim(text_from(line, record->key.size + 1));
	}
	record->key = trim(record->key);
	return true;
}

static inline bool take_range(struct mapping_reader *reader, size_t *at, struct mapping_record *record)
{
	if (!take_number(reader, at, &record->start))
		return true;
	record->has_range = true;
	return take_literal(reader, at, ":") && take_number(reader, at, &record->end) &&
	       take_literal(reader, at, ":");
}

static inline bool take_original_lines(struct mapping_reader *reader, size_t *at, struct mapping_record *record)
{
	if (!take_literal(reader, at, ":"))
		return true;
	record->has_original_start = true;
	if (!take_number(reader, at, &record->original_start))
		return false;
	if (!take_literal(reader, at, ":"))
		return true;
	record->has_original_end = true;
	return take_number(reader, at, &record->original_end);
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
static inline bool take_name(struct mapping_reader *reader, size_t *at, struct text *name)
{
	size_t end = find_either(reader, *at, ' ', '(');

	if (end == reader->size || is_line_end(reader->bytes[end]))
		return false;
	*name = text_between(reader, *at, end);
	*at = end;
	return true;
}

static inline bool read_member(struct mapping_reader *reader, size_t from, struct mapping_record *record)
{
	size_t at = from, declared_at, end;

	if (!take_range(reader, &at, record))
		return false;
	declared_at = at;
	if (!take_until(reader, &at, ' ', &record->type) || !take_name(reader, &at, &record->original))
		return false;
	record->kind = MAPPING_FIELD;
	if (take_literal(reader, &at, "(")) {
		record->kind = MAPPING_METHOD;
		if (!take_until(reader, &at, ')', &record->arguments))
			return false;
		record->declaration = text_between(reader, declared_at, at);
		if (!take_original_lines(reader, &at, record))
			return false;
		split_name(record);
	}
	if (!take_literal(reader, &at, " -> "))
		return false;
	end = end_of_line(reader, at);
	record->obfuscated = text_between(reader, at, end);
	if (!is_utf8(reader, text_between(reader, from, end)))
		return false;
	reader->pos = end;
	return true;
}

static bool read_class(struct mapping_reader *reader, size_t at, struct mapping_record *record)
{
	if (!take_until(reader, &at, ' ', &record->original) || !take_literal(reader, &at, "-> ") ||
	    !take_until(reader, &at, ':', &record->obfuscated) || !is_utf8(reader, record->original) ||
	    !is_utf8(reader, record->obfuscated))
		return false;
	record->kind = MAPPING_CLASS;
	reader->pos = at;
	return true;
}

static bool read_record(struct mapping_reader *reader, struct mapping_record *record)
{
	char first = reader->bytes[reader->pos];
	size_t at = skip_blanks(reader, reader->pos);
	bool is_read;

	reader->record_at = reader->pos;
	reader->text_at = at;
	reader->is_ascii = true;
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
