/* minidump_parts.c -- see minidump_parts.h: parts of a dump within their bounds, and what is missing of it. */
#include "minidump/minidump_parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/limits.h"

#define LOSS_BYTES 200

/* --- What was lost ------------------------------------------------------------------------ */

void minidump_lose(struct minidump *dump, const char *fmt, ...)
{
	char words[LOSS_BYTES];
	va_list ap;

	if (dump->loss_count < MINIDUMP_LOSSES_MAX) {
		va_start(ap, fmt);
		vsnprintf(words, sizeof(words), fmt, ap);
		va_end(ap);
		dump->losses[dump->loss_count] = arena_strdup(dump->arena, words);
	}
	dump->loss_count++;
}

size_t minidump_losses(const struct minidump *dump)
{
	return dump->loss_count < MINIDUMP_LOSSES_MAX ? dump->loss_count : MINIDUMP_LOSSES_MAX;
}

const char *minidump_loss(const struct minidump *dump, size_t at)
{
	const char *words = at < minidump_losses(dump) ? dump->losses[at] : NULL;

	return words ? words : "";
}

int minidump_check_memory(const struct minidump *dump, struct err *err)
{
	if (dump->arena->is_refused)
		return err_set(err, ERR_NO_MEMORY, "no memory for a minidump");
	if (dump->arena->is_full)
		return err_set(err, ERR_LIMIT, "a minidump holds more than there may be memory for");
	return 0;
}

void *minidump_records(struct minidump *dump, uint32_t count, size_t size)
{
	return arena_alloc(dump->arena, (size_t)count + 1, size);
}

/* --- Parts of the file ---------------------------------------------------------------------- */

struct reader minidump_part(const struct minidump *dump, const char *name, uint64_t rva,
			    uint64_t size)
{
	struct reader file = reader_over("minidump", dump->bytes, dump->size);

	file.big_endian = dump->big_endian;
	return reader_window(&file, name, rva, size);
}

struct reader minidump_clamped(const struct minidump *dump, const char *name, uint64_t rva,
			       uint64_t size)
{
	uint64_t left = rva < dump->size ? dump->size - rva : 0;

	return minidump_part(dump, name, left ? rva : 0, size < left ? size : left);
}

struct minidump_location minidump_read_location(struct reader *reader)
{
	struct minidump_location location;

	location.size = reader_u32(reader);
	location.rva = reader_u32(reader);
	return location;
}

struct minidump_stream minidump_stream(const struct minidump *dump, uint32_t at)
{
	struct reader entry = minidump_part(dump, "stream directory",
					    dump->directory_rva + (uint64_t)at * MD_DIRECTORY_SIZE,
					    MD_DIRECTORY_SIZE);
	struct minidump_stream stream;

	stream.type = reader_u32(&entry);
	stream.location = minidump_read_location(&entry);
	return stream;
}

bool minidump_find_stream(struct minidump *dump, uint32_t type, struct reader *stream)
{
	const char *name = minidump_stream_name(type);

	for (uint32_t at = dump->stream_count; at-- > 0;) {
		struct minidump_stream entry = minidump_stream(dump, at);

		if (entry.type != type)
			continue;
		*stream = minidump_clamped(dump, name, entry.location.rva, entry.location.size);
		if (stream->size < entry.location.size)
			minidump_lose(dump, "%s: the file ends %zu bytes into its %u", name,
				      stream->size, (unsigned)entry.location.size);
		return true;
	}
	return false;
}

/* --- Lists ---------------------------------------------------------------------------------- */

/* As many as there really are, and as we take. */
static void bound_entries(struct minidump *dump, uint64_t count, uint32_t entry_bytes, uint32_t most,
			  struct minidump_entries *entries)
{
	uint64_t there = reader_left(&entries->reader) / entry_bytes;
	uint64_t take = count < there ? count : there;

	if (take > most)
		take = most;
	if (take < count)
		minidump_lose(dump, "%s: %llu of %llu entries are read", entries->reader.name,
			      (unsigned long long)take, (unsigned long long)count);
	entries->count = (uint32_t)take;
}

bool minidump_simple_list(struct minidump *dump, uint32_t type, uint32_t entry_bytes, uint32_t most,
			  struct minidump_entries *entries)
{
	struct reader *reader = &entries->reader;
	uint32_t count;

	entries->count = 0;
	if (!minidump_find_stream(dump, type, reader))
		return false;
	count = reader_u32(reader);
	if (reader->failed)
		return true;
	if (reader_left(reader) == (uint64_t)count * entry_bytes + sizeof(uint32_t))
		reader_skip(reader, sizeof(uint32_t));
	bound_entries(dump, count, entry_bytes, most, entries);
	return true;
}

bool minidump_extended_list(struct minidump *dump, uint32_t type, uint32_t entry_bytes, bool wide,
			    uint32_t most, struct minidump_entries *entries)
{
	struct reader *reader = &entries->reader;
	uint32_t header_size, entry_size;
	uint64_t count;

	entries->count = 0;
	if (!minidump_find_stream(dump, type, reader))
		return false;
	header_size = reader_u32(reader);
	entry_size = reader_u32(reader);
	count = wide ? reader_u64(reader) : reader_u32(reader);
	reader_seek(reader, header_size);
	if (reader->failed || entry_size != entry_bytes) {
		minidump_lose(dump, "%s: entries of %u bytes after a header of %u", reader->name,
			      (unsigned)entry_size, (unsigned)header_size);
		return true;
	}
	bound_entries(dump, count, entry_bytes, most, entries);
	return true;
}

struct text minidump_text_stream(struct minidump *dump, uint32_t type)
{
	struct reader stream;

	if (!minidump_find_stream(dump, type, &stream))
		return TEXT_NONE;
	return (struct text){ (const char *)stream.bytes, stream.size };
}
