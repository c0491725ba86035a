/* msf.c -- superblock, directory, streams. */
#include "object/pdb/msf.h"

#include "base/arena.h"
#include "base/err.h"
#include "unpack/unpack.h"

/* With the NUL at their end. */
#define MAGIC_7     "Microsoft C/C++ MSF 7.00\r\n\x1a" "DS\0\0"
#define MAGIC_2     "Microsoft C/C++ program database 2.00\r\n\x1aJG\0"
#define MAGIC_Z     "Microsoft MSFZ Container\r\n\x1a" "ALD\0"
#define MAGIC_7_BYTES sizeof(MAGIC_7)
#define MAGIC_2_BYTES sizeof(MAGIC_2)
#define MAGIC_Z_BYTES sizeof(MAGIC_Z)
#define PAGE_BYTES_MIN ((uint32_t)1 << 7)
#define PAGE_BYTES_MAX ((uint32_t)1 << 20)
#define NIL_SIZE    UINT32_MAX           /* of a stream that was deleted */

static bool has_magic(const uint8_t *head, size_t size, const char *magic, size_t magic_bytes)
{
	return size >= magic_bytes && memcmp(head, magic, magic_bytes) == 0;
}

bool msf_is_one(const uint8_t *head, size_t size)
{
	return has_magic(head, size, MAGIC_7, MAGIC_7_BYTES) ||
	       has_magic(head, size, MAGIC_2, MAGIC_2_BYTES) ||
	       has_magic(head, size, MAGIC_Z, MAGIC_Z_BYTES);
}

static uint64_t pages_of(const struct msf *msf, uint32_t size)
{
	return ((uint64_t)size + msf->page_bytes - 1) >> msf->page_shift;
}

/* --- Pages --------------------------------------------------------------------------- */

static uint32_t page_at(const struct msf_stream *stream, uint32_t index)
{
	struct reader pages = stream->pages;

	reader_seek(&pages, (uint64_t)index * 4);
	return reader_u32(&pages);
}

/* Of page `index`, what the stream uses of it; NULL outside the file. */
static const uint8_t *page_bytes(const struct msf_stream *stream, uint32_t index)
{
	uint32_t shift = stream->msf->page_shift;
	uint64_t left = stream->size - ((uint64_t)index << shift);
	uint32_t size = left < stream->msf->page_bytes ? (uint32_t)left : stream->msf->page_bytes;
	struct reader page = stream->msf->whole;

	page.pos = 0;
	reader_seek(&page, (uint64_t)page_at(stream, index) << shift);
	return reader_take(&page, size);
}

/* The first page that is outside of the file, or `pages`. */
static uint32_t first_outside(const struct msf_stream *stream, uint32_t pages)
{
	uint32_t index = 0;

	while (index < pages && page_bytes(stream, index))
		index++;
	return index;
}

/* --- Opening ------------------------------------------------------------------------- */

/* The numbers of the directory's pages stand on pages of their own, in a row. */
static int read_directory(struct msf *msf, uint32_t size, uint32_t map_page, struct arena *arena,
			  struct err *err)
{
	uint64_t pages = pages_of(msf, size);
	struct reader map = reader_window(&msf->whole, "list of the stream directory's pages",
					  (uint64_t)map_page << msf->page_shift, pages * 4);
	struct msf_stream stream = { .msf = msf, .name = "stream directory", .size = size,
				     .pages = map };
	uint32_t outside;
	uint8_t *bytes;

	if (map.failed)
		return err_set(err, ERR_MALFORMED, "the list of the stream directory's %llu pages, "
			       "at page %u, lies outside the file", (unsigned long long)pages,
			       map_page);
	outside = first_outside(&stream, (uint32_t)pages);
	if (outside < pages)
		return err_set(err, ERR_MALFORMED, "page %u of the stream directory is number %u, "
			       "outside the file", outside, page_at(&stream, outside));
	bytes = arena_alloc_raw(arena, size ? size : 1, 1);
	if (!bytes)
		return err_set(err, ERR_NO_MEMORY, "no memory for a directory of %u bytes", size);
	if (!msf_stream_copy(&stream, 0, size, bytes))
		return err_set(err, ERR_MALFORMED, "the stream directory ends early");
	msf->directory = (struct text){ (const char *)bytes, size };
	return 0;
}

static int read_places(struct msf *msf, struct arena *arena, struct err *err)
{
	struct reader reader = reader_over("stream directory", msf->directory.bytes,
					   msf->directory.size);
	uint64_t list, total = 0;

	msf->stream_count = reader_u32(&reader);
	if (msf->stream_count > reader_left(&reader) / 4)
		return err_set(err, ERR_MALFORMED, "stream directory of %zu bytes says %u streams",
			       msf->directory.size, msf->stream_count);
	msf->places = arena_alloc(arena, (size_t)msf->stream_count + 1, sizeof(*msf->places));
	if (!msf->places)
		return err_set(err, ERR_NO_MEMORY, "no memory for %u streams", msf->stream_count);
	list = 4 + (uint64_t)msf->stream_count * 4;
	for (uint32_t i = 0; i < msf->stream_count; i++) {
		uint32_t size = reader_u32(&reader);

		if (size == NIL_SIZE)
			size = 0;
		msf->places[i] = (struct msf_place){ size, (uint32_t)list };
		list += pages_of(msf, size) * 4;
		total += size;
		if (list > msf->directory.size || total > msf->whole.size)
			return err_set(err, ERR_MALFORMED, "stream %u of %u bytes is more than the "
				       "directory or the file has room for", i, size);
	}
	return 0;
}

int msf_open(struct msf *msf, const void *bytes, size_t size, struct arena *arena,
	     struct err *err)
{
	uint32_t directory_bytes, map_page;

