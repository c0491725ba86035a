/* data_url.c -- see data_url.h. */
#include "jsfile/data_url.h"

#include "base/base64.h"
#include "base/err.h"
#include "base/url.h"

bool data_url_is(struct text url)
{
	return text_starts_with(url, "data:");
}

/* "...; base64": blanks may stand before the word. */
static bool is_base64(struct text head)
{
	static const char word[] = "base64";
	size_t size = sizeof(word) - 1;

	while (head.size && head.bytes[head.size - 1] == ' ')
		head.size--;
	if (head.size < size ||
	    !text_equal_ignoring_case(text_from(head, head.size - size), TEXT("base64")))
		return false;
	head.size -= size;
	while (head.size && head.bytes[head.size - 1] == ' ')
		head.size--;
	return head.size && head.bytes[head.size - 1] == ';';
}

static bool is_space(char c)
{
	return ascii_is_blank(c) || c == '\f';
}

/* Without blanks and whole padding, in place: how many letters are left; -1: the padding is not whole. */
static int64_t squeeze(char *bytes, size_t size)
{
	size_t letters = 0, pads = 0;

	for (size_t i = 0; i < size; i++)
		if (!is_space(bytes[i]))
			bytes[letters++] = bytes[i];
	while (pads < 2 && pads < letters && bytes[letters - pads - 1] == '=')
		pads++;
	if (pads && letters % 4 != 0)
		return -1;
	letters -= pads;
	return letters % 4 == 1 ? -1 : (int64_t)letters;
}

/* Infra standard, forgiving-base64 decode, in place. */
static int decode_base64(char *bytes, size_t *size, struct err *err)
{
	int64_t letters = squeeze(bytes, *size);
	uint32_t bits = 0;
	size_t out = 0;

	if (letters < 0)
		return err_set(err, ERR_MALFORMED, "a data: URL whose base64 ends early");
	for (int64_t i = 0; i < letters; i++) {
		int value = base64_value(bytes[i]);

		if (value < 0)
			return err_set(err, ERR_MALFORMED, "a data: URL with no letter of base64, at %lld",
				       (long long)i);
		bits = bits << 6 | (uint32_t)value;
		if (i % 4)
			bytes[out++] = (char)(bits >> (6 - 2 * (i % 4)) & 0xff);
	}
	*size = out;
	return 0;
}

int data_url_decode(struct text url, char *out, size_t *size, struct err *err)
{
	struct text rest = text_from(url, sizeof("data:") - 1), head;
	const char *comma = rest.size ? memchr(rest.bytes, ',', rest.size) : NULL, *mark;

	if (!comma)
		return err_set(err, ERR_MALFORMED, "a data: URL without a comma");
	head = (struct text){ rest.bytes, (size_t)(comma - rest.bytes) };
	rest = text_from(rest, head.size + 1);
	mark = rest.size ? memchr(rest.bytes, '#', rest.size) : NULL;
	if (mark)
		rest.size = (size_t)(mark - rest.bytes);
	*size = url_unescape(rest, out);
	return is_base64(head) ? decode_base64(out, size, err) : 0;
}
