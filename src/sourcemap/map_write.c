/*
 * map_write.c -- the lookup file of a map: contents first, which go from the map's text through a
 * small buffer; then the tables.  A token that says what the one before it says is left out.
 */
#include "sourcemap/sourcemap_internal.h"

#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/vec.h"
#include "sourcemap/sourcemap_layout.h"

#define OUT_BYTES ((size_t)256 << 10)
#define PIECE_BYTES ((size_t)16 << 10)       /* of a source's text, unescaped */

struct map_file {
	uint64_t contents_at, starts_at, size;
	uint32_t lines, flags;
};

struct map_writer {
	const struct flat_map *map;
	const struct scope_table *scopes;
	struct token_table *tokens;
	struct arena *arena;
	int fd;
	uint8_t *out;
	size_t out_size;
	char *piece;                 /* of a source, PIECE_BYTES */
	uint64_t at;                 /* of the next byte in the file */
	struct map_file *files;
	uint32_t *starts;            /* of the lines of one source */
	size_t starts_capacity;
	uint8_t widths[SOURCEMAP_COLUMNS];
	uint8_t *scope_of;           /* of each token, in widths[SOURCEMAP_SCOPE] bytes */
	uint32_t scope_change;       /* the next one */
	uint64_t string_bytes, tables_at;
	struct sourcemap_report *report;
	struct err *err;
};

/* --- Bytes -------------------------------------------------------------------------------- */

static int flush(struct map_writer *writer)
{
	size_t size = writer->out_size;

	writer->out_size = 0;
	return file_write_all(writer->fd, writer->out, size, writer->err);
}

static int put(struct map_writer *writer, const void *bytes, size_t size)
{
	const uint8_t *from = bytes;

	writer->at += size;
	while (size > 0) {
		size_t fits = OUT_BYTES - writer->out_size;

		if (fits > size)
			fits = size;
		memcpy(writer->out + writer->out_size, from, fits);
		writer->out_size += fits;
		from += fits;
		size -= fits;
		if (writer->out_size == OUT_BYTES && flush(writer) < 0)
			return -1;
	}
	return 0;
}

static int align(struct map_writer *writer)
{
	static const uint8_t zeros[SMPC_ALIGNMENT];

	return put(writer, zeros, (size_t)(-writer->at & (SMPC_ALIGNMENT - 1)));
}

static int put_u32(struct map_writer *writer, uint32_t value)
{
	return put(writer, &value, sizeof(value));
}

static void store_u32(uint8_t *at, uint32_t value)
{
	memcpy(at, &value, sizeof(value));
}

static void store_u64(uint8_t *at, uint64_t value)
{
	memcpy(at, &value, sizeof(value));
}

/* --- Contents ----------------------------------------------------------------------------- */

static int add_start(struct map_writer *writer, struct map_file *file, uint64_t at)
{
	if (vec_reserve(&writer->starts, &writer->starts_capacity, (size_t)file->lines + 1,
			sizeof(*writer->starts)) < 0)
		return map_json_no_memory(writer->arena, writer->err);
	writer->starts[file->lines++] = (uint32_t)at;
	return 0;
}

/* A piece of a source; where it has line feeds, lines begin behind them. */
static int put_piece(struct map_writer *writer, struct map_file *file, const char *bytes, size_t size)
{
	const char *at = bytes, *end = bytes + size;

	while (at < end && (at = memchr(at, '\n', (size_t)(end - at))) != NULL) {
		at++;
		if (add_start(writer, file, file->size + (uint64_t)(at - bytes)) < 0)
			return -1;
	}
	file->size += size;
	return put(writer, bytes, size);
}

static int put_contents(struct map_writer *writer, const struct json_string *string,
			struct map_file *file)
{
	size_t at = 0, size;

	file->flags |= SMPC_FILE_HAS_CONTENTS;
	file->contents_at = writer->at;
	if (add_start(writer, file, 0) < 0)
		return -1;
	while ((size = json_string_piece(string, &at, writer->piece, PIECE_BYTES)) > 0)
		if (put_piece(writer, file, writer->piece, size) < 0)
			return -1;
	if (writer->starts[file->lines - 1] == file->size)
		file->lines--;               /* no line begins at the end */
	if (align(writer) < 0)
		return -1;
	file->starts_at = writer->at;
	return put(writer, writer->starts, file->lines * sizeof(*writer->starts));
}

