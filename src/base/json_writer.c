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

static void add_quoted(struct buf *out, struct text value)
{
	size_t at = 0;

	buf_add_char(out, '"');
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
	char *start = at;

	if (!at)
		return;
	if (json->need_comma)
		*at++ = ',';
	*at++ = '"';
	memcpy(at, key, size);
	at += size;
	*at++ = '"';
	*at++ = ':';
	*at = '\0';
	json->out->size += (size_t)(at - start);
	json->need_comma = false;
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

/* Writes the digits backwards from `end`; returns where they start. */
static char *digits_before(char *end, uint64_t value)
{
	do {
		*--end = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	return end;
}

void json_u64(struct json_writer *json, uint64_t value)
{
	char number[NUMBER_BYTES];
	char *end = number + sizeof(number);
	char *start = digits_before(end, value);

	before_value(json);
	buf_add(json->out, start, (size_t)(end - start));
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

void json_hex(struct json_writer *json, uint64_t value)
{
	static const char digits[] = "0123456789abcdef";
	char number[NUMBER_BYTES];
	char *end = number + sizeof(number);
	char *start = end;

	*--start = '"';
	do {
		*--start = digits[value & 15];
		value >>= 4;
	} while (value);
	*--start = 'x';
	*--start = '0';
	*--start = '"';
	before_value(json);
	buf_add(json->out, start, (size_t)(end - start));
}

void json_raw(struct json_writer *json, struct text value)
{
	before_value(json);
	buf_add_text(json->out, value);
}
