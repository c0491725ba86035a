/* file_id.c -- see file_id.h. */
#include "symbfile/file_id.h"

#include "base/base64.h"
#include "base/hash.h"

#define END_BYTES ((size_t)4096)

struct file_id file_id_of(const void *bytes, size_t size)
{
	size_t end = size < END_BYTES ? size : END_BYTES;
	uint8_t hashed[2 * END_BYTES + 8], hash[HASH_SHA256_BYTES];
	struct file_id id;

	if (end) {
		memcpy(hashed, bytes, end);
		memcpy(hashed + end, (const uint8_t *)bytes + size - end, end);
	}
	for (unsigned i = 0; i < 8; i++)
		hashed[2 * end + i] = (uint8_t)((uint64_t)size >> (56 - 8 * i));
	hash_sha256(hashed, 2 * end + 8, hash);
	memcpy(id.bytes, hash, sizeof(id.bytes));
	return id;
}

void file_id_format(const struct file_id *id, char out[FILE_ID_TEXT_BYTES])
{
	base64_format_url(id->bytes, sizeof(id->bytes), out);
}

void file_id_format_hex(const struct file_id *id, char out[FILE_ID_HEX_BYTES])
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < sizeof(id->bytes); i++) {
		*out++ = digits[id->bytes[i] >> 4];
		*out++ = digits[id->bytes[i] & 15];
	}
	*out = '\0';
}

bool file_id_parse(struct text text, struct file_id *id)
{
	size_t size;

	return text.size == FILE_ID_TEXT_BYTES - 1 && !memchr(text.bytes, '+', text.size) &&
	       !memchr(text.bytes, '/', text.size) &&
	       base64_parse(text, id->bytes, sizeof(id->bytes), &size) && size == sizeof(id->bytes);
}

static bool parse_hex(struct text text, struct file_id *id)
{
	size_t digits = 0;

	if (text.size > 2 && text.bytes[0] == '0' && ascii_lower(text.bytes[1]) == 'x')
		text = text_from(text, 2);
	for (size_t i = 0; i < text.size; i++) {
		int value = ascii_hex_value(text.bytes[i]);

		if (text.bytes[i] == '-')
			continue;
		if (value < 0 || digits == 2 * sizeof(id->bytes))
			return false;
		id->bytes[digits / 2] = (uint8_t)(digits % 2 ? id->bytes[digits / 2] | value : value << 4);
		digits++;
	}
	return digits == 2 * sizeof(id->bytes);
}

bool file_id_parse_any(struct text text, struct file_id *id)
{
	size_t size;

	return parse_hex(text, id) ||
	       (base64_parse(text, id->bytes, sizeof(id->bytes), &size) && size == sizeof(id->bytes));
}
