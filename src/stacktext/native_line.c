/* native_line.c -- see native_line.h. */
#include "stacktext/native_line.h"

static bool take_blanks(struct text *rest)
{
	size_t before = rest->size;

	while (rest->size && (rest->bytes[0] == ' ' || rest->bytes[0] == '\t'))
		*rest = text_from(*rest, 1);
	return rest->size < before;
}

static bool take_number(struct text *rest, unsigned base, uint64_t *value)
{
	size_t size = 0;
	struct text digits;

	while (size < rest->size && (base == 16 ? ascii_hex_value(rest->bytes[size]) >= 0
						: ascii_is_digit(rest->bytes[size])))
		size++;
	digits = (struct text){ rest->bytes, size };
	*rest = text_from(*rest, size);
	return size > 0 && text_to_u64(digits, base, value);
}

static bool take_word(struct text *rest, const char *word)
{
	if (!text_starts_with(*rest, word))
		return false;
	*rest = text_from(*rest, strlen(word));
	return true;
}

static struct text find(struct text text, const char *word)
{
	const char *at = text.size ? memmem(text.bytes, text.size, word, strlen(word)) : NULL;

	return at ? text_from(text, (size_t)(at - text.bytes)) : TEXT_NONE;
}

/* Up to what follows in parentheses. */
static struct text take_path(struct text *rest)
{
	const struct text more = find(*rest, " (");
	const struct text path = { rest->bytes, rest->size - more.size };

	*rest = more;
	return text_trim(path);
}

static struct text find_build_id(struct text rest)
{
	struct text id = find(rest, "(BuildId: ");
	size_t size = 0;

	if (!id.bytes)
		return TEXT_NONE;
	id = text_from(id, strlen("(BuildId: "));
	while (size < id.size && ascii_hex_value(id.bytes[size]) >= 0)
		size++;
	return size > 0 && size < id.size && id.bytes[size] == ')' ? (struct text){ id.bytes, size }
								    : TEXT_NONE;
}

/* "pay+52" of "(offset 0x1000) (pay+52) (BuildId: 8e5c0f)"; names have parentheses of their own. */
static struct text find_function(struct text rest)
{
	const struct text id = find(rest, " (BuildId: ");
	size_t depth = 0, plus;

	rest = text_trim((struct text){ rest.bytes, rest.size - id.size });
	if (!text_ends_with(rest, ")"))
		return TEXT_NONE;
	for (size_t at = rest.size; at-- > 0; ) {
		depth += rest.bytes[at] == ')';
		depth -= rest.bytes[at] == '(' && depth > 0;
		if (depth > 0)
			continue;
		rest = (struct text){ rest.bytes + at + 1, rest.size - at - 2 };
		for (plus = rest.size; plus > 0 && ascii_is_digit(rest.bytes[plus - 1]); plus--)
			;
		if (plus < 2 || plus == rest.size || rest.bytes[plus - 1] != '+')
			return TEXT_NONE;
		return (struct text){ rest.bytes, plus - 1 };
	}
	return TEXT_NONE;
}

bool native_line_read(struct text line, struct native_line *native)
{
	struct text rest = find(line, "#");

	*native = (struct native_line){ .number = 0 };
	if (!take_word(&rest, "#") || !take_number(&rest, 10, &native->number) || !take_blanks(&rest) ||
	    !take_word(&rest, "pc") || !take_blanks(&rest))
		return false;
	(void)take_word(&rest, "0x");
	if (!take_number(&rest, 16, &native->pc) || !take_blanks(&rest))
		return false;
	native->path = take_path(&rest);
	native->function = find_function(rest);
	native->build_id = find_build_id(rest);
	return native->path.size > 0;
}
