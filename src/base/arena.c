/*
 * arena.c -- see arena.h.
 *
 * 1. Blocks are a stack, newest first; only the newest is allocated from.
 * 2. A block's bytes from `touched` on are as calloc() gave them: zero.  Small blocks come
 *    out of recycled memory, where calloc() would clear all of it, and most of what is asked
 *    for need not be zero: they are taken as they are, touched to the end.
 * 3. An empty block can only be the newest (rewind keeps one), and no mark names it.
 */
#include "base/arena.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

#if defined(__SANITIZE_ADDRESS__)
#define ARENA_POISONS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARENA_POISONS 1
#endif
#endif

#ifdef ARENA_POISONS
/* Of the sanitizer's runtime; its header is not installed with every compiler. */
void __asan_poison_memory_region(void const volatile *at, size_t size);
void __asan_unpoison_memory_region(void const volatile *at, size_t size);
#define poison(at, size) __asan_poison_memory_region(at, size)
#define unpoison(at, size) __asan_unpoison_memory_region(at, size)
#define ARENA_GAP_BYTES 16u      /* between neighbours, so that overruns are seen */
#else
#define poison(at, size) ((void)(at), (void)(size))
#define unpoison(at, size) ((void)(at), (void)(size))
#define ARENA_GAP_BYTES 0u
#endif

#define ARENA_BLOCK_MAX_BYTES ((size_t)8 << 20)
#define ARENA_RECYCLED_BYTES ((size_t)256 << 10)     /* up to here blocks are small */
#define ARENA_ALIGN _Alignof(max_align_t)

struct arena_block {
	struct arena_block *older;
	size_t size;
	size_t used;
	size_t touched;              /* bytes that were handed out once */
	max_align_t bytes[];
};

static unsigned char *block_bytes(struct arena_block *block)
{
	return (unsigned char *)block->bytes;
}

void arena_init(struct arena *arena, size_t ceiling_bytes)
{
	arena->blocks = NULL;
	arena->ceiling_bytes = ceiling_bytes;
	arena->held_bytes = 0;
	arena->is_full = false;
	arena->is_refused = false;
}

static void drop_block(struct arena *arena, struct arena_block *block)
{
	unpoison(block_bytes(block), block->size);
	arena->held_bytes -= block->size;
	mem_give_back(block);
}

void arena_release(struct arena *arena)
{
	struct arena_block *block = arena->blocks;

	while (block) {
		struct arena_block *older = block->older;

		drop_block(arena, block);
		block = older;
	}
	arena_init(arena, arena->ceiling_bytes);
}

/* As much again as is held: a job of any size makes few blocks and wastes at most half.
 * The last block before the ceiling takes what there is. */
static size_t next_block_size(const struct arena *arena, size_t left)
{
	size_t size = arena->held_bytes;

	if (size < ARENA_BLOCK_BYTES)
		size = ARENA_BLOCK_BYTES;
	if (size > ARENA_BLOCK_MAX_BYTES)
		size = ARENA_BLOCK_MAX_BYTES;
	return size < left ? size : left;
}

static struct arena_block *new_block(size_t size)
{
	bool is_small = size <= ARENA_RECYCLED_BYTES;
	size_t bytes = sizeof(struct arena_block) + size;
	struct arena_block *block = is_small ? mem_resize(NULL, bytes) : mem_get(bytes);

	if (!block)
		return NULL;
	block->size = size;
	block->used = 0;
	block->touched = is_small ? size : 0;
	return block;
}

/* Over the ceiling. */
static void *refuse(struct arena *arena)
{
	arena->is_full = true;
	mem_refusals++;
	return NULL;
}

static struct arena_block *add_block(struct arena *arena, size_t need)
{
	struct arena_block *block = arena->blocks;
	size_t left, size;

