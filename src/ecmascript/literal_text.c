/* literal_text.c -- see literal_text.h. */
#include "ecmascript/literal_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "ecmascript/characters.h"

#define SOURCE_BYTES_MAX 400u    /* of a number; what is longer stands as it was written */
#define NUMBER_BYTES     1200u   /* digits of the longest double, or of a BigInt of SOURCE_BYTES_MAX */
#define BIG_DIGIT        1000000000u

static bool is_surrogate(uint32_t code)
{
	return code >= 0xD800 && code <= 0xDFFF;
}

static size_t put_utf8(char *out, uint32_t code)
{
	if (code < 0x80) {
		out[0] = (char)code;
		return 1;
	}
	if (code < 0x800) {
		out[0] = (char)(0xC0 | code >> 6);
		out[1] = (char)(0x80 | (code & 0x3F));
		return 2;
	}
	if (code < 0x10000) {
		out[0] = (char)(0xE0 | code >> 12);
		out[1] = (char)(0x80 | (code >> 6 & 0x3F));
		out[2] = (char)(0x80 | (code & 0x3F));
		return 3;
	}
	out[0] = (char)(0xF0 | (code >> 18 & 7));
	out[1] = (char)(0x80 | (code >> 12 & 0x3F));
	out[2] = (char)(0x80 | (code >> 6 & 0x3F));
	out[3] = (char)(0x80 | (code & 0x3F));
	return 4;
}

static uint32_t hex_digits(struct text *left, size_t max)
{
	uint32_t value = 0;

	for (size_t i = 0; i < max && left->size && character_is_hex((uint8_t)left->bytes[0]); i++) {
		uint8_t digit = (uint8_t)left->bytes[0];

		value = value << 4 | (digit <= '9' ? digit - (uint32_t)'0' : (digit | 0x20u) - 'a' + 10u);
		if (value > 0x10FFFF)
			value = 0xFFFD;
		*left = text_from(*left, 1);
	}
	return value;
}

/* Behind "\u". */
static uint32_t unicode_escape(struct text *left)
{
	uint32_t code;

	if (!left->size || left->bytes[0] != '{')
		return hex_digits(left, 4);
	*left = text_from(*left, 1);
	code = hex_digits(left, left->size);
	if (left->size)
		*left = text_from(*left, 1);
	return code;
}

/* Behind an escape for the first half of a pair: the whole, or the half where no second follows. */
static uint32_t joined(uint32_t code, struct text *left)
{
	struct text behind;
	uint32_t second;

	if (code < 0xD800 || code > 0xDBFF || !text_starts_with(*left, "\\u"))
		return code;
	behind = text_from(*left, 2);
	second = unicode_escape(&behind);
	if (second < 0xDC00 || second > 0xDFFF)
		return code;
	*left = behind;
	return 0x10000 + ((code - 0xD800) << 10) + (second - 0xDC00);
}

static uint32_t octal_escape(char first, struct text *left)
{
	uint32_t value = (uint32_t)(first - '0');
	size_t more = first <= '3' ? 2 : 1;

	for (size_t i = 0; i < more && left->size && left->bytes[0] >= '0' && left->bytes[0] <= '7'; i++) {
		value = value * 8 + (uint32_t)(left->bytes[0] - '0');
		*left = text_from(*left, 1);
	}
	return value;
}

#define NO_CODE UINT32_MAX

/* A LineContinuation: its rest behind the backslash and `first`. */
static uint32_t line_continuation(char first, struct text *left)
{
	if (first == '\r' && left->size && left->bytes[0] == '\n')
		*left = text_from(*left, 1);
	return NO_CODE;
}

