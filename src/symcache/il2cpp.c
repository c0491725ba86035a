/* il2cpp.c -- see il2cpp.h. */
#include "symcache/il2cpp.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/reader.h"
#include "base/search.h"

#define NO_FILE_KEY "__debug-id__"   /* which debug file the map was made with */
#define CODE_DIGITS 4u               /* of \uXXXX */

/* A string as it stands between its quotes. */
struct string {
	struct text raw;
	bool has_escapes;
};

/* One walk over the text.  `map` has no arrays on the first walk, which counts. */
struct il2cpp_walk {
	struct reader json;
	struct il2cpp *map;
	struct arena *arena;
};

/* --- JSON ---------------------------------------------------------------------------- */

static int refuse(const struct il2cpp_walk *walk, const char *expected, struct err *err)
{
	return err_set(err, ERR_MALFORMED, "the line map has no %s at byte %zu", expected,
		       walk->json.pos);
}

/* The next byte that is no blank, which stays; 0 at the end. */
static uint8_t peek(struct il2cpp_walk *walk)
{
	struct reader *json = &walk->json;

	while (json->pos < json->size) {
		uint8_t c = json->bytes[json->pos];

		if (c != ' ' && c != '\t' && c != '\n' && c != '\r')
			return c;
		json->pos++;
	}
	return 0;
}

static bool take(struct il2cpp_walk *walk, char wanted)
{
	if (peek(walk) != (uint8_t)wanted)
		return false;
	reader_skip(&walk->json, 1);
	return true;
}

/* The four digits of \uXXXX. */
static bool take_code(struct reader *json)
{
	const uint8_t *at = reader_take(json, CODE_DIGITS);
	uint64_t code;

	return at && text_to_u64((struct text){ (const char *)at, CODE_DIGITS }, 16, &code);
}

static bool take_escape(struct reader *json)
{
	uint8_t c = reader_u8(json);

	if (c == 'u')
		return take_code(json);
	return c != 0 && strchr("\"\\/bfnrt", c) != NULL;
}

static int take_string(struct il2cpp_walk *walk, struct string *string, struct err *err)
{
	struct reader *json = &walk->json;
	size_t start;

	if (!take(walk, '"'))
		return refuse(walk, "string", err);
	*string = (struct string){ .has_escapes = false };
	start = json->pos;
	for (;;) {
		uint8_t c = reader_u8(json);

		if (json->failed || c < ' ')
			return refuse(walk, "end of a string", err);
		if (c == '"')
			break;
		if (c != '\\')
			continue;
		string->has_escapes = true;
		if (!take_escape(json))
			return refuse(walk, "escape that is one", err);
	}
	string->raw = (struct text){ (const char *)json->bytes + start, json->pos - 1 - start };
	return 0;
}

static int take_u32(struct il2cpp_walk *walk, uint32_t *value, struct err *err)
{
	struct reader *json = &walk->json;
	struct text digits;
	uint64_t number;

	(void)peek(walk);
	digits = (struct text){ (const char *)json->bytes + json->pos, 0 };
	while (digits.size < json->size - json->pos &&
	       ascii_is_digit(digits.bytes[digits.size]))
		digits.size++;
	if (!text_to_u64(digits, 10, &number) || number > UINT32_MAX ||
	    (digits.size > 1 && digits.bytes[0] == '0'))
		return refuse(walk, "line", err);
	reader_skip(json, digits.size);
	*value = (uint32_t)number;
	return 0;
}

/* Past a value that says nothing to us. */
static int skip_scalar(struct il2cpp_walk *walk, struct err *err)
{
	struct reader *json = &walk->json;
	struct string string;
	uint8_t c = peek(walk);
	size_t start;

	if (c == '"')
		return take_string(walk, &string, err);
	for (start = json->pos; json->pos < json->size; json->pos++) {
		char at = (char)json->bytes[json->pos];

		if (!ascii_is_digit(at) && !(at >= 'a' && at <= 'z') && at != '-' && at != '+' &&
		    at != '.' && at != 'E')
			break;
	}
	return json->pos > start ? 0 : refuse(walk, "value of ours", err);
}

/* 1: the name of the next member, its value being next; 0: past the object's end. */
static int next_member(struct il2cpp_walk *walk, bool *is_first, struct string *name,
		       struct err *err)
{
	bool first = *is_first;

	*is_first = false;
	if (take(walk, '}'))
		return 0;
	if (!first && !take(walk, ','))
		return refuse(walk, "comma or end", err);
	if (take_string(walk, name, err) < 0)
		return -1;
	return take(walk, ':') ? 1 : refuse(walk, "colon", err);
}

/* --- Strings ------------------------------------------------------------------------- */

static uint32_t code_at(struct text raw, size_t at)
{
	uint64_t code = 0;

	(void)text_to_u64((struct text){ raw.bytes + at, CODE_DIGITS }, 16, &code);
	return (uint32_t)code;
}

