/*
 * fuzz_maps.c -- the two files that restore hidden names: a property list that leads to the
 * BCSymbolMap, and the map itself.
 *
 * Whatever a map says, a name it gives lies inside it, and names that are not hidden stay.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/err.h"
#include "convert/internal.h"
#include "object/macho/macho_hidden.h"

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

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct macho_hidden hidden = { .count = 0 };
	struct err err = ERR_INIT;
	struct debugid original;
	struct arena arena;

	if (convert_uuidmap_read((struct text){ (const char *)bytes, size }, &original, &err) == 0 &&
	    original.kind != DEBUGID_UUID)
		abort();
	arena_init(&arena, ARENA_BYTES);
	if (macho_hidden_read(&hidden, bytes, size, &arena, &err) == 0)
		for (size_t i = 0; i < hidden.count + 2; i++)
			check_name(&hidden, i);
	arena_release(&arena);
	return 0;
}
