/* semver.c -- see semver.h. */
#include "base/semver.h"

#include <stdio.h>

static struct text digits_of(struct text text)
{
	struct text digits = { text.bytes, 0 };

	while (digits.size < text.size && ascii_is_digit(text.bytes[digits.size]))
		digits.size++;
	return digits;
}

static bool read_number(struct text digits, uint64_t most, uint32_t *out)
{
	uint64_t number;

	if (!text_to_u64(digits, 10, &number) || number > most)
		return false;
	*out = (uint32_t)number;
	return true;
}

static bool is_of_pre(char c)
{
	return ascii_is_digit(c) || (ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z') || c == '-';
}

static struct text pre_of(struct text rest)
{
	struct text pre = { rest.bytes + 1, 0 };

	if (rest.size < 2 || rest.bytes[0] != '-')
		return TEXT_NONE;
	while (pre.size < rest.size - 1 && is_of_pre(pre.bytes[pre.size]))
		pre.size++;
	return pre;
}

/* At the beginning of `text`: 0: none; else how many bytes, and is it in range? */
static size_t match(struct text text, struct semver *version, bool *is_sound)
{
	static const uint64_t most[] = { SEMVER_MAJOR_MAX, SEMVER_MINOR_MAX, SEMVER_MINOR_MAX };
	uint32_t *const numbers[] = { &version->major, &version->minor, &version->patch };
	struct text rest = text;

	*is_sound = true;
	for (unsigned i = 0; i < 3; i++) {
		struct text digits = digits_of(rest);

		if (digits.size == 0)
			return 0;
		*is_sound &= read_number(digits, most[i], numbers[i]);
		rest = text_from(rest, digits.size);
		if (i == 2)
			break;
		if (rest.size == 0 || rest.bytes[0] != '.')
			return 0;
		rest = text_from(rest, 1);
	}
	version->pre = pre_of(rest);
	if (version->pre.size > 0)
		rest = text_from(rest, version->pre.size + 1);
	return text.size - rest.size;
}

bool semver_find(struct text text, struct semver *version)
{
	bool is_sound;

	while (text.size > 0) {
		struct text digits;

		if (match(text, version, &is_sound) > 0)
			return is_sound;
		/* A match that began inside these digits would fail where this one did. */
		digits = digits_of(text);
		text = text_from(text, digits.size > 0 ? digits.size : 1);
	}
	return false;
}

bool semver_read(struct text text, struct semver *version)
{
	bool is_sound;

	if (text.size > 0 && ascii_lower(text.bytes[0]) == 'v')
		text = text_from(text, 1);
	return match(text, version, &is_sound) == text.size && text.size > 0 && is_sound &&
	       version->pre.size == 0;
}

static int compare_numbers(uint32_t a, uint32_t b)
{
	return (a > b) - (a < b);
}

int semver_compare(const struct semver *a, const struct semver *b)
{
	int order = compare_numbers(a->major, b->major);

	if (order == 0)
		order = compare_numbers(a->minor, b->minor);
	if (order == 0)
		order = compare_numbers(a->patch, b->patch);
	if (order != 0)
		return order;
	if (a->pre.size == 0 || b->pre.size == 0)
		return (a->pre.size == 0) - (b->pre.size == 0);
	return text_compare(a->pre, b->pre);
}

void semver_format(const struct semver *version, char out[SEMVER_TEXT_BYTES])
{
	snprintf(out, SEMVER_TEXT_BYTES, "%u.%u.%u", version->major & 0xffffu, version->minor & 0xffu,
		 version->patch & 0xffu);
}
