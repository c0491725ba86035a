/* srcsrv.c -- see srcsrv.h. */
#include "object/pdb/srcsrv.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/search.h"

#define VARIABLES_MAX   256u
#define NAME_BYTES_MAX  64u
#define FIELDS_MAX      10u          /* %var1% is the path */
#define EXPANSION_DEPTH 16u          /* variables may name each other, even themselves */
#define EXPANSION_STEPS 256u         /* for one URL */

static bool starts_with_ignoring_case(struct text text, struct text start)
{
	return text.size >= start.size &&
	       text_equal_ignoring_case((struct text){ text.bytes, start.size }, start);
}

static bool contains(struct text text, struct text word)
{
	for (; text.size >= word.size; text.bytes++, text.size--)
		if (starts_with_ignoring_case(text, word))
			return true;
	return false;
}

/* Without the end of line and the blanks before it. */
static struct text next_line(struct reader *reader)
{
	const char *bytes = (const char *)reader->bytes + reader->pos;
	size_t left = reader_left(reader);
	const char *end = memchr(bytes, '\n', left);
	size_t size = end ? (size_t)(end - bytes) : left;

	reader_skip(reader, end ? size + 1 : size);
	while (size > 0 && (bytes[size - 1] == '\r' || bytes[size - 1] == ' '))
		size--;
	return (struct text){ bytes, size };
}

/* --- The version control system ------------------------------------------------------ */

/* One word for each, whatever the one who wrote the stream calls it. */
static struct text vcs_word(struct text name)
{
	if (contains(name, TEXT("git")))
		return TEXT("git");
	return contains(name, TEXT("perforce")) ? TEXT("perforce") : TEXT("other");
}

struct text srcsrv_vcs(struct reader stream)
{
	static const struct text key = { "VERCTRL=", 8 };

	while (!reader_at_end(&stream)) {
		struct text line = next_line(&stream);

		if (line.size > key.size && starts_with_ignoring_case(line, key))
			return vcs_word((struct text){ line.bytes + key.size,
						       line.size - key.size });
	}
	return TEXT_NONE;
}

/* --- Sources ------------------------------------------------------------------------- */

static char folded(char c)
{
	return c == '/' ? '\\' : ascii_lower(c);
}

static int compare_paths(struct text a, struct text b)
{
	size_t common = a.size < b.size ? a.size : b.size;

	for (size_t i = 0; i < common; i++) {
		int order = (unsigned char)folded(a.bytes[i]) - (unsigned char)folded(b.bytes[i]);

		if (order)
			return order;
	}
	return (a.size > b.size) - (a.size < b.size);
}

/* Of two with one path the first in the stream counts. */
static int compare_files(const void *left, const void *right)
{
	const struct srcsrv_file *a = left, *b = right;
	int order = compare_paths(a->path, b->path);

	return order ? order : (a->path.bytes > b->path.bytes) - (a->path.bytes < b->path.bytes);
}

static const struct srcsrv_file *find_file(const struct srcsrv *srcsrv, struct text path)
{
	size_t at;

	SEARCH_PARTITION_POINT(at, 0, srcsrv->file_count,
			       compare_paths(srcsrv->files[at].path, path) < 0);
	return at < srcsrv->file_count &&
	       compare_paths(srcsrv->files[at].path, path) == 0 ? &srcsrv->files[at] : NULL;
}

/* Up to the next star. */
static struct text first_field(struct text text)
{
	const char *star = text.size ? memchr(text.bytes, '*', text.size) : NULL;

	return (struct text){ text.bytes, star ? (size_t)(star - text.bytes) : text.size };
}

enum srcsrv_part { PART_VARIABLES, PART_FILES, PART_END };

/* "SRCSRV: source files ----" and the like stand between the parts. */
static bool begins_part(struct text line, enum srcsrv_part *part)
{
	if (!starts_with_ignoring_case(line, TEXT("SRCSRV:")))
		return false;
	*part = contains(line, TEXT("source files")) ? PART_FILES
		: contains(line, TEXT(" end")) ? PART_END : PART_VARIABLES;
	return true;
}

