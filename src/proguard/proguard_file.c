/* proguard_file.c -- how a source file is called that nothing names, and what names a mapping. */
#include "proguard/proguard.h"

#include "base/buf.h"
#include "base/debugid.h"
#include "base/hash.h"

/* Behind the last of them; without one, all. */
static struct text behind_last(struct text text, char c)
{
	const char *at = text.size ? memrchr(text.bytes, c, text.size) : NULL;

	return at ? text_from(text, (size_t)(at - text.bytes) + 1) : text;
}

/* The part before the next dollar sign, taken off. */
static struct text take_segment(struct text *rest)
{
	const char *at = rest->size ? memchr(rest->bytes, '$', rest->size) : NULL;
	struct text segment = { rest->bytes, at ? (size_t)(at - rest->bytes) : rest->size };

	*rest = at ? text_from(*rest, segment.size + 1) : TEXT_NONE;
	return segment;
}

struct proguard_file proguard_file_of_class(struct text class_name, struct text reference)
{
	struct text rest = behind_last(class_name, '.'), outer = take_segment(&rest), segment = outer;
	const char *dot = reference.size ? memrchr(reference.bytes, '.', reference.size) : NULL;

	for (;;) {
		if (segment.size > 2 && text_ends_with(segment, "Kt")) {
			segment.size -= 2;
			return (struct proguard_file){ segment, TEXT(".kt") };
		}
		if (!rest.bytes)
			break;
		segment = take_segment(&rest);
	}
	return (struct proguard_file){ outer, dot ? text_from(reference, (size_t)(dot - reference.bytes))
						  : TEXT(".java") };
}

void proguard_file_add(struct proguard_file file, struct buf *out)
{
	buf_add_text(out, file.stem);
	buf_add_text(out, file.extension);
}

/* --- Which mapping --------------------------------------------------------------------------- */

struct debugid proguard_uuid(const void *bytes, size_t size)
{
	/* UUIDv5 of "guardsquare.com" in RFC 4122's namespace of domain names. */
	static const uint8_t dns[HASH_UUID_BYTES] = {
		0x6b, 0xa7, 0xb8, 0x10, 0x9d, 0xad, 0x11, 0xd1, 0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8,
	};
	static const char domain[] = "guardsquare.com";
	uint8_t space[HASH_UUID_BYTES], uuid[HASH_UUID_BYTES];

	hash_uuid5(dns, domain, sizeof(domain) - 1, space);
	hash_uuid5(space, bytes, size, uuid);
	return debugid_from_uuid(uuid, 0);
}

/* How far its first lines are looked for. */
#define PROBE_LINES 256u
#define PROBE_BYTES ((size_t)64 * 1024)

static struct text head_of(const void *bytes, size_t size)
{
	return (struct text){ bytes, size < PROBE_BYTES ? size : PROBE_BYTES };
}

/* "a.b.C -> d:", without a blank in either name. */
static bool is_class_line(struct text line)
{
	const char *arrow = line.size > 5 ? memmem(line.bytes, line.size, " -> ", 4) : NULL;
	struct text before = { line.bytes, arrow ? (size_t)(arrow - line.bytes) : 0 }, after;

	if (before.size == 0 || !text_ends_with(line, ":"))
		return false;
	after = text_from(line, before.size + 4);
	return after.size > 1 && !memchr(before.bytes, ' ', before.size) && !memchr(after.bytes, ' ', after.size) &&
	       !memchr(after.bytes, ':', after.size - 1) && !text_has_controls(line) && text_is_utf8(line);
}

bool proguard_probe(const void *bytes, size_t size)
{
	struct text head = head_of(bytes, size), line;

	for (unsigned i = 0; i < PROBE_LINES && text_take_line(&head, &line); i++) {
		line = text_trim(line);
		if (line.size > 0 && line.bytes[0] != '#')
			return is_class_line(line);
	}
	return false;
}

/* A SHA-256 as hexadecimal digits, or its beginning. */
#define MAP_ID_BYTES   7u                /* of a pg_map_id; R8's ids of mappings are longer */
#define MAP_HASH_BYTES 64u

static bool is_own_id(struct text text)
{
	for (size_t i = 0; i < text.size; i++)
		if (ascii_hex_value(text.bytes[i]) < 0)
			return false;
	return text.size >= MAP_ID_BYTES && text.size <= MAP_HASH_BYTES;
}

struct text proguard_own_id(const void *bytes, size_t size)
{
	static const char hash[] = "# pg_map_hash: SHA-256 ", id[] = "# pg_map_id: ";
	struct text head = head_of(bytes, size), line, found = TEXT_NONE;

	for (unsigned i = 0; i < PROBE_LINES && text_take_line(&head, &line); i++) {
		bool is_hash = text_starts_with(line, hash);
		struct text value;

		if (text_trim(line).size > 0 && line.bytes[0] != '#')
			break;
		if (!is_hash && (found.size || !text_starts_with(line, id)))
			continue;
		value = text_trim(text_from(line, is_hash ? sizeof(hash) - 1 : sizeof(id) - 1));
		if (is_own_id(value))
			found = value;
	}
	return found;
}

static bool is_id_byte(char c)
{
	return ascii_is_digit(c) || (ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z');
}

struct text proguard_map_id(struct text source_file)
{
	static const char mark[] = "r8-map-id-";
	const char *at = source_file.size ?
			 memmem(source_file.bytes, source_file.size, mark, sizeof(mark) - 1) : NULL;
	struct text id;
	size_t size = 0;

	if (!at)
		return TEXT_NONE;
	id = text_from(source_file, (size_t)(at - source_file.bytes) + sizeof(mark) - 1);
	while (size < id.size && is_id_byte(id.bytes[size]))
		size++;
	return size > 0 ? (struct text){ id.bytes, size } : TEXT_NONE;
}

static bool begins_alike(struct text a, struct text b)
{
	size_t size = a.size < b.size ? a.size : b.size;

	return size >= MAP_ID_BYTES && text_equal_ignoring_case((struct text){ a.bytes, size },
								(struct text){ b.bytes, size });
}

bool proguard_is_of_map(struct text id, struct text map_id, struct text map_hash)
{
	const char *space = map_hash.size ? memrchr(map_hash.bytes, ' ', map_hash.size) : NULL;

	if (space)                       /* "SHA-256 <digits>" */
		map_hash = text_from(map_hash, (size_t)(space - map_hash.bytes) + 1);
	return begins_alike(id, map_hash.size ? map_hash : map_id);
}
