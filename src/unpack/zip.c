/*
 * zip.c -- see zip.h.  The end record is looked for from the end of the file, as the comment
 * behind it may be anything; the directory lies right before it.
 */
#include "unpack/zip.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/reader.h"
#include "base/search.h"
#include "unpack/unpack.h"

#define LOCAL_MAGIC     0x04034b50u
#define DIRECTORY_MAGIC 0x02014b50u
#define END_MAGIC       0x06054b50u
#define END64_MAGIC     0x06064b50u
#define LOCATOR_MAGIC   0x07064b50u
#define END_BYTES       22u
#define END64_BYTES     56u
#define LOCATOR_BYTES   20u
#define COMMENT_BYTES_MAX 0xffffu
#define DIRECTORY_ENTRY_BYTES 46u
#define EXTRA_ZIP64     0x0001u
#define FLAG_ENCRYPTED  0x0001u
#define METHOD_STORED   0u
#define METHOD_DEFLATED 8u
#define METHOD_ZSTD     93u

/* --- The end ----------------------------------------------------------------------------- */

struct ending {
	uint64_t at;                 /* of the record that ends the directory */
	uint64_t count, directory_bytes, directory_at;
};

static uint32_t u32_at(const struct reader *file, uint64_t at)
{
	struct reader reader = reader_window(file, "archive", at, 4);

	return reader_u32(&reader);
}

static bool find_end(const struct reader *file, uint64_t *at)
{
	uint64_t tries = COMMENT_BYTES_MAX;

	if (file->size < END_BYTES)
		return false;
	*at = file->size - END_BYTES;
	while (u32_at(file, *at) != END_MAGIC) {
		if (*at == 0 || tries-- == 0)
			return false;
		--*at;
	}
	return true;
}

static void read_end(const struct reader *file, struct ending *ending)
{
	struct reader reader = reader_window(file, "zip end", ending->at, END_BYTES);

	reader_skip(&reader, 10);
	ending->count = reader_u16(&reader);
	ending->directory_bytes = reader_u32(&reader);
	ending->directory_at = reader_u32(&reader);
}

/* Large archives repeat the end in wider fields, right before its locator. */
static void read_end64(const struct reader *file, struct ending *ending)
{
	struct reader reader;

	if (ending->at < LOCATOR_BYTES + END64_BYTES ||
	    u32_at(file, ending->at - LOCATOR_BYTES) != LOCATOR_MAGIC ||
	    u32_at(file, ending->at - LOCATOR_BYTES - END64_BYTES) != END64_MAGIC)
		return;
	ending->at -= LOCATOR_BYTES + END64_BYTES;
	reader = reader_window(file, "zip64 end", ending->at, END64_BYTES);
	reader_skip(&reader, 32);
	ending->count = reader_u64(&reader);
	ending->directory_bytes = reader_u64(&reader);
	ending->directory_at = reader_u64(&reader);
}

/* --- The directory ----------------------------------------------------------------------- */

/* What did not fit the plain fields stands here, in their order. */
static void read_extra(struct reader *extra, struct zip_entry *entry)
{
	while (!extra->failed && reader_left(extra) >= 4) {
		uint16_t kind = reader_u16(extra), size = reader_u16(extra);
		struct reader field = reader_part(extra, "extra field", size);

		if (kind != EXTRA_ZIP64 || field.failed)
			continue;
		if (entry->size == UINT32_MAX)
			entry->size = reader_u64(&field);
		if (entry->packed_size == UINT32_MAX)
			entry->packed_size = reader_u64(&field);
		if (entry->header_at == UINT32_MAX)
			entry->header_at = reader_u64(&field);
	}
}

static int read_entry(struct reader *directory, struct zip_entry *entry, struct err *err)
{
	uint16_t name_bytes, extra_bytes, comment_bytes;
	struct reader extra;

	if (reader_u32(directory) != DIRECTORY_MAGIC)
		return err_set(err, ERR_MALFORMED, "zip directory: no entry at byte %zu of %zu",
			       directory->pos, directory->size);
	reader_skip(directory, 4);
	entry->flags = reader_u16(directory);
	entry->method = reader_u16(directory);
	reader_skip(directory, 4);
	entry->crc = reader_u32(directory);
	entry->packed_size = reader_u32(directory);
	entry->size = reader_u32(directory);
	name_bytes = reader_u16(directory);
	extra_bytes = reader_u16(directory);
	comment_bytes = reader_u16(directory);
	reader_skip(directory, 8);
	entry->header_at = reader_u32(directory);
	entry->name = (struct text){ (const char *)reader_take(directory, name_bytes), name_bytes };
	extra = reader_part(directory, "extra fields", extra_bytes);
	reader_skip(directory, comment_bytes);
	if (reader_check(directory, err) < 0)
		return -1;
	read_extra(&extra, entry);
	return 0;
}

