/* token_table.c -- tokens by line and column: kept in columns, sorted where they are not. */
#include "sourcemap/sourcemap_internal.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/search.h"

#define LINES_FIRST 1024u

int token_table_init(struct token_table *table, size_t count, bool has_ranges, struct arena *arena,
		     struct err *err)
{
	*table = (struct token_table){ .capacity = (uint32_t)count };
	if (count >= UINT32_MAX)
		return err_set(err, ERR_LIMIT, "the source map has %zu tokens", count);
	table->columns = arena_alloc_raw(arena, count + 1, sizeof(uint32_t));
	table->sources = arena_alloc_raw(arena, count + 1, sizeof(uint32_t));
	table->original_lines = arena_alloc_raw(arena, count + 1, sizeof(uint32_t));
	table->original_columns = arena_alloc_raw(arena, count + 1, sizeof(uint32_t));
	table->names = arena_alloc_raw(arena, count + 1, sizeof(uint32_t));
	if (has_ranges)
		table->is_range = arena_alloc(arena, count / 8 + 1, 1);
	if (!table->columns || !table->sources || !table->original_lines ||
	    !table->original_columns || !table->names || (has_ranges && !table->is_range))
		return map_json_no_memory(arena, err);
	return 0;
}

/* Doubled in the arena: what it leaves behind is at most as much again. */
static int reserve_line(struct token_table *table, struct arena *arena, struct err *err)
{
	uint32_t capacity = table->line_capacity ? table->line_capacity * 2 : LINES_FIRST;
	struct token_line *lines;

	if (table->line_count < table->line_capacity)
		return 0;
	lines = arena_alloc_raw(arena, capacity, sizeof(*lines));
	if (!lines)
		return map_json_no_memory(arena, err);
	if (table->line_count)
		memcpy(lines, table->lines, table->line_count * sizeof(*lines));
	table->lines = lines;
	table->line_capacity = capacity;
	return 0;
}

int token_table_line(struct token_table *table, uint32_t line, struct arena *arena, struct err *err)
{
	uint32_t last = table->line_count ? table->lines[table->line_count - 1].line : 0;

	if (table->line_count && last == line)
		return 0;                    /* two sections meet in it */
	if (table->line_count && last > line)
		table->is_unsorted = true;
	if (reserve_line(table, arena, err) < 0)
		return -1;
	table->lines[table->line_count++] = (struct token_line){ line, table->count };
	return 0;
}

/* --- Sorting ------------------------------------------------------------------------------ */

struct token_order { uint32_t line, column, index; };

static int compare(const void *a, const void *b)
{
	const struct token_order *left = a, *right = b;

	if (left->line != right->line)
		return left->line < right->line ? -1 : 1;
	if (left->column != right->column)
		return left->column < right->column ? -1 : 1;
	return left->index < right->index ? -1 : left->index > right->index;
}

static void fill_order(const struct token_table *table, struct token_order *order)
{
	for (uint32_t line = 0; line < table->line_count; line++)
		for (uint32_t i = table->lines[line].first; i < token_line_end(table, line); i++)
			order[i] = (struct token_order){ table->lines[line].line, table->columns[i], i };
}

static void permute(uint32_t *column, const struct token_order *order, uint32_t count,
		    uint32_t *scratch)
{
	for (uint32_t i = 0; i < count; i++)
		scratch[i] = column[order[i].index];
	memcpy(column, scratch, count * sizeof(*column));
}

static int permute_ranges(struct token_table *table, const struct token_order *order,
			  struct arena *arena, struct err *err)
{
	uint8_t *bits = arena_alloc(arena, (size_t)table->capacity / 8 + 1, 1);

	if (!bits)
		return map_json_no_memory(arena, err);
	for (uint32_t i = 0; i < table->count; i++)
		if (token_is_range(table, order[i].index))
			bits[i / 8] |= (uint8_t)(1u << i % 8);
	table->is_range = bits;
	return 0;
}

static int make_lines(struct token_table *table, const struct token_order *order,
		      struct arena *arena, struct err *err)
{
	uint32_t count = table->count;

	table->line_count = 0;
	table->count = 0;
	for (; table->count < count; table->count++) {
		uint32_t i = table->count;

		if ((i == 0 || order[i].line != order[i - 1].line) &&
		    token_table_line(table, order[i].line, arena, err) < 0)
			return -1;
	}
	table->is_unsorted = false;
	return 0;
}

int token_table_sort(struct token_table *table, struct arena *arena, struct err *err)
{
	struct token_order *order;
	uint32_t *scratch;

	if (!table->is_unsorted || table->count == 0)
		return 0;
	order = arena_alloc_raw(arena, table->count, sizeof(*order));
	scratch = arena_alloc_raw(arena, table->count, sizeof(*scratch));
	if (!order || !scratch)
		return map_json_no_memory(arena, err);
	fill_order(table, order);
	qsort(order, table->count, sizeof(*order), compare);
	permute(table->columns, order, table->count, scratch);
	permute(table->sources, order, table->count, scratch);
	permute(table->original_lines, order, table->count, scratch);
	permute(table->original_columns, order, table->count, scratch);
	permute(table->names, order, table->count, scratch);
	if (table->is_range && permute_ranges(table, order, arena, err) < 0)
		return -1;
	return make_lines(table, order, arena, err);
}

/* --- Finding ------------------------------------------------------------------------------ */

/* The first of the tokens at the place of token `index`, on its line. */
static uint32_t first_of_place(const struct token_table *table, uint32_t begin, uint32_t index)
{
	uint32_t at;

	SEARCH_PARTITION_POINT(at, begin, index, table->columns[at] < table->columns[index]);
	return at;
}

bool token_table_find(const struct token_table *table, uint32_t line, uint32_t column,
		      struct token_hit *hit)
{
	uint32_t at, begin, end, behind;

	SEARCH_PARTITION_POINT(at, 0, table->line_count, table->lines[at].line <= line);
	if (at == 0)
		return false;
	begin = table->lines[at - 1].first;
	end = token_line_end(table, at - 1);
	if (table->lines[at - 1].line == line) {
		SEARCH_PARTITION_POINT(behind, begin, end, table->columns[behind] <= column);
		if (behind == begin) {
			if (at == 1)
				return false;
			behind = begin;
			at--;
		}
	} else {
		behind = end;
	}
	begin = table->lines[at - 1].first;
	*hit = (struct token_hit){ .index = behind - 1, .line = table->lines[at - 1].line };
	if (hit->line == line && table->columns[hit->index] == column)
		hit->index = first_of_place(table, begin, hit->index);
	if (token_is_range(table, hit->index))
		hit->offset = column - table->columns[hit->index];
	return true;
}
