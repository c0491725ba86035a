/* vec.c -- see vec.h. */
#include "base/vec.h"

#include <stdint.h>
#include <string.h>

#include "base/mem.h"

#define VEC_FIRST_ITEMS 8u

int vec_reserve(void *items, size_t *capacity, size_t need, size_t size)
{
	size_t wanted = *capacity ? *capacity : VEC_FIRST_ITEMS;
	size_t bytes;
	void *block;

	if (need <= *capacity)
		return 0;
	while (wanted < need)
		wanted = wanted > SIZE_MAX / 2 ? need : wanted * 2;
	if (__builtin_mul_overflow(wanted, size, &bytes))
		return -1;
	memcpy(&block, items, sizeof(block));   /* the caller's pointer, whatever its type */
	block = mem_resize(block, bytes);
	if (!block)
		return -1;
	memcpy(items, &block, sizeof(block));
	*capacity = wanted;
	return 0;
}