	*msf = (struct msf){ .whole = reader_over("superblock", bytes, size) };
	if (has_magic(bytes, size, MAGIC_2, MAGIC_2_BYTES))
		return err_set(err, ERR_UNSUPPORTED,
			       "PDB 2.00, the format before Visual Studio 2002, is not read");
	if (has_magic(bytes, size, MAGIC_Z, MAGIC_Z_BYTES))
		return err_set(err, ERR_UNSUPPORTED,
			       "a compressed PDB of Microsoft's symbol server (msfz0) is not read");
	reader_skip(&msf->whole, MAGIC_7_BYTES);
	msf->page_bytes = reader_u32(&msf->whole);
	reader_skip(&msf->whole, 4);                 /* the free page map in use */
	msf->page_count = reader_u32(&msf->whole);
	directory_bytes = reader_u32(&msf->whole);
	reader_skip(&msf->whole, 4);
	map_page = reader_u32(&msf->whole);
	if (reader_check(&msf->whole, err) < 0)
		return -1;
	msf->whole.name = "PDB";
	if (msf->page_bytes < PAGE_BYTES_MIN || msf->page_bytes > PAGE_BYTES_MAX ||
	    (msf->page_bytes & (msf->page_bytes - 1)) != 0)
		return err_set(err, ERR_MALFORMED, "superblock says pages of %u bytes",
			       msf->page_bytes);
	while ((uint32_t)1 << msf->page_shift < msf->page_bytes)
		msf->page_shift++;
	if (directory_bytes > size)
		return err_set(err, ERR_MALFORMED, "superblock says a directory of %u bytes in a "
			       "file of %zu", directory_bytes, size);
	if (read_directory(msf, directory_bytes, map_page, arena, err) < 0)
		return -1;
	return read_places(msf, arena, err);
}

/* --- Streams ------------------------------------------------------------------------- */

int msf_stream_open(const struct msf *msf, uint32_t number, const char *name,
		    struct msf_stream *stream, struct err *err)
{
	struct reader directory = reader_over("stream directory", msf->directory.bytes,
					      msf->directory.size);
	uint32_t pages, outside;
	bool flat = true;

	*stream = (struct msf_stream){ .msf = msf, .name = name, .number = number };
	if (number >= msf->stream_count || msf->places[number].size == 0)
		return 0;
	stream->size = msf->places[number].size;
	pages = (uint32_t)pages_of(msf, stream->size);
	stream->pages = reader_window(&directory, "list of pages", msf->places[number].list,
				      (uint64_t)pages * 4);
	outside = first_outside(stream, pages);
	if (outside < pages)
		return err_set(err, ERR_MALFORMED, "page %u of %s (stream %u) is number %u, outside "
			       "the file", outside, name, number, page_at(stream, outside));
	for (uint32_t i = 1; flat && i < pages; i++)
		flat = page_at(stream, i) == page_at(stream, i - 1) + 1;
	if (flat)
		stream->flat = page_bytes(stream, 0);
	return 0;
}

const uint8_t *msf_stream_piece(const struct msf_stream *stream, uint32_t offset, uint32_t size)
{
	uint32_t shift = stream->msf->page_shift;
	uint32_t first = offset >> shift, last;
	const uint8_t *bytes;

	if (offset > stream->size || size > stream->size - offset || size == 0)
		return NULL;
	if (stream->flat)
		return stream->flat + offset;
	last = (offset + (size - 1)) >> shift;
	for (uint32_t i = first; i < last; i++)
		if (page_at(stream, i + 1) != page_at(stream, i) + 1)
			return NULL;
	bytes = page_bytes(stream, first);
	return bytes ? bytes + (offset & (stream->msf->page_bytes - 1)) : NULL;
}

bool msf_stream_copy(const struct msf_stream *stream, uint32_t offset, uint32_t size, void *out)
{
	uint32_t page = stream->msf->page_bytes;
	uint8_t *to = out;

	if (offset > stream->size || size > stream->size - offset)
		return false;
	while (size > 0) {
		uint32_t within = offset & (page - 1);
		uint32_t part = page - within < size ? page - within : size;
		const uint8_t *from = page_bytes(stream, offset >> stream->msf->page_shift);

		if (!from)
			return false;
		memcpy(to, from + within, part);
		to += part;
		offset += part;
		size -= part;
	}
	return true;
}

static int put_together(const struct msf_stream *stream, void *bytes, struct reader *reader,
			struct err *err)
{
	if (!msf_stream_copy(stream, 0, stream->size, bytes))
		return err_set(err, ERR_MALFORMED, "a page of %s (stream %u) lies outside the file",
			       stream->name, stream->number);
	*reader = reader_over(stream->name, bytes, stream->size);
	return 0;
}

int msf_stream_in_arena(const struct msf_stream *stream, struct arena *arena,
			struct reader *reader, struct err *err)
{
	void *bytes;

	*reader = reader_over(stream->name, stream->flat, stream->size);
	if (stream->flat || stream->size == 0)
		return 0;
	bytes = arena_alloc_raw(arena, stream->size, 1);
	if (!bytes)
		return err_set(err, ERR_NO_MEMORY, "no memory to put %s (stream %u) of %u bytes "
			       "together", stream->name, stream->number, stream->size);
	return put_together(stream, bytes, reader, err);
}

int msf_stream_in_capacity(const struct msf_stream *stream, struct unpack_memory *capacity,
		       struct reader *reader, struct err *err)
{
	void *bytes;

	*reader = reader_over(stream->name, stream->flat, stream->size);
	if (stream->flat || stream->size == 0)
		return 0;
	if (unpack_memory_get(capacity, stream->size, &bytes, err) < 0)
		return err_while(err, "putting %s (stream %u) together", stream->name,
				 stream->number);
	return put_together(stream, bytes, reader, err);
}
