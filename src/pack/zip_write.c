/* zip_write.c -- see pack.h. */
#include "pack/pack.h"

#include <string.h>
#include <zlib.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"

#define LOCAL_MAGIC     0x04034b50u
#define DIRECTORY_MAGIC 0x02014b50u
#define END_MAGIC       0x06054b50u
#define ZIP_VERSION     20u          /* with deflate */
#define FLAG_UTF8       0x0800u
#define METHOD_STORED   0u
#define METHOD_DEFLATED 8u
#define DATE_1980       0x0021u      /* the first of January */
#define LOCAL_BYTES     30u
#define DIRECTORY_BYTES_MAX ((size_t)512 * 1024 * 1024)

static void add_u16(struct buf *out, unsigned value)
{
	buf_add_char(out, (char)(value & 0xff));
	buf_add_char(out, (char)(value >> 8 & 0xff));
}

static void add_u32(struct buf *out, uint32_t value)
{
	add_u16(out, value & 0xffff);
	add_u16(out, value >> 16);
}

void zip_writer_init(struct zip_writer *zip, int fd)
{
	*zip = (struct zip_writer){ .fd = fd };
	buf_init(&zip->directory, DIRECTORY_BYTES_MAX);
}

void zip_writer_release(struct zip_writer *zip)
{
	buf_release(&zip->directory);
}

/* Raw deflate; *packed NULL where it would not be smaller. */
static int deflate_all(struct text contents, uint8_t **packed, size_t *size, struct err *err)
{
	z_stream stream = { .next_in = NULL };
	int ended;

	*packed = NULL;
	if (contents.size == 0)
		return 0;
	*packed = mem_get(contents.size);
	if (!*packed || deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -15, 8,
				     Z_DEFAULT_STRATEGY) != Z_OK) {
		mem_give_back(*packed);
		*packed = NULL;
		return err_set(err, ERR_NO_MEMORY, "no memory to pack a file");
	}
	stream.next_in = (Bytef *)(uintptr_t)contents.bytes;
	stream.avail_in = (uInt)contents.size;
	stream.next_out = *packed;
	stream.avail_out = (uInt)contents.size;
	ended = deflate(&stream, Z_FINISH);
	*size = contents.size - stream.avail_out;
	deflateEnd(&stream);
	if (ended != Z_STREAM_END || *size >= contents.size) {
		mem_give_back(*packed);
		*packed = NULL;
	}
	return 0;
}

/* What a local header and the directory have in common. */
static void add_description(struct buf *out, unsigned method, uint32_t crc, size_t packed, size_t size,
			    size_t name)
{
	add_u16(out, ZIP_VERSION);
	add_u16(out, FLAG_UTF8);
	add_u16(out, method);
	add_u16(out, 0);                             /* midnight */
	add_u16(out, DATE_1980);
	add_u32(out, crc);
	add_u32(out, (uint32_t)packed);
	add_u32(out, (uint32_t)size);
	add_u16(out, (unsigned)name);
	add_u16(out, 0);                             /* no extra fields */
}

static void add_to_directory(struct zip_writer *zip, struct text name, unsigned method, uint32_t crc,
			     size_t packed, size_t size)
{
	struct buf *out = &zip->directory;

	add_u32(out, DIRECTORY_MAGIC);
	add_u16(out, ZIP_VERSION);
	add_description(out, method, crc, packed, size, name.size);
	add_u16(out, 0);                             /* no comment */
	add_u16(out, 0);                             /* the first disk */
	add_u16(out, 0);                             /* attributes */
	add_u32(out, 0);
	add_u32(out, (uint32_t)zip->at);
	buf_add_text(out, name);
}

static int write_entry(struct zip_writer *zip, struct text name, unsigned method, uint32_t crc,
		       struct text packed, size_t size, struct err *err)
{
	struct buf header;
	int rc;

	buf_init(&header, LOCAL_BYTES + UINT16_MAX);
	add_u32(&header, LOCAL_MAGIC);
	add_description(&header, method, crc, packed.size, size, name.size);
	buf_add_text(&header, name);
	add_to_directory(zip, name, method, crc, packed.size, size);
	rc = buf_check(&header, err);
	if (rc == 0)
		rc = buf_check(&zip->directory, err);
	if (rc == 0)
		rc = file_write_all(zip->fd, header.bytes, header.size, err);
	if (rc == 0)
		rc = file_write_all(zip->fd, packed.bytes, packed.size, err);
	zip->at += header.size + packed.size;
	zip->count++;
	buf_release(&header);
	return rc;
}

int zip_writer_add(struct zip_writer *zip, struct text name, struct text contents, struct err *err)
{
	uint32_t crc;
	uint8_t *packed = NULL;
	size_t packed_size = 0;
	int rc;

	if (name.size == 0 || name.size > UINT16_MAX || contents.size > ZIP_WRITE_ENTRY_BYTES ||
	    zip->count == ZIP_WRITE_ENTRIES_MAX ||
	    zip->at + zip->directory.size + 4 * (uint64_t)name.size + contents.size > ZIP_WRITE_BYTES_MAX / 2)
		return err_set(err, ERR_LIMIT, "more than a zip archive is made to hold");
	crc = (uint32_t)crc32_z(crc32(0, NULL, 0), (const Bytef *)contents.bytes, contents.size);
	if (deflate_all(contents, &packed, &packed_size, err) < 0)
		return -1;
	rc = packed ? write_entry(zip, name, METHOD_DEFLATED, crc,
				  (struct text){ (const char *)packed, packed_size }, contents.size, err)
		    : write_entry(zip, name, METHOD_STORED, crc, contents, contents.size, err);
	mem_give_back(packed);
	return rc;
}

int zip_writer_end(struct zip_writer *zip, struct err *err)
{
	size_t size = zip->directory.size;
	struct buf *out = &zip->directory;

	add_u32(out, END_MAGIC);
	add_u16(out, 0);                             /* the first disk, and the only one */
	add_u16(out, 0);
	add_u16(out, zip->count);
	add_u16(out, zip->count);
	add_u32(out, (uint32_t)size);
	add_u32(out, (uint32_t)zip->at);
	add_u16(out, 0);                             /* no comment */
	if (buf_check(out, err) < 0)
		return -1;
	return file_write_all(zip->fd, out->bytes, out->size, err);
}
