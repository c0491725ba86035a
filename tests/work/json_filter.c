/*
 * json_filter.c -- see json_filter.h.
 */
#include "work/json_filter.h"

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/limits.h"
#include "work/request_json.h"

#define INTEGER_DIGITS 15u           /* every one of these is exact in a double */
#define ESCAPE_BYTES 6u              /* \uXXXX */

static const char replacement[] = "\xef\xbf\xbd";       /* U+FFFD */

enum want { WANT_VALUE, WANT_VALUE_OR_END, WANT_KEY, WANT_KEY_OR_END, WANT_COLON, WANT_COMMA_OR_END,
	    WANT_NOTHING };

struct json_filter {
	const char *bytes;
	size_t size, pos;
	struct arena *arena;
	char *out;                   /* NULL: nothing changed so far */
	size_t out_size, copied_to;
	enum want want;
	unsigned depth;
	bool in_object[LIMIT_JSON_DEPTH];
};

static int refuse(const struct json_filter *scan, struct err *err, const char *why)
{
	return err_set(err, ERR_BAD_REQUEST, "the body is not JSON: %s, at byte %zu", why,
		       scan->pos);
}

/* No change makes more of its part than half as much again: "-0" becomes "0.5". */
static size_t most_it_can_become(size_t size)
{
	return size + size / 2 + sizeof(replacement);
}

/* Puts other bytes in the place of [from, to). */
static int replace(struct json_filter *scan, size_t from, size_t to, const char *by, size_t by_size,
		   struct err *err)
{
	if (!scan->out) {
		scan->out = arena_alloc_raw(scan->arena, most_it_can_become(scan->size), 1);
		if (!scan->out)
			return err_set(err, ERR_LIMIT,
				       "the body needs more memory than one request may have");
	}
	memcpy(scan->out + scan->out_size, scan->bytes + scan->copied_to, from - scan->copied_to);
	scan->out_size += from - scan->copied_to;
	memcpy(scan->out + scan->out_size, by, by_size);
	scan->out_size += by_size;
	scan->copied_to = to;
	return 0;
}

/* The four digits after \u; -1 when they are not. */
static int escaped_unit(const struct json_filter *scan, size_t at)
{
	int unit = 0;

	if (scan->size - at < ESCAPE_BYTES || scan->bytes[at] != '\\' || scan->bytes[at + 1] != 'u')
		return -1;
	for (size_t i = at + 2; i < at + ESCAPE_BYTES; i++) {
		int digit = ascii_hex_value(scan->bytes[i]);

		if (digit < 0)
			return -1;
		unit = unit << 4 | digit;
	}
	return unit;
}

static bool is_high_surrogate(int unit)
{
	return unit >= 0xd800 && unit <= 0xdbff;
}

static bool is_low_surrogate(int unit)
{
	return unit >= 0xdc00 && unit <= 0xdfff;
}

static int scan_escape(struct json_filter *scan, struct err *err)
{
	size_t start = scan->pos;
	int unit;

	if (scan->size - start < 2)
		return refuse(scan, err, "a string has no end");
	if (scan->bytes[start + 1] != 'u') {
		if (!memchr("\"\\/bfnrt", scan->bytes[start + 1], 8))
			return refuse(scan, err, "an escape that does not exist");
		scan->pos += 2;
		return 0;
	}
	unit = escaped_unit(scan, start);
	if (unit < 0)
		return refuse(scan, err, "\\u without four hexadecimal digits");
	scan->pos += ESCAPE_BYTES;
	if (is_high_surrogate(unit) && is_low_surrogate(escaped_unit(scan, scan->pos))) {
		scan->pos += ESCAPE_BYTES;
		return 0;
	}
	if (unit == 0 || is_high_surrogate(unit) || is_low_surrogate(unit))
		return replace(scan, start, scan->pos, replacement, sizeof(replacement) - 1, err);
	return 0;
}

