/* archive.c -- downloads that are archives of one file. */
#include "unpack/unpack.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "unpack/cab.h"
#include "unpack/decoder.h"
#include "unpack/zip.h"

/* The directory is read whole, so that what is wrong with it can be said. */
#define DIRECTORY_BYTES ((size_t)256 << 20)

static int write_stored(struct text packed, const struct zip_entry *entry, int out_fd,
			struct err *err)
{
	uLong crc = crc32(0, NULL, 0);

	if (packed.size != entry->size)
		return err_set(err, ERR_MALFORMED, "it holds %zu bytes, not the %llu it promises",
			       packed.size, (unsigned long long)entry->size);
	if (crc32_z(crc, (const Bytef *)packed.bytes, packed.size) != entry->crc)
		return err_set(err, ERR_MALFORMED, "Invalid checksum");
	return file_write_all(out_fd, packed.bytes, packed.size, err);
}

static int write_entry(const struct zip *zip, size_t index, int out_fd, uint64_t ceiling_bytes,
		       struct err *err)
{
	const struct zip_entry *entry = &zip->entries[index];
	struct text packed;
	unsigned packing;

	if (zip_packed(zip, entry, &packed, &packing, err) < 0)
		return -1;
	if (entry->size > ceiling_bytes)
		return err_set(err, ERR_LIMIT, "Maximum file size exceeded");
	if (packing == UNPACK_NONE)
		return write_stored(packed, entry, out_fd, err);
	return unpack_checked((enum unpack_kind)packing, packed, out_fd, entry->size, entry->crc,
			      err);
}

/* As with all packed data, what cannot be unpacked is a broken file. */
static int zip_unpack(struct text archive, int out_fd, uint64_t ceiling_bytes, struct err *err)
{
	struct arena arena;
	struct zip zip;
	int rc = -1;

	arena_init(&arena, DIRECTORY_BYTES);
	if (zip_open(&zip, archive.bytes, archive.size, &arena, err) < 0)
		goto done;
	if (zip.count != 1)
		err_set(err, ERR_MALFORMED, zip.count ? "ZipArchive contains more than one symbol file"
						      : "ZipArchive contains no symbol file");
	else
		rc = write_entry(&zip, 0, out_fd, ceiling_bytes, err);
	if (rc < 0 && err->kind == ERR_UNSUPPORTED)
		err->kind = ERR_MALFORMED;
done:
	arena_release(&arena);
	return rc;
}

int unpack_archive(enum unpack_kind kind, struct text archive, int out_fd, uint64_t ceiling_bytes,
		   struct err *err)
{
	switch (kind) {
	case UNPACK_ZIP:
		return zip_unpack(archive, out_fd, ceiling_bytes, err);
	case UNPACK_CAB:
		return cab_unpack(archive, NULL, out_fd, ceiling_bytes, err);
	default:
		return err_set(err, ERR_UNSUPPORTED, "%s data is no archive", unpack_kind_name(kind));
	}
}

static int zip_unpack_member(struct text archive, size_t index, int out_fd, uint64_t ceiling_bytes,
			     size_t *count, struct buf *name, struct err *err)
{
	struct arena arena;
	struct zip zip;
	int rc;

	arena_init(&arena, DIRECTORY_BYTES);
	rc = zip_open(&zip, archive.bytes, archive.size, &arena, err);
	*count = rc == 0 ? zip.count : 0;
	if (index < *count) {
		buf_add_text(name, zip.entries[index].name);
		rc = write_entry(&zip, index, out_fd, unpack_most(archive.size, ceiling_bytes), err);
	}
	arena_release(&arena);
	return rc;
}

int unpack_archive_member(enum unpack_kind kind, struct text archive, size_t index, int out_fd,
			  uint64_t ceiling_bytes, size_t *count, struct buf *name, struct err *err)
{
	struct cab_member member = { .index = index, .name = name };
	int rc;

	*count = 0;
	switch (kind) {
	case UNPACK_ZIP:
		return zip_unpack_member(archive, index, out_fd, ceiling_bytes, count, name, err);
	case UNPACK_CAB:
		rc = cab_unpack(archive, &member, out_fd, ceiling_bytes, err);
		*count = member.count;
		return rc;
	default:
		return err_set(err, ERR_UNSUPPORTED, "%s data is no archive", unpack_kind_name(kind));
	}
}