static void take_line(struct srcsrv *srcsrv, struct text line, enum srcsrv_part part)
{
	const char *equals = memchr(line.bytes, '=', line.size);

	if (part == PART_FILES) {
		srcsrv->files[srcsrv->file_count++] =
			(struct srcsrv_file){ line, first_field(line) };
	} else if (equals && srcsrv->variable_count < VARIABLES_MAX) {
		size_t size = (size_t)(equals - line.bytes);

		srcsrv->variables[srcsrv->variable_count++] = (struct srcsrv_variable){
			{ line.bytes, size }, { equals + 1, line.size - size - 1 },
		};
	}
}

/* Counts the lines of sources, or takes all lines where there is room for them. */
static size_t walk(struct srcsrv *srcsrv, struct reader stream, bool taking)
{
	enum srcsrv_part part = PART_VARIABLES;
	size_t files = 0;

	while (!reader_at_end(&stream) && part != PART_END) {
		struct text line = next_line(&stream);

		if (line.size == 0 || begins_part(line, &part))
			continue;
		files += part == PART_FILES;
		if (taking)
			take_line(srcsrv, line, part);
	}
	return files;
}

int srcsrv_open(struct srcsrv *srcsrv, struct reader stream, struct arena *arena, struct err *err)
{
	size_t files = walk(srcsrv, stream, false);

	*srcsrv = (struct srcsrv){
		.variables = arena_alloc_raw(arena, VARIABLES_MAX, sizeof(*srcsrv->variables)),
		.files = arena_alloc_raw(arena, files + 1, sizeof(*srcsrv->files)),
	};
	if (!srcsrv->variables || !srcsrv->files)
		return err_set(err, ERR_NO_MEMORY, "no memory for %zu sources of the srcsrv stream",
			       files);
	walk(srcsrv, stream, true);
	qsort(srcsrv->files, srcsrv->file_count, sizeof(*srcsrv->files), compare_files);
	return 0;
}

/* --- Variables ----------------------------------------------------------------------- */

struct expansion {
	const struct srcsrv *srcsrv;
	struct text fields[FIELDS_MAX];
	struct buf *out;
	unsigned depth, steps;
	bool failed;
};

static void expand(struct expansion *expansion, struct text text);

static void split_fields(struct expansion *expansion, struct text line)
{
	for (size_t i = 0; i < FIELDS_MAX; i++) {
		struct text field = first_field(line);

		expansion->fields[i] = field;
		if (field.size == line.size)
			break;
		line = (struct text){ line.bytes + field.size + 1, line.size - field.size - 1 };
	}
}

/* %var1% to %var10% are the line's fields, taken as they are; others may name more. */
static void expand_variable(struct expansion *expansion, struct text name)
{
	const struct srcsrv *srcsrv = expansion->srcsrv;
	uint64_t number;

	if (starts_with_ignoring_case(name, TEXT("var")) &&
	    text_to_u64((struct text){ name.bytes + 3, name.size - 3 }, 10, &number) &&
	    number >= 1 && number <= FIELDS_MAX) {
		buf_add_text(expansion->out, expansion->fields[number - 1]);
		return;
	}
	for (size_t i = 0; i < srcsrv->variable_count; i++)
		if (text_equal_ignoring_case(srcsrv->variables[i].name, name)) {
			expand(expansion, srcsrv->variables[i].value);
			return;
		}
	expansion->failed = true;
}

/* What stands behind `at` in the output is the name of a variable, whose value takes its place. */
static void replace_by_value(struct expansion *expansion, size_t at)
{
	char name[NAME_BYTES_MAX];
	size_t size = expansion->out->size - at;

	if (size == 0 || size > sizeof(name)) {
		expansion->failed = true;
		return;
	}
	memcpy(name, expansion->out->bytes + at, size);
	expansion->out->size = at;
	expand_variable(expansion, (struct text){ name, size });
}

