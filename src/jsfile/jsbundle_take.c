/* jsbundle_take.c -- one file of an artifact bundle: by its manifest, or where its index says that it lies. */
#include "jsfile/jsbundle.h"

#include <zlib.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/mem.h"
#include "jsfile/jsfile.h"
#include "unpack/unpack.h"

/* --- By the manifest ---------------------------------------------------------------------- */

struct jsbundle_taking {
	uint32_t number, at;
	uint64_t bytes_max;
	size_t memory_bytes;
	int fd;
	bool is_done;
};

static int check_size(const struct object_source *source, uint64_t bytes_max, struct err *err)
{
	if (source->trouble[0])
		return err_set(err, ERR_MALFORMED, "%s", source->trouble);
	if (source->size > bytes_max)
		return err_set(err, ERR_LIMIT, "a file of %llu bytes in a bundle, %llu are read",
			       (unsigned long long)source->size, (unsigned long long)bytes_max);
	if (source->packing == UNPACK_NONE && source->packed.size != source->size)
		return err_set(err, ERR_MALFORMED, "holds %zu bytes, not %llu", source->packed.size,
			       (unsigned long long)source->size);
	return 0;
}

static int write_file(enum object_source_type type, struct text source_map, struct text text,
		      size_t memory_bytes, int fd, struct err *err)
{
	bool is_code = type == OBJECT_SOURCE_UNTYPED || type == OBJECT_SOURCE_PLAIN ||
		       type == OBJECT_SOURCE_MINIFIED;
	const struct jsfile_options options = {
		.header = source_map, .ignores_references = !is_code, .ignores_debug_id = true,
		.is_strict = true, .memory_bytes = memory_bytes,
	};

	return jsfile_write(text, &options, fd, err);
}

static bool has_checksum(struct text text, uint32_t crc)
{
	return crc32_z(0, (const Bytef *)text.bytes, text.size) == crc;
}

static int write_entry(const struct jsbundle_taking *taking, const struct object_source *source,
		       struct text text, struct err *err)
{
	if (source->crc && !has_checksum(text, source->crc))
		return err_set(err, ERR_MALFORMED, "its checksum is wrong");
	return write_file(source->type, source->source_map, text, taking->memory_bytes, taking->fd, err);
}

static int take_entry(const struct jsbundle_taking *taking, const struct object_source *source,
		      struct err *err)
{
	size_t size = (size_t)source->size;
	char *room;
	int rc;

	if (check_size(source, taking->bytes_max, err) < 0)
		return -1;
	if (source->packing == UNPACK_NONE)
		return write_entry(taking, source, source->packed, err);
	room = mem_get(size + 1);
	if (!room)
		return err_set(err, ERR_NO_MEMORY, "no memory for a file of %zu bytes", size);
	rc = unpack_memory((enum unpack_kind)source->packing, "a file in a bundle", source->packed, room,
			   size, err);
	if (rc == 0)
		rc = write_entry(taking, source, (struct text){ room, size }, err);
	mem_give_back(room);
	return rc;
}

static int look_at(void *payload, const struct object_source *source, struct err *err)
{
	struct jsbundle_taking *taking = payload;

	if (taking->at++ != taking->number)
		return 0;
	taking->is_done = true;
	return take_entry(taking, source, err);
}

int jsbundle_take(const struct object *object, uint32_t number, uint64_t bytes_max, size_t memory_bytes,
		  int fd, struct err *err)
{
	struct jsbundle_taking taking = {
		.number = number, .memory_bytes = memory_bytes, .fd = fd,
		.bytes_max = bytes_max < memory_bytes / 4 ? bytes_max : memory_bytes / 4,
	};
	const struct object_source_sink sink = { &taking, look_at, NULL };
	struct arena scratch;
	int rc;

	arena_init(&scratch, memory_bytes);
	rc = object_each_source(object, &scratch, &sink, err);
	if (rc == 0 && !taking.is_done)
		rc = err_set(err, ERR_NOT_FOUND, "a bundle has no file %u", (unsigned)number);
	arena_release(&scratch);
	return rc;
}

/* --- By the index ------------------------------------------------------------------------- */

/* The index may be of what the bundle was before: only what has its checksum is the file. */
static int write_checked(const struct jsbundle_entry *entry, struct text text, size_t memory_bytes, int fd,
			 struct err *err)
{
	if (text.size != entry->contents.size || !has_checksum(text, entry->contents.crc))
		return 0;
	return write_file(entry->type, entry->source_map, text, memory_bytes, fd, err) < 0 ? -1 : 1;
}

static int write_unpacked(const struct jsbundle_entry *entry, struct text packed, size_t memory_bytes, int fd,
			  struct err *err)
{
	size_t size = (size_t)entry->contents.size;
	char *room = mem_get(size + 1);
	struct err why = ERR_INIT;
	int rc = 0;

	if (!room)
		return err_set(err, ERR_NO_MEMORY, "no memory for a file of %zu bytes", size);
	if (unpack_memory((enum unpack_kind)entry->contents.packing, "a file in a bundle", packed, room, size,
			  &why) == 0)
		rc = write_checked(entry, (struct text){ room, size }, memory_bytes, fd, err);
	mem_give_back(room);
	return rc;
}

int jsbundle_take_indexed(const struct jsbundle *bundle, struct text bytes, uint32_t number,
			  uint64_t bytes_max, size_t memory_bytes, int fd, struct err *err)
{
	struct jsbundle_entry entry;
	const struct jsbundle_contents *contents = &entry.contents;
	struct text packed;

	if (!jsbundle_entry_at(bundle, number, &entry) || entry.number != number || contents->crc == 0 ||
	    contents->packing >= UNPACK_KINDS || contents->packed_bytes > bytes.size ||
	    contents->at > bytes.size - contents->packed_bytes || contents->size > bytes_max ||
	    contents->size > memory_bytes / 4)
		return 0;
	packed = (struct text){ bytes.bytes + contents->at, (size_t)contents->packed_bytes };
	return contents->packing == UNPACK_NONE ? write_checked(&entry, packed, memory_bytes, fd, err)
						: write_unpacked(&entry, packed, memory_bytes, fd, err);
}