static int put_sources(struct map_writer *writer)
{
	const struct flat_map *map = writer->map;

	writer->files = arena_alloc(writer->arena, map->source_count + 1, sizeof(*writer->files));
	if (!writer->files)
		return map_json_no_memory(writer->arena, writer->err);
	for (size_t i = 0; i < map->source_count; i++) {
		if (map->sources[i].is_ignored)
			writer->files[i].flags |= SMPC_FILE_IS_IGNORED;
		if (!map->sources[i].has_contents)
			writer->report->files_without_contents++;
		else if (put_contents(writer, &map->sources[i].contents, &writer->files[i]) < 0)
			return -1;
	}
	return align(writer);
}

/* --- Which tokens stay -------------------------------------------------------------------- */

static uint8_t width_of(uint32_t greatest)
{
	return greatest == 0 ? 0 : greatest < 1u << 8 ? 1 : greatest < 1u << 16 ? 2
		       : greatest < 1u << 24 ? 3 : 4;
}

/* The scope at a token's place; places come in order. */
static uint32_t scope_at(struct map_writer *writer, uint32_t line, uint32_t token)
{
	const struct scope_table *scopes = writer->scopes;
	uint32_t column = writer->tokens->columns[token], at = writer->scope_change;

	if (scopes->of_token)
		return scopes->of_token[token];
	while (at < scopes->change_count &&
	       (scopes->changes[at].line < line ||
		(scopes->changes[at].line == line && scopes->changes[at].column <= column)))
		at++;
	writer->scope_change = at;
	return at ? scopes->changes[at - 1].scope : SMPC_SCOPE_UNKNOWN;
}

static bool is_same_name(const struct flat_map *map, uint32_t a, uint32_t b)
{
	return a == b || (a != SOURCEMAP_NONE && b != SOURCEMAP_NONE &&
			  text_equal(map->names[a], map->names[b]));
}

/* Does token `b` say what `a` says?  Their scopes were compared. */
static bool is_same_token(const struct map_writer *writer, uint32_t a, uint32_t b)
{
	const struct token_table *tokens = writer->tokens;

	return tokens->original_columns[a] == tokens->original_columns[b] &&
	       tokens->original_lines[a] == tokens->original_lines[b] &&
	       tokens->sources[a] == tokens->sources[b] &&
	       is_same_name(writer->map, tokens->names[a], tokens->names[b]);
}

static void move_token(struct token_table *tokens, uint32_t to, uint32_t from)
{
	tokens->columns[to] = tokens->columns[from];
	tokens->sources[to] = tokens->sources[from];
	tokens->original_lines[to] = tokens->original_lines[from];
	tokens->original_columns[to] = tokens->original_columns[from];
	tokens->names[to] = tokens->names[from];
}

/* Leaves out what repeats the token before it, in place: lines without a token go too. */
static int keep_tokens(struct map_writer *writer)
{
	struct token_table *tokens = writer->tokens;
	uint8_t width = width_of(writer->scopes->name_count + 1);
	uint32_t kept = 0, lines = 0, last_scope = 0;

	writer->widths[SOURCEMAP_SCOPE] = width;
	writer->scope_of = arena_alloc_raw(writer->arena, (size_t)tokens->count + SMPC_COLUMN_SLACK,
					   width);
	if (!writer->scope_of)
		return map_json_no_memory(writer->arena, writer->err);
	for (uint32_t line = 0; line < tokens->line_count; line++) {
		uint32_t number = tokens->lines[line].line, first = kept;
		uint32_t end = token_line_end(tokens, line);

		for (uint32_t i = tokens->lines[line].first; i < end; i++) {
			uint32_t scope = scope_at(writer, number, i);

			if (kept && scope == last_scope && is_same_token(writer, kept - 1, i))
				continue;
			move_token(tokens, kept, i);
			memcpy(writer->scope_of + (size_t)kept * width, &scope, width);
			last_scope = scope;
			kept++;
		}
		if (kept > first)
			tokens->lines[lines++] = (struct token_line){ number, first };
	}
	tokens->count = kept;
	tokens->line_count = lines;
	return 0;
}

/* --- Tables ------------------------------------------------------------------------------- */

static uint32_t greatest(const uint32_t *values, uint32_t count, uint32_t add)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < count; i++)
		most = values[i] + add > most ? values[i] + add : most;
	return most;
}

