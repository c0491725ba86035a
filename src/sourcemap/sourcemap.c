/*
 * sourcemap.c -- opening the lookup file of a source map and searching it in place.
 *
 * Opening proves that the tables lie inside the bytes; after that a record is safe to read when
 * its index is below its table's count.  Contents, line starts and strings are checked when they
 * are asked for.
 */
#include "sourcemap/sourcemap.h"

#include "base/err.h"
#include "base/line_starts.h"
#include "base/load.h"
#include "base/reader.h"
#include "base/search.h"
#include "sourcemap/sourcemap_layout.h"

static inline uint32_t column_at(const struct sourcemap_column *column, uint32_t index)
{
	return load_u32(column->bytes + (size_t)index * column->width) & column->mask;
}

/* --- Opening ------------------------------------------------------------------------------ */

static int check_head(const uint8_t *head, size_t size, struct err *err)
{
	if (load_u32(head + SMPC_AT_MAGIC) != SMPC_MAGIC)
		return err_set(err, ERR_MALFORMED, "not a source map cache: it starts with 0x%08x",
			       (unsigned)load_u32(head + SMPC_AT_MAGIC));
	if (load_u32(head + SMPC_AT_VERSION) != SMPC_VERSION)
		return err_set(err, ERR_UNSUPPORTED, "source map cache version %u, we read %u",
			       (unsigned)load_u32(head + SMPC_AT_VERSION), SMPC_VERSION);
	if (load_u64(head + SMPC_AT_FILE_BYTES) != size)
		return err_set(err, ERR_MALFORMED, "a source map cache of %zu bytes has %llu", size,
			       (unsigned long long)load_u64(head + SMPC_AT_FILE_BYTES));
	return 0;
}

static const uint8_t *take_table(struct reader *reader, uint64_t count, size_t record_bytes)
{
	const uint8_t *at = reader_take(reader, count * record_bytes);

	reader_skip(reader, -reader->pos & (SMPC_ALIGNMENT - 1));
	return at;
}

static void take_columns(struct sourcemap *map, const uint8_t *widths, struct reader *reader)
{
	for (unsigned i = 0; i < SOURCEMAP_COLUMNS; i++) {
		struct sourcemap_column *column = &map->columns[i];

		if (widths[i] > sizeof(uint32_t))
			reader->failed = true;
		column->width = widths[i];
		column->mask = widths[i] >= sizeof(uint32_t) ? UINT32_MAX
							    : (1u << 8 * widths[i]) - 1;
		column->bytes = take_table(reader, (uint64_t)map->token_count * widths[i] +
					   SMPC_COLUMN_SLACK, 1);
	}
}

int sourcemap_open(struct sourcemap *map, const void *bytes, size_t size, struct err *err)
{
	struct reader reader = reader_over("source map cache", bytes, size);
	const uint8_t *head = reader_take(&reader, SMPC_HEAD_BYTES);
	uint64_t string_count, samples;

	*map = (struct sourcemap){ .bytes = bytes, .size = size };
	if (!head)
		return reader_check(&reader, err);
	if (check_head(head, size, err) < 0)
		return -1;
	map->debug_id = debugid_load(head + SMPC_AT_DEBUG_ID);
	map->is_hermes = load_u32(head + SMPC_AT_FLAGS) & SMPC_HERMES;
	map->token_count = load_u32(head + SMPC_AT_TOKENS);
	map->line_count = load_u32(head + SMPC_AT_LINES);
	map->file_count = load_u32(head + SMPC_AT_FILES);
	map->name_count = load_u32(head + SMPC_AT_NAMES);
	map->scope_count = load_u32(head + SMPC_AT_SCOPES);
	map->string_bytes = load_u64(head + SMPC_AT_STRING_BYTES);
	reader_seek(&reader, load_u64(head + SMPC_AT_TABLES));
	if (reader.pos & (SMPC_ALIGNMENT - 1))
		reader.failed = true;
	take_columns(map, head + SMPC_AT_WIDTHS, &reader);
	samples = ((uint64_t)map->token_count + SMPC_SAMPLE_EVERY - 1) / SMPC_SAMPLE_EVERY;
	map->lines = reader_take(&reader, (uint64_t)map->line_count * SMPC_LINE_BYTES);
	map->samples = take_table(&reader, samples, sizeof(uint32_t));
	map->files = reader_take(&reader, (uint64_t)map->file_count * SMPC_FILE_BYTES);
	string_count = (uint64_t)map->name_count + map->scope_count + map->file_count;
	map->string_ends = reader_take(&reader, string_count * sizeof(uint32_t));
	map->strings = reader_take(&reader, map->string_bytes);
	return reader_check(&reader, err);
}

/* --- Strings ------------------------------------------------------------------------------ */

/* Empty when its ends lead out of the strings. */
static struct text string_at(const struct sourcemap *map, uint64_t index)
{
	const uint8_t *end = map->string_ends + index * sizeof(uint32_t);
	uint32_t from = index ? load_u32(end - sizeof(uint32_t)) : 0, to = load_u32(end);

	if (from >= to || to > map->string_bytes)
		return TEXT("");
	return (struct text){ (const char *)map->strings + from, to - from };
}

static struct text file_name(const struct sourcemap *map, uint32_t file)
{
	return string_at(map, (uint64_t)map->name_count + map->scope_count + file);
}

/* --- Look-up ------------------------------------------------------------------------------ */