/* EscapeSequence: `left` is behind the backslash, and not empty. */
static uint32_t escape(struct text *left)
{
	static const char letters[] = "bfnrtv", codes[] = "\b\f\n\r\t\v";
	char first = left->bytes[0];
	const char *letter = first ? strchr(letters, first) : NULL;

	if (character_is_line_end((const uint8_t *)left->bytes, left->size)) {
		*left = text_from(*left, 3);
		return NO_CODE;
	}
	*left = text_from(*left, 1);
	if (letter)
		return (uint32_t)codes[letter - letters];
	if (first == 'u')
		return joined(unicode_escape(left), left);
	if (first == 'x')
		return hex_digits(left, 2);
	if (first >= '0' && first <= '7')
		return octal_escape(first, left);
	if (first == '\n' || first == '\r')
		return line_continuation(first, left);
	return (uint8_t)first;
}

/* No escape makes more bytes than three of a lone surrogate's six: "\u{D800}" for "\ud800". */
static size_t decode(char *out, struct text source)
{
	size_t size = 0;

	while (source.size) {
		uint32_t code;

		if (source.bytes[0] != '\\' || source.size == 1) {
			out[size++] = source.bytes[0];
			source = text_from(source, 1);
			continue;
		}
		source = text_from(source, 1);
		if ((uint8_t)source.bytes[0] >= 0x80 &&
		    !character_is_line_end((const uint8_t *)source.bytes, source.size))
			continue;
		code = escape(&source);
		if (code == NO_CODE)
			continue;
		if (is_surrogate(code))
			size += (size_t)snprintf(out + size, sizeof("\\u{D800}"), "\\u{%X}", code);
		else
			size += put_utf8(out + size, code);
	}
	return size;
}

struct text literal_text_as_is(struct text source, const char *before, const char *behind,
			       struct arena *arena)
{
	size_t head = strlen(before), tail = strlen(behind);
	char *bytes = arena_alloc_raw(arena, head + source.size + tail + 1, 1);

	if (!bytes)
		return TEXT_NONE;
	memcpy(bytes, before, head);
	memcpy(bytes + head, source.bytes, source.size);
	memcpy(bytes + head + source.size, behind, tail);
	return (struct text){ bytes, head + source.size + tail };
}

static struct text decoded(struct text source, const char *before, const char *behind,
			   struct arena *arena)
{
	size_t head = strlen(before), tail = strlen(behind), size;
	/* 8 bytes of "\u{D800}" and its NUL from 6 */
	char *bytes = arena_alloc_raw(arena, head + source.size / 3 * 4 + tail + 16, 1);

	if (!bytes)
		return TEXT_NONE;
	memcpy(bytes, before, head);
	size = head + decode(bytes + head, source);
	memcpy(bytes + size, behind, tail);
	return (struct text){ bytes, size + tail };
}

struct text literal_text_name(struct text source, struct arena *arena)
{
	return decoded(source, "", "", arena);
}

struct text literal_text_string(struct text source, const char *before, const char *behind,
				struct arena *arena)
{
	struct text inside = { source.bytes + 1, source.size >= 2 ? source.size - 2 : 0 };

	return decoded(inside, before, behind, arena);
}

/* The digits without separators, NUL-ended. */
static size_t bare_digits(char *out, struct text source)
{
	size_t size = 0;

	for (size_t i = 0; i < source.size; i++)
		if (source.bytes[i] != '_')
			out[size++] = source.bytes[i];
	out[size] = '\0';
	return size;
}

/* The base a literal is written in, and where its digits start. */
static unsigned base_of(const char *digits, size_t size, size_t *start)
{
	char second = size > 1 ? (char)(digits[1] | 0x20) : '\0';
	bool is_octal = size > 1 && digits[0] == '0' && strspn(digits, "01234567") == size;

	*start = is_octal ? 1 : 2;
	if (is_octal)
		return 8;
	if (digits[0] == '0' && second == 'x')
		return 16;
	if (digits[0] == '0' && second == 'o')
		return 8;
	if (digits[0] == '0' && second == 'b')
		return 2;
	*start = 0;
	return 10;
}

static unsigned digit_of(char digit)
{
	return digit <= '9' ? (unsigned)(digit - '0') : (unsigned)(digit | 0x20) - 'a' + 10u;
}

