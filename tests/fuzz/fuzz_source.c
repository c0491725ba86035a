/*
 * fuzz_source.c -- a source array, and where it would look for one module of each kind.
 *
 * Every location must have a name, no path may have a component that leads upwards, and
 * nothing may stay held.  No file is opened and nothing is fetched: orders are only made.
 */
#include <cjson/cJSON.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/mem.h"
#include "config/config.h"
#include "source/source.h"

#define ARENA_BYTES ((size_t)64 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static bool leads_upwards(struct text path)
{
	for (size_t start = 0; start < path.size;) {
		const char *slash = memchr(path.bytes + start, '/', path.size - start);
		size_t end = slash ? (size_t)(slash - path.bytes) : path.size;

		if (end - start == 2 && memcmp(path.bytes + start, "..", 2) == 0)
			return true;
		start = end + 1;
	}
	return false;
}

static void check_location(const struct location *location, struct arena *arena)
{
	enum source_access access;
	struct fetch_order order;
	struct err err = ERR_INIT;
	int fd;

	if (location->uri.size == 0 || leads_upwards(location->path))
		abort();
	if (source_is_local(location->source))
		return;
	if (source_reach(location, arena, &access, &fd, &order, &err) == 0 &&
	    access != SOURCE_NEEDS_CREDENTIAL && (access != SOURCE_ORDERED || !order.url))
		abort();
}

static void locate(const struct source *source, enum object_type type, struct arena *arena)
{
	/* The source's own id makes a name as hostile as the input. */
	struct object_ids ids = {
		.type = type, .code_file = source->id, .debug_file = source->id,
		.code_id = TEXT("67e9247c814e392ba027dbde6748fcbf"),
		.debug_checksum = source->id,
	};
	struct location_list list = { .count = 0 };
	struct err err = ERR_INIT;
	enum file_type types[FILE_TYPES];
	const struct source_query query = { .ids = &ids, .types = types, .type_count = FILE_TYPES };

	debugid_parse(ids.code_id, &ids.debug_id);
	for (unsigned i = 0; i < FILE_TYPES; i++)
		types[i] = (enum file_type)i;
	if (source_locations(source, &query, arena, &list, &err) < 0)
		return;
	for (size_t i = 0; i < list.count; i++)
		check_location(&list.locations[i], arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static const struct config config = { .path = NULL };
	cJSON *array = cJSON_ParseWithLength((const char *)bytes, size);
	struct source_list list;
	struct arena arena;
	struct err err = ERR_INIT;

	if (!array)
		return 0;
	arena_init(&arena, ARENA_BYTES);
	if (source_list_parse(array, SOURCE_OF_REQUEST, &config, &arena, &list, &err) == 0)
		for (size_t i = 0; i < list.count; i++)
			for (unsigned type = 0; type < OBJECT_TYPES; type++)
				locate(&list.sources[i], (enum object_type)type, &arena);
	else if (err.kind != ERR_BAD_SHAPE && err.kind != ERR_NO_MEMORY)
		abort();
	cJSON_Delete(array);
	arena_release(&arena);
	return 0;
}
