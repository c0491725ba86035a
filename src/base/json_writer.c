/* json_writer.c -- see json_writer.h. */
#include "base/json_writer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

#define NUMBER_BYTES 32u

void json_writer_init(struct json_writer *json, struct buf *out)
{
	*json = (struct json_writer){ .out = out };
}

/* The comma before a value that is not the first of its array or object. */
static void before_value(struct json_writer *json)
{
	if (json->need_comma)
		buf_add_char(json->out, ',');
	json->need_comma = true;
}

static void open_bracket(struct json_writer *json, char bracket)
{
	before_value(json);
	buf_add_char(json->out, bracket);
	json->depth++;
	json->need_comma = false;
}

static void close_bracket(struct json_writer *json, char bracket)
{
	buf_add_char(json->out, bracket);
	if (json->depth)
		json->depth--;
	json->need_comma = true;
}

void json_object(struct json_writer *json)
{
	open_bracket(json, '{');
}

void json_object_end(struct json_writer *json)
{
	close_bracket(json, '}');
}

void json_array(struct json_writer *json)
{
	open_bracket(json, '[');
}

void json_array_end(struct json_writer *json)
{
	close_bracket(json, ']');
}

static void add_escape(struct buf *out, unsigned char c)
{
	static const char shorts[] = "\"\"\\\\\bb\ff\nn\rr\tt";
	static const char digits[] = "0123456789abcdef";
	char escape[6] = { '\\', 'u', '0', '0', digits[c >> 4], digits[c & 15] };

	for (size_t i = 0; shorts[i]; i += 2) {
		if ((unsigned char)shorts[i] == c) {
			escape[1] = shorts[i + 1];
			buf_add(out, escape, 2);
			return;
		}
	}
	buf_add(out, escape, sizeof(escape));
}

/* From byte `from` on: what is before it is written. */
static void add_rest_of_string(struct buf *out, struct text value, size_t from)
{
	size_t at = from;

	while (at < value.size) {
		const char *here = value.bytes + at;
		size_t size = ascii_plain_run(here, value.size - at);
		bool valid = true;

		if (size == 0 && (unsigned char)*here < 0x80) {
			add_escape(out, (unsigned char)*here);
			at++;
			continue;
		}
		if (size == 0)
			size = utf8_step(here, value.size - at, &valid);
		if (valid)
			buf_add(out, here, size);
		else
			buf_add(out, "\xef\xbf\xbd", 3);        /* U+FFFD */
		at += size;
	}
	buf_add_char(out, '"');
}

/* --- Members, by the thousand: what there is room for is written without a call ---------- */

#define MEMBER_BYTES sizeof(",\"\":\"\"")   /* beside its key and its value */

/* Where the next `size` bytes and a NUL go; NULL: the buffer has to grow, or may not. */
static char *room_at_hand(const struct buf *out, size_t size)
{
	return !out->failed && size < out->capacity - out->size &&
	       size <= out->ceiling_bytes - out->size ? out->bytes + out->size : NULL;
}

static char *put(char *at, const char *bytes, size_t size)
{
	memcpy(at, bytes, size);
	return at + size;
}

static char *put_key(struct json_writer *json, char *at, const char *key, size_t size)
{
	*at = ',';
	at += json->need_comma;
	*at++ = '"';
	at = put(at, key, size);
	*at++ = '"';
	*at++ = ':';
	return at;
}

static void end_at(struct json_writer *json, char *at)
{
	*at = '\0';
	json->out->size = (size_t)(at - json->out->bytes);
	json->need_comma = true;
}

static void add_quoted(struct buf *out, struct text value)
{
	char *at = room_at_hand(out, value.size + 2);
	size_t plain = 0;

	if (!at) {
		buf_add_char(out, '"');
	} else {
		*at++ = '"';
		plain = ascii_copy_plain(at, value.bytes, value.size);
		at += plain;
		if (plain == value.size)
			*at++ = '"';
		*at = '\0';
		out->size = (size_t)(at - out->bytes);
		if (plain == value.size)
			return;
	}
	add_rest_of_string(out, value, plain);
}

void json_key_text(struct json_writer *json, struct text key)
{
	before_value(json);
	add_quoted(json->out, key);
	buf_add_char(json->out, ':');
	json->need_comma = false;
}

void json_key_known(struct json_writer *json, const char *key, size_t size)
{
	char *at = buf_reserve(json->out, size + sizeof(",\"\":") - 1);

	if (!at)
		return;
	end_at(json, put_key(json, at, key, size));
	json->need_comma = false;
}

