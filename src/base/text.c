/* text.c -- see text.h. */
#include "base/text.h"

int ascii_hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

bool text_equal_ignoring_case(struct text a, struct text b)
{
	if (a.size != b.size)
		return false;
	for (size_t i = 0; i < a.size; i++)
		if (ascii_lower(a.bytes[i]) != ascii_lower(b.bytes[i]))
			return false;
	return true;
}

#define HEX_DIGITS_MAX 16u           /* of 64 bits */

static bool hex_to_u64(struct text text, uint64_t *value)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < text.size; i++) {
		int digit = ascii_hex_value(text.bytes[i]);

		if (digit < 0)
			return false;
		sum = sum << 4 | (unsigned)digit;
	}
	*value = sum;
	return true;
}

bool text_to_u64(struct text text, unsigned base, uint64_t *value)
{
	uint64_t sum = 0;

	if (text.size == 0)
		return false;
	if (base == 16 && text.size <= HEX_DIGITS_MAX)
		return hex_to_u64(text, value);
	for (size_t i = 0; i < text.size; i++) {
		int digit = ascii_hex_value(text.bytes[i]);

		if (digit < 0 || (unsigned)digit >= base ||
		    __builtin_mul_overflow(sum, (uint64_t)base, &sum) ||
		    __builtin_add_overflow(sum, (uint64_t)digit, &sum))
			return false;
	}
	*value = sum;
	return true;
}

#define ONES  0x0101010101010101u
#define HIGHS 0x8080808080808080u

static bool is_plain(unsigned char c)
{
	return c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
}

/* Which of eight bytes are controls, quotes, backslashes or not ASCII, by their top bits?  The
 * subtractions may borrow into bytes above the first such one: only the lowest bit is sure. */
static uint64_t specials(uint64_t word)
{
	uint64_t quotes = word ^ ONES * '"';
	uint64_t slashes = word ^ ONES * '\\';

	return ((word - ONES * 0x20) | (quotes - ONES) | (slashes - ONES) | word) & HIGHS;
}

static bool has_special(uint64_t word)
{
	return specials(word) != 0;
}

size_t ascii_plain_run(const char *bytes, size_t size)
{
	size_t at = 0;
	uint64_t word;

	for (; size - at >= sizeof(word); at += sizeof(word)) {
		memcpy(&word, bytes + at, sizeof(word));
		word = specials(word);
		if (word)
			return at + (size_t)__builtin_ctzll(word) / 8;
	}
	while (at < size && is_plain((unsigned char)bytes[at]))
		at++;
	return at;
}

size_t ascii_copy_plain(char *to, const char *bytes, size_t size)
{
	size_t at = 0;
	uint64_t word;

	for (; size - at >= sizeof(word); at += sizeof(word)) {
		memcpy(&word, bytes + at, sizeof(word));
		if (has_special(word))
			break;
		memcpy(to + at, &word, sizeof(word));
	}
	/* What is left is looked at with some of what was before, in one. */
	if (at > 0 && at < size && size - at < sizeof(word)) {
		memcpy(&word, bytes + size - sizeof(word), sizeof(word));
		if (!has_special(word)) {
			memcpy(to + size - sizeof(word), &word, sizeof(word));
			return size;
		}
	}
	for (; at < size && is_plain((unsigned char)bytes[at]); at++)
		to[at] = bytes[at];
	return at;
}

static bool is_separator(char c)
{
	return c == '/' || c == '\\';
}

struct text text_cut(struct text *rest, char byte)
{
	const char *end = rest->size ? memchr(rest->bytes, byte, rest->size) : NULL;
	struct text part = { rest->bytes, end ? (size_t)(end - rest->bytes) : rest->size };

	*rest = end ? text_from(*rest, part.size + 1) : text_from(*rest, part.size);
	return part;
}

bool text_take_line(struct text *rest, struct text *line)
{
	if (rest->size == 0)
		return false;
	*line = text_cut(rest, '\n');
	return true;
}

struct text text_trim(struct text text)
{
	while (text.size > 0 && ascii_is_blank(text.bytes[0])) {
		text.bytes++;
		text.size--;
	}
	while (text.size > 0 && ascii_is_blank(text.bytes[text.size - 1]))
		text.size--;
	return text;
}

bool text_has_controls(struct text text)
{
	for (size_t i = 0; i < text.size; i++)
		if ((uint8_t)text.bytes[i] < ' ' || text.bytes[i] == 0x7f)
			return true;
	return false;
}

