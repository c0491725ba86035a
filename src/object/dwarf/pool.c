/* pool.c -- arrays that grow in an arena, and sorting. */
#include "object/dwarf/dwarf_internal.h"

#define FIRST_ITEMS 32u
#define INSERTION_ITEMS 12u      /* below that, moving one by one is quickest */

int pool_no_capacity(struct err *err)
{
	return err_set(err, ERR_LIMIT, "the memory allowed for one unit is used up");
}

int pool_grow(struct pool *pool, struct arena *arena, size_t more, size_t size, struct err *err)
{
	size_t need, capacity = pool->capacity ? pool->capacity : FIRST_ITEMS;
	void *items;

	if (more > SIZE_MAX / 4 - pool->count)
		return pool_no_capacity(err);
	need = pool->count + more;
	while (capacity < need)
		capacity *= 2;
	items = arena_alloc_raw(arena, capacity, size);
	if (!items)
		return pool_no_capacity(err);
	if (pool->count)
		memcpy(items, pool->items, pool->count * size);
	pool->items = items;
	pool->capacity = capacity;
	return 0;
}

static void sort_few(struct sort_item *items, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		struct sort_item item = items[i];
		size_t at = i;

		for (; at && items[at - 1].key > item.key; at--)
			items[at] = items[at - 1];
		items[at] = item;
	}
}

static void merge(const struct sort_item *from, size_t middle, size_t count,
		  struct sort_item *to)
{
	size_t left = 0, right = middle;

	for (size_t i = 0; i < count; i++) {
		if (left < middle && (right == count || from[left].key <= from[right].key))
			to[i] = from[left++];
		else
			to[i] = from[right++];
	}
}

static bool is_sorted(const struct sort_item *items, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (items[i - 1].key > items[i].key)
			return false;
	return true;
}

void sort_items(struct sort_item *items, struct sort_item *spare, size_t count)
{
	struct sort_item *from = items, *to = spare;

	if (is_sorted(items, count))
		return;
	for (size_t at = 0; at < count; at += INSERTION_ITEMS)
		sort_few(items + at, count - at < INSERTION_ITEMS ? count - at : INSERTION_ITEMS);
	for (size_t run = INSERTION_ITEMS; run < count; run *= 2) {
		struct sort_item *swap = from;

		for (size_t at = 0; at < count; at += 2 * run) {
			size_t left = count - at;
			size_t size = left < 2 * run ? left : 2 * run;

			merge(from + at, size < run ? size : run, size, to + at);
		}
		from = to;
		to = swap;
	}
	if (from != items)
		memcpy(items, from, count * sizeof(*items));
}