static bool fill_place(const struct sourcemap *map, uint32_t token, struct sourcemap_place *place)
{
	uint32_t file = column_at(&map->columns[SOURCEMAP_FILE], token);
	uint32_t name = column_at(&map->columns[SOURCEMAP_NAME], token);
	uint32_t scope = column_at(&map->columns[SOURCEMAP_SCOPE], token);

	*place = (struct sourcemap_place){
		.line = column_at(&map->columns[SOURCEMAP_ORIGINAL_LINE], token),
		.column = column_at(&map->columns[SOURCEMAP_ORIGINAL_COLUMN], token),
		.file = file - 1,            /* 0: SOURCEMAP_NONE */
	};
	if (file == 0 || file > map->file_count)
		return false;
	place->file_name = file_name(map, place->file);
	if (name > 0 && name <= map->name_count)
		place->name = string_at(map, name - 1);
	if (scope == SMPC_SCOPE_ANONYMOUS) {
		place->scope_kind = SOURCEMAP_SCOPE_ANONYMOUS;
	} else if (scope >= SMPC_SCOPE_NAMED && scope - SMPC_SCOPE_NAMED < map->scope_count) {
		place->scope_kind = SOURCEMAP_SCOPE_NAMED;
		place->scope = string_at(map, (uint64_t)map->name_count + scope - SMPC_SCOPE_NAMED);
	}
	return true;
}

static inline uint32_t line_number(const struct sourcemap *map, uint32_t index)
{
	return load_u32(map->lines + (size_t)index * SMPC_LINE_BYTES);
}

static inline uint32_t line_first(const struct sourcemap *map, uint32_t index)
{
	return index < map->line_count
		       ? load_u32(map->lines + (size_t)index * SMPC_LINE_BYTES + 4) : map->token_count;
}

/* Most maps have tokens on each line: the line's number is its index. */
static bool find_line(const struct sourcemap *map, uint32_t line, uint32_t *index)
{
	uint32_t at;

	if (line < map->line_count && line_number(map, line) == line) {
		*index = line;
		return true;
	}
	SEARCH_PARTITION_POINT(at, 0, map->line_count, line_number(map, at) < line);
	*index = at;
	return at < map->line_count && line_number(map, at) == line;
}

/* How many tokens of [first, end) begin at or before the column, counted from `first` on: by
 * samples, then among the tokens between two. */
static uint32_t behind_column(const struct sourcemap *map, uint32_t first, uint32_t end,
			      uint32_t column)
{
	const struct sourcemap_column *columns = &map->columns[SOURCEMAP_COLUMN];
	uint32_t at = first;

	if (end - first > SMPC_SAMPLE_EVERY) {
		uint32_t from = first / SMPC_SAMPLE_EVERY + 1, to = (end - 1) / SMPC_SAMPLE_EVERY + 1;
		uint32_t sample;

		SEARCH_PARTITION_POINT(sample, from, to,
				       load_u32(map->samples + (size_t)sample * 4) <= column);
		if (sample > from)
			first = (sample - 1) * SMPC_SAMPLE_EVERY;
		if (sample < to)
			end = sample * SMPC_SAMPLE_EVERY;
	}
	SEARCH_PARTITION_POINT(at, first, end, column_at(columns, at) <= column);
	return at;
}

bool sourcemap_lookup(const struct sourcemap *map, uint32_t line, uint32_t column,
		      struct sourcemap_place *place)
{
	uint32_t index, first, end, behind;

	if (!find_line(map, line, &index))
		return false;
	first = line_first(map, index);
	end = line_first(map, index + 1);
	if (first >= end || end > map->token_count)
		return false;
	behind = behind_column(map, first, end, column);
	return behind > first && fill_place(map, behind - 1, place);
}

bool sourcemap_token(const struct sourcemap *map, uint32_t index, uint32_t *line, uint32_t *column,
		     struct sourcemap_place *place)
{
	uint32_t at;

	SEARCH_PARTITION_POINT(at, 0, map->line_count, line_first(map, at) <= index);
	*line = at ? line_number(map, at - 1) : 0;
	*column = column_at(&map->columns[SOURCEMAP_COLUMN], index);
	return fill_place(map, index, place);
}

/* --- Sources ------------------------------------------------------------------------------ */

bool sourcemap_source(const struct sourcemap *map, uint32_t index, struct sourcemap_source *source)
{
	const uint8_t *record = map->files + (size_t)index * SMPC_FILE_BYTES;
	struct reader reader = reader_over("contents", map->bytes, map->size);
	uint64_t size;
	uint32_t flags;

	if (index >= map->file_count)
		return false;
	*source = (struct sourcemap_source){ .name = file_name(map, index) };
	flags = load_u32(record + SMPC_FILE_AT_FLAGS);
	source->is_ignored = flags & SMPC_FILE_IS_IGNORED;
	if (!(flags & SMPC_FILE_HAS_CONTENTS))
		return true;
	size = load_u64(record + SMPC_FILE_AT_SIZE);
	source->line_count = load_u32(record + SMPC_FILE_AT_LINES);
	reader_seek(&reader, load_u64(record + SMPC_FILE_AT_CONTENTS));
	source->contents = (struct text){ (const char *)reader_take(&reader, size), (size_t)size };
	reader_seek(&reader, load_u64(record + SMPC_FILE_AT_STARTS));
	source->line_starts = reader_take(&reader, (uint64_t)source->line_count * LINE_STARTS_BYTES);
	source->has_contents = !reader.failed;
	if (reader.failed) {
		source->contents = TEXT_NONE;
		source->line_count = 0;
	}
	return true;
}

bool sourcemap_line(const struct sourcemap_source *source, uint32_t number, struct text *line)
{
	const struct line_starts lines = { source->contents, source->line_starts, source->line_count };

	return line_starts_line(&lines, number, line);
}
