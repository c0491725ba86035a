/* wpa_path.c -- see wpa_path.h. */
#include "kinds/wpa/wpa_path.h"

#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/limits.h"
#include "base/url.h"

#define GUID_DIGITS (2 * DEBUGID_UUID_BYTES)

/* --- GUIDs --------------------------------------------------------------------------------------- */

static bool read_digits(struct text digits, uint8_t uuid[DEBUGID_UUID_BYTES])
{
	if (digits.size != GUID_DIGITS)
		return false;
	for (size_t i = 0; i < DEBUGID_UUID_BYTES; i++) {
		int high = ascii_hex_value(digits.bytes[2 * i]);
		int low = ascii_hex_value(digits.bytes[2 * i + 1]);

		if (high < 0 || low < 0)
			return false;
		uuid[i] = (uint8_t)(high << 4 | low);
	}
	return true;
}

/* 8-4-4-4-12 */
static bool read_hyphens(struct text text, uint8_t uuid[DEBUGID_UUID_BYTES])
{
	char digits[GUID_DIGITS];
	size_t count = 0;

	if (text.size != GUID_DIGITS + 4)
		return false;
	for (size_t i = 0; i < text.size; i++) {
		bool is_place = i == 8 || i == 13 || i == 18 || i == 23;

		if (is_place != (text.bytes[i] == '-'))
			return false;
		if (!is_place)
			digits[count++] = text.bytes[i];
	}
	return read_digits((struct text){ digits, count }, uuid);
}

/* "0x44e4ec8c" and the mark that follows it: up to `bytes` bytes. */
static bool take_number(struct text *rest, char mark, size_t bytes, uint8_t *out)
{
	const char *end = memchr(rest->bytes, mark, rest->size);
	struct text number = { rest->bytes, end ? (size_t)(end - rest->bytes) : 0 };
	uint64_t value;

	if (!end || number.size < 3 || number.size > 2 + 2 * bytes || number.bytes[0] != '0' ||
	    ascii_lower(number.bytes[1]) != 'x' || !text_to_u64(text_from(number, 2), 16, &value))
		return false;
	for (size_t i = 0; i < bytes; i++)
		out[i] = (uint8_t)(value >> 8 * (bytes - 1 - i));
	*rest = text_from(*rest, number.size + 1);
	return true;
}

/* {0x44e4ec8c,0x2f41,0x492b,{0x93,0x69,0xd6,0xb9,0xa0,0x59,0x57,0x7c}} */
static bool read_numbers(struct text text, uint8_t uuid[DEBUGID_UUID_BYTES])
{
	struct text rest;

	if (!text_starts_with(text, "{0") || !text_ends_with(text, "}}"))
		return false;
	rest = (struct text){ text.bytes + 1, text.size - 2 };
	if (!take_number(&rest, ',', 4, uuid) || !take_number(&rest, ',', 2, uuid + 4) ||
	    !take_number(&rest, ',', 2, uuid + 6) || !text_starts_with(rest, "{"))
		return false;
	rest = text_from(rest, 1);
	for (size_t i = 8; i < DEBUGID_UUID_BYTES; i++)
		if (!take_number(&rest, i + 1 < DEBUGID_UUID_BYTES ? ',' : '}', 1, uuid + i))
			return false;
	return rest.size == 0;
}

bool wpa_guid_read(struct text text, uint8_t uuid[DEBUGID_UUID_BYTES])
{
	struct text inner = { text.bytes + 1, text.size >= 2 ? text.size - 2 : 0 };

	if ((text_starts_with(text, "{") && text_ends_with(text, "}")) ||
	    (text_starts_with(text, "(") && text_ends_with(text, ")")))
		return read_hyphens(inner, uuid) || read_numbers(text, uuid);
	return read_digits(text, uuid) || read_hyphens(text, uuid);
}

/* --- The path ------------------------------------------------------------------------------------ */

/* Up to the next slash, which goes too. */
static struct text take_part(struct text *rest)
{
	const char *slash = rest->size ? memchr(rest->bytes, '/', rest->size) : NULL;
	struct text part = { rest->bytes, slash ? (size_t)(slash - rest->bytes) : rest->size };

	*rest = text_from(*rest, part.size + (slash != NULL));
	return part;
}

