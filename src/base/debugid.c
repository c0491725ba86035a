/* debugid.c -- see debugid.h. */
#include "base/debugid.h"

#include <stdio.h>
#include <string.h>

#define UUID_DIGITS 32u
#define UUID_HYPHENATED 36u
#define STAMP_DIGITS 8u          /* the time stamp of a PDB 2.0 id */
#define AGE_MAX_DIGITS 8u

/* The type tag that ends the stored record. */
enum { TAG_UUID = 0, TAG_PDB20 = 1 };

static bool is_all_zero(const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (bytes[i])
			return false;
	return true;
}

/* An id of nothing but zeros is no id, whatever it claims to be. */
static struct debugid with_kind(struct debugid id, enum debugid_kind kind)
{
	id.kind = (uint8_t)kind;
	if (id.age == 0 && is_all_zero(id.uuid, sizeof(id.uuid)))
		id.kind = DEBUGID_NIL;
	return id;
}

bool debugid_is_nil(const struct debugid *id)
{
	return id->kind == DEBUGID_NIL;
}

bool debugid_equal(const struct debugid *a, const struct debugid *b)
{
	return a->kind == b->kind && a->age == b->age &&
	       memcmp(a->uuid, b->uuid, sizeof(a->uuid)) == 0;
}

static bool parse_u32(struct text digits, uint32_t *value)
{
	uint64_t wide;

	if (!text_to_u64(digits, 16, &wide) || wide > UINT32_MAX)
		return false;
	*value = (uint32_t)wide;
	return true;
}

static struct text part(struct text text, size_t start, size_t size)
{
	return (struct text){ text.bytes + start, size };
}

static struct text rest(struct text text, size_t start)
{
	return part(text, start, text.size - start);
}

/* "XXXXXXXXa" to "XXXXXXXXaaaaaaaa", or with a hyphen between. */
static bool parse_pdb20(struct text text, bool hyphenated, struct debugid *id)
{
	struct debugid made = { .age = 0 };
	uint32_t stamp;

	if (!parse_u32(part(text, 0, STAMP_DIGITS), &stamp) ||
	    !parse_u32(rest(text, STAMP_DIGITS + hyphenated), &made.age))
		return false;
	made.uuid[0] = (uint8_t)(stamp >> 24);
	made.uuid[1] = (uint8_t)(stamp >> 16);
	made.uuid[2] = (uint8_t)(stamp >> 8);
	made.uuid[3] = (uint8_t)stamp;
	*id = with_kind(made, DEBUGID_PDB20);
	return true;
}

static bool parse_uuid(struct text text, bool hyphenated, uint8_t uuid[DEBUGID_UUID_BYTES])
{
	size_t at = 0;

	for (size_t i = 0; i < DEBUGID_UUID_BYTES; i++) {
		int high, low;

		if (hyphenated && (i == 4 || i == 6 || i == 8 || i == 10) &&
		    text.bytes[at++] != '-')
			return false;
		high = ascii_hex_value(text.bytes[at]);
		low = ascii_hex_value(text.bytes[at + 1]);
		if (high < 0 || low < 0)
			return false;
		uuid[i] = (uint8_t)(high << 4 | low);
		at += 2;
	}
	return true;
}

static bool is_pdb20_size(size_t size)
{
	return size > STAMP_DIGITS && size <= STAMP_DIGITS + AGE_MAX_DIGITS;
}

bool debugid_parse(struct text text, struct debugid *id)
{
	struct debugid made = { .age = 0 };
	bool hyphenated = text.size > STAMP_DIGITS && text.bytes[STAMP_DIGITS] == '-';
	size_t uuid_size = hyphenated ? UUID_HYPHENATED : UUID_DIGITS;
	struct text age;

	if (text.size >= hyphenated && is_pdb20_size(text.size - hyphenated))
		return parse_pdb20(text, hyphenated, id);
	if (text.size < uuid_size || !parse_uuid(text, hyphenated, made.uuid))
		return false;
	if (text.size > uuid_size) {
		age = rest(text, uuid_size);
		if (hyphenated) {
			if (age.bytes[0] != '-')
				return false;
			age = rest(age, 1);
		}
		if (age.size > AGE_MAX_DIGITS)  /* what follows an age is ignored */
			age.size = AGE_MAX_DIGITS;
		if (!parse_u32(age, &made.age))
			return false;
	}
	*id = with_kind(made, DEBUGID_UUID);
	return true;
}

bool debugid_parse_breakpad(struct text text, struct debugid *id)
{
	struct debugid made = { .age = 0 };

	if (is_pdb20_size(text.size) && text.bytes[STAMP_DIGITS] != '-')
		return parse_pdb20(text, false, id);
	if (text.size <= UUID_DIGITS || text.size > UUID_DIGITS + AGE_MAX_DIGITS ||
	    !parse_uuid(text, false, made.uuid) ||
	    !parse_u32(rest(text, UUID_DIGITS), &made.age))
		return false;
	*id = with_kind(made, DEBUGID_UUID);
	return true;
}

