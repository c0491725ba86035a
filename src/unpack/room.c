/* room.c -- memory for unpacked pieces.
 *
 * Big pieces are shared anonymous mappings.  The kernel books them as it books a memfd:
 * not as the process's private data, so neither RLIMIT_DATA nor the figure of anonymous
 * memory grows with them, and RLIMIT_FSIZE, which would stop a memfd, has no say.
 */
#include "unpack/unpack.h"

#include <sys/mman.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/reader.h"

#define GNU_HEAD_BYTES 12u

struct unpack_piece {
	struct unpack_piece *next;
	void *bytes;
	size_t size;
};

void unpack_room_init(struct unpack_room *room, struct arena *arena, uint64_t ceiling_bytes)
{
	*room = (struct unpack_room){ .arena = arena, .ceiling_bytes = ceiling_bytes };
}

void unpack_room_release(struct unpack_room *room)
{
	for (struct unpack_piece *piece = room->pieces; piece; piece = piece->next)
		(void)munmap(piece->bytes, piece->size);
	room->pieces = NULL;
	room->held_bytes = 0;
}

static void *get_shared(struct unpack_room *room, size_t size)
{
	struct unpack_piece *piece = arena_alloc(room->arena, 1, sizeof(*piece));
	void *bytes;

	if (!piece)
		return NULL;
	bytes = mmap(NULL, size, PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (bytes == MAP_FAILED)
		return NULL;
	*piece = (struct unpack_piece){ .next = room->pieces, .bytes = bytes, .size = size };
	room->pieces = piece;
	return bytes;
}

int unpack_room_get(struct unpack_room *room, uint64_t size, void **bytes, struct err *err)
{
	if (size > room->ceiling_bytes - room->held_bytes || size > SIZE_MAX)
		return err_set(err, ERR_LIMIT, "unpacked data over %llu bytes",
			       (unsigned long long)room->ceiling_bytes);
	*bytes = size >= UNPACK_SHARED_BYTES ? get_shared(room, (size_t)size)
					     : arena_alloc_raw(room->arena, size ? (size_t)size : 1, 1);
	if (!*bytes)
		return err_set(err, ERR_NO_MEMORY, "no memory for %llu unpacked bytes",
			       (unsigned long long)size);
	room->held_bytes += size;
	return 0;
}

int unpack_gnu_section(struct unpack_room *room, struct text stored, const char *what,
		       uint64_t most, struct text *bytes, struct err *err)
{
	struct reader reader = reader_over(what, stored.bytes, stored.size);
	struct text packed;
	uint64_t size;
	void *out;

	*bytes = stored;
	if (!text_starts_with(stored, "ZLIB") || stored.size < GNU_HEAD_BYTES)
		return 0;
	*bytes = TEXT_NONE;
	packed = (struct text){ stored.bytes + GNU_HEAD_BYTES, stored.size - GNU_HEAD_BYTES };
	reader.big_endian = true;
	reader_skip(&reader, 4);
	size = reader_u64(&reader);
	if (size > most)
		return 0;
	if (unpack_room_get(room, size, &out, err) < 0 ||
	    unpack_memory(UNPACK_ZLIB, what, packed, out, (size_t)size, err) < 0)
		return -1;
	*bytes = (struct text){ out, (size_t)size };
	return 0;
}