	if (block && block->used == 0) {        /* kept by a rewind, and too small */
		arena->blocks = block->older;
		drop_block(arena, block);
	}
	left = arena->ceiling_bytes - arena->held_bytes;
	if (need > left || need > SIZE_MAX - sizeof(*block)) {
		return refuse(arena);
	}
	size = next_block_size(arena, left);
	if (size < need)
		size = need;
	block = new_block(size);
	if (!block) {
		arena->is_refused = true;
		return NULL;
	}
	block->older = arena->blocks;
	arena->blocks = block;
	arena->held_bytes += size;
	poison(block_bytes(block), size);
	return block;
}

static void *take(struct arena *arena, size_t count, size_t size, bool zeroed)
{
	struct arena_block *block = arena->blocks;
	size_t bytes, need, start;
	unsigned char *out;

	if (__builtin_mul_overflow(count, size, &bytes) ||
	    bytes > SIZE_MAX - ARENA_ALIGN - ARENA_GAP_BYTES) {
		return refuse(arena);
	}
	need = bytes ? (bytes + ARENA_GAP_BYTES + ARENA_ALIGN - 1) & ~(ARENA_ALIGN - 1)
		     : ARENA_ALIGN;
	if (!block || block->size - block->used < need) {
		block = add_block(arena, need);
		if (!block)
			return NULL;
	}
	start = block->used;
	block->used += need;
	out = block_bytes(block) + start;
	unpoison(out, bytes);
	if (zeroed && start < block->touched) {
		size_t dirty = block->touched - start;

		memset(out, 0, dirty < bytes ? dirty : bytes);
	}
	if (block->touched < block->used)
		block->touched = block->used;
	return out;
}

void *arena_alloc(struct arena *arena, size_t count, size_t size)
{
	return take(arena, count, size, true);
}

void *arena_alloc_raw(struct arena *arena, size_t count, size_t size)
{
	return take(arena, count, size, false);
}

char *arena_strndup(struct arena *arena, const char *text, size_t len)
{
	char *copy;

	if (len == SIZE_MAX)
		return NULL;
	copy = take(arena, len + 1, 1, false);
	if (!copy)
		return NULL;
	if (len)
		memcpy(copy, text, len);
	copy[len] = '\0';
	return copy;
}

char *arena_strdup(struct arena *arena, const char *text)
{
	return arena_strndup(arena, text, strlen(text));
}

char *arena_printf(struct arena *arena, const char *fmt, ...)
{
	char near[256];
	va_list ap, again;
	char *out = NULL;
	int size;

	va_start(ap, fmt);
	va_copy(again, ap);
	size = vsnprintf(near, sizeof(near), fmt, ap);
	if (size >= 0 && (size_t)size < sizeof(near)) {
		out = arena_strndup(arena, near, (size_t)size);
	} else if (size >= 0) {
		out = take(arena, (size_t)size + 1, 1, false);
		if (out)
			vsnprintf(out, (size_t)size + 1, fmt, again);
	}
	va_end(again);
	va_end(ap);
	return out;
}

struct arena_mark arena_mark(const struct arena *arena)
{
	const struct arena_block *block = arena->blocks;

	if (block && block->used == 0)
		block = block->older;
	return (struct arena_mark){ (struct arena_block *)block, block ? block->used : 0 };
}

/* The larger of the two stays, if it is one worth keeping; the other goes. */
static struct arena_block *keep_larger(struct arena *arena, struct arena_block *kept,
				       struct arena_block *block)
{
	if (block->size > ARENA_BLOCK_MAX_BYTES || (kept && kept->size >= block->size)) {
		drop_block(arena, block);
		return kept;
	}
	if (kept)
		drop_block(arena, kept);
	return block;
}

void arena_rewind(struct arena *arena, struct arena_mark mark)
{
	struct arena_block *block = arena->blocks;
	struct arena_block *kept = NULL;

	while (block && block != mark.block) {
		struct arena_block *older = block->older;

		kept = keep_larger(arena, kept, block);
		block = older;
	}
	arena->blocks = block;
	if (block) {
		poison(block_bytes(block) + mark.used, block->size - mark.used);
		block->used = mark.used;
	}
	if (kept) {
		poison(block_bytes(kept), kept->size);
		kept->used = 0;
		kept->older = arena->blocks;
		arena->blocks = kept;
	}
}