/* What is no 32-bit number is no route; what its type cannot hold becomes 0, as in the sample. */
static bool take_number_part(struct text *rest, char mark, uint64_t most, uint32_t *out)
{
	const char *end = mark ? memchr(rest->bytes, mark, rest->size) : rest->bytes + rest->size;
	struct text digits = { rest->bytes, end ? (size_t)(end - rest->bytes) : 0 };
	uint64_t value;

	if (!end || !text_to_u64(digits, 10, &value) || value > INT32_MAX)
		return false;
	*out = value <= most ? (uint32_t)value : 0;
	*rest = text_from(*rest, digits.size + (mark != '\0'));
	return true;
}

static bool read_version(struct text text, struct semver *version)
{
	*version = (struct semver){ .pre = TEXT_NONE };
	return text.size > 0 && take_number_part(&text, '.', SEMVER_MAJOR_MAX, &version->major) &&
	       text.size > 0 && take_number_part(&text, '.', SEMVER_MINOR_MAX, &version->minor) &&
	       text.size > 0 && take_number_part(&text, '\0', SEMVER_MINOR_MAX, &version->patch);
}

static bool is_name(struct text name)
{
	if (name.size == 0 || name.size > LIMIT_FILE_NAME_BYTES || text_is(name, ".") || text_is(name, "..") ||
	    text_has_controls(name) || !text_is_utf8(name))
		return false;
	for (size_t i = 0; i < name.size; i++)
		if (strchr("/\\:", name.bytes[i]))
			return false;        /* NUL too */
	return true;
}

/* A 64-bit number; 0 when an age cannot be that. */
static bool read_age(struct text text, uint32_t *age)
{
	bool has_sign = text.size > 1 && (text.bytes[0] == '-' || text.bytes[0] == '+');
	uint64_t value;

	if (!text_to_u64(has_sign ? text_from(text, 1) : text, 10, &value) || value > INT64_MAX)
		return false;
	*age = value > UINT32_MAX || (has_sign && text.bytes[0] == '-') ? 0 : (uint32_t)value;
	return true;
}

/* A slash may end the path; nothing may follow. */
static bool read_id(struct text guid, struct text rest, struct debugid *id)
{
	uint8_t uuid[DEBUGID_UUID_BYTES];
	uint32_t age = 1;

	if (!wpa_guid_read(guid, uuid))
		return false;
	if (rest.size > 0) {
		struct text part = take_part(&rest);

		if (!read_age(part, &age) || rest.size > 0)
			return false;
	}
	*id = debugid_from_uuid(uuid, age);
	return true;
}

/* One part of the path, decoded; false: it is too long for any. */
static bool decode(struct text part, char *out, size_t capacity, struct text *decoded)
{
	if (part.size > capacity)
		return false;
	*decoded = (struct text){ out, url_unescape(part, out) };
	return true;
}

int wpa_path_read(struct text path, struct arena *arena, struct wpa_path *out, struct err *err)
{
	char name[3 * LIMIT_FILE_NAME_BYTES], id[512], age[64];
	struct text version = take_part(&path), rest, guid, decoded;
	char *copy;

	memset(out, 0, sizeof(*out));
	if (!read_version(version, &out->version) || !decode(take_part(&path), name, sizeof(name), &decoded) ||
	    !is_name(decoded) || !decode(take_part(&path), id, sizeof(id), &guid) ||
	    !decode(path, age, sizeof(age), &rest) || !read_id(guid, rest, &out->id))
		return 0;
	copy = arena_strndup(arena, decoded.bytes, decoded.size);
	if (!copy)
		return err_set(err, ERR_LIMIT, "no room for a name");
	out->name = (struct text){ copy, decoded.size };
	return 1;
}

/* --- The header ---------------------------------------------------------------------------------- */

const char *wpa_exceeds_read(struct text value, const struct semver *requested, struct semver *exceeds)
{
	if (!semver_find(value, exceeds))
		return "The If-Version-Exceeds header value is not a valid version.";
	if (exceeds->major == 0)
		return "The If-Version-Exceeds header value is an unsupported version number.";
	if (semver_compare(exceeds, requested) >= 0)
		return "The If-Version-Exceeds header value must be less than the requested version.";
	return NULL;
}