static bool is_surrogate(uint32_t code, uint32_t first)
{
	return (code & 0xfc00) == first;
}

/* The character of \uXXXX, whose digits are at *at; a pair of surrogates is one. */
static uint32_t take_character(struct text raw, size_t *at)
{
	uint32_t code = code_at(raw, *at), low = 0;

	*at += CODE_DIGITS;
	if (is_surrogate(code, 0xd800) && raw.size - *at >= CODE_DIGITS + 2 &&
	    raw.bytes[*at] == '\\' && raw.bytes[*at + 1] == 'u')
		low = code_at(raw, *at + 2);
	if (is_surrogate(code, 0xd800) && is_surrogate(low, 0xdc00)) {
		*at += CODE_DIGITS + 2;
		return 0x10000 + ((code & 0x3ff) << 10) + (low & 0x3ff);
	}
	return is_surrogate(code, 0xd800) || is_surrogate(code, 0xdc00) ? 0xfffd : code;
}

static char plain_escape(char c)
{
	switch (c) {
	case 'b': return '\b';
	case 'f': return '\f';
	case 'n': return '\n';
	case 'r': return '\r';
	case 't': return '\t';
	default:  return c;
	}
}

/* What it says: a part of the text, or a copy that is never longer. */
static int say(struct il2cpp_walk *walk, const struct string *string, struct text *text,
	       struct err *err)
{
	struct text raw = string->raw;
	char *copy;
	size_t size = 0;

	*text = raw;
	if (!string->has_escapes)
		return 0;
	copy = arena_alloc_raw(walk->arena, raw.size, 1);
	if (!copy)
		return err_set(err, ERR_NO_MEMORY, "no memory for a path of the line map");
	for (size_t at = 0; at < raw.size;) {
		char c = raw.bytes[at++];

		if (c != '\\') {
			copy[size++] = c;
			continue;
		}
		c = raw.bytes[at++];
		if (c == 'u')
			size += utf8_put(take_character(raw, &at), copy + size);
		else
			copy[size++] = plain_escape(c);
	}
	*text = (struct text){ copy, size };
	return 0;
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
static int walk_lines(struct il2cpp_walk *walk, struct err *err)
{
	struct il2cpp *map = walk->map;
	bool is_first = true;
	struct string name;
	int more;

	while ((more = next_member(walk, &is_first, &name, err)) > 0) {
		struct il2cpp_line line = { .managed = (uint32_t)(map->managed_count - 1) };
		uint64_t number;

		if (!text_to_u64(name.raw, 10, &number) || number > UINT32_MAX)
			return refuse(walk, "number of a line before it", err);
		line.cpp_line = (uint32_t)number;
		if (take_u32(walk, &line.line, err) < 0)
			return -1;
		if (map->lines)
			map->lines[map->line_count] = line;
		map->line_count++;
	}
	return more;
}

static int walk_managed_files(struct il2cpp_walk *walk, struct err *err)
{
	struct il2cpp *map = walk->map;
	bool is_first = true;
	struct string name;
	int more;

	while ((more = next_member(walk, &is_first, &name, err)) > 0) {
		if (!take(walk, '{')) {
			if (skip_scalar(walk, err) < 0)
				return -1;
			continue;
		}
		if (map->managed &&
		    say(walk, &name, &map->managed[map->managed_count], err) < 0)
			return -1;
		map->managed_count++;
		if (walk_lines(walk, err) < 0)
			return -1;
	}
	return more;
}

static int walk_file(struct il2cpp_walk *walk, const struct string *name, struct err *err)
{
	struct il2cpp *map = walk->map;
	struct il2cpp_file *file = map->files ? &map->files[map->file_count] : NULL;
	size_t first = map->line_count;

	if (file && say(walk, name, &file->path, err) < 0)
		return -1;
	if (walk_managed_files(walk, err) < 0)
		return -1;
	if (file) {
		file->order = map->file_count;
		file->lines = map->lines + first;
		file->line_count = map->line_count - first;
		qsort(map->lines + first, file->line_count, sizeof(*map->lines), compare_lines);
	}
	map->file_count++;
	return 0;
}

static int walk_map(struct il2cpp_walk *walk, struct err *err)
{
	bool is_first = true;
	struct string name;
	int more;

	if (!take(walk, '{'))
		return refuse(walk, "object", err);
	while ((more = next_member(walk, &is_first, &name, err)) > 0) {
		bool is_file = !text_is(name.raw, NO_FILE_KEY) && take(walk, '{');

		if ((is_file ? walk_file(walk, &name, err) : skip_scalar(walk, err)) < 0)
			return -1;
	}
	if (more < 0)
		return -1;
	return peek(walk) == 0 && reader_at_end(&walk->json) ? 0 : refuse(walk, "end", err);
}

static struct il2cpp_walk walk_over(struct text json, struct il2cpp *map, struct arena *arena)
{
	return (struct il2cpp_walk){ .json = reader_over("line map", json.bytes, json.size),
			      .map = map, .arena = arena };
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
