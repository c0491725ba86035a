/* overlap.c -- overlapping functions: one sweep over their starts and ends. */
#include "symcache/overlap.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/search.h"
#include "symcache/symcache_layout.h"

static int compare_ranges(const void *a, const void *b)
{
	const struct function_range *x = a, *y = b;

	if (x->nameless != y->nameless)
		return x->nameless ? 1 : -1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->unit != y->unit)
		return x->unit < y->unit ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

void function_range_sort(struct function_range *ranges, size_t count)
{
	if (count > 1)
		qsort(ranges, count, sizeof(*ranges), compare_ranges);
}

/* --- A heap of the ranges open at the moment, the best on top ------------------------ */

struct heap {
	uint32_t *at;                /* indices of ranges */
	size_t capacity, count;
};

struct overlap_sweep {
	const struct shard *shards;
	const struct function_range *ranges;
	struct budget *budget;
	struct overlap_segments *out;
	struct heap current, others; /* of the unit that answers now; of the rest */
	uint32_t unit;               /* the unit that answers */
	uint32_t reached;            /* covered without a gap up to here */
	const struct function_range *running; /* answers since `since`; not yet written */
	uint32_t since;
};

static bool is_better(const struct function_range *a, const struct function_range *b)
{
	if (a->unit != b->unit)
		return a->unit < b->unit;
	if (a->start != b->start)
		return a->start > b->start;
	if (a->end != b->end)
		return a->end < b->end;
	return a->order < b->order;
}

static int heap_push(struct overlap_sweep *sweep, struct heap *heap, uint32_t index,
		     struct err *err)
{
	size_t at = heap->count;

	if (budget_reserve(sweep->budget, &heap->at, &heap->capacity, heap->count + 1,
			sizeof(*heap->at), err) < 0)
		return -1;
	heap->count++;
	while (at > 0) {
		size_t above = (at - 1) / 2;

		if (!is_better(&sweep->ranges[index], &sweep->ranges[heap->at[above]]))
			break;
		heap->at[at] = heap->at[above];
		at = above;
	}
	heap->at[at] = index;
	return 0;
}

static void heap_pop(const struct overlap_sweep *sweep, struct heap *heap)
{
	uint32_t last = heap->at[--heap->count];
	size_t at = 0, below;

	while ((below = 2 * at + 1) < heap->count) {
		if (below + 1 < heap->count &&
		    is_better(&sweep->ranges[heap->at[below + 1]],
			      &sweep->ranges[heap->at[below]]))
			below++;
		if (!is_better(&sweep->ranges[heap->at[below]], &sweep->ranges[last]))
			break;
		heap->at[at] = heap->at[below];
		at = below;
	}
	heap->at[at] = last;
}

/* The best range still open at the address, or NULL. */
static const struct function_range *heap_top(const struct overlap_sweep *sweep, struct heap *heap,
					     uint32_t address)
{
	while (heap->count > 0) {
		const struct function_range *range = &sweep->ranges[heap->at[0]];

		if (range->end > address)
			return range;
		heap_pop(sweep, heap);
	}
	return NULL;
}

/* --- Segments ------------------------------------------------------------------------ */

void overlap_segments_release(struct overlap_segments *segments)
{
	budget_give_back(segments->budget, &segments->items, segments->capacity,
			 sizeof(*segments->items));
	segments->capacity = segments->count = 0;
}

static int add_segment(struct overlap_segments *out, const struct segment *segment, struct err *err)
{
	if (budget_reserve(out->budget, &out->items, &out->capacity, out->count + 1,
			sizeof(*out->items), err) < 0)
		return -1;
	out->items[out->count++] = *segment;
	return 0;
}

/* The last of `count` entries from `first` on at or below the address; that one is. */
static uint32_t entry_at(const struct shard *shards, const struct function_range *range,
			 uint32_t first, uint32_t count, uint32_t address)
{
	const struct shard *shard = &shards[range->shard];
	uint32_t at;

	SEARCH_PARTITION_POINT(at, first + 1, first + count,
			       shard_entry(shard, range, at).address <= address);
	return at - 1;
}

