/*
 * vec -- growing an array by doubling, for any element type.
 *
 *	struct thing *things; size_t count, capacity;
 *	if (vec_reserve(&things, &capacity, count + 1, sizeof(*things)) < 0) ...
 */
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include <stddef.h>

/* Makes room for at least `need` elements of `size` bytes in *(void **)items.
 * 0, or -1 out of memory (the array stands as it was).  Give back with mem_give_back. */
int vec_reserve(void *items, size_t *capacity, size_t need, size_t size)
	__attribute__((warn_unused_result));

#endif