/* Names lie in the file in the order of the directory: the later entry has the later name. */
static int compare_entries(const void *left, const void *right)
{
	const struct zip_entry *a = left, *b = right;
	int order = text_compare(a->name, b->name);

	return order ? order : (a->name.bytes > b->name.bytes) - (a->name.bytes < b->name.bytes);
}

static int read_directory(struct zip *zip, struct reader *directory, struct arena *arena,
			  struct err *err)
{
	zip->entries = arena_alloc(arena, zip->count, sizeof(*zip->entries));
	if (!zip->entries)
		return err_set(err, ERR_NO_MEMORY, "no memory for %zu zip entries", zip->count);
	for (size_t i = 0; i < zip->count; i++)
		if (read_entry(directory, &zip->entries[i], err) < 0)
			return -1;
	if (zip->count > 1)
		qsort(zip->entries, zip->count, sizeof(*zip->entries), compare_entries);
	return 0;
}

int zip_open(struct zip *zip, const void *bytes, size_t size, struct arena *arena,
	     struct err *err)
{
	struct reader file = reader_over("zip archive", bytes, size), directory;
	struct ending ending = { 0 };

	*zip = (struct zip){ .bytes = bytes, .size = size };
	if (!find_end(&file, &ending.at))
		return err_set(err, ERR_MALFORMED, "zip archive has no end record");
	read_end(&file, &ending);
	read_end64(&file, &ending);
	if (ending.directory_bytes > ending.at ||
	    ending.directory_at > ending.at - ending.directory_bytes)
		return err_set(err, ERR_MALFORMED,
			       "zip directory of %llu bytes at byte %llu does not fit before its end at "
			       "byte %llu", (unsigned long long)ending.directory_bytes,
			       (unsigned long long)ending.directory_at, (unsigned long long)ending.at);
	if (ending.count > ending.directory_bytes / DIRECTORY_ENTRY_BYTES)
		return err_set(err, ERR_MALFORMED, "zip directory of %llu bytes cannot hold %llu entries",
			       (unsigned long long)ending.directory_bytes,
			       (unsigned long long)ending.count);
	zip->shift = ending.at - ending.directory_bytes - ending.directory_at;
	zip->count = (size_t)ending.count;
	directory = reader_window(&file, "zip directory", ending.at - ending.directory_bytes,
				  ending.directory_bytes);
	return read_directory(zip, &directory, arena, err);
}

const struct zip_entry *zip_find(const struct zip *zip, struct text name)
{
	size_t at;

	SEARCH_PARTITION_POINT(at, 0, zip->count,
			       text_compare(zip->entries[at].name, name) <= 0);
	if (at == 0 || !text_equal(zip->entries[at - 1].name, name))
		return NULL;
	return &zip->entries[at - 1];
}

/* --- Contents ---------------------------------------------------------------------------- */

static int find_packing(const struct zip_entry *entry, unsigned *packing, struct err *err)
{
	if (entry->flags & FLAG_ENCRYPTED)
		return err_set(err, ERR_UNSUPPORTED, "it is encrypted");
	switch (entry->method) {
	case METHOD_STORED:
		*packing = UNPACK_NONE;
		return 0;
	case METHOD_DEFLATED:
		*packing = UNPACK_DEFLATE;
		return 0;
	case METHOD_ZSTD:
		*packing = UNPACK_ZSTD;
		return 0;
	default:
		return err_set(err, ERR_UNSUPPORTED, "zip method %u", (unsigned)entry->method);
	}
}

int zip_packed(const struct zip *zip, const struct zip_entry *entry, struct text *packed,
	       unsigned *packing, struct err *err)
{
	struct reader file = reader_over("zip entry", zip->bytes, zip->size);
	uint64_t at;
	uint16_t name_bytes, extra_bytes;

	if (find_packing(entry, packing, err) < 0)
		return -1;
	if (__builtin_add_overflow(entry->header_at, zip->shift, &at))
		file.failed = true;
	reader_seek(&file, at);
	if (reader_u32(&file) != LOCAL_MAGIC && !file.failed)
		return err_set(err, ERR_MALFORMED, "no zip entry at byte %llu",
			       (unsigned long long)at);
	reader_skip(&file, 22);
	name_bytes = reader_u16(&file);
	extra_bytes = reader_u16(&file);
	reader_skip(&file, (uint64_t)name_bytes + extra_bytes);
	packed->bytes = (const char *)reader_take(&file, entry->packed_size);
	packed->size = (size_t)entry->packed_size;
	return reader_check(&file, err);
}