void hex_format(const uint8_t *bytes, size_t size, char *out)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < size; i++) {
		*out++ = digits[bytes[i] >> 4];
		*out++ = digits[bytes[i] & 15];
	}
	*out = '\0';
}

static void upper_case(char *text)
{
	for (; *text; text++)
		*text = ascii_upper(*text);
}

/* Eight digits of the stamp, or the UUID with or without its hyphens; returns the end. */
static char *format_head(const struct debugid *id, bool hyphenated, char *out)
{
	static const uint8_t groups[] = { 4, 2, 2, 2, 6 };
	const uint8_t *bytes = id->uuid;

	if (id->kind == DEBUGID_PDB20) {
		hex_format(bytes, STAMP_DIGITS / 2, out);
		upper_case(out);
		return out + STAMP_DIGITS;
	}
	for (size_t i = 0; i < sizeof(groups); i++) {
		if (hyphenated && i)
			*out++ = '-';
		hex_format(bytes, groups[i], out);
		bytes += groups[i];
		out += 2 * groups[i];
	}
	return out;
}

void debugid_format(const struct debugid *id, char out[DEBUGID_TEXT_BYTES])
{
	char *end = format_head(id, true, out);

	if (id->age)
		snprintf(end, AGE_MAX_DIGITS + 2, "-%x", id->age);
}

void debugid_format_breakpad(const struct debugid *id, char out[DEBUGID_TEXT_BYTES])
{
	char *end = format_head(id, false, out);

	upper_case(out);
	snprintf(end, AGE_MAX_DIGITS + 1, "%x", id->age);
}

void debugid_format_uuid_simple(const struct debugid *id, char out[DEBUGID_TEXT_BYTES])
{
	hex_format(id->uuid, sizeof(id->uuid), out);
}

static void swap_bytes(uint8_t *a, uint8_t *b)
{
	uint8_t kept = *a;

	*a = *b;
	*b = kept;
}

/* Between Windows' mixed order and the canonical one; its own inverse. */
static void swap_fields(uint8_t uuid[DEBUGID_UUID_BYTES])
{
	swap_bytes(&uuid[0], &uuid[3]);
	swap_bytes(&uuid[1], &uuid[2]);
	swap_bytes(&uuid[4], &uuid[5]);
	swap_bytes(&uuid[6], &uuid[7]);
}

struct debugid debugid_from_uuid(const uint8_t uuid[DEBUGID_UUID_BYTES], uint32_t age)
{
	struct debugid id = { .age = age };

	memcpy(id.uuid, uuid, sizeof(id.uuid));
	return with_kind(id, DEBUGID_UUID);
}

struct debugid debugid_from_guid(const uint8_t guid[DEBUGID_UUID_BYTES], uint32_t age)
{
	struct debugid id = debugid_from_uuid(guid, age);

	swap_fields(id.uuid);
	return id;
}

struct debugid debugid_from_build_id(const uint8_t *bytes, size_t size, bool little_endian)
{
	uint8_t uuid[DEBUGID_UUID_BYTES] = { 0 };

	if (size)
		memcpy(uuid, bytes, size < sizeof(uuid) ? size : sizeof(uuid));
	if (little_endian)
		swap_fields(uuid);
	return debugid_from_uuid(uuid, 0);
}

struct debugid debugid_from_code_id(struct text hex)
{
	uint8_t bytes[DEBUGID_UUID_BYTES] = { 0 };

	for (size_t i = 0; i < hex.size && i < 2 * sizeof(bytes); i++)
		bytes[i / 2] |= (uint8_t)(ascii_hex_value(hex.bytes[i]) << (i % 2 ? 0 : 4));
	return debugid_from_build_id(bytes, sizeof(bytes), true);
}

void debugid_store(const struct debugid *id, uint8_t record[DEBUGID_RECORD_BYTES])
{
	memset(record, 0, DEBUGID_RECORD_BYTES);
	memcpy(record, id->uuid, DEBUGID_UUID_BYTES);
	for (unsigned i = 0; i < sizeof(id->age); i++)
		record[DEBUGID_UUID_BYTES + i] = (uint8_t)(id->age >> 8 * i);
	record[DEBUGID_RECORD_BYTES - 1] = id->kind == DEBUGID_PDB20 ? TAG_PDB20 : TAG_UUID;
}

struct debugid debugid_load(const uint8_t record[DEBUGID_RECORD_BYTES])
{
	struct debugid id = { .age = 0 };
	bool pdb20 = record[DEBUGID_RECORD_BYTES - 1] == TAG_PDB20;

	memcpy(id.uuid, record, DEBUGID_UUID_BYTES);
	for (unsigned i = 0; i < sizeof(id.age); i++)
		id.age |= (uint32_t)record[DEBUGID_UUID_BYTES + i] << 8 * i;
	return with_kind(id, pdb20 ? DEBUGID_PDB20 : DEBUGID_UUID);
}

bool codeid_normalise(struct text text, char *out)
{
	size_t used = 0;

	for (size_t i = 0; i < text.size; i++)
		if (ascii_hex_value(text.bytes[i]) >= 0)
			out[used++] = ascii_lower(text.bytes[i]);
	out[used] = '\0';
	return used > 0;
}
