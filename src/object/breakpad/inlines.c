/* inlines.c -- INLINE records to inlined calls that nest.
 *
 * A record says its depth, not its parent: the parent is what covers it one level up.
 * Level by level, ranges are cut to what their parents cover and to what earlier siblings
 * left over; what no parent covers is dropped.  Every piece is an inlinee of its own.
 */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/limits.h"
#include "object/breakpad/breakpad.h"

struct inline_nest {
	struct arena *scratch;
	struct object_inlinee *inlinees;
	struct object_range *ranges;     /* of inlinee i: ranges[i] */
	size_t count, capacity;
};

/* Of one depth. */
static int compare_records(const void *left, const void *right)
{
	const struct breakpad_inline *a = left, *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

static void sort_level(struct breakpad_inline *records, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (records[i].address < records[i - 1].address) {
			qsort(records, count, sizeof(*records), compare_records);
			return;
		}
}

/* By depth, address and order in the file: dumpers write calls in the order of addresses, each
 * before those within it, so that there is little to do but to part the levels. */
static int sort_records(const struct breakpad_inline *records, size_t count, struct arena *scratch,
			struct breakpad_inline **sorted, struct err *err)
{
	size_t ends[LIMIT_INLINE_DEPTH + 1], start = 0;
	unsigned deepest = 0;

	*sorted = arena_alloc_raw(scratch, count, sizeof(**sorted));
	if (!*sorted)
		return err_set(err, ERR_NO_MEMORY, "no memory to sort %zu inlined calls", count);
	for (size_t i = 0; i < count; i++)
		if (records[i].depth > deepest)
			deepest = records[i].depth;
	memset(ends, 0, (deepest + 2) * sizeof(*ends));
	for (size_t i = 0; i < count; i++)
		ends[records[i].depth + 1]++;
	for (unsigned depth = 1; depth <= deepest; depth++)
		ends[depth] += ends[depth - 1];
	for (size_t i = 0; i < count; i++)
		(*sorted)[ends[records[i].depth]++] = records[i];
	for (unsigned depth = 0; depth <= deepest; start = ends[depth++])
		sort_level(*sorted + start, ends[depth] - start);
	return 0;
}

static int reserve(struct inline_nest *nest, struct err *err)
{
	size_t capacity = nest->capacity ? 2 * nest->capacity : 64;
	struct object_inlinee *inlinees;
	struct object_range *ranges;

	if (nest->count >= LIMIT_INLINEES_PER_FUNCTION)
		return err_set(err, ERR_LIMIT, "more than %u inlined calls in one function",
			       LIMIT_INLINEES_PER_FUNCTION);
	inlinees = arena_alloc_raw(nest->scratch, capacity, sizeof(*inlinees));
	ranges = arena_alloc_raw(nest->scratch, capacity, sizeof(*ranges));
	if (!inlinees || !ranges)
		return err_set(err, ERR_NO_MEMORY, "no memory for %zu inlined calls", capacity);
	if (nest->count > 0) {
		memcpy(inlinees, nest->inlinees, nest->count * sizeof(*inlinees));
		memcpy(ranges, nest->ranges, nest->count * sizeof(*ranges));
	}
	nest->inlinees = inlinees;
	nest->ranges = ranges;
	nest->capacity = capacity;
	return 0;
}

static int add_piece(struct inline_nest *nest, const struct breakpad_inline *record,
		     uint32_t parent,
		     uint64_t start, uint64_t end, struct err *err)
{
	if (nest->count == nest->capacity && reserve(nest, err) < 0)
		return -1;
	nest->ranges[nest->count] = (struct object_range){ start, end - start };
	nest->inlinees[nest->count++] = (struct object_inlinee){
		.parent = parent, .call_file = record->call_file,
		.call_line = record->call_line, .language = LANGUAGE_UNKNOWN,
		.name = record->origin, .range_count = 1,
	};
	return 0;
}

struct inline_level {
	size_t first, last;          /* inlinees of the level above; none: the function itself */
	const struct object_range *function;
	uint64_t free_from;          /* earlier siblings cover what lies below */
};

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t sooner(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* The pieces of one record under each parent it touches; level->first moves past parents that
 * end before it. */
static int place_record(struct inline_nest *nest, struct inline_level *level,
			const struct breakpad_inline *record, struct err *err)
{
	uint64_t start = later(record->address, level->free_from), end = record->end;

	if (start >= end)
		return 0;
	level->free_from = end;
	while (level->first < level->last &&
	       nest->ranges[level->first].address + nest->ranges[level->first].size <= start)
		level->first++;
	for (size_t i = level->first; i < level->last; i++) {
		uint64_t from = later(start, nest->ranges[i].address);
		uint64_t to = sooner(end, nest->ranges[i].address + nest->ranges[i].size);

		if (nest->ranges[i].address >= end)
			break;
		if (from < to && add_piece(nest, record, (uint32_t)i, from, to, err) < 0)
			return -1;
	}
	return 0;
}

static int place_outermost(struct inline_nest *nest, struct inline_level *level,
			   const struct breakpad_inline *record, struct err *err)
{
	uint64_t start = later(later(record->address, level->free_from),
			       level->function->address);
	uint64_t end = sooner(record->end, level->function->address + level->function->size);

	if (start >= end)
		return 0;
	level->free_from = end;
	return add_piece(nest, record, OBJECT_NO_PARENT, start, end, err);
}

static int place_all(struct inline_nest *nest, const struct object_range *function,
		     const struct breakpad_inline *records, size_t count, struct err *err)
{
	struct inline_level level = { .function = function };
	uint32_t depth = 0;

	for (size_t i = 0; i < count; i++) {
		int rc;

		if (records[i].depth != depth) {
			/* A level left out, or one that came to nothing, ends the nesting. */
			if (records[i].depth != depth + 1 || nest->count == level.last)
				break;
			level = (struct inline_level){ .first = level.last, .last = nest->count };
			depth++;
		}
		rc = depth == 0 ? place_outermost(nest, &level, &records[i], err)
				: place_record(nest, &level, &records[i], err);
		if (rc < 0)
			return -1;
	}
	return 0;
}

int breakpad_nest(const struct object_range *function, const struct breakpad_inline *records,
		  size_t count, struct arena *scratch, struct object_inlinee **inlinees,
		  size_t *inlinee_count, struct err *err)
{
	struct inline_nest nest = { .scratch = scratch };

	struct breakpad_inline *sorted;

	*inlinee_count = 0;
	if (count == 0)
		return 0;
	if (sort_records(records, count, scratch, &sorted, err) < 0 ||
	    place_all(&nest, function, sorted, count, err) < 0)
		return -1;
	for (size_t i = 0; i < nest.count; i++)
		nest.inlinees[i].ranges = &nest.ranges[i];
	*inlinees = nest.inlinees;
	*inlinee_count = nest.count;
	return 0;
}
