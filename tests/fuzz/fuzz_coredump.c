/*
 * fuzz_coredump.c -- a core file: notes, memory, modules.
 *
 * Whatever it says, memory lies inside the file, modules ascend, and ids fit.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/err.h"
#include "coredump/coredump.h"

#define ARENA_BYTES ((size_t)64 << 20)
#define MATCHED_MAX 64u

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void check(const struct coredump *core)
{
	for (size_t i = 0; i < core->memory.count; i++) {
		const struct unwind_region *region = &core->memory.regions[i];

		if (region->bytes < core->bytes ||
		    region->size > core->size - (size_t)(region->bytes - core->bytes))
			abort();
	}
	for (size_t i = 0; i < core->module_count; i++)
		if (core->modules[i].id_size > COREDUMP_ID_BYTES ||
		    (i > 0 && core->modules[i].base < core->modules[i - 1].base))
			abort();
}

/* The core as a file its modules might be mapped from. */
static void check_all(const struct coredump *core, struct arena *arena)
{
	struct err err = ERR_INIT;

	check(core);
	for (size_t i = 0; i < core->module_count && i < MATCHED_MAX; i++) {
		err_clear(&err);
		if (coredump_match(core, &core->modules[i], core->bytes, core->size, arena, &err) < 0 &&
		    err.kind == ERR_NONE)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct coredump core;
	struct arena arena;
	struct err err = ERR_INIT;

	arena_init(&arena, ARENA_BYTES);
	if (coredump_open(&core, bytes, size, &arena, &err) == 0)
		check_all(&core, &arena);
	else if (err.kind == ERR_NONE)
		abort();
	arena_release(&arena);
	return 0;
}
