/* linux_streams.c -- the files of /proc and /etc that Linux dumps hold, and the loader's list. */
#include "minidump/minidump_parts.h"

#include <string.h>

#include "base/arena.h"
#include "base/limits.h"

#define BASE_HEX 16
#define PERMISSION_BYTES 4u                  /* "rwxp" */

static struct text unquoted(struct text text)
{
	if (text.size >= 2 && text.bytes[0] == '"' && text.bytes[text.size - 1] == '"')
		return (struct text){ text.bytes + 1, text.size - 2 };
	return text;
}

/* Lines end at newlines; those of an environment at NUL bytes. */
static bool take_record(struct text *rest, struct text *record)
{
	size_t size = 0;

	if (rest->size == 0)
		return false;
	while (size < rest->size && rest->bytes[size] != '\n' && rest->bytes[size] != '\0')
		size++;
	*record = (struct text){ rest->bytes, size };
	size += size < rest->size;
	rest->bytes += size;
	rest->size -= size;
	return true;
}

bool minidump_next_pair(struct text *rest, char separator, struct text *key, struct text *value)
{
	struct text line;

	while (take_record(rest, &line)) {
		const char *at = line.size ? memchr(line.bytes, separator, line.size) : NULL;
		size_t before;

		if (!at)
			continue;
		before = (size_t)(at - line.bytes);
		*key = unquoted(text_trim((struct text){ line.bytes, before }));
		*value = unquoted(text_trim((struct text){ at + 1, line.size - before - 1 }));
		return true;
	}
	return false;
}

struct minidump_release minidump_linux_release(struct minidump *dump)
{
	struct minidump_release release = { TEXT_NONE, TEXT_NONE, TEXT_NONE, TEXT_NONE };
	const struct { const char *key; struct text *field; } keys[] = {
		{ "DISTRIB_ID", &release.id },           { "ID", &release.id },
		{ "DISTRIB_RELEASE", &release.release }, { "VERSION_ID", &release.release },
		{ "DISTRIB_CODENAME", &release.codename },
		{ "VERSION_CODENAME", &release.codename },
		{ "DISTRIB_DESCRIPTION", &release.description },
		{ "PRETTY_NAME", &release.description },
	};
	struct text rest = minidump_text_stream(dump, MD_LINUX_LSB_RELEASE), key, value;

	while (minidump_next_pair(&rest, '=', &key, &value))
		for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
			if (text_is(key, keys[i].key))
				*keys[i].field = value;
	return release;
}

/* --- Maps ----------------------------------------------------------------------------------- */

/* Up to one of the characters, which is taken too; false where none of them follows. */
static bool take_until(struct text *rest, char end, struct text *field)
{
	const char *at = rest->size ? memchr(rest->bytes, end, rest->size) : NULL;

	if (!at)
		return false;
	*field = (struct text){ rest->bytes, (size_t)(at - rest->bytes) };
	rest->size -= field->size + 1;
	rest->bytes = at + 1;
	return true;
}

/* "00400000-0044b000 r-xp 00000000 fc:01 18881  /usr/bin/x" */
static bool read_map(struct text line, struct minidump_map *map)
{
	struct text start, end, permissions, offset, device, inode;

	if (!take_until(&line, '-', &start) || !take_until(&line, ' ', &end) ||
	    !take_until(&line, ' ', &permissions) || !take_until(&line, ' ', &offset) ||
	    !take_until(&line, ' ', &device))
		return false;
	if (!take_until(&line, ' ', &inode))
		line = TEXT("");
	if (!text_to_u64(start, BASE_HEX, &map->start) || !text_to_u64(end, BASE_HEX, &map->end) ||
	    !text_to_u64(offset, BASE_HEX, &map->offset) || permissions.size < PERMISSION_BYTES ||
	    map->start > map->end)
		return false;
	map->is_readable = permissions.bytes[0] == 'r';
	map->is_writable = permissions.bytes[1] == 'w';
	map->is_executable = permissions.bytes[2] == 'x';
	map->is_shared = permissions.bytes[3] == 's';
	map->path = text_trim(line);
	return true;
}

bool minidump_next_map(struct text *rest, struct minidump_map *map)
{
	struct text line;

	while (take_record(rest, &line))
		if (read_map(line, map))
			return true;
	return false;
}

/* --- Limits --------------------------------------------------------------------------------- */

/* Fields stand two blanks or more apart. */
static struct text take_field(struct text *line)
{
	size_t size = 0;
	struct text field;

	while (size < line->size && !(line->bytes[size] == ' ' &&
				      (size + 1 == line->size || line->bytes[size + 1] == ' ')))
		size++;
	field = (struct text){ line->bytes, size };
	while (size < line->size && line->bytes[size] == ' ')
		size++;
	line->bytes += size;
	line->size -= size;
	return field;
}

bool minidump_next_limit(struct text *rest, struct minidump_resource_limit *limit)
{
	struct text line;

	while (take_record(rest, &line)) {
		if (text_starts_with(line, "Limit "))
			continue;
		limit->name = take_field(&line);
		limit->soft = take_field(&line);
		limit->hard = take_field(&line);
		limit->unit = text_trim(take_field(&line));
		if (limit->unit.size == 0)
			limit->unit = TEXT("n/a");
		if (limit->hard.size > 0)
			return true;
	}
	return false;
}

/* --- The loader's list ---------------------------------------------------------------------- */

static uint64_t read_word(const struct minidump *dump, struct reader *reader)
{
	return dump->system.is_64_bit ? reader_u64(reader) : reader_u32(reader);
}

int minidump_dso_debug(struct minidump *dump, struct minidump_dso_debug *debug, struct err *err)
{
	struct reader stream, list;
	uint32_t rva, count, bytes;
	struct minidump_link_map *maps;

	*debug = (struct minidump_dso_debug){ 0 };
	if (!minidump_find_stream(dump, MD_LINUX_DSO_DEBUG, &stream))
		return 0;
	debug->version = reader_u32(&stream);
	rva = reader_u32(&stream);
	count = reader_u32(&stream);
	debug->brk = read_word(dump, &stream);
	debug->loader_base = read_word(dump, &stream);
	debug->dynamic = read_word(dump, &stream);
	if (stream.failed) {
		minidump_lose(dump, "%s: too short", stream.name);
		return 0;
	}
	debug->is_there = true;
	bytes = (dump->system.is_64_bit ? 2 * 8u : 2 * 4u) + sizeof(uint32_t);
	list = minidump_clamped(dump, stream.name, rva, (uint64_t)count * bytes);
	if (count > list.size / bytes || count > LIMIT_MINIDUMP_MODULES) {
		minidump_lose(dump, "%s: not all of %u entries are read", stream.name, (unsigned)count);
		count = list.size / bytes < LIMIT_MINIDUMP_MODULES ? (uint32_t)(list.size / bytes)
								   : LIMIT_MINIDUMP_MODULES;
	}
	maps = minidump_records(dump, count, sizeof(*maps));
	for (uint32_t i = 0; maps && i < count; i++) {
		maps[i].address = read_word(dump, &list);
		maps[i].name = minidump_string(dump, reader_u32(&list));
		maps[i].dynamic = read_word(dump, &list);
	}
	debug->maps = maps;
	debug->map_count = maps ? count : 0;
	return minidump_check_memory(dump, err);
}
