/*
 * json_scan.c -- the scanner of request_json.h: one pass, no recursion, no memory.
 *
 * It names the byte that is wrong, and tells the tree what cJSON would read otherwise than it stands
 * (integers over 15 digits, NUL, lone surrogates) as request_json.h promises.  What a string says is written
 * over what it was written as.
 */
#include "work/json_tree.h"

#include "base/err.h"

#define INTEGER_DIGITS 15u           /* every one of these is exact in a double */
#define ESCAPE_BYTES 6u              /* \uXXXX */
#define REPLACEMENT 0xfffdu          /* of what no character is */
#define NO_INTEGER 0.5

enum want { WANT_VALUE, WANT_VALUE_OR_END, WANT_KEY, WANT_KEY_OR_END, WANT_COLON, WANT_COMMA_OR_END,
	    WANT_NOTHING };

struct json_scan {
	const char *bytes;           /* the tree's copy, or the text itself when there is no tree */
	size_t size, pos;
	size_t string_at;            /* what the last string says */
	struct json_tree *tree;
	enum want want;
	unsigned depth;
	bool in_object[LIMIT_JSON_DEPTH];
};

static int refuse(const struct json_scan *scan, struct err *err, const char *why)
{
	return err_set(err, ERR_BAD_REQUEST, "the body is not JSON: %s, at byte %zu", why,
		       scan->pos);
}

/* The four digits after \u; -1 when they are not. */
static int escaped_unit(const struct json_scan *scan, size_t at)
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

/* --- Strings ------------------------------------------------------------------------------ */

/* Writes bytes of what a string says, which never stand behind what was read. */
static void say(const struct json_scan *scan, size_t *to, const char *bytes, size_t size)
{
	char *text = scan->tree->text;

	if (text && text + *to != bytes)
		memmove(text + *to, bytes, size);
	*to += size;
}

static void say_character(const struct json_scan *scan, size_t *to, uint32_t character)
{
	char bytes[4];

	say(scan, to, bytes, utf8_put(character, bytes));
}

/* \uXXXX, or two of them for one character. */
static int scan_unit(struct json_scan *scan, size_t *to, struct err *err)
{
	int unit = escaped_unit(scan, scan->pos), low;

	if (unit < 0)
		return refuse(scan, err, "\\u without four hexadecimal digits");
	scan->pos += ESCAPE_BYTES;
	low = is_high_surrogate(unit) ? escaped_unit(scan, scan->pos) : -1;
	if (is_low_surrogate(low)) {
		scan->pos += ESCAPE_BYTES;
		say_character(scan, to, 0x10000u + ((uint32_t)(unit - 0xd800) << 10) +
			      (uint32_t)(low - 0xdc00));
		return 0;
	}
	if (unit == 0 || is_high_surrogate(unit) || is_low_surrogate(unit))
		unit = REPLACEMENT;
	say_character(scan, to, (uint32_t)unit);
	return 0;
}

static int scan_escape(struct json_scan *scan, size_t *to, struct err *err)
{
	static const char written[] = "\"\\/bfnrt", says[] = "\"\\/\b\f\n\r\t";
	const char *at;

	if (scan->size - scan->pos < 2)
		return refuse(scan, err, "a string has no end");
	if (scan->bytes[scan->pos + 1] == 'u')
		return scan_unit(scan, to, err);
	at = memchr(written, scan->bytes[scan->pos + 1], sizeof(written) - 1);
	if (!at)
		return refuse(scan, err, "an escape that does not exist");
	scan->pos += 2;
	say(scan, to, &says[at - written], 1);
	return 0;
}

/* Past the opening quote already. */
static int scan_string(struct json_scan *scan, struct err *err)
{
	size_t to = scan->pos, run;

	scan->string_at = to;
	for (;;) {
		unsigned char c;
		bool valid;

		run = ascii_plain_run(scan->bytes + scan->pos, scan->size - scan->pos);
		say(scan, &to, scan->bytes + scan->pos, run);
		scan->pos += run;
		if (scan->pos == scan->size)
			return refuse(scan, err, "a string has no end");
		c = (unsigned char)scan->bytes[scan->pos];
		if (c == '"') {
			say(scan, &to, "", 1);
			scan->pos++;
			return 0;
		}
		if (c >= 0x80) {
			run = utf8_step(scan->bytes + scan->pos, scan->size - scan->pos, &valid);
			if (!valid)
				return refuse(scan, err, "a string is not UTF-8");
			say(scan, &to, scan->bytes + scan->pos, run);
			scan->pos += run;
		} else if (c != '\\') {
			return refuse(scan, err, "a control character in a string");
		} else if (scan_escape(scan, &to, err) < 0) {
			return -1;
		}
	}
}

