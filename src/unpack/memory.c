/* memory.c -- memory for unpacked pieces.
 *
 * All of it is private memory, so that a cell's RLIMIT_DATA covers it.  Big pieces are blocks of
 * their own: the arena would keep them to its end.
 */
#include "unpack/unpack.h"

#include "base/arena.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/reader.h"

#define GNU_HEAD_BYTES 12u

struct unpack_piece {
	struct unpack_piece *next;
	void *bytes;
};

void unpack_memory_init(struct unpack_memory *capacity, struct arena *arena, uint64_t ceiling_bytes)
{
	*capacity = (struct unpack_memory){ .arena = arena, .ceiling_bytes = ceiling_bytes };
}

void unpack_memory_release(struct unpack_memory *capacity)
{
	for (struct unpack_piece *piece = capacity->pieces; piece; piece = piece->next)
		mem_give_back(piece->bytes);
	capacity->pieces = NULL;
	capacity->held_bytes = 0;
}

static void *get_block(struct unpack_memory *capacity, size_t size)
{
	struct unpack_piece *piece = arena_alloc(capacity->arena, 1, sizeof(*piece));
	void *bytes = piece ? mem_get(size) : NULL;

	if (!bytes)
		return NULL;
	*piece = (struct unpack_piece){ .next = capacity->pieces, .bytes = bytes };
	capacity->pieces = piece;
	return bytes;
}

int unpack_memory_get(struct unpack_memory *capacity, uint64_t size, void **bytes, struct err *err)
{
	if (size > capacity->ceiling_bytes - capacity->held_bytes || size > SIZE_MAX)
		return err_set(err, ERR_LIMIT, "unpacked data over %llu bytes",
			       (unsigned long long)capacity->ceiling_bytes);
	*bytes = size >= UNPACK_BLOCK_BYTES ? get_block(capacity, (size_t)size)
					    : arena_alloc_raw(capacity->arena, size ? (size_t)size : 1, 1);
	if (!*bytes)
		return err_set(err, ERR_NO_MEMORY, "no memory for %llu unpacked bytes",
			       (unsigned long long)size);
	capacity->held_bytes += size;
	return 0;
}

int unpack_gnu_section(struct unpack_memory *capacity, struct text stored, const char *what,
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
	if (unpack_memory_get(capacity, size, &out, err) < 0 ||
	    unpack_memory(UNPACK_ZLIB, what, packed, out, (size_t)size, err) < 0)
		return -1;
	*bytes = (struct text){ out, (size_t)size };
	return 0;
}
