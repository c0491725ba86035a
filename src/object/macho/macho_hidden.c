/* macho_hidden.c -- see macho_hidden.h. */
#include "object/macho/macho_hidden.h"

#include "base/arena.h"
#include "base/err.h"

#define PREFIX "__hidden#"
#define HEADER "BCSymbolMap Version: 2.0"

static bool mentions(const char *bytes, size_t size)
{
	return bytes && memmem(bytes, size, PREFIX, sizeof(PREFIX) - 1);
}

bool macho_hidden_has(const struct macho_file *file)
{
	const struct macho_section *section;
	struct reader window;

	if (mentions(file->strings.bytes, file->strings.size))
		return true;
	section = macho_file_section(file, ".debug_str");
	if (!section)
		return false;
	window = reader_window(&file->whole, ".debug_str", section->offset, section->size);
	return !window.failed && mentions((const char *)window.bytes, window.size);
}

static size_t line_end(struct text map, size_t at)
{
	const char *end = memchr(map.bytes + at, '\n', map.size - at);

	return end ? (size_t)(end - map.bytes) : map.size;
}

static size_t count_lines(struct text map, size_t at)
{
	size_t count = 0;

	for (; at < map.size; at = line_end(map, at) + 1)
		count++;
	return count;
}

static struct text without_return(struct text line)
{
	if (line.size > 0 && line.bytes[line.size - 1] == '\r')
		line.size--;
	return line;
}

int macho_hidden_read(struct macho_hidden *hidden, const void *bytes, size_t size,
		      struct arena *arena, struct err *err)
{
	struct text map = { bytes ? bytes : "", size };
	size_t first = line_end(map, 0), at = first + 1;

	if (!text_is(without_return((struct text){ map.bytes, first }), HEADER))
		return err_set(err, ERR_MALFORMED, "a BCSymbolMap begins with \"" HEADER "\"");
	if (!text_is_utf8(map))
		return err_set(err, ERR_MALFORMED, "the BCSymbolMap is not UTF-8");
	if (size >= UINT32_MAX)
		return err_set(err, ERR_LIMIT, "the BCSymbolMap has 4 GB and more");
	hidden->map = map;
	hidden->count = count_lines(map, at);
	hidden->starts = arena_alloc_raw(arena, hidden->count + 1, sizeof(*hidden->starts));
	if (!hidden->starts)
		return err_set(err, ERR_NO_MEMORY, "no memory for %zu hidden names",
			       hidden->count);
	for (size_t i = 0; i < hidden->count; i++) {
		hidden->starts[i] = (uint32_t)at;
		at = line_end(map, at) + 1;
	}
	hidden->starts[hidden->count] = (uint32_t)at;
	return 0;
}

struct text macho_hidden_name(const struct macho_hidden *hidden, struct text name)
{
	const size_t head = sizeof(PREFIX) - 1;
	struct text digits, line;
	uint64_t number;

	if (!text_starts_with(name, PREFIX) || !text_ends_with(name, "_"))
		return name;
	digits = (struct text){ name.bytes + head, name.size - head - 1 };
	if (!text_to_u64(digits, 10, &number) || number >= hidden->count)
		return name;
	line.bytes = hidden->map.bytes + hidden->starts[number];
	line.size = hidden->starts[number + 1] - hidden->starts[number] - 1;
	return without_return(line);
}

/* --- A sink before a sink ------------------------------------------------------------- */

static int no_capacity(struct err *err)
{
	return err_set(err, ERR_NO_MEMORY, "no memory to restore hidden names");
}

/* A file without a folder of its own lies in the compilation's.  Once restored that is absolute
 * and makes no difference; a hidden one is said twice, as everybody else answers it
 * (tests/object/test_macho.c: a_hidden_folder_is_said_twice). */
static struct text folder_of(const struct object_file_name *file)
{
	return file->directory.size == 0 && text_starts_with(file->comp_dir, PREFIX)
		? file->comp_dir : file->directory;
}

/* The same table comes with every function of a unit: it is restored once. */
static int restore_files(struct macho_restoring *restoring, const struct object_file_name *files,
			 size_t count, struct err *err)
{
	struct object_file_name *clear;

	if (files == restoring->hidden_files || count == 0)
		return 0;
	clear = arena_alloc_raw(restoring->arena, count, sizeof(*clear));
	if (!clear)
		return no_capacity(err);
	for (size_t i = 0; i < count; i++) {
		clear[i] = (struct object_file_name){
			macho_hidden_name(restoring->hidden, files[i].comp_dir),
			macho_hidden_name(restoring->hidden, folder_of(&files[i])),
			macho_hidden_name(restoring->hidden, files[i].name),
		};
	}
	restoring->hidden_files = files;
	restoring->files = clear;
	return 0;
}

static int restore_function(void *payload, const struct object_file_name *files,
			    size_t file_count, const struct object_function *function,
			    struct err *err)
{
	struct macho_restoring *restoring = payload;
	struct object_function clear = *function;
	struct object_inlinee *inlinees;
	struct arena_mark mark;
	int rc;

	if (restore_files(restoring, files, file_count, err) < 0)
		return -1;
	mark = arena_mark(restoring->arena);
	clear.name = macho_hidden_name(restoring->hidden, function->name);
	if (function->inlinee_count > 0) {
		inlinees = arena_alloc_raw(restoring->arena, function->inlinee_count,
					   sizeof(*inlinees));
		if (!inlinees)
			return no_capacity(err);
		for (size_t i = 0; i < function->inlinee_count; i++) {
			inlinees[i] = function->inlinees[i];
			inlinees[i].name = macho_hidden_name(restoring->hidden, inlinees[i].name);
		}
		clear.inlinees = inlinees;
	}
	rc = restoring->next->function(restoring->next->payload,
				       file_count > 0 ? restoring->files : files, file_count,
				       &clear, err);
	arena_rewind(restoring->arena, mark);
	return rc;
}

void macho_restoring_init(struct macho_restoring *restoring, const struct macho_hidden *hidden,
			  const struct object_sink *next, struct arena *arena)
{
	*restoring = (struct macho_restoring){
		.sink = { restoring, restore_function }, .hidden = hidden, .next = next,
		.arena = arena,
	};
}