/* Past the opening quote already. */
static int scan_string(struct json_filter *scan, struct err *err)
{
	for (;;) {
		unsigned char c;
		bool valid;

		scan->pos += ascii_plain_run(scan->bytes + scan->pos, scan->size - scan->pos);
		if (scan->pos == scan->size)
			return refuse(scan, err, "a string has no end");
		c = (unsigned char)scan->bytes[scan->pos];
		if (c >= 0x80) {
			size_t step = utf8_step(scan->bytes + scan->pos, scan->size - scan->pos,
						&valid);

			if (!valid)
				return refuse(scan, err, "a string is not UTF-8");
			scan->pos += step;
		} else if (c == '\\') {
			if (scan_escape(scan, err) < 0)
				return -1;
		} else if (c == '"') {
			scan->pos++;
			return 0;
		} else {
			return refuse(scan, err, "a control character in a string");
		}
	}
}

static size_t skip_digits(struct json_filter *scan)
{
	size_t start = scan->pos;

	while (scan->pos < scan->size && ascii_is_digit(scan->bytes[scan->pos]))
		scan->pos++;
	return scan->pos - start;
}

/* A fraction or exponent, if there is one. */
static int scan_fraction(struct json_filter *scan, bool *is_integer, struct err *err)
{
	*is_integer = true;
	if (scan->pos < scan->size && scan->bytes[scan->pos] == '.') {
		scan->pos++;
		*is_integer = false;
		if (!skip_digits(scan))
			return refuse(scan, err, "a number ends after its point");
	}
	if (scan->pos < scan->size && (scan->bytes[scan->pos] | 0x20) == 'e') {
		scan->pos++;
		*is_integer = false;
		if (scan->pos < scan->size &&
		    (scan->bytes[scan->pos] == '+' || scan->bytes[scan->pos] == '-'))
			scan->pos++;
		if (!skip_digits(scan))
			return refuse(scan, err, "a number ends in its exponent");
	}
	return 0;
}

static int mark_integer(struct json_filter *scan, size_t start, struct err *err)
{
	const char open[] = { '"', JSON_INTEGER_MARK };

	if (replace(scan, start, start, open, sizeof(open), err) < 0)
		return -1;
	return replace(scan, scan->pos, scan->pos, "\"", 1, err);
}

static int scan_number(struct json_filter *scan, struct err *err)
{
	size_t start = scan->pos, digits;
	bool is_integer, is_negative = scan->bytes[start] == '-', leads_with_zero;

	scan->pos += is_negative;
	leads_with_zero = scan->pos < scan->size && scan->bytes[scan->pos] == '0';
	digits = skip_digits(scan);
	if (!digits)
		return refuse(scan, err, "a number without digits");
	if (leads_with_zero && digits > 1)
		return refuse(scan, err, "a number with a leading zero");
	if (scan_fraction(scan, &is_integer, err) < 0)
		return -1;
	if (!is_integer || (is_negative && leads_with_zero))
		return replace(scan, start, scan->pos, "0.5", 3, err);
	if (digits > INTEGER_DIGITS)
		return mark_integer(scan, start, err);
	return 0;
}

static int scan_word(struct json_filter *scan, const char *word, struct err *err)
{
	size_t size = strlen(word);

	if (scan->size - scan->pos < size || memcmp(scan->bytes + scan->pos, word, size) != 0)
		return refuse(scan, err, "a word other than true, false and null");
	scan->pos += size;
	return 0;
}

static void after_value(struct json_filter *scan)
{
	scan->want = scan->depth ? WANT_COMMA_OR_END : WANT_NOTHING;
}

static int open_level(struct json_filter *scan, bool is_object, struct err *err)
{
	if (scan->depth == LIMIT_JSON_DEPTH)
		return err_set(err, ERR_BAD_REQUEST,
			       "the body is nested deeper than %u levels, at byte %zu",
			       LIMIT_JSON_DEPTH, scan->pos);
	scan->in_object[scan->depth++] = is_object;
	scan->want = is_object ? WANT_KEY_OR_END : WANT_VALUE_OR_END;
	scan->pos++;
	return 0;
}

static int close_level(struct json_filter *scan, bool is_object, struct err *err)
{
	if (!scan->depth || scan->in_object[scan->depth - 1] != is_object)
		return refuse(scan, err, "a bracket that closes nothing");
	scan->depth--;
	scan->pos++;
	after_value(scan);
	return 0;
}

