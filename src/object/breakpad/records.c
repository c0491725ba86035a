/* records.c -- see records.h.  Symbol files are read at hundreds of megabytes per second, so
 * a line costs one memchr() and its fields are read where they stand. */
#include "object/breakpad/records.h"

#define HEX_DIGITS_MOST     16u
#define DECIMAL_DIGITS_MOST 10u

static const struct {
	struct text word;
	enum record record;
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

static inline bool is_separator(char c)
{
	return c == ' ' || c == '\t';
}

static inline void skip_separators(struct fields *fields)
{
	while (fields->at < fields->end && is_separator(*fields->at))
		fields->at++;
}

enum record record_kind(struct fields *line)
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
	uint64_t sum = 0;

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