/* Some of a segment's or range's entries. */
static int add_clipped(const struct shard *shards, struct overlap_segments *out, struct segment whole,
		       uint32_t from, uint32_t to, struct err *err)
{
	uint32_t behind = whole.first + whole.count;

	if (whole.range) {
		whole.first = entry_at(shards, whole.range, whole.first, whole.count, from);
		whole.count = entry_at(shards, whole.range, whole.first, behind - whole.first,
				       to - 1) - whole.first + 1;
	}
	whole.from = from;
	whole.to = to;
	return add_segment(out, &whole, err);
}

static struct segment segment_of(const struct function_range *range)
{
	return (struct segment){ range, range->start, range->end, range->first, range->count,
				 SYMC_NONE };
}

static int end_running(struct overlap_sweep *sweep, uint32_t to, struct err *err)
{
	const struct function_range *range = sweep->running;

	sweep->running = NULL;
	if (!range)
		return 0;
	return add_clipped(sweep->shards, sweep->out, segment_of(range), sweep->since, to, err);
}

/* --- The sweep ----------------------------------------------------------------------- */

/* The unit that answered has nothing here: the first unit that has takes over. */
static int change_unit(struct overlap_sweep *sweep, uint32_t address, struct err *err)
{
	const struct function_range *top = heap_top(sweep, &sweep->others, address);

	if (!top)
		return 0;
	sweep->unit = top->unit;
	for (; top && top->unit == sweep->unit; top = heap_top(sweep, &sweep->others, address)) {
		uint32_t index = sweep->others.at[0];

		heap_pop(sweep, &sweep->others);
		if (heap_push(sweep, &sweep->current, index, err) < 0)
			return -1;
	}
	return 0;
}

/* Pieces [first, last) overlap in one run. */
static int sweep_cluster(struct overlap_sweep *sweep, size_t first, size_t last, struct err *err)
{
	uint32_t at = sweep->ranges[first].start;

	for (;;) {
		const struct function_range *best;
		uint32_t next;

		for (; first < last && sweep->ranges[first].start == at; first++) {
			bool same = sweep->ranges[first].unit == sweep->unit;

			if (heap_push(sweep, same ? &sweep->current : &sweep->others,
				      (uint32_t)first, err) < 0)
				return -1;
		}
		if (!heap_top(sweep, &sweep->current, at) && change_unit(sweep, at, err) < 0)
			return -1;
		best = heap_top(sweep, &sweep->current, at);
		if (best != sweep->running) {
			if (end_running(sweep, at, err) < 0)
				return -1;
			sweep->running = best;
			sweep->since = at;
		}
		if (!best)
			break;
		next = best->end;
		if (first < last && sweep->ranges[first].start < next)
			next = sweep->ranges[first].start;
		at = next;
	}
	sweep->reached = at;
	return 0;
}

static int sweep_all(struct overlap_sweep *sweep, size_t count, struct err *err)
{
	for (size_t i = 0; i < count; ) {
		const struct function_range *range = &sweep->ranges[i];
		uint32_t end = range->end;
		size_t after = i + 1;

		for (; after < count && sweep->ranges[after].start < end; after++)
			if (sweep->ranges[after].end > end)
				end = sweep->ranges[after].end;
		if (range->start != sweep->reached)
			sweep->unit = UINT32_MAX;
		if (after == i + 1) {
			struct segment segment = segment_of(range);

			if (add_segment(sweep->out, &segment, err) < 0)
				return -1;
			sweep->unit = range->unit;
			sweep->reached = range->end;
		} else if (sweep_cluster(sweep, i, after, err) < 0) {
			return -1;
		}
		i = after;
	}
	return 0;
}

int overlap_resolve(const struct shard *shards, const struct function_range *ranges, size_t count,
		    struct overlap_segments *out, struct err *err)
{
	struct overlap_sweep sweep = { .shards = shards, .ranges = ranges, .budget = out->budget,
			       .out = out, .unit = UINT32_MAX };
	int rc = sweep_all(&sweep, count, err);

	mem_give_back(sweep.current.at);
	mem_give_back(sweep.others.at);
	return rc;
}

/* --- Symbols and gaps ---------------------------------------------------------------- */

