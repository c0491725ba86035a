/*
 * fuzz_maps.c -- the files that are no objects: the property list that leads to a BCSymbolMap,
 * that map of hidden names, and Unity's map of lines.
 *
 * Whatever a map of names says, a name it gives lies inside it, and names that are not hidden
 * stay.  A map of lines is read where it is found to be one, and only then; each of its lines
 * answers for itself.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/err.h"
#include "convert/convert_internal.h"
#include "object/macho/macho_hidden.h"
#include "symcache/il2cpp.h"

#define ARENA_BYTES ((size_t)64 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void check_name(const struct macho_hidden *hidden, size_t number)
{
	char spelled[64];
	struct text name, clear;

	snprintf(spelled, sizeof(spelled), "__hidden#%zu_", number);
	name = text_of(spelled);
	clear = macho_hidden_name(hidden, name);
	if (number >= hidden->count) {
		if (clear.bytes != name.bytes || clear.size != name.size)
			abort();
		return;
	}
	if (clear.bytes < hidden->map.bytes ||
	    clear.bytes + clear.size > hidden->map.bytes + hidden->map.size ||
	    memchr(clear.bytes, '\n', clear.size))
		abort();
}

static void check_lines(const struct il2cpp *map, const struct il2cpp_file *file)
{
	const struct il2cpp_line *found;

	for (size_t i = 0; i < file->line_count; i++) {
		found = il2cpp_line(file, file->lines[i].cpp_line);
		if (!found || found->cpp_line != file->lines[i].cpp_line ||
		    found->managed >= map->managed_count)
			abort();
		found = il2cpp_line(file, file->lines[i].cpp_line + IL2CPP_REACH_LINES);
		if (file->lines[i].cpp_line <= UINT32_MAX - IL2CPP_REACH_LINES && !found)
			abort();
	}
}

static void check_line_map(struct text json)
{
	struct err err = ERR_INIT;
	struct il2cpp map = { .file_count = 0 };
	struct arena arena;
	bool is_map = il2cpp_check(json, &err) == 0;

	arena_init(&arena, ARENA_BYTES);
	err_clear(&err);
	if ((il2cpp_read(&map, json, &arena, &err) == 0) != is_map && err.kind != ERR_NO_MEMORY)
		abort();
	for (size_t i = 0; is_map && !err.kind && i < map.file_count; i++) {
		if (!il2cpp_file(&map, map.files[i].path))
			abort();
		check_lines(&map, &map.files[i]);
	}
	arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct macho_hidden hidden = { .count = 0 };
	struct err err = ERR_INIT;
	struct debugid original;
	struct arena arena;

	if (convert_uuidmap_read((struct text){ (const char *)bytes, size }, &original, &err) == 0 &&
	    original.kind != DEBUGID_UUID)
		abort();
	check_line_map((struct text){ (const char *)bytes, size });
	arena_init(&arena, ARENA_BYTES);
	if (macho_hidden_read(&hidden, bytes, size, &arena, &err) == 0)
		for (size_t i = 0; i < hidden.count + 2; i++)
			check_name(&hidden, i);
	arena_release(&arena);
	return 0;
}