/* `add`: 1 where SOURCEMAP_NONE becomes 0. */
static int put_column(struct map_writer *writer, enum sourcemap_column_name column,
		      const uint32_t *values, uint32_t add)
{
	static const uint8_t zeros[SMPC_COLUMN_SLACK];
	uint32_t count = writer->tokens->count;
	uint8_t width = width_of(greatest(values, count, add));

	writer->widths[column] = width;
	for (uint32_t i = 0; i < count && width;) {
		uint32_t most = (uint32_t)((OUT_BYTES - writer->out_size) / sizeof(uint32_t));
		uint8_t *to = writer->out + writer->out_size;
		uint32_t end = most < count - i ? i + most : count;

		for (uint32_t from = i; from < end; from++, to += width)
			store_u32(to, values[from] + add);
		writer->out_size += (size_t)(end - i) * width;
		writer->at += (uint64_t)(end - i) * width;
		i = end;
		if (OUT_BYTES - writer->out_size < 2 * sizeof(uint32_t) && flush(writer) < 0)
			return -1;
		if (most == 0 && flush(writer) < 0)
			return -1;
	}
	return put(writer, zeros, sizeof(zeros)) < 0 ? -1 : align(writer);
}

static int put_columns(struct map_writer *writer)
{
	static const uint8_t zeros[SMPC_COLUMN_SLACK];
	struct token_table *tokens = writer->tokens;

	if (put_column(writer, SOURCEMAP_COLUMN, tokens->columns, 0) < 0 ||
	    put_column(writer, SOURCEMAP_FILE, tokens->sources, 1) < 0 ||
	    put_column(writer, SOURCEMAP_ORIGINAL_LINE, tokens->original_lines, 0) < 0 ||
	    put_column(writer, SOURCEMAP_ORIGINAL_COLUMN, tokens->original_columns, 0) < 0 ||
	    put_column(writer, SOURCEMAP_NAME, tokens->names, 1) < 0 ||
	    put(writer, writer->scope_of,
		(size_t)tokens->count * writer->widths[SOURCEMAP_SCOPE]) < 0 ||
	    put(writer, zeros, sizeof(zeros)) < 0)
		return -1;
	return align(writer);
}

static int put_lines(struct map_writer *writer)
{
	const struct token_table *tokens = writer->tokens;

	_Static_assert(sizeof(struct token_line) == SMPC_LINE_BYTES, "a line as the file has it");
	if (put(writer, tokens->lines, (size_t)tokens->line_count * SMPC_LINE_BYTES) < 0)
		return -1;
	for (uint32_t i = 0; i < tokens->count; i += SMPC_SAMPLE_EVERY)
		if (put_u32(writer, tokens->columns[i]) < 0)
			return -1;
	return align(writer);
}

static int put_files(struct map_writer *writer)
{
	for (size_t i = 0; i < writer->map->source_count; i++) {
		const struct map_file *file = &writer->files[i];
		uint8_t record[SMPC_FILE_BYTES] = { 0 };

		store_u64(record + SMPC_FILE_AT_CONTENTS, file->contents_at);
		store_u64(record + SMPC_FILE_AT_STARTS, file->starts_at);
		store_u64(record + SMPC_FILE_AT_SIZE, file->size);
		store_u32(record + SMPC_FILE_AT_LINES, file->lines);
		store_u32(record + SMPC_FILE_AT_FLAGS, file->flags);
		if (put(writer, record, sizeof(record)) < 0)
			return -1;
	}
	return 0;
}

/* Where a text of the strings ends. */
static int put_end(struct map_writer *writer, struct text text)
{
	writer->string_bytes += text.size;
	if (writer->string_bytes > UINT32_MAX)
		return err_set(writer->err, ERR_LIMIT, "the names of the source map have more than %u bytes",
			       (unsigned)UINT32_MAX);
	return put_u32(writer, (uint32_t)writer->string_bytes);
}

/* All names: those of tokens, of functions, of files. */
static int each_string(struct map_writer *writer, int (*fn)(struct map_writer *, struct text))
{
	const struct flat_map *map = writer->map;

	for (size_t i = 0; i < map->name_count; i++)
		if (fn(writer, map->names[i]) < 0)
			return -1;
	for (uint32_t i = 0; i < writer->scopes->name_count; i++)
		if (fn(writer, writer->scopes->names[i]) < 0)
			return -1;
	for (size_t i = 0; i < map->source_count; i++)
		if (fn(writer, map->sources[i].name) < 0)
			return -1;
	return 0;
}

