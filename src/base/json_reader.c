/* json_reader.c -- see json_reader.h. */
#include "base/json_reader.h"

#include "base/arena.h"
#include "base/err.h"
#include "base/limits.h"

#define CODE_DIGITS 4u               /* of \uXXXX */
#define REPLACEMENT 0xfffdu          /* U+FFFD */

/* The end is moved up to the failure, so that nothing is found from then on. */
bool json_reader_refuse(struct json_reader *json, const char *expected)
{
	if (!json->missing) {
		json->missing = expected;
		json->missing_at = json->pos;
	}
	json->size = json->pos;
	return false;
}

int json_reader_check(const struct json_reader *json, struct err *err)
{
	if (!json->missing)
		return 0;
	return err_set(err, ERR_MALFORMED, "%s has no %s at byte %zu", json->name, json->missing,
		       json->missing_at);
}

char json_reader_peek(struct json_reader *json)
{
	while (json->pos < json->size) {
		if (!ascii_is_blank(json->bytes[json->pos]))
			return json->bytes[json->pos];
		json->pos++;
	}
	return '\0';
}

bool json_reader_at_end(struct json_reader *json)
{
	(void)json_reader_peek(json);
	return json->pos == json->size && !json->missing;
}

static bool take(struct json_reader *json, char wanted)
{
	if (json_reader_peek(json) != wanted)
		return false;
	json->pos++;
	return true;
}

/* --- Strings ------------------------------------------------------------------------------ */

/* Behind a backslash.  No call: texts of programs have one in every line. */
static inline bool is_escape(char c)
{
	switch (c) {
	case '"': case '\\': case '/': case 'b': case 'f': case 'n': case 'r': case 't': case 'u':
		return true;
	default:
		return false;
	}
}

/* Past an escape, whose backslash is next. */
static bool take_escape(struct json_reader *json)
{
	struct text rest = { json->bytes + json->pos, json->size - json->pos };
	size_t size = 2;

	if (rest.size < size || !is_escape(rest.bytes[1]))
		return false;
	if (rest.bytes[1] == 'u') {
		size += CODE_DIGITS;
		if (rest.size < size)
			return false;
		for (size_t i = 2; i < size; i++)
			if (ascii_hex_value(rest.bytes[i]) < 0)
				return false;
	}
	json->pos += size;
	return true;
}

bool json_reader_string(struct json_reader *json, struct json_string *string)
{
	size_t start;
	char c;

	if (!take(json, '"'))
		return false;
	start = json->pos;
	string->has_escapes = false;
	for (;;) {
		json->pos += ascii_plain_run(json->bytes + json->pos, json->size - json->pos);
		c = json->pos < json->size ? json->bytes[json->pos] : '\0';
		if (c == '"')
			break;
		if ((unsigned char)c >= 0x80) {
			json->pos++;
			continue;
		}
		if (c != '\\')
			return json_reader_refuse(json, "end of a string");
		string->has_escapes = true;
		if (!take_escape(json))
			return json_reader_refuse(json, "escape that is one");
	}
	string->raw = (struct text){ json->bytes + start, json->pos - start };
	json->pos++;
	return true;
}

static uint32_t code_at(struct text raw, size_t at)
{
	uint32_t code = 0;

	for (size_t i = at; i < at + CODE_DIGITS; i++)
		code = code << 4 | (uint32_t)ascii_hex_value(raw.bytes[i]);
	return code;
}

static bool is_surrogate(uint32_t code, uint32_t first)
{
	return (code & 0xfc00) == first;
}

