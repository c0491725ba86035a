/* records.c -- see records.h.  Symbol files are read at hundreds of megabytes per second, and
 * nearly all they hold is short numbers: those are read eight digits at a time. */
#include "object/breakpad/records.h"

#include <string.h>

#define HEX_DIGITS_MOST     16u
#define DECIMAL_DIGITS_MOST 10u
#define WORD_DIGITS         8u
#define LINE_FIELDS         4u
#define LINE_BYTES_MOST     (LINE_FIELDS * (WORD_DIGITS + 1) + WORD_DIGITS)

static const struct {
	struct text word;
	enum record_type record;
} words[] = {
	{ { "FUNC", 4 },           RECORD_FUNC },
	{ { "INLINE", 6 },         RECORD_INLINE },
	{ { "INLINE_ORIGIN", 13 }, RECORD_INLINE_ORIGIN },
	{ { "PUBLIC", 6 },         RECORD_PUBLIC },
	{ { "STACK", 5 },          RECORD_STACK },
	{ { "FILE", 4 },           RECORD_FILE },
	{ { "INFO", 4 },           RECORD_INFO },
	{ { "MODULE", 6 },         RECORD_MODULE },
};

/* --- Eight characters at a time ------------------------------------------------------ */

#define EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

/* The first in the lowest byte, as the hosts have it that base/reader.h asks for. */
static inline uint64_t word_at(const char *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof(word));
	return word;
}

/* The top bit of each byte from `low` to `high`, both ASCII; of others it is clear. */
static inline uint64_t bytes_between(uint64_t word, uint8_t low, uint8_t high)
{
	uint64_t ascii = word & EACH(0x7f);

	return (ascii + EACH(0x80 - low)) & ~(ascii + EACH(0x7f - high)) & ~word & EACH(0x80);
}

/* How many of the characters, from the first on, are marked. */
static inline unsigned marked_first(uint64_t marks)
{
	uint64_t stop = ~marks & EACH(0x80);

	return stop ? (unsigned)__builtin_ctzll(stop) / 8 : WORD_DIGITS;
}

/* The number the first characters are, and how many: 0 to 8. */
static inline unsigned hex_digits(uint64_t word, uint64_t *value)
{
	uint64_t marks = bytes_between(word, '0', '9') | bytes_between(word | EACH(0x20), 'a', 'f');
	unsigned count = marked_first(marks);
	uint64_t sum = (word & EACH(0x0f)) + (word >> 6 & EACH(1)) * 9;

	if (count == 0)
		return 0;
	sum = __builtin_bswap64(sum) >> (WORD_DIGITS - count) * 8;
	sum = (sum | sum >> 4) & UINT64_C(0x00ff00ff00ff00ff);
	sum = (sum | sum >> 8) & UINT64_C(0x0000ffff0000ffff);
	*value = (sum | sum >> 16) & UINT32_MAX;
	return count;
}

static inline unsigned decimal_digits(uint64_t word, uint32_t *value)
{
	unsigned count = marked_first(bytes_between(word, '0', '9'));
	uint64_t sum = word & EACH(0x0f);

	if (count == 0)
		return 0;
	sum <<= (WORD_DIGITS - count) * 8;
	sum = (sum * 10 + (sum >> 8)) & UINT64_C(0x00ff00ff00ff00ff);
	sum = (sum * 100 + (sum >> 16)) & UINT64_C(0x0000ffff0000ffff);
	*value = (uint32_t)(sum * 10000 + (sum >> 32));
	return count;
}

/* --- Lines --------------------------------------------------------------------------- */

bool record_next(const char **at, const char *end, struct fields *line)
{
	const char *stop;

	if (*at == end)
		return false;
	stop = memchr(*at, '\n', (size_t)(end - *at));
	line->at = *at;
	line->end = stop ? stop : end;
	*at = stop ? stop + 1 : end;
	while (line->end > line->at && line->end[-1] == '\r')
		line->end--;
	return true;
}