static int put_text(struct map_writer *writer, struct text text)
{
	return put(writer, text.bytes, text.size);
}

static int put_head(struct map_writer *writer)
{
	const struct flat_map *map = writer->map;
	uint8_t head[SMPC_HEAD_BYTES] = { 0 };

	store_u32(head + SMPC_AT_MAGIC, SMPC_MAGIC);
	store_u32(head + SMPC_AT_VERSION, SMPC_VERSION);
	debugid_store(&map->debug_id, head + SMPC_AT_DEBUG_ID);
	store_u32(head + SMPC_AT_FLAGS, map->is_hermes ? SMPC_HERMES : 0);
	store_u32(head + SMPC_AT_TOKENS, writer->tokens->count);
	store_u32(head + SMPC_AT_LINES, writer->tokens->line_count);
	store_u32(head + SMPC_AT_FILES, (uint32_t)map->source_count);
	store_u32(head + SMPC_AT_NAMES, (uint32_t)map->name_count);
	store_u32(head + SMPC_AT_SCOPES, writer->scopes->name_count);
	memcpy(head + SMPC_AT_WIDTHS, writer->widths, sizeof(writer->widths));
	store_u64(head + SMPC_AT_STRING_BYTES, writer->string_bytes);
	store_u64(head + SMPC_AT_FILE_BYTES, writer->at);
	store_u64(head + SMPC_AT_TABLES, writer->tables_at);
	if (pwrite(writer->fd, head, sizeof(head), 0) != (ssize_t)sizeof(head))
		return err_os(writer->err, errno ? errno : EIO, "writing a source map's head");
	return 0;
}

static int write_all(struct map_writer *writer)
{
	static const uint8_t head[SMPC_HEAD_BYTES];

	if (put(writer, head, sizeof(head)) < 0 || put_sources(writer) < 0 ||
	    keep_tokens(writer) < 0)
		return -1;
	writer->tables_at = writer->at;
	if (put_columns(writer) < 0 || put_lines(writer) < 0 || put_files(writer) < 0 ||
	    each_string(writer, put_end) < 0 || each_string(writer, put_text) < 0 ||
	    flush(writer) < 0)
		return -1;
	return put_head(writer);
}

/* --- The whole ---------------------------------------------------------------------------- */

static void fill_report(const struct map_writer *writer)
{
	const struct flat_map *map = writer->map;

	writer->report->tokens = writer->tokens->count;
	writer->report->files = map->source_count;
	writer->report->names = map->name_count;
	writer->report->scopes = writer->scopes->change_count;
	writer->report->bytes = writer->at;
	writer->report->is_hermes = map->is_hermes;
	writer->report->is_index = map->is_index;
}

static int write_map(const struct flat_map *map, const struct scope_table *scopes,
		     struct token_table *tokens, int fd, struct arena *arena,
		     struct sourcemap_report *report, struct err *err)
{
	struct map_writer writer = { .map = map, .scopes = scopes, .tokens = tokens, .arena = arena,
				     .fd = fd, .report = report, .err = err };
	int rc = -1;

	writer.out = mem_get(OUT_BYTES + PIECE_BYTES);
	writer.piece = (char *)writer.out + OUT_BYTES;
	if (writer.out)
		rc = write_all(&writer);
	else
		(void)map_json_no_memory(arena, err);
	fill_report(&writer);
	mem_give_back(writer.out);
	mem_give_back(writer.starts);
	return rc;
}

int sourcemap_write(const struct sourcemap_input *input, int fd, struct sourcemap_report *report,
		    struct err *err)
{
	struct scope_table scopes;
	struct flat_map map = { .is_without_contents = false };
	struct arena arena;
	int rc;

	*report = (struct sourcemap_report){ .tokens = 0 };
	arena_init(&arena, input->memory_bytes);
	rc = map_flatten(&map, input->map, &arena, err);
	if (rc == 0)
		rc = map.is_hermes ? hermes_map_resolve(&scopes, &map, &arena, err)
				   : scope_names_resolve(&scopes, &map, input->minified,
							 &input->scopes, &arena, err);
	if (rc == 0)
		rc = write_map(&map, &scopes, &map.tokens, fd, &arena, report, err);
	arena_release(&arena);
	return rc;
}