/* The character of \uXXXX, whose digits are at *at; a pair of surrogates is one. */
static uint32_t character_at(struct text raw, size_t *at)
{
	uint32_t code = code_at(raw, *at), low = 0;

	*at += CODE_DIGITS;
	if (is_surrogate(code, 0xd800) && raw.size - *at >= CODE_DIGITS + 2 &&
	    raw.bytes[*at] == '\\' && raw.bytes[*at + 1] == 'u')
		low = code_at(raw, *at + 2);
	if (is_surrogate(code, 0xd800) && is_surrogate(low, 0xdc00)) {
		*at += CODE_DIGITS + 2;
		return 0x10000 + ((code & 0x3ff) << 10) + (low & 0x3ff);
	}
	return is_surrogate(code, 0xd800) || is_surrogate(code, 0xdc00) ? REPLACEMENT : code;
}

static char plain_escape(char c)
{
	switch (c) {
	case 'b': return '\b';
	case 'f': return '\f';
	case 'n': return '\n';
	case 'r': return '\r';
	case 't': return '\t';
	default:  return c;
	}
}

/* The bytes of what stands at *at, one or a character's; how many.  Never more than it was. */
static size_t step(struct text raw, size_t *at, char out[4])
{
	char c = raw.bytes[(*at)++];

	out[0] = c;
	if (c != '\\')
		return 1;
	c = raw.bytes[(*at)++];
	if (c == 'u')
		return utf8_put(character_at(raw, at), out);
	out[0] = plain_escape(c);
	return 1;
}

bool json_string_is(const struct json_string *string, const char *expected)
{
	struct text rest = text_of(expected);
	char bytes[4];

	if (!string->has_escapes)
		return text_equal(string->raw, rest);
	for (size_t at = 0; at < string->raw.size;) {
		size_t size = step(string->raw, &at, bytes);

		if (size > rest.size || memcmp(bytes, rest.bytes, size) != 0)
			return false;
		rest = text_from(rest, size);
	}
	return rest.size == 0;
}

bool json_string_text(const struct json_string *string, struct arena *arena, struct text *text)
{
	struct text raw = string->raw;
	size_t size = 0;
	char *copy;

	*text = raw;
	if (!string->has_escapes)
		return true;
	copy = arena_alloc_raw(arena, raw.size, 1);
	if (!copy)
		return false;
	for (size_t at = 0; at < raw.size;) {
		char bytes[4];
		size_t count = step(raw, &at, bytes);

		memcpy(copy + size, bytes, count);
		size += count;
	}
	*text = (struct text){ copy, size };
	return true;
}

size_t json_string_piece(const struct json_string *string, size_t *at, char *out, size_t capacity)
{
	struct text raw = string->raw;
	size_t size = 0;

	while (*at < raw.size && capacity - size >= 4) {
		size_t most = raw.size - *at < capacity - size ? raw.size - *at : capacity - size;
		const char *escape = string->has_escapes ? memchr(raw.bytes + *at, '\\', most) : NULL;
		size_t run = escape ? (size_t)(escape - (raw.bytes + *at)) : most;

		memcpy(out + size, raw.bytes + *at, run);
		*at += run;
		size += run;
		if (escape && capacity - size >= 4)
			size += step(raw, at, out + size);
	}
	return size;
}

/* --- Numbers and words -------------------------------------------------------------------- */

static size_t digits_at(const struct json_reader *json, size_t at)
{
	size_t size = 0;

	while (at + size < json->size && ascii_is_digit(json->bytes[at + size]))
		size++;
	return size;
}

static bool is_one_of(const struct json_reader *json, size_t at, const char *characters)
{
	return at < json->size && json->bytes[at] != '\0' && strchr(characters, json->bytes[at]);
}

static bool take_number(struct json_reader *json, uint64_t most, uint64_t *value)
{
	struct text digits;

	(void)json_reader_peek(json);
	digits = (struct text){ json->bytes + json->pos, digits_at(json, json->pos) };
	if ((digits.size > 1 && digits.bytes[0] == '0') ||
	    is_one_of(json, json->pos + digits.size, ".eE") ||
	    !text_to_u64(digits, 10, value) || *value > most)
		return false;
	json->pos += digits.size;
	return true;
}