/* --- Numbers and words -------------------------------------------------------------------- */

static size_t skip_digits(struct json_scan *scan)
{
	size_t start = scan->pos;

	while (scan->pos < scan->size && ascii_is_digit(scan->bytes[scan->pos]))
		scan->pos++;
	return scan->pos - start;
}

/* A fraction or exponent, if there is one. */
static int scan_fraction(struct json_scan *scan, bool *is_integer, struct err *err)
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

/* At most INTEGER_DIGITS. */
static double whole(const char *digits, size_t count)
{
	uint64_t value = 0;

	for (size_t i = 0; i < count; i++)
		value = value * 10 + (uint64_t)(digits[i] - '0');
	return (double)value;
}

static int scan_number(struct json_scan *scan, struct err *err)
{
	const char *start = scan->bytes + scan->pos;
	bool is_integer, is_negative = *start == '-', leads_with_zero;
	size_t digits;

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
		json_tree_number(scan->tree, NO_INTEGER);
	else if (digits > INTEGER_DIGITS)
		json_tree_marked_integer(scan->tree, (struct text){ start, digits + is_negative });
	else if (is_negative)
		json_tree_number(scan->tree, -whole(start + 1, digits));
	else
		json_tree_number(scan->tree, whole(start, digits));
	return 0;
}

static int scan_word(struct json_scan *scan, const char *word, struct err *err)
{
	size_t size = strlen(word);

	if (scan->size - scan->pos < size || memcmp(scan->bytes + scan->pos, word, size) != 0)
		return refuse(scan, err, "a word other than true, false and null");
	scan->pos += size;
	json_tree_word(scan->tree, word[0]);
	return 0;
}

/* --- Objects and arrays ------------------------------------------------------------------- */

static void after_value(struct json_scan *scan)
{
	scan->want = scan->depth ? WANT_COMMA_OR_END : WANT_NOTHING;
}

static int open_level(struct json_scan *scan, bool is_object, struct err *err)
{
	if (scan->depth == LIMIT_JSON_DEPTH)
		return err_set(err, ERR_BAD_REQUEST,
			       "the body is nested deeper than %u levels, at byte %zu",
			       LIMIT_JSON_DEPTH, scan->pos);
	scan->in_object[scan->depth++] = is_object;
	json_tree_open(scan->tree, is_object);
	scan->want = is_object ? WANT_KEY_OR_END : WANT_VALUE_OR_END;
	scan->pos++;
	return 0;
}

static int close_level(struct json_scan *scan, bool is_object, struct err *err)
{
	if (!scan->depth || scan->in_object[scan->depth - 1] != is_object)
		return refuse(scan, err, "a bracket that closes nothing");
	scan->depth--;
	json_tree_close(scan->tree);
	scan->pos++;
	after_value(scan);
	return 0;
}

static int scan_text(struct json_scan *scan, struct err *err)
{
	scan->pos++;
	if (scan_string(scan, err) < 0)
		return -1;
	json_tree_string(scan->tree, scan->string_at);
	return 0;
}

static int scan_value(struct json_scan *scan, struct err *err)
{
	char c = scan->bytes[scan->pos];
	int result;

	switch (c) {
	case '{': return open_level(scan, true, err);
	case '[': return open_level(scan, false, err);
	case '"': result = scan_text(scan, err); break;
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

static int scan_key(struct json_scan *scan, struct err *err)
{
	if (scan->bytes[scan->pos] != '"')
		return refuse(scan, err, "a member's name was expected");
	scan->pos++;
	scan->want = WANT_COLON;
	if (scan_string(scan, err) < 0)
		return -1;
	json_tree_name(scan->tree, scan->string_at);
	return 0;
}

static int scan_comma(struct json_scan *scan, struct err *err)
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
static int scan_token(struct json_scan *scan, struct err *err)
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

int json_scan(struct text text, struct json_tree *tree, struct err *err)
{
	struct json_scan scan;

	scan.bytes = tree->text ? tree->text : text.bytes;
	scan.size = text.size;
	scan.pos = scan.string_at = 0;
	scan.tree = tree;
	scan.want = WANT_VALUE;
	scan.depth = 0;
	while (scan.pos < scan.size) {
		if (is_space(scan.bytes[scan.pos]))
			scan.pos++;
		else if (scan_token(&scan, err) < 0)
			return -1;
	}
	return scan.want == WANT_NOTHING ? 0 : refuse(&scan, err, "it ends early");
}
