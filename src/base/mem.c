/* mem.c -- see mem.h. */
#include "base/mem.h"

#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* No single block is larger: sanitizers end the process on sizes they find absurd. */
#if SIZE_MAX > UINT32_MAX
#define MEM_BLOCK_MAX_BYTES ((size_t)1 << 38)
#else
#define MEM_BLOCK_MAX_BYTES ((size_t)PTRDIFF_MAX)
#endif
#define MEM_LARGE_BYTES (128 * 1024)     /* a mapping of its own costs little beside these */

atomic_long mem_fail_after = -1;
atomic_long mem_live = 0;
_Thread_local unsigned long mem_refusals;

/* Counts a test's knocks down; true when this one finds the door closed.  It stays
 * closed, as memory that has run out does. */
static bool is_refused(size_t bytes)
{
	long left = atomic_load_explicit(&mem_fail_after, memory_order_relaxed);

	if (__builtin_expect(bytes > MEM_BLOCK_MAX_BYTES, 0))
		return true;
	while (__builtin_expect(left >= 0, 0)) {
		if (left == 0)
			return true;
		if (atomic_compare_exchange_weak_explicit(&mem_fail_after, &left, left - 1,
							  memory_order_relaxed,
							  memory_order_relaxed))
			return false;
	}
	return false;
}

static void *note(void *block)
{
	mem_refusals += block == NULL;
	return block;
}

void *mem_get(size_t bytes)
{
	void *block = note(is_refused(bytes) ? NULL : calloc(1, bytes ? bytes : 1));

	if (block)
		atomic_fetch_add_explicit(&mem_live, 1, memory_order_relaxed);
	return block;
}

void *mem_get_array(size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes))
		return note(NULL);
	return mem_get(bytes);
}

void *mem_resize(void *block, size_t bytes)
{
	void *moved = note(is_refused(bytes) ? NULL : realloc(block, bytes ? bytes : 1));

	if (moved && !block)
		atomic_fetch_add_explicit(&mem_live, 1, memory_order_relaxed);
	return moved;
}

char *mem_strdup(const char *text)
{
	size_t size = strlen(text) + 1;
	char *copy = mem_get(size);

	if (copy)
		memcpy(copy, text, size);
	return copy;
}

void mem_give_back(void *block)
{
	if (!block)
		return;
	atomic_fetch_sub_explicit(&mem_live, 1, memory_order_relaxed);
	free(block);
}

void mem_keep_no_large_blocks(void)
{
	/* Setting it ends malloc's raising it by itself. */
	mallopt(M_MMAP_THRESHOLD, MEM_LARGE_BYTES);
}
