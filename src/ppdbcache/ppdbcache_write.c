/*
 * ppdbcache_write.c -- from the methods of an object to its lookup file.
 *
 * Methods come in ascending order with ascending offsets, so the ranges are sorted as they
 * arrive.  A document becomes a file when the first line refers to it.
 */
#include "ppdbcache/ppdbcache.h"

#include "base/arch.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"
#include "ppdbcache/ppdbcache_layout.h"

struct pair { uint32_t first, second; };     /* two numbers of a record, as the file has them */

struct pairs {
	struct pair *items;
	size_t count, capacity;
};

struct ppdbcache_writer {
	struct pairs files, locations, ranges;
	struct buf strings;
	struct map string_refs;      /* name -> ref + 1 */
	struct map named[LANGUAGES]; /* name -> file + 1 */
	uint32_t *file_of;           /* document -> file, PDBC_NONE: none yet */
	size_t document_count;
};

static int add_pair(struct pairs *pairs, uint32_t first, uint32_t second, struct err *err)
{
	if (pairs->count == UINT32_MAX)
		return err_set(err, ERR_LIMIT, "more records than a ppdb cache can hold");
	if (vec_reserve(&pairs->items, &pairs->capacity, pairs->count + 1, sizeof(*pairs->items)) < 0)
		return err_set(err, ERR_NO_MEMORY, "no memory for a ppdb cache's records");
	pairs->items[pairs->count++] = (struct pair){ first, second };
	return 0;
}

static int add_string(struct ppdbcache_writer *writer, struct text text, uint32_t *ref,
		      struct err *err)
{
	uintptr_t known = (uintptr_t)map_get(&writer->string_refs, text);
	size_t size = text.size;

	if (known) {
		*ref = (uint32_t)(known - 1);
		return 0;
	}
	*ref = (uint32_t)writer->strings.size;
	do {
		buf_add_char(&writer->strings, (char)((size & 0x7f) | (size > 0x7f ? 0x80 : 0)));
		size >>= 7;
	} while (size);
	buf_add_text(&writer->strings, text);
	if (buf_check(&writer->strings, err) < 0)
		return -1;
	if (map_put(&writer->string_refs, text, (void *)((uintptr_t)*ref + 1)) < 0)
		return err_set(err, ERR_NO_MEMORY, "no memory for a ppdb cache's strings");
	return 0;
}

/* Two documents of one name and language are one file. */
static int make_file(struct ppdbcache_writer *writer, const struct object_document *document,
		     uint32_t *file, struct err *err)
{
	uint32_t language = document->language < LANGUAGES ? document->language : LANGUAGE_UNKNOWN;
	struct map *named = &writer->named[language];
	uintptr_t known = (uintptr_t)map_get(named, document->name);
	uint32_t name;

	*file = known ? (uint32_t)(known - 1) : (uint32_t)writer->files.count;
	if (known)
		return 0;
	if (add_string(writer, document->name, &name, err) < 0 ||
	    add_pair(&writer->files, name, language, err) < 0)
		return -1;
	if (map_put(named, document->name, (void *)((uintptr_t)*file + 1)) < 0)
		return err_set(err, ERR_NO_MEMORY, "no memory for a ppdb cache's files");
	return 0;
}

static int begin_documents(struct ppdbcache_writer *writer, size_t count, struct err *err)
{
	writer->file_of = mem_get_array(count ? count : 1, sizeof(*writer->file_of));
	if (!writer->file_of)
		return err_set(err, ERR_NO_MEMORY, "no memory for %zu documents", count);
	memset(writer->file_of, 0xff, count * sizeof(*writer->file_of));
	writer->document_count = count;
	return 0;
}

static int take_method(void *payload, const struct object_document *documents, size_t count,
		       const struct object_method *method, struct err *err)
{
	struct ppdbcache_writer *writer = payload;

	if (!writer->file_of && begin_documents(writer, count, err) < 0)
		return -1;
	for (size_t i = 0; i < method->point_count; i++) {
		const struct object_point *point = &method->points[i];
		uint32_t *file = &writer->file_of[point->document];

		if (*file == PDBC_NONE &&
		    make_file(writer, &documents[point->document], file, err) < 0)
			return -1;
		if (add_pair(&writer->locations, point->line, *file, err) < 0 ||
		    add_pair(&writer->ranges, method->number, point->offset, err) < 0)
			return -1;
	}
	return 0;
}

/* --- The file ---------------------------------------------------------------------------- */

static void put_u32(uint8_t *at, uint32_t value)
{
	memcpy(at, &value, sizeof(value));
}

static int write_section(int fd, const void *bytes, size_t size, uint64_t *at, struct err *err)
{
	static const uint8_t zeros[PDBC_ALIGNMENT];
	uint64_t start = pdbc_aligned(*at);

	if (size == 0)
		return 0;
	if (file_write_all(fd, zeros, (size_t)(start - *at), err) < 0 ||
	    file_write_all(fd, bytes, size, err) < 0)
		return -1;
	*at = start + size;
	return 0;
}

static int write_file(const struct ppdbcache_writer *writer, const struct debugid *id, int fd,
		      uint64_t *size, struct err *err)
{
	uint8_t head[PDBC_HEAD_BYTES] = { 0 };

	put_u32(head, PDBC_MAGIC);
	put_u32(head + 4, PDBC_VERSION);
	debugid_store(id, head + 8);
	put_u32(head + 40, (uint32_t)writer->files.count);
	put_u32(head + 44, (uint32_t)writer->ranges.count);
	put_u32(head + 48, (uint32_t)writer->strings.size);
	*size = sizeof(head);
	if (file_write_all(fd, head, sizeof(head), err) < 0 ||
	    write_section(fd, writer->files.items, writer->files.count * PDBC_FILE_BYTES, size,
			  err) < 0 ||
	    write_section(fd, writer->locations.items,
			  writer->locations.count * PDBC_LOCATION_BYTES, size, err) < 0 ||
	    write_section(fd, writer->ranges.items, writer->ranges.count * PDBC_RANGE_BYTES, size,
			  err) < 0)
		return -1;
	return write_section(fd, writer->strings.bytes, writer->strings.size, size, err);
}

static void writer_release(struct ppdbcache_writer *writer)
{
	mem_give_back(writer->files.items);
	mem_give_back(writer->locations.items);
	mem_give_back(writer->ranges.items);
	mem_give_back(writer->file_of);
	map_release(&writer->string_refs);
	for (unsigned i = 0; i < LANGUAGES; i++)
		map_release(&writer->named[i]);
	buf_release(&writer->strings);
}

int ppdbcache_write(const struct object *object, size_t memory_bytes, int fd,
		    struct ppdbcache_report *report, struct err *err)
{
	struct ppdbcache_writer writer = { .file_of = NULL };
	struct object_managed_sink sink = { &writer, take_method };
	struct arena scratch;
	uint64_t size = 0;
	int rc = -1;

	*report = (struct ppdbcache_report){ .files = 0 };
	arena_init(&scratch, memory_bytes);
	buf_init(&writer.strings, memory_bytes < UINT32_MAX ? memory_bytes : UINT32_MAX);
	map_init(&writer.string_refs);
	for (unsigned i = 0; i < LANGUAGES; i++)
		map_init(&writer.named[i]);
	if (object_each_method(object, &scratch, &sink, &report->managed, err) == 0)
		rc = write_file(&writer, &object->debug_id, fd, &size, err);
	report->files = writer.files.count;
	report->ranges = writer.ranges.count;
	report->bytes = (size_t)size;
	writer_release(&writer);
	arena_release(&scratch);
	return rc;
}
