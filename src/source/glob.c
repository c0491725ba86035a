/*
 * glob.c -- `?`, `*` (which crosses `/`), `**` (whole components) and `[a-z]`, `[!a-z]`.
 *
 * Matching ignores ASCII case and keeps one position to go back to: whatever an earlier star
 * could reach by taking more, the latest one reaches too, since it may take anything (`**`:
 * anything up to a separator, and it always begins after one).
 */
#include "source/source_filters.h"

static char at(struct text text, size_t index)
{
	return index < text.size ? text.bytes[index] : '\0';
}

static size_t step(struct text text, size_t index)
{
	bool valid;

	return utf8_step(text.bytes + index, text.size - index, &valid);
}

/* Index after the `]` of the class that opens at `index`; 0 when it does not close.  The
 * first member may be a `]`. */
static size_t class_end(struct text pattern, size_t index)
{
	size_t first = index + 1;

	if (at(pattern, first) == '!')
		first++;
	if (first >= pattern.size)
		return 0;
	for (size_t i = first + step(pattern, first); i < pattern.size; i++)
		if (pattern.bytes[i] == ']')
			return i + 1;
	return 0;
}

static size_t stars_at(struct text pattern, size_t index)
{
	size_t count = 0;

	while (at(pattern, index + count) == '*')
		count++;
	return count;
}

static bool is_whole_component(struct text pattern, size_t index, size_t size)
{
	return (index == 0 || pattern.bytes[index - 1] == '/') &&
	       (index + size == pattern.size || pattern.bytes[index + size] == '/');
}

const char *glob_fault(struct text pattern)
{
	size_t i = 0;

	while (i < pattern.size) {
		size_t stars = stars_at(pattern, i);

		if (stars > 2)
			return "more than two stars in a row";
		if (stars == 2 && !is_whole_component(pattern, i, 2))
			return "`**` must be a whole path component";
		if (stars > 0) {
			i += stars;
		} else if (pattern.bytes[i] == '[') {
			i = class_end(pattern, i);
			if (i == 0)
				return "a `[` that is not closed";
		} else {
			i++;
		}
	}
	return NULL;
}

/* One character as a number that orders like its bytes do. */
static uint32_t character(struct text text, size_t index, size_t *size)
{
	uint32_t value = 0;

	*size = step(text, index);
	for (size_t i = 0; i < *size; i++)
		value = value << 8 | (uint8_t)text.bytes[index + i];
	return value;
}

static uint32_t lower(uint32_t c)
{
	return c < 0x80 ? (uint8_t)ascii_lower((char)c) : c;
}

static uint32_t upper(uint32_t c)
{
	return c < 0x80 ? (uint8_t)ascii_upper((char)c) : c;
}

static bool is_between(uint32_t c, uint32_t low, uint32_t high)
{
	return (lower(c) >= low && lower(c) <= high) || (upper(c) >= low && upper(c) <= high);
}

/* Does `c` fit the class whose bytes (without the brackets) are [from, end)? */
static bool class_admits(struct text pattern, size_t from, size_t end, uint32_t c)
{
	bool negated = pattern.bytes[from] == '!';
	size_t size;

	for (size_t i = from + negated; i < end;) {
		uint32_t low = character(pattern, i, &size), high = low;

		i += size;
		if (i + 1 < end && pattern.bytes[i] == '-') {
			high = character(pattern, i + 1, &size);
			i += 1 + size;
		}
		if (is_between(c, low, high))
			return !negated;
	}
	return negated;
}

struct glob_position { size_t pattern, name; };

/* Takes one character of the name with one element that is not a star. */
static bool take_one(struct text pattern, struct text name, struct glob_position *position)
{
	size_t size, element_size;
	uint32_t c;

	if (position->name >= name.size || position->pattern >= pattern.size)
		return false;
	c = character(name, position->name, &size);
	if (c == '\\')
		c = '/';
	if (pattern.bytes[position->pattern] == '[') {
		size_t end = class_end(pattern, position->pattern);

		if (!class_admits(pattern, position->pattern + 1, end - 1, c))
			return false;
		position->pattern = end;
	} else {
		uint32_t wanted = character(pattern, position->pattern, &element_size);

		if (wanted != '?' && lower(wanted) != lower(c))
			return false;
		position->pattern += element_size;
	}
	position->name += size;
	return true;
}

/* Gives the star one more character (`**`: one more component); false at the name's end
 * when nothing is left to give. */
static bool give_more(struct text name, bool whole, struct glob_position *back)
{
	if (back->name >= name.size)
		return false;
	do {
		char c = name.bytes[back->name];

		back->name += step(name, back->name);
		if (!whole || c == '/' || c == '\\')
			break;
	} while (back->name < name.size);
	return true;
}

bool glob_matches(struct text pattern, struct text name)
{
	struct glob_position now = { 0, 0 }, back = { 0, 0 };
	bool may_go_back = false, whole = false;

	for (;;) {
		size_t stars = stars_at(pattern, now.pattern);

		if (stars > 0) {
			whole = stars == 2;
			now.pattern += stars;
			if (whole && at(pattern, now.pattern) == '/')
				now.pattern++;
			back = now;
			may_go_back = true;
		} else if (now.pattern == pattern.size && now.name == name.size) {
			return true;
		} else if (!take_one(pattern, name, &now)) {
			if (!may_go_back || !give_more(name, whole, &back))
				return false;
			now = back;
		}
	}
}