static int compare_symbols(const void *a, const void *b)
{
	const struct overlap_symbol *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	if (x->size != y->size)
		return x->size < y->size ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

void overlap_symbols_sort(struct overlap_symbols *symbols)
{
	struct overlap_symbol *items = symbols->items;
	size_t kept = 0;
	bool sorted = true;

	for (size_t i = 1; i < symbols->count && sorted; i++)
		sorted = items[i - 1].address < items[i].address;
	if (sorted)
		return;
	qsort(items, symbols->count, sizeof(*items), compare_symbols);
	for (size_t i = 0; i < symbols->count; i++)
		if (i + 1 == symbols->count || items[i + 1].address != items[i].address)
			items[kept++] = items[i];
	symbols->count = kept;
}

/* Fills gaps from left to right: what lies behind the cursors is done with. */
struct filling {
	const struct shard *shards;
	const struct overlap_segments *nameless;
	const struct overlap_symbols *symbols;
	struct overlap_segments *out;
	size_t next_nameless;        /* the first not ending at or before where we are */
	size_t next_symbol;          /* the first starting behind where we are */
	uint32_t gap;                /* where the gap being filled begins */
};

/* Does a symbol answer at `at`?  *until: up to where that stays so. */
static uint32_t symbol_at(struct filling *filling, uint32_t at, uint32_t *until)
{
	const struct overlap_symbols *symbols = filling->symbols;
	const struct overlap_symbol *symbol;
	uint64_t end;

	while (filling->next_symbol < symbols->count &&
	       symbols->items[filling->next_symbol].address <= at)
		filling->next_symbol++;
	if (filling->next_symbol < symbols->count &&
	    symbols->items[filling->next_symbol].address < *until)
		*until = symbols->items[filling->next_symbol].address;
	if (filling->next_symbol == 0)
		return SYMC_NONE;
	symbol = &symbols->items[filling->next_symbol - 1];
	end = (uint64_t)symbol->address + symbol->size;
	if (symbol->size > 0 ? end <= at : symbols->end_at_functions && symbol->address < filling->gap)
		return SYMC_NONE;
	if (symbol->size > 0 && end < *until)
		*until = (uint32_t)end;
	return (uint32_t)(filling->next_symbol - 1);
}

static const struct segment *nameless_at(struct filling *filling, uint32_t at, uint32_t *until)
{
	const struct overlap_segments *nameless = filling->nameless;
	const struct segment *segment;

	while (filling->next_nameless < nameless->count &&
	       nameless->items[filling->next_nameless].to <= at)
		filling->next_nameless++;
	if (filling->next_nameless == nameless->count)
		return NULL;
	segment = &nameless->items[filling->next_nameless];
	if (segment->from > at) {
		if (segment->from < *until)
			*until = segment->from;
		return NULL;
	}
	if (segment->to < *until)
		*until = segment->to;
	return segment;
}

static int fill_gap(struct filling *filling, uint32_t from, uint32_t to, struct err *err)
{
	uint32_t until;

	filling->gap = from;
	for (uint32_t at = from; at < to; at = until) {
		struct segment fill = { .range = NULL };
		const struct segment *lines;
		uint32_t symbol;

		until = to;
		symbol = symbol_at(filling, at, &until);
		lines = nameless_at(filling, at, &until);
		if (!lines && symbol == SYMC_NONE)
			continue;
		if (lines)
			fill = *lines;
		fill.symbol = symbol;
		if (add_clipped(filling->shards, filling->out, fill, at, until, err) < 0)
			return -1;
	}
	return 0;
}

int overlap_fill(const struct shard *shards, const struct overlap_segments *functions,
		 const struct overlap_segments *nameless, const struct overlap_symbols *symbols,
		 struct overlap_segments *out, struct err *err)
{
	struct filling filling = { .shards = shards, .nameless = nameless, .symbols = symbols,
				   .out = out };
	uint32_t reached = 0;

	for (size_t i = 0; i < functions->count; i++) {
		if (fill_gap(&filling, reached, functions->items[i].from, err) < 0 ||
		    add_segment(out, &functions->items[i], err) < 0)
			return -1;
		reached = functions->items[i].to;
	}
	return fill_gap(&filling, reached, UINT32_MAX, err);
}
