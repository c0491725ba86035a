/*
 * fuzz_source_check.c -- the config file's sources, held against what reading them says.
 *
 * What is checked without an error is read without one, and what is not read has been told.  Each
 * note has a place below `sources` and words.
 */
#include <cjson/cJSON.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "config/config.h"
#include "source/source.h"

#define ARENA_BYTES ((size_t)64 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void take_note(void *payload, enum source_note_kind kind, const char *place,
		      const char *words)
{
	size_t *errors = payload;

	if (strncmp(place, "sources", strlen("sources")) != 0 || !words[0])
		abort();
	*errors += kind == SOURCE_NOTE_ERROR;
}

static void check(const cJSON *array, struct arena *arena)
{
	static const struct config config = { .path = NULL };
	struct err checked = ERR_INIT, read = ERR_INIT;
	struct source_list list;
	size_t errors = 0;
	int rc = source_list_check(array, &config, arena, take_note, &errors, &checked);

	if (checked.kind == ERR_NO_MEMORY)
		return;
	if ((rc < 0) != (errors > 0) || (rc < 0 && (checked.kind == ERR_NONE || !checked.text[0])))
		abort();
	if (source_list_parse(array, SOURCE_OF_CONFIG, &config, arena, &list, &read) < 0 &&
	    read.kind != ERR_NO_MEMORY && rc == 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	cJSON *array = cJSON_ParseWithLength((const char *)bytes, size);
	struct arena arena;

	if (!array)
		return 0;
	arena_init(&arena, ARENA_BYTES);
	check(array, &arena);
	cJSON_Delete(array);
	arena_release(&arena);
	return 0;
}