bool record_next_line(const char **at, const char *end, struct line_fields *line)
{
	const char *here = *at;
	unsigned count;

	/* No field is longer than a word, so all four are read inside the file. */
	if ((size_t)(end - here) < LINE_BYTES_MOST)
		return false;
	count = hex_digits(word_at(here), &line->address);
	if (count == 0 || here[count] != ' ')
		return false;
	here += count + 1;
	count = hex_digits(word_at(here), &line->size);
	if (count == 0 || here[count] != ' ')
		return false;
	here += count + 1;
	count = decimal_digits(word_at(here), &line->line);
	if (count == 0 || here[count] != ' ')
		return false;
	here += count + 1;
	count = decimal_digits(word_at(here), &line->file);
	if (count == 0)
		return false;
	here += count;
	here += *here == '\r';
	if (*here != '\n')
		return false;
	*at = here + 1;
	return true;
}

/* --- Fields -------------------------------------------------------------------------- */

static inline bool is_separator(char c)
{
	return c == ' ' || c == '\t';
}

static inline void skip_separators(struct fields *fields)
{
	while (fields->at < fields->end && is_separator(*fields->at))
		fields->at++;
}

enum record_type record_kind(struct fields *line)
{
	size_t left = (size_t)(line->end - line->at);

	if (left == 0)
		return RECORD_EMPTY;
	/* Nearly all lines begin with a digit or a small letter. */
	if (line->at[0] < 'A' || line->at[0] > 'Z')
		return RECORD_LINE;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t size = words[i].word.size;

		if (left > size && is_separator(line->at[size]) &&
		    memcmp(line->at, words[i].word.bytes, size) == 0) {
			line->at += size;
			skip_separators(line);
			return words[i].record;
		}
	}
	return RECORD_LINE;
}

/* A field ends at a separator or with the line. */
static inline bool end_field(struct fields *fields, const char *at)
{
	if (at != fields->end && !is_separator(*at))
		return false;
	fields->at = at;
	skip_separators(fields);
	return true;
}

static inline unsigned hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	if (c >= 'a' && c <= 'f')
		return (unsigned)(c - 'a') + 10;
	if (c >= 'A' && c <= 'F')
		return (unsigned)(c - 'A') + 10;
	return 16;
}

bool field_hex(struct fields *fields, uint64_t *value)
{
	const char *at = fields->at;
	uint64_t sum = 0;
	unsigned digit;

	if (fields->end - at >= (ptrdiff_t)WORD_DIGITS)
		at += hex_digits(word_at(at), &sum);
	while (at < fields->end && (digit = hex_value(*at)) < 16) {
		sum = sum << 4 | digit;
		at++;
	}
	*value = sum;
	return at != fields->at && (size_t)(at - fields->at) <= HEX_DIGITS_MOST &&
	       end_field(fields, at);
}

bool field_decimal(struct fields *fields, uint32_t *value)
{
	const char *at = fields->at;
	uint32_t first = 0;
	uint64_t sum;

	if (fields->end - at >= (ptrdiff_t)WORD_DIGITS)
		at += decimal_digits(word_at(at), &first);
	sum = first;
	while (at < fields->end && *at >= '0' && *at <= '9' && sum <= UINT32_MAX)
		sum = sum * 10 + (uint64_t)(*at++ - '0');
	*value = (uint32_t)sum;
	return at != fields->at && (size_t)(at - fields->at) <= DECIMAL_DIGITS_MOST &&
	       sum <= UINT32_MAX && end_field(fields, at);
}

/* Microsoft's tools wrote lines such as -1 for code without a place in the source. */
bool field_line_number(struct fields *fields, uint32_t *value)
{
	if (fields->at < fields->end && *fields->at == '-') {
		bool fits;

		fields->at++;
		fits = field_decimal(fields, value);
		*value = 0;
		return fits;
	}
	return field_decimal(fields, value);
}

struct text field_word(struct fields *fields)
{
	const char *start = fields->at, *at = start;

	while (at < fields->end && !is_separator(*at))
		at++;
	(void)end_field(fields, at);
	return (struct text){ start, (size_t)(at - start) };
}

struct text field_rest(struct fields *fields)
{
	struct text rest = { fields->at, (size_t)(fields->end - fields->at) };

	fields->at = fields->end;
	return rest;
}

void field_skip_multiple(struct fields *fields)
{
	if (fields->end - fields->at >= 2 && fields->at[0] == 'm' && is_separator(fields->at[1])) {
		fields->at++;
		skip_separators(fields);
	}
}
