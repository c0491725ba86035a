/*
 * scope_names.c -- the functions of the minified file: which one is innermost where, and what its
 * name was before it was minified, by the tokens at the identifiers that name it.
 */
#include "sourcemap/sourcemap_internal.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/limits.h"
#include "base/map.h"
#include "sourcemap/sourcemap_layout.h"

struct scope_walk {
	struct scope_table *table;
	const struct flat_map *map;
	const struct sourcemap_scopes *scopes;
	struct text_places places;
	struct map known;            /* name -> number + 1 */
	struct buf own, resolved;
	struct arena *arena;
	const struct sourcemap_scope **open; /* from the outermost to the innermost */
	uint32_t *open_scope;        /* how they are told */
	size_t open_count;
	struct err *err;
};

/* --- Names -------------------------------------------------------------------------------- */

static bool is_same_place(const struct token_table *table, const struct token_hit *a,
			  const struct token_hit *b)
{
	return table->sources[a->index] == table->sources[b->index] &&
	       table->original_lines[a->index] == table->original_lines[b->index] &&
	       table->original_columns[a->index] + a->offset ==
		       table->original_columns[b->index] + b->offset;
}

/* The name of the token at a place, or of the one before it that leads to the same place. */
static bool name_at(const struct flat_map *map, struct text_place place, struct text *name)
{
	const struct token_table *table = &map->tokens;
	struct token_hit hit, before;
	uint32_t column;

	if (!token_table_find(table, place.line, place.column, &hit) || hit.line != place.line)
		return false;
	column = table->columns[hit.index];
	if (place.column > 0 && column < place.column - 1)
		return false;
	if (table->names[hit.index] == SOURCEMAP_NONE) {
		if (column == 0 || !token_table_find(table, hit.line, column - 1, &before) ||
		    !is_same_place(table, &hit, &before))
			return false;
		hit = before;
	}
	if (table->names[hit.index] == SOURCEMAP_NONE)
		return false;
	*name = map->names[table->names[hit.index]];
	return true;
}

/* Of the token at the last byte of the function, when the one behind it is another. */
static bool closing_name(struct scope_walk *walk, const struct sourcemap_scope *scope,
			 struct text *name)
{
	const struct token_table *table = &walk->map->tokens;
	struct text_place last = text_places_of(&walk->places, scope->end - 1);
	struct text_place behind = text_places_of(&walk->places, scope->end);
	struct token_hit hit, next;

	if (!token_table_find(table, last.line, last.column, &hit) || hit.line != last.line ||
	    table->columns[hit.index] != last.column || table->names[hit.index] == SOURCEMAP_NONE)
		return false;
	if (scope->end < walk->places.text.size &&
	    token_table_find(table, behind.line, behind.column, &next) && next.index == hit.index)
		return false;
	*name = walk->map->names[table->names[hit.index]];
	return true;
}

static int intern(struct scope_walk *walk, struct text name, uint32_t *scope)
{
	uintptr_t seen = (uintptr_t)map_get(&walk->known, name);
	struct scope_table *table = walk->table;
	char *copy;

	*scope = SMPC_SCOPE_NAMED + (uint32_t)(seen ? seen - 1 : table->name_count);
	if (seen)
		return 0;
	copy = arena_strndup(walk->arena, name.bytes, name.size);
	if (!copy)
		return map_json_no_memory(walk->arena, walk->err);
	table->names[table->name_count] = (struct text){ copy, name.size };
	if (map_put(&walk->known, table->names[table->name_count],
		    (void *)((uintptr_t)table->name_count + 1)) < 0)
		return map_json_no_memory(walk->arena, walk->err);
	table->name_count++;
	return 0;
}

static void spell(struct scope_walk *walk, const struct sourcemap_scope *scope)
{
	const struct sourcemap_scope_part *parts = walk->scopes->parts + scope->first_part;

	buf_clear(&walk->own);
	buf_clear(&walk->resolved);
	for (uint32_t i = 0; i < scope->part_count; i++) {
		struct text name = parts[i].text;

		buf_add_text(&walk->own, parts[i].text);
		if (parts[i].at != SOURCEMAP_NONE)
			(void)name_at(walk->map, text_places_of(&walk->places, parts[i].at), &name);
		buf_add_text(&walk->resolved, name);
	}
}

/* As tokens tell it: SMPC_SCOPE_*. */
static int name_scope(struct scope_walk *walk, const struct sourcemap_scope *scope, uint32_t *told)
{
	struct text name;

	spell(walk, scope);
	if (buf_check(&walk->own, walk->err) < 0 || buf_check(&walk->resolved, walk->err) < 0)
		return -1;
	name = buf_text(&walk->resolved);
	if (text_equal(name, buf_text(&walk->own)))
		(void)closing_name(walk, scope, &name);
	*told = SMPC_SCOPE_ANONYMOUS;
	return name.size ? intern(walk, name, told) : 0;
}

/* --- Which is innermost ------------------------------------------------------------------- */

