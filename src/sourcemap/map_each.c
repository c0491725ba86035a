/* map_each.c -- the tokens of a map as it came. */
#include "sourcemap/sourcemap_internal.h"

#include "base/arena.h"
#include "base/err.h"

static struct sourcemap_mapping mapping_at(const struct flat_map *map, uint32_t line, uint32_t i)
{
	const struct token_table *tokens = &map->tokens;
	struct sourcemap_mapping mapping = {
		.line = line, .column = tokens->columns[i],
		.original_line = tokens->original_lines[i],
		.original_column = tokens->original_columns[i],
		.is_range = token_is_range(tokens, i),
	};

	mapping.has_source = tokens->sources[i] != SOURCEMAP_NONE;
	if (mapping.has_source)
		mapping.source = map->sources[tokens->sources[i]].name;
	if (tokens->names[i] != SOURCEMAP_NONE)
		mapping.name = map->names[tokens->names[i]];
	return mapping;
}

static int tell(const struct flat_map *map, sourcemap_mapping_fn *fn, void *payload, struct err *err)
{
	for (uint32_t line = 0; line < map->tokens.line_count; line++) {
		uint32_t end = token_line_end(&map->tokens, line);

		for (uint32_t i = map->tokens.lines[line].first; i < end; i++) {
			struct sourcemap_mapping mapping =
				mapping_at(map, map->tokens.lines[line].line, i);

			if (fn(payload, &mapping, err) < 0)
				return -1;
		}
	}
	return 0;
}

int sourcemap_each(struct text map, size_t memory_bytes, sourcemap_mapping_fn *fn, void *payload,
		   struct err *err)
{
	struct flat_map flat = { .is_without_contents = true };
	struct arena arena;
	int rc;

	arena_init(&arena, memory_bytes);
	rc = map_flatten(&flat, map, &arena, err);
	if (rc == 0)
		rc = tell(&flat, fn, payload, err);
	arena_release(&arena);
	return rc;
}
