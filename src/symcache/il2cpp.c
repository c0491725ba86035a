/* il2cpp.c -- see il2cpp.h. */
#include "symcache/il2cpp.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/json_reader.h"
#include "base/search.h"

#define NO_FILE_KEY "__debug-id__"   /* which debug file the map was made with */

/* One walk over the text.  `map` has no arrays on the first walk, which counts. */
struct il2cpp_walk {
	struct json_reader json;
	struct il2cpp *map;
	struct arena *arena;
	bool no_memory;
};

static void keep(struct il2cpp_walk *walk, const struct json_string *string, struct text *text)
{
	if (json_string_text(string, walk->arena, text))
		return;
	walk->no_memory = true;
	(void)json_reader_refuse(&walk->json, "memory");     /* ends the walk */
}

/* --- The map ------------------------------------------------------------------------- */

static int compare_lines(const void *a, const void *b)
{
	const struct il2cpp_line *x = a, *y = b;

	if (x->cpp_line != y->cpp_line)
		return x->cpp_line < y->cpp_line ? -1 : 1;
	if (x->managed != y->managed)
		return x->managed < y->managed ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

/* The lines of one pair of files. */
static void walk_lines(struct il2cpp_walk *walk)
{
	struct il2cpp *map = walk->map;
	struct json_string name;

	while (json_reader_member(&walk->json, &name)) {
		struct il2cpp_line line = { .managed = (uint32_t)(map->managed_count - 1) };
		uint64_t number;

		if (!text_to_u64(name.raw, 10, &number) || number > UINT32_MAX) {
			(void)json_reader_refuse(&walk->json, "number of a line before it");
			return;
		}
		if (!json_reader_u32(&walk->json, &line.line)) {
			(void)json_reader_refuse(&walk->json, "line");
			return;
		}
		line.cpp_line = (uint32_t)number;
		if (map->lines)
			map->lines[map->line_count] = line;
		map->line_count++;
	}
}

/* Past a number, string or word that says nothing to us; maps have nothing else there. */
static void skip_other(struct json_reader *json)
{
	char c = json_reader_peek(json);

	if (c == '{' || c == '[' || c == '\0')
		(void)json_reader_refuse(json, "value of ours");
	json_reader_skip(json);
}

static void walk_managed_files(struct il2cpp_walk *walk)
{
	struct il2cpp *map = walk->map;
	struct json_string name;

	while (json_reader_member(&walk->json, &name)) {
		if (!json_reader_object(&walk->json)) {
			skip_other(&walk->json);
			continue;
		}
		if (map->managed)
			keep(walk, &name, &map->managed[map->managed_count]);
		map->managed_count++;
		walk_lines(walk);
	}
}

static void walk_file(struct il2cpp_walk *walk, const struct json_string *name)
{
	struct il2cpp *map = walk->map;
	struct il2cpp_file *file = map->files ? &map->files[map->file_count] : NULL;
	size_t first = map->line_count;

	if (file)
		keep(walk, name, &file->path);
	walk_managed_files(walk);
	if (file) {
		file->order = map->file_count;
		file->lines = map->lines + first;
		file->line_count = map->line_count - first;
		qsort(map->lines + first, file->line_count, sizeof(*map->lines), compare_lines);
	}
	map->file_count++;
}

static int walk_map(struct il2cpp_walk *walk, struct err *err)
{
	struct json_reader *json = &walk->json;
	struct json_string name;

	if (!json_reader_object(json))
		(void)json_reader_refuse(json, "object");
	while (json_reader_member(json, &name)) {
		if (!json_string_is(&name, NO_FILE_KEY) && json_reader_object(json))
			walk_file(walk, &name);
		else
			skip_other(json);
	}
	if (!json_reader_at_end(json))
		(void)json_reader_refuse(json, "end");
	if (walk->no_memory)
		return err_set(err, ERR_NO_MEMORY, "no memory for a path of the line map");
	return json_reader_check(json, err);
}

static struct il2cpp_walk walk_over(struct text json, struct il2cpp *map, struct arena *arena)
{
	return (struct il2cpp_walk){ .json = json_reader_over("the line map", json), .map = map,
				     .arena = arena };
}

static int count(struct il2cpp *counts, struct text json, struct err *err)
{
	struct il2cpp_walk walk = walk_over(json, counts, NULL);

	*counts = (struct il2cpp){ .file_count = 0 };
	if (!text_is_utf8(json))
		return err_set(err, ERR_MALFORMED, "the line map is not UTF-8");
	if (walk_map(&walk, err) < 0)
		return -1;
	/* Numbers of C# files are 32 bits. */
	if (counts->managed_count >= UINT32_MAX)
		return err_set(err, ERR_LIMIT, "the line map names %zu files",
			       counts->managed_count);
	return 0;
}

int il2cpp_check(struct text json, struct err *err)
{
	struct il2cpp counts;

	return count(&counts, json, err);
}

static int compare_files(const void *a, const void *b)
{
	const struct il2cpp_file *x = a, *y = b;
	int order = text_compare(x->path, y->path);

	return order ? order : x->order < y->order ? -1 : x->order > y->order;
}

int il2cpp_read(struct il2cpp *map, struct text json, struct arena *arena, struct err *err)
{
	struct il2cpp counts;
	struct il2cpp_walk walk = walk_over(json, map, arena);

	if (count(&counts, json, err) < 0)
		return -1;
	*map = (struct il2cpp){
		.files = arena_alloc_raw(arena, counts.file_count + 1, sizeof(*map->files)),
		.managed = arena_alloc_raw(arena, counts.managed_count + 1,
					   sizeof(*map->managed)),
		.lines = arena_alloc_raw(arena, counts.line_count + 1, sizeof(*map->lines)),
	};
	if (!map->files || !map->managed || !map->lines)
		return err_set(err, ERR_NO_MEMORY, "no memory for a line map of %zu lines",
			       counts.line_count);
	if (walk_map(&walk, err) < 0)
		return -1;
	qsort(map->files, map->file_count, sizeof(*map->files), compare_files);
	return 0;
}

/* --- Asking -------------------------------------------------------------------------- */

const struct il2cpp_file *il2cpp_file(const struct il2cpp *map, struct text path)
{
	size_t at;                   /* behind the last one with that path */

	SEARCH_PARTITION_POINT(at, 0, map->file_count,
			       text_compare(map->files[at].path, path) <= 0);
	return at > 0 && text_equal(map->files[at - 1].path, path) ? &map->files[at - 1] : NULL;
}

const struct il2cpp_line *il2cpp_line(const struct il2cpp_file *file, uint32_t line)
{
	size_t at;

	SEARCH_PARTITION_POINT(at, 0, file->line_count, file->lines[at].cpp_line <= line);
	if (at == 0 || line - file->lines[at - 1].cpp_line > IL2CPP_REACH_LINES)
		return NULL;
	return &file->lines[at - 1];
}