static int compare_scopes(const void *a, const void *b)
{
	const struct sourcemap_scope *left = *(const struct sourcemap_scope *const *)a;
	const struct sourcemap_scope *right = *(const struct sourcemap_scope *const *)b;

	if (left->start != right->start)
		return left->start < right->start ? -1 : 1;
	if (left->end != right->end)
		return left->end > right->end ? -1 : 1;
	return left < right ? -1 : left > right;
}

static void add_change(struct scope_walk *walk, size_t at, uint32_t scope)
{
	struct text_place place = text_places_of(&walk->places, at);
	struct scope_table *table = walk->table;

	if (table->change_count) {
		struct scope_change *last = &table->changes[table->change_count - 1];

		if (last->line == place.line && last->column == place.column) {
			last->scope = scope;
			return;
		}
	}
	table->changes[table->change_count++] =
		(struct scope_change){ place.line, place.column, scope };
}

/* What ends at the end of the file goes on behind it. */
static void close_before(struct scope_walk *walk, size_t start)
{
	while (walk->open_count && walk->open[walk->open_count - 1]->end <= start) {
		size_t end = walk->open[--walk->open_count]->end;

		if (end < walk->places.text.size)
			add_change(walk, end, walk->open_count ? walk->open_scope[walk->open_count - 1]
							       : SMPC_SCOPE_UNKNOWN);
	}
}

static int open_scope(struct scope_walk *walk, const struct sourcemap_scope *scope)
{
	uint32_t told = 0;

	close_before(walk, scope->start);
	if (walk->open_count && walk->open[walk->open_count - 1]->end < scope->end)
		return err_set(walk->err, ERR_MALFORMED,
			       "a function that begins at byte %u of the minified file ends in another",
			       (unsigned)scope->start);
	if (name_scope(walk, scope, &told) < 0)
		return -1;
	walk->open[walk->open_count] = scope;
	walk->open_scope[walk->open_count++] = told;
	add_change(walk, scope->start, told);
	return 0;
}

static int check_scopes(const struct sourcemap_scopes *scopes, size_t size, struct err *err)
{
	for (size_t i = 0; i < scopes->scope_count; i++) {
		const struct sourcemap_scope *scope = &scopes->scopes[i];

		if (scope->start >= scope->end || scope->end > size ||
		    scope->first_part > scopes->part_count ||
		    scope->part_count > scopes->part_count - scope->first_part)
			return err_set(err, ERR_MALFORMED, "function %zu of the minified file lies "
				       "outside of it", i);
	}
	return 0;
}

static int begin(struct scope_walk *walk, struct text minified,
		 const struct sourcemap_scope ***order)
{
	size_t count = walk->scopes->scope_count;
	struct scope_table *table = walk->table;

	if (minified.size >= UINT32_MAX || count >= UINT32_MAX / 2)
		return err_set(walk->err, ERR_LIMIT, "a minified file of %zu bytes", minified.size);
	if (check_scopes(walk->scopes, minified.size, walk->err) < 0 ||
	    text_places_init(&walk->places, minified, walk->arena, walk->err) < 0)
		return -1;
	table->names = arena_alloc_raw(walk->arena, count, sizeof(*table->names));
	table->changes = arena_alloc_raw(walk->arena, 2 * count, sizeof(*table->changes));
	walk->open = arena_alloc_raw(walk->arena, count, sizeof(const struct sourcemap_scope *));
	walk->open_scope = arena_alloc_raw(walk->arena, count, sizeof(*walk->open_scope));
	*order = arena_alloc_raw(walk->arena, count, sizeof(const struct sourcemap_scope *));
	if (!table->names || !table->changes || !walk->open || !walk->open_scope || !*order)
		return map_json_no_memory(walk->arena, walk->err);
	for (size_t i = 0; i < count; i++)
		(*order)[i] = &walk->scopes->scopes[i];
	qsort(*order, count, sizeof(const struct sourcemap_scope *), compare_scopes);
	return 0;
}

int scope_names_resolve(struct scope_table *table, const struct flat_map *map, struct text minified,
			const struct sourcemap_scopes *scopes, struct arena *arena, struct err *err)
{
	struct scope_walk walk = { .table = table, .map = map, .scopes = scopes, .arena = arena,
				   .err = err };
	const struct sourcemap_scope **order = NULL;
	int rc;

	*table = (struct scope_table){ .names = NULL };
	if (scopes->scope_count == 0)
		return 0;
	map_init(&walk.known);
	buf_init(&walk.own, LIMIT_NAME_BYTES);
	buf_init(&walk.resolved, LIMIT_NAME_BYTES);
	rc = begin(&walk, minified, &order);
	for (size_t i = 0; rc == 0 && i < scopes->scope_count; i++)
		rc = open_scope(&walk, order[i]);
	close_before(&walk, SIZE_MAX);
	map_release(&walk.known);
	buf_release(&walk.own);
	buf_release(&walk.resolved);
	return rc;
}
