/* base64.c -- see base64.h. */
#include "base/base64.h"

static const char standard[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
static const char for_urls[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

static void format(const uint8_t *bytes, size_t size, const char *alphabet, bool padded, char *out)
{
	for (size_t i = 0; i < size; i += 3) {
		size_t left = size - i;
		uint32_t group = (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
				 (left > 2 ? bytes[i + 2] : 0);

		for (unsigned digit = 0; digit < 4; digit++) {
			if (digit <= left)
				*out++ = alphabet[group >> (18 - 6 * digit) & 63];
			else if (padded)
				*out++ = '=';
		}
	}
	*out = '\0';
}

void base64_format(const void *bytes, size_t size, char *out)
{
	format(bytes, size, standard, true, out);
}

void base64_format_url(const void *bytes, size_t size, char *out)
{
	format(bytes, size, for_urls, false, out);
}

int base64_value(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

static int value_of(char c)
{
	return c == '-' ? 62 : c == '_' ? 63 : base64_value(c);
}

/* Without what fills the last group up. */
static bool take_padding(struct text *text)
{
	size_t padding = 0;

	while (padding < 2 && padding < text->size && text->bytes[text->size - 1 - padding] == '=')
		padding++;
	if (padding > 0 && text->size % 4 != 0)
		return false;
	text->size -= padding;
	return text->size % 4 != 1;
}

bool base64_parse(struct text text, void *out, size_t capacity, size_t *size)
{
	uint8_t *bytes = out;
	uint32_t bits = 0;
	unsigned held = 0, alphabets = 0;

	*size = 0;
	if (!take_padding(&text))
		return false;
	for (size_t i = 0; i < text.size; i++) {
		int value = value_of(text.bytes[i]);

		if (value < 0)
			return false;
		if (value >= 62)
			alphabets |= text.bytes[i] == '+' || text.bytes[i] == '/' ? 1u : 2u;
		bits = bits << 6 | (uint32_t)value;
		held += 6;
		if (held < 8)
			continue;
		held -= 8;
		if (*size == capacity)
			return false;
		bytes[(*size)++] = (uint8_t)(bits >> held);
		bits &= (1u << held) - 1;
	}
	return bits == 0 && alphabets != 3;
}