void json_member_text_known(struct json_writer *json, const char *key, size_t key_size, struct text value)
{
	char *at = room_at_hand(json->out, key_size + MEMBER_BYTES + value.size);
	size_t plain;

	if (!at) {
		json_key_known(json, key, key_size);
		json_text(json, value);
		return;
	}
	at = put_key(json, at, key, key_size);
	*at++ = '"';
	plain = ascii_copy_plain(at, value.bytes, value.size);
	at += plain;
	if (plain == value.size)
		*at++ = '"';
	end_at(json, at);
	if (plain < value.size)
		add_rest_of_string(json->out, value, plain);
}

void json_member_word_known(struct json_writer *json, const char *key, size_t key_size, const char *word,
			    size_t size)
{
	char *at = room_at_hand(json->out, key_size + MEMBER_BYTES + size);

	if (!at) {
		json_key_known(json, key, key_size);
		json_text(json, (struct text){ word, size });
		return;
	}
	at = put_key(json, at, key, key_size);
	*at++ = '"';
	at = put(at, word, size);
	*at++ = '"';
	end_at(json, at);
}

void json_text(struct json_writer *json, struct text value)
{
	if (!value.bytes) {
		json_null(json);
		return;
	}
	before_value(json);
	add_quoted(json->out, value);
}

void json_string(struct json_writer *json, const char *value)
{
	json_text(json, text_of(value));
}

/* --- Numbers ------------------------------------------------------------------------------ */

/* Writes the digits backwards from `end`; returns where they start. */
static char *digits_before(char *end, uint64_t value)
{
	do {
		*--end = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	return end;
}

static char *hex_before(char *end, uint64_t value)
{
	static const char digits[] = "0123456789abcdef";

	*--end = '"';
	do {
		*--end = digits[value & 15];
		value >>= 4;
	} while (value);
	*--end = 'x';
	*--end = '0';
	*--end = '"';
	return end;
}

static void add_number(struct json_writer *json, const char *start, const char *end)
{
	before_value(json);
	buf_add(json->out, start, (size_t)(end - start));
}

static void add_number_member(struct json_writer *json, const char *key, size_t key_size,
			      const char *start, const char *end)
{
	size_t size = (size_t)(end - start);
	char *at = room_at_hand(json->out, key_size + MEMBER_BYTES + size);

	if (!at) {
		json_key_known(json, key, key_size);
		add_number(json, start, end);
		return;
	}
	end_at(json, put(put_key(json, at, key, key_size), start, size));
}

void json_u64(struct json_writer *json, uint64_t value)
{
	char number[NUMBER_BYTES], *end = number + sizeof(number);

	add_number(json, digits_before(end, value), end);
}

void json_member_u64_known(struct json_writer *json, const char *key, size_t key_size, uint64_t value)
{
	char number[NUMBER_BYTES], *end = number + sizeof(number);

	add_number_member(json, key, key_size, digits_before(end, value), end);
}

void json_hex(struct json_writer *json, uint64_t value)
{
	char number[NUMBER_BYTES], *end = number + sizeof(number);

	add_number(json, hex_before(end, value), end);
}

void json_member_hex_known(struct json_writer *json, const char *key, size_t key_size, uint64_t value)
{
	char number[NUMBER_BYTES], *end = number + sizeof(number);

	add_number_member(json, key, key_size, hex_before(end, value), end);
}

void json_i64(struct json_writer *json, int64_t value)
{
	char number[NUMBER_BYTES];
	char *end = number + sizeof(number);
	char *start = digits_before(end, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);

	if (value < 0)
		*--start = '-';
	before_value(json);
	buf_add(json->out, start, (size_t)(end - start));
}

/* The shortest of three lengths that reads back as the same number; whole numbers keep
 * a ".0" so that they stay fractional for the reader. */
void json_double(struct json_writer *json, double value)
{
	char number[NUMBER_BYTES];

	if (!isfinite(value)) {
		json_null(json);
		return;
	}
	for (int precision = 15; precision <= 17; precision++) {
		snprintf(number, sizeof(number), "%.*g", precision, value);
		if (strtod(number, NULL) == value)
			break;
	}
	before_value(json);
	buf_add_string(json->out, number);
	if (!strpbrk(number, ".e"))
		buf_add_string(json->out, ".0");
}

void json_bool(struct json_writer *json, bool value)
{
	before_value(json);
	buf_add_string(json->out, value ? "true" : "false");
}

void json_null(struct json_writer *json)
{
	before_value(json);
	buf_add(json->out, "null", 4);
}

void json_raw(struct json_writer *json, struct text value)
{
	before_value(json);
	buf_add_text(json->out, value);
}
