/*
 * nest.c -- inlined calls made to nest.
 *
 * Compilers write ranges of inlined calls that stick out of the caller's or overlap a
 * neighbour's.  Level by level from the outside: what lies outside the parent goes, and of
 * two that overlap the one that starts later starts where the other ends.
 */
#include "object/dwarf/dwarf_internal.h"

#include "base/search.h"

#define CLIP_STEPS 8u             /* to make a piece, sort it and tell it */

struct nest {
	struct unit_context *context;
	struct inlinee *inlinees;
	size_t count;
	struct span *spans;              /* of the function */
	size_t span_count;
};

static size_t first_ending_after(const struct span *spans, size_t count, uint64_t address)
{
	size_t at;

	SEARCH_PARTITION_POINT(at, 0, count, spans[at].end <= address);
	return at;
}

/* What `span` has in common with the parent's spans goes to the end of reading->fixed. */
static int clip_span(struct nest *nest, struct span span, size_t parent_first,
		     size_t parent_count, bool parent_is_function, struct err *err)
{
	struct pool *fixed = &nest->context->fixed;
	const struct span *parents = nest->spans;

	if (!parent_count)
		return 0;
	if (!parent_is_function)
		parents = (const struct span *)fixed->items + parent_first;
	for (size_t i = first_ending_after(parents, parent_count, span.start);
	     i < parent_count && parents[i].start < span.end; i++) {
		struct span common = parents[i];
		struct span *items;

		if (work_charge(&nest->context->work, CLIP_STEPS, err) < 0)
			return -1;
		if (common.start < span.start)
			common.start = span.start;
		if (common.end > span.end)
			common.end = span.end;
		if (common.start >= common.end)
			continue;
		if (pool_reserve(fixed, nest->context->scratch, 1, sizeof(*items), err) < 0)
			return -1;
		items = fixed->items;
		items[fixed->count++] = common;
		if (!parent_is_function)         /* may have moved */
			parents = items + parent_first;
	}
	return 0;
}

static int clip(struct nest *nest, struct inlinee *inlinee, struct err *err)
{
	const struct span *own = nest->context->spans.items;
	size_t first = nest->context->fixed.count;
	bool is_outermost = inlinee->parent == OBJECT_NO_PARENT;
	const struct inlinee *parent = is_outermost ? NULL : &nest->inlinees[inlinee->parent];

	own += inlinee->first_span;
	for (size_t i = 0; i < inlinee->span_count; i++)
		if (clip_span(nest, own[i], parent ? parent->first_span : 0,
			      parent ? parent->span_count : nest->span_count, is_outermost,
			      err) < 0)
			return -1;
	inlinee->first_span = first;
	inlinee->span_count = nest->context->fixed.count - first;
	return 0;
}

/* Spans [first, ...) of reading->fixed are one level's: neighbours' and cousins'. */
static int part_siblings(struct nest *nest, size_t first, struct err *err)
{
	struct unit_context *context = nest->context;
	struct span *spans = context->fixed.items;
	size_t count = context->fixed.count - first;
	struct sort_item *order;
	uint64_t covered = 0;

	if (!count)
		return 0;
	if (pool_reserve(&context->order, context->scratch, 2 * count, sizeof(*order), err) < 0)
		return -1;
	order = context->order.items;
	for (size_t i = 0; i < count; i++)
		order[i] = (struct sort_item){ spans[first + i].start, first + i };
	sort_items(order, order + count, count);
	for (size_t i = 0; i < count; i++) {
		struct span *span = &spans[order[i].index];

		if (span->start < covered)
			span->start = covered < span->end ? covered : span->end;
		if (span->end > covered)
			covered = span->end;
	}
	return 0;
}

/* Indexes of the inlinees, outermost level first; starts[d] is where level d begins. */
static int order_by_depth(struct nest *nest, size_t *starts, size_t levels, uint32_t **out,
			  struct err *err)
{
	struct pool *pool = &nest->context->renumbered;
	size_t at[LIMIT_INLINE_DEPTH + 2];
	uint32_t *order;

	if (pool_reserve(pool, nest->context->scratch, nest->count, sizeof(*order), err) < 0)
		return -1;
	order = pool->items;
	memset(starts, 0, (levels + 1) * sizeof(*starts));
	for (size_t i = 0; i < nest->count; i++)
		starts[nest->inlinees[i].depth + 1]++;
	for (size_t depth = 0; depth < levels; depth++)
		starts[depth + 1] += starts[depth];
	memcpy(at, starts, (levels + 1) * sizeof(*at));
	for (size_t i = 0; i < nest->count; i++)
		order[at[nest->inlinees[i].depth]++] = (uint32_t)i;
	*out = order;
	return 0;
}

int nest_repair(struct unit_context *context, const struct pending *pending, struct err *err)
{
	struct nest nest = { .context = context };
	size_t starts[LIMIT_INLINE_DEPTH + 2];
	size_t levels = 0;
	uint32_t *order;

	nest.inlinees = (struct inlinee *)context->inlinees.items + pending->first_inlinee;
	nest.count = context->inlinees.count - pending->first_inlinee;
	nest.spans = (struct span *)context->spans.items + pending->first_span;
	nest.span_count = pending->span_count;
	context->fixed.count = 0;
	for (size_t i = 0; i < nest.count; i++)
		if (nest.inlinees[i].depth >= levels)
			levels = nest.inlinees[i].depth + 1;
	if (order_by_depth(&nest, starts, levels, &order, err) < 0)
		return -1;
	for (size_t depth = 0; depth < levels; depth++) {
		size_t first = context->fixed.count;

		for (size_t i = starts[depth]; i < starts[depth + 1]; i++)
			if (clip(&nest, &nest.inlinees[order[i]], err) < 0)
				return -1;
		if (part_siblings(&nest, first, err) < 0)
			return -1;
	}
	return 0;
}
