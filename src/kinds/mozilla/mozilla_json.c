/* mozilla_json.c -- see mozilla_json.h. */
#include "kinds/mozilla/mozilla_json.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/json_writer.h"

#define WORDS_BYTES 256u             /* of a refusal */

static struct json_reader reader_of(struct text text)
{
	return json_reader_over("the body", text);
}

bool mozilla_json_check(struct text body, struct text *json)
{
	struct json_reader reader;

	if (text_starts_with(body, "\xef\xbb\xbf"))
		body = text_from(body, 3);
	if (!text_is_utf8(body))
		return false;
	reader = reader_of(body);
	*json = mozilla_json_take(&reader);
	return json->size > 0 && json_reader_at_end(&reader);
}

struct text mozilla_json_take(struct json_reader *json)
{
	size_t start;

	(void)json_reader_peek(json);
	start = json->pos;
	json_reader_skip(json);
	return (struct text){ json->bytes + start, json->missing ? 0 : json->pos - start };
}

struct text mozilla_json_member(struct text object, const char *name)
{
	struct json_reader json = reader_of(object);
	struct text found = TEXT_NONE;
	struct json_string key;

	if (json_reader_object(&json)) {
		while (json_reader_member(&json, &key)) {
			struct text value = mozilla_json_take(&json);

			if (json_string_is(&key, name))
				found = value;
		}
	}
	return found;
}

static size_t count_characters(const struct json_string *string)
{
	size_t count = 0;

	for (size_t at = 0; at < string->raw.size; count++) {
		bool valid;

		if (string->raw.bytes[at] == '\\')
			at += string->raw.bytes[at + 1] == 'u' ? 6 : 2;
		else
			at += utf8_step(string->raw.bytes + at, string->raw.size - at, &valid);
	}
	return count;
}

size_t mozilla_json_count(struct text value)
{
	struct json_reader json = reader_of(value);
	struct json_string string;
	size_t count = 0;

	if (json_reader_array(&json)) {
		for (; json_reader_element(&json); count++)
			json_reader_skip(&json);
		return count;
	}
	if (json_reader_object(&json)) {
		for (; json_reader_member(&json, &string); count++)
			json_reader_skip(&json);
		return count;
	}
	return json_reader_string(&json, &string) ? count_characters(&string) : SIZE_MAX;
}

bool mozilla_json_pair(struct text value, struct text pair[2])
{
	struct json_reader json = reader_of(value);
	size_t count = 0;

	if (!json_reader_array(&json))
		return false;
	for (; json_reader_element(&json); count++) {
		if (count == 2)
			return false;
		pair[count] = mozilla_json_take(&json);
	}
	return count == 2;
}

bool mozilla_json_string(struct text value, struct arena *arena, struct text *string, bool *no_memory)
{
	struct json_reader json = reader_of(value);
	struct json_string raw;

	if (!json_reader_string(&json, &raw))
		return false;
	*no_memory = !json_string_text(&raw, arena, string);
	return !*no_memory;
}

int mozilla_json_member_string(struct text object, const char *name, struct arena *arena, struct text *string,
			       struct err *err)
{
	bool no_memory = false;
	struct text value = mozilla_json_member(object, name), kept;
	char *copy;

	if (!value.bytes || !mozilla_json_string(value, arena, &kept, &no_memory))
		return no_memory ? err_no_memory(err) : 1;
	copy = arena_strndup(arena, kept.bytes, kept.size);
	*string = (struct text){ copy, kept.size };
	return copy ? 0 : err_no_memory(err);
}

static bool is_zero(struct text number)
{
	for (size_t i = 0; i < number.size; i++) {
		if (ascii_lower(number.bytes[i]) == 'e')
			break;
		if (number.bytes[i] >= '1' && number.bytes[i] <= '9')
			return false;
	}
	return true;
}

bool mozilla_json_is_true(struct text value)
{
	if (mozilla_json_is_number(value))
		return !is_zero(value);
	return text_is(value, "true") || (value.size > 0 && strchr("[{\"", value.bytes[0]) &&
					  mozilla_json_count(value) > 0);
}

bool mozilla_json_integer(struct text value, struct mozilla_offset *integer)
{
	bool is_negative = value.size > 0 && value.bytes[0] == '-';

	if (!text_to_u64(text_from(value, is_negative), 10, &integer->magnitude))
		return false;
	integer->is_negative = is_negative && integer->magnitude > 0;
	return true;
}

int mozilla_refuse(struct mozilla_request *request, struct arena *arena, struct err *err,
		   const char *fmt, ...)
{
	char words[WORDS_BYTES];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(words, sizeof(words), fmt, ap);
	va_end(ap);
	request->refusal = arena_strdup(arena, words);
	return request->refusal ? 1 : err_no_memory(err);
}

void mozilla_write_local_refusal(struct text words, struct buf *out)
{
	struct json_writer json;

	json_writer_init(&json, out);
	json_object(&json);
	json_member_text(&json, "title", words);
	json_member_text(&json, "error", words);
	json_object_end(&json);
}
