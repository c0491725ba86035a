/* js_error.c -- what went wrong: gathered, and told once each, in order. */
#include "kinds/js/js.h"

#include <stdlib.h>

#include "base/arena.h"

int js_error_add(struct js *js, const struct js_error *error, struct err *err)
{
	struct js_error *copy = arena_alloc_raw(&js->work->arena, 1, sizeof(*copy));

	if (!copy)
		return err_no_memory(err);
	*copy = *error;
	copy->next = js->errors;
	js->errors = copy;
	js->error_count++;
	return 0;
}

static int compare_numbers(struct maybe_u64 a, struct maybe_u64 b)
{
	if (a.is_set != b.is_set)
		return a.is_set ? 1 : -1;
	return a.is_set ? (a.value > b.value) - (a.value < b.value) : 0;
}

static int compare(const void *left, const void *right)
{
	const struct js_error *a = *(const struct js_error *const *)left;
	const struct js_error *b = *(const struct js_error *const *)right;
	int order = text_compare(a->abs_path, b->abs_path);

	if (!order)
		order = (a->type > b->type) - (a->type < b->type);
	if (!order)
		order = compare_numbers(a->line, b->line);
	if (!order)
		order = compare_numbers(a->col, b->col);
	if (!order)
		order = text_compare(a->source, b->source);
	if (!order)
		order = text_compare(a->sourcemap, b->sourcemap);
	return order ? order : text_compare(a->url, b->url);
}

int js_errors_sorted(const struct js *js, const struct js_error ***sorted, size_t *count, struct err *err)
{
	const struct js_error **list = arena_alloc_raw(&js->work->arena, js->error_count + 1, sizeof(*list));
	size_t kept = 0, all = 0;

	if (!list)
		return err_no_memory(err);
	for (const struct js_error *error = js->errors; error; error = error->next)
		list[all++] = error;
	if (all > 1)
		qsort(list, all, sizeof(*list), compare);
	for (size_t i = 0; i < all; i++)
		if (!kept || compare(&list[kept - 1], &list[i]) != 0)
			list[kept++] = list[i];
	*sorted = list;
	*count = kept;
	return 0;
}