/* %fnvar%(x), %fnfile%(x), %fnbksl%(x): the value of the variable x, the file's name in the path
 * x, x with backslashes (which would be none in an URL: they are left to be slashes). */
static void apply(struct expansion *expansion, struct text function, struct text argument)
{
	size_t at = expansion->out->size;
	struct text made, file;

	expand(expansion, argument);
	if (expansion->failed || expansion->out->failed)
		return;
	if (text_equal_ignoring_case(function, TEXT("fnvar"))) {
		replace_by_value(expansion, at);
	} else if (text_equal_ignoring_case(function, TEXT("fnfile")) && expansion->out->size > at) {
		made = (struct text){ expansion->out->bytes + at, expansion->out->size - at };
		file = text_basename(made);
		memmove(expansion->out->bytes + at, file.bytes, file.size);
		expansion->out->size = at + file.size;
	} else if (!text_equal_ignoring_case(function, TEXT("fnbksl"))) {
		expansion->failed = true;
	}
}

/* Of what begins behind an opening bracket, up to the one that closes it. */
static bool take_argument(struct text text, struct text *argument)
{
	unsigned open = 1;

	for (size_t i = 0; i < text.size; i++) {
		open += text.bytes[i] == '(';
		open -= text.bytes[i] == ')';
		if (open == 0) {
			*argument = (struct text){ text.bytes, i };
			return true;
		}
	}
	return false;
}

/* Behind a '%': how many bytes of the text belong to it. */
static size_t expand_name(struct expansion *expansion, struct text text)
{
	const char *end = text.size ? memchr(text.bytes, '%', text.size) : NULL;
	struct text name, argument;
	size_t used;

	if (!end) {
		expansion->failed = true;
		return text.size;
	}
	name = (struct text){ text.bytes, (size_t)(end - text.bytes) };
	used = name.size + 1;
	if (!starts_with_ignoring_case(name, TEXT("fn")) || used == text.size ||
	    text.bytes[used] != '(') {
		expand_variable(expansion, name);
		return used;
	}
	used++;
	if (!take_argument((struct text){ text.bytes + used, text.size - used }, &argument)) {
		expansion->failed = true;
		return text.size;
	}
	apply(expansion, name, argument);
	return used + argument.size + 1;
}

static void expand(struct expansion *expansion, struct text text)
{
	size_t at = 0;

	if (++expansion->steps > EXPANSION_STEPS || expansion->depth == EXPANSION_DEPTH)
		expansion->failed = true;
	expansion->depth++;
	while (at < text.size && !expansion->failed && !expansion->out->failed) {
		struct text rest = { text.bytes + at, text.size - at };
		const char *percent = memchr(rest.bytes, '%', rest.size);
		size_t plain = percent ? (size_t)(percent - rest.bytes) : rest.size;

		buf_add(expansion->out, rest.bytes, plain);
		at += plain;
		if (percent)
			at += 1 + expand_name(expansion, (struct text){ percent + 1,
									rest.size - plain - 1 });
	}
	expansion->depth--;
}

static bool is_url(struct text text)
{
	return starts_with_ignoring_case(text, TEXT("https://")) ||
	       starts_with_ignoring_case(text, TEXT("http://"));
}

int srcsrv_url(const struct srcsrv *srcsrv, struct text path, struct buf *url, struct err *err)
{
	const struct srcsrv_file *file = find_file(srcsrv, path);
	struct expansion expansion = { .srcsrv = srcsrv, .out = url };

	buf_clear(url);
	if (!file)
		return 0;
	split_fields(&expansion, file->line);
	expand_variable(&expansion, TEXT("SRCSRVTRG"));
	if (url->no_memory)
		return buf_check(url, err);
	if (expansion.failed || url->failed || !is_url(buf_text(url)))
		buf_clear(url);
	for (size_t i = 0; i < url->size; i++)
		if (url->bytes[i] == '\\')
			url->bytes[i] = '/';
	return 0;
}