static int scan_value(struct json_filter *scan, struct err *err)
{
	char c = scan->bytes[scan->pos];
	int result;

	switch (c) {
	case '{': return open_level(scan, true, err);
	case '[': return open_level(scan, false, err);
	case '"': scan->pos++; result = scan_string(scan, err); break;
	case 't': result = scan_word(scan, "true", err); break;
	case 'f': result = scan_word(scan, "false", err); break;
	case 'n': result = scan_word(scan, "null", err); break;
	default:
		if (c != '-' && !ascii_is_digit(c))
			return refuse(scan, err, "a value was expected");
		result = scan_number(scan, err);
	}
	after_value(scan);
	return result;
}

static int scan_key(struct json_filter *scan, struct err *err)
{
	if (scan->bytes[scan->pos] != '"')
		return refuse(scan, err, "a member's name was expected");
	scan->pos++;
	scan->want = WANT_COLON;
	return scan_string(scan, err);
}

static int scan_comma(struct json_filter *scan, struct err *err)
{
	bool is_object = scan->in_object[scan->depth - 1];

	if (scan->bytes[scan->pos] == (is_object ? '}' : ']'))
		return close_level(scan, is_object, err);
	if (scan->bytes[scan->pos] != ',')
		return refuse(scan, err, is_object ? "a comma or } was expected" :
			      "a comma or ] was expected");
	scan->pos++;
	scan->want = is_object ? WANT_KEY : WANT_VALUE;
	return 0;
}

/* One token at a byte that is no white space. */
static int scan_token(struct json_filter *scan, struct err *err)
{
	char c = scan->bytes[scan->pos];

	switch (scan->want) {
	case WANT_VALUE_OR_END:
		return c == ']' ? close_level(scan, false, err) : scan_value(scan, err);
	case WANT_VALUE:
		return scan_value(scan, err);
	case WANT_KEY_OR_END:
		return c == '}' ? close_level(scan, true, err) : scan_key(scan, err);
	case WANT_KEY:
		return scan_key(scan, err);
	case WANT_COLON:
		if (c != ':')
			return refuse(scan, err, "a colon was expected");
		scan->pos++;
		scan->want = WANT_VALUE;
		return 0;
	case WANT_COMMA_OR_END:
		return scan_comma(scan, err);
	default:
		return refuse(scan, err, "there is more after the value");
	}
}

static bool is_space(char c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static int filter_json(struct text body, struct arena *arena, struct text *out, struct err *err)
{
	struct json_filter scan = { .bytes = body.bytes, .size = body.size, .arena = arena,
				    .want = WANT_VALUE };

	while (scan.pos < scan.size) {
		if (is_space(scan.bytes[scan.pos]))
			scan.pos++;
		else if (scan_token(&scan, err) < 0)
			return -1;
	}
	if (scan.want != WANT_NOTHING)
		return refuse(&scan, err, "it ends early");
	*out = body;
	if (scan.out) {
		if (replace(&scan, scan.size, scan.size, "", 0, err) < 0)
			return -1;
		*out = (struct text){ scan.out, scan.out_size };
	}
	return 0;
}

int json_filter_parse(struct text body, struct arena *arena, struct cJSON **json, struct err *err)
{
	struct arena *before;
	struct text clean;

	if (filter_json(body, arena, &clean, err) < 0)
		return -1;
	before = request_json_lend_arena(arena);
	*json = cJSON_ParseWithLengthOpts(clean.bytes, clean.size, NULL, 0);
	(void)request_json_lend_arena(before);
	return *json ? 0 : err_set(err, ERR_NO_MEMORY, "cJSON makes no tree of it");
}

static bool are_equal(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static const char *items_differ(const cJSON *a, const cJSON *b)
{
	if (a->type != b->type)
		return "the type";
	if (!are_equal(a->string, b->string))
		return "the name";
	if (!are_equal(a->valuestring, b->valuestring))
		return "the string";
	if (a->valueint != b->valueint || memcmp(&a->valuedouble, &b->valuedouble, sizeof(double)) != 0)
		return "the number";
	return NULL;
}

const char *json_trees_differ(const struct cJSON *a, const struct cJSON *b)
{
	const char *how = items_differ(a, b);
	const cJSON *child = a->child, *other = b->child;

	for (; !how && child && other; child = child->next, other = other->next) {
		how = json_trees_differ(child, other);
		if (!how && child->next && child->next->prev != child)
			how = "the way back";
		if (!how && !child->next && a->child->prev != child)
			how = "the way to the last";
	}
	return how ? how : child || other ? "the count" : NULL;
}