/* Rounds once, at the end: what fits in 53 bits is exact. */
static double value_of(const char *digits, size_t size)
{
	double value = 0;
	size_t at;
	unsigned base = base_of(digits, size, &at);

	if (base == 10)
		return strtod(digits, NULL);
	for (; at < size; at++)
		value = value * base + digit_of(digits[at]);
	return value;
}

/* The shortest digits that mean the same number, written without an exponent. */
static void print_number(char *out, size_t room, double value)
{
	char digits[32];
	int precision = 0, exponent;
	size_t count, size = 0;

	do {
		snprintf(digits, sizeof(digits), "%.*e", precision, value);
	} while (strtod(digits, NULL) != value && precision++ < 17);
	exponent = (int)strtol(strchr(digits, 'e') + 1, NULL, 10);
	*strchr(digits, 'e') = '\0';
	if (precision > 0)
		memmove(digits + 1, digits + 2, strlen(digits + 2) + 1);
	count = strlen(digits);
	if (exponent < 0) {
		size = (size_t)snprintf(out, room, "0.%0*d%s", -exponent - 1, 0, digits);
		if (exponent == -1)
			snprintf(out, room, "0.%s", digits);
		return;
	}
	for (size_t i = 0; i <= (size_t)exponent || i < count; i++) {
		if (i == (size_t)exponent + 1)
			out[size++] = '.';
		out[size++] = i < count ? digits[i] : '0';
	}
	out[size] = '\0';
}

struct text literal_text_number(struct text source, const char *before, const char *behind,
				struct arena *arena)
{
	char digits[SOURCE_BYTES_MAX + 1], out[NUMBER_BYTES];
	double value;

	if (source.size > SOURCE_BYTES_MAX)
		return literal_text_as_is(source, before, behind, arena);
	value = value_of(digits, bare_digits(digits, source));
	if (isinf(value) || isnan(value))
		return literal_text_as_is(TEXT("inf"), before, behind, arena);
	print_number(out, sizeof(out), value);
	return literal_text_as_is(text_of(out), before, behind, arena);
}

/* `digits` of a base as decimal digits, by long multiplication. */
static void print_big(char *out, const char *digits, size_t size, unsigned base)
{
	uint32_t parts[NUMBER_BYTES / 9] = { 0 };
	size_t count = 1, length;

	for (size_t i = 0; i < size; i++) {
		uint64_t carry = digit_of(digits[i]);

		for (size_t j = 0; j < count; j++) {
			carry += (uint64_t)parts[j] * base;
			parts[j] = (uint32_t)(carry % BIG_DIGIT);
			carry /= BIG_DIGIT;
		}
		if (carry)
			parts[count++] = (uint32_t)carry;
	}
	length = (size_t)snprintf(out, NUMBER_BYTES, "%u", parts[count - 1]);
	while (--count > 0)
		length += (size_t)snprintf(out + length, NUMBER_BYTES - length, "%09u", parts[count - 1]);
}

struct text literal_text_bigint(struct text source, const char *before, const char *behind,
				struct arena *arena)
{
	char digits[SOURCE_BYTES_MAX + 1], out[NUMBER_BYTES];
	size_t size, at;
	unsigned base;

	if (source.size > SOURCE_BYTES_MAX)
		return literal_text_as_is(source, before, behind, arena);
	size = bare_digits(digits, (struct text){ source.bytes, source.size - 1 });
	base = base_of(digits, size, &at);
	for (size_t i = at; i < size; i++)
		if (digits[i] == '\0' || digit_of(digits[i]) >= base)
			return literal_text_as_is(source, before, behind, arena);
	print_big(out, digits + at, size - at, base);
	memcpy(digits, "n", 2);
	return literal_text_as_is(text_of(strncat(out, digits, sizeof(out) - strlen(out) - 1)), before,
				  behind, arena);
}