struct text text_basename(struct text path)
{
	size_t end = path.size;
	size_t start;

	while (end > 0 && is_separator(path.bytes[end - 1]))
		end--;
	start = end;
	while (start > 0 && !is_separator(path.bytes[start - 1]))
		start--;
	if (!path.bytes)
		return TEXT_NONE;
	return (struct text){ path.bytes + start, end - start };
}

/*
 * Well-formed UTF-8 (Unicode table 3-7): the lead byte gives the length and the range of
 * the second byte, which keeps out overlong forms, surrogates and all above U+10FFFF.
 */
static size_t sequence_shape(uint8_t lead, uint8_t *low, uint8_t *high)
{
	*low = 0x80;
	*high = 0xbf;
	if (lead >= 0xc2 && lead <= 0xdf)
		return 2;
	if (lead >= 0xe0 && lead <= 0xef) {
		*low = lead == 0xe0 ? 0xa0 : 0x80;
		*high = lead == 0xed ? 0x9f : 0xbf;
		return 3;
	}
	if (lead >= 0xf0 && lead <= 0xf4) {
		*low = lead == 0xf0 ? 0x90 : 0x80;
		*high = lead == 0xf4 ? 0x8f : 0xbf;
		return 4;
	}
	return 0;
}

size_t utf8_step(const char *bytes, size_t size, bool *valid)
{
	const uint8_t *at = (const uint8_t *)bytes;
	uint8_t low, high;
	size_t want, have;

	*valid = at[0] < 0x80;
	if (*valid)
		return 1;
	want = sequence_shape(at[0], &low, &high);
	for (have = 1; have < want && have < size; have++) {
		if (at[have] < low || at[have] > high)
			return have;
		low = 0x80;
		high = 0xbf;
	}
	*valid = want && have == want;
	return have;
}

bool utf8_is_control(const char *bytes, size_t size)
{
	unsigned char first = (unsigned char)bytes[0];

	if (size == 1)
		return first < ' ' || first == 0x7f;
	return size == 2 && first == 0xc2 && (unsigned char)bytes[1] < 0xa0;
}

size_t utf8_put(uint32_t character, char out[4])
{
	if (character < 0x80) {
		out[0] = (char)character;
		return 1;
	}
	if (character < 0x800) {
		out[0] = (char)(0xc0 | character >> 6);
		out[1] = (char)(0x80 | (character & 0x3f));
		return 2;
	}
	if (character < 0x10000) {
		out[0] = (char)(0xe0 | character >> 12);
		out[1] = (char)(0x80 | (character >> 6 & 0x3f));
		out[2] = (char)(0x80 | (character & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | character >> 18);
	out[1] = (char)(0x80 | (character >> 12 & 0x3f));
	out[2] = (char)(0x80 | (character >> 6 & 0x3f));
	out[3] = (char)(0x80 | (character & 0x3f));
	return 4;
}

/* How many leading bytes are ASCII, eight at a time. */
static size_t ascii_run(const char *bytes, size_t size)
{
	size_t at = 0;
	uint64_t word;

	for (; size - at >= sizeof(word); at += sizeof(word)) {
		memcpy(&word, bytes + at, sizeof(word));
		if (word & 0x8080808080808080u)
			break;
	}
	while (at < size && !((uint8_t)bytes[at] & 0x80))
		at++;
	return at;
}

bool text_is_utf8(struct text text)
{
	size_t at = 0;
	bool valid = true;

	while (at < text.size && valid) {
		at += ascii_run(text.bytes + at, text.size - at);
		if (at < text.size)
			at += utf8_step(text.bytes + at, text.size - at, &valid);
	}
	return valid;
}

#define DISTANCE_BYTES 96u

/* Row by row of the table, of which one is kept. */
size_t text_edit_distance(struct text a, struct text b)
{
	size_t row[DISTANCE_BYTES + 1];

	if (b.size > DISTANCE_BYTES)
		return a.size > b.size ? a.size : b.size;
	for (size_t x = 0; x <= b.size; x++)
		row[x] = x;
	for (size_t y = 0; y < a.size; y++) {
		size_t corner = row[0];

		row[0] = y + 1;
		for (size_t x = 1; x <= b.size; x++) {
			size_t best = corner + (a.bytes[y] != b.bytes[x - 1]);

			corner = row[x];
			if (row[x] + 1 < best)
				best = row[x] + 1;
			if (row[x - 1] + 1 < best)
				best = row[x - 1] + 1;
			row[x] = best;
		}
	}
	return row[b.size];
}