bool json_reader_u64(struct json_reader *json, uint64_t *value)
{
	return take_number(json, UINT64_MAX, value);
}

bool json_reader_u32(struct json_reader *json, uint32_t *value)
{
	uint64_t wide = 0;
	bool is_number = take_number(json, UINT32_MAX, &wide);

	*value = (uint32_t)wide;
	return is_number;
}

static bool take_word(struct json_reader *json, const char *word)
{
	struct text rest = { json->bytes + json->pos, json->size - json->pos };

	if (!text_starts_with(rest, word))
		return false;
	json->pos += strlen(word);
	return true;
}

bool json_reader_bool(struct json_reader *json, bool *value)
{
	*value = json_reader_peek(json) == 't';
	return take_word(json, *value ? "true" : "false");
}

/* -?digits[.digits][e[+-]digits]; false: there is none, and the position is where it ends. */
static bool skip_number(struct json_reader *json)
{
	size_t digits;

	json->pos += is_one_of(json, json->pos, "-");
	digits = digits_at(json, json->pos);
	if (digits == 0 || (digits > 1 && json->bytes[json->pos] == '0'))
		return false;
	json->pos += digits;
	if (is_one_of(json, json->pos, ".")) {
		json->pos++;
		digits = digits_at(json, json->pos);
		json->pos += digits;
	}
	if (digits > 0 && is_one_of(json, json->pos, "eE")) {
		json->pos++;
		json->pos += is_one_of(json, json->pos, "+-");
		digits = digits_at(json, json->pos);
		json->pos += digits;
	}
	return digits > 0;
}

static void skip_scalar(struct json_reader *json)
{
	struct json_string string;
	char c = json_reader_peek(json);
	bool is_value;

	switch (c) {
	case '"': is_value = json_reader_string(json, &string); break;
	case 't': is_value = take_word(json, "true"); break;
	case 'f': is_value = take_word(json, "false"); break;
	case 'n': is_value = take_word(json, "null"); break;
	default:  is_value = skip_number(json); break;
	}
	if (!is_value)
		(void)json_reader_refuse(json, "value");
}

/* --- Objects and arrays ------------------------------------------------------------------- */

static bool enter(struct json_reader *json, char bracket)
{
	if (!take(json, bracket))
		return false;
	json->is_first = true;
	return true;
}

bool json_reader_object(struct json_reader *json)
{
	return enter(json, '{');
}

bool json_reader_array(struct json_reader *json)
{
	return enter(json, '[');
}

static bool has_next(struct json_reader *json, char end)
{
	bool is_first = json->is_first;

	json->is_first = false;
	if (take(json, end))
		return false;
	return is_first || take(json, ',') || json_reader_refuse(json, "comma or end");
}

bool json_reader_member(struct json_reader *json, struct json_string *name)
{
	if (!has_next(json, '}'))
		return false;
	if (!json_reader_string(json, name))
		return json_reader_refuse(json, "string");
	return take(json, ':') || json_reader_refuse(json, "colon");
}

bool json_reader_element(struct json_reader *json)
{
	return has_next(json, ']') && (json_reader_peek(json) || json_reader_refuse(json, "value"));
}

void json_reader_skip(struct json_reader *json)
{
	bool is_object[LIMIT_JSON_DEPTH];
	struct json_string name;
	unsigned depth = 0;

	do {
		bool opens_object;

		if (depth > 0 && !(is_object[depth - 1] ? json_reader_member(json, &name)
							: json_reader_element(json))) {
			depth--;
			continue;
		}
		opens_object = json_reader_object(json);
		if (!opens_object && !json_reader_array(json)) {
			skip_scalar(json);
		} else if (depth == LIMIT_JSON_DEPTH) {
			(void)json_reader_refuse(json, "value nested less deeply");
		} else {
			is_object[depth++] = opens_object;
		}
	} while (depth > 0 && !json->missing);
}
