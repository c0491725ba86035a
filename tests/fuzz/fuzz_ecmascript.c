/*
 * fuzz_ecmascript.c -- any bytes as JavaScript; with tests/fuzz/ecmascript.dict as a dictionary.
 *
 * Scopes must lie in the text, stand in the order of their start and nest, and the parts of their names
 * must be readable and stand where they say.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/err.h"
#include "ecmascript/ecmascript.h"

#define ARENA_BYTES ((size_t)256 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static volatile unsigned sum;

static void must(bool good)
{
	if (!good)
		abort();
}

static void check_part(const struct ecmascript_part *part, struct text text)
{
	for (uint32_t i = 0; i < part->size; i++)
		sum += (unsigned char)part->bytes[i];
	must(part->offset == ECMASCRIPT_NOWHERE || part->offset < text.size);
}

/* `around`: scopes that have not ended, by their ends. */
static void check_scopes(const struct ecmascript_scopes *scopes, struct text text, uint32_t *around)
{
	size_t depth = 0;

	for (size_t i = 0; i < scopes->count; i++) {
		const struct ecmascript_scope *scope = &scopes->scopes[i];

		must(scope->start < scope->end && scope->end <= text.size);
		must(i == 0 || scopes->scopes[i - 1].start < scope->start);
		while (depth > 0 && around[depth - 1] <= scope->start)
			depth--;
		must(depth == 0 || scope->end <= around[depth - 1]);
		around[depth++] = scope->end;
		must(scope->first_part + scope->part_count <= scopes->part_count);
		for (uint32_t j = 0; j < scope->part_count; j++)
			check_part(&scopes->parts[scope->first_part + j], text);
	}
	must((scopes->error_count > 0) == (scopes->error_words != NULL));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct text text = { (const char *)bytes, size };
	struct ecmascript_scopes scopes;
	struct err err = ERR_INIT;
	struct arena arena;

	arena_init(&arena, ARENA_BYTES);
	if (ecmascript_scopes_read(&scopes, text, &arena, &err) == 0) {
		uint32_t *around = calloc(scopes.count + 1, sizeof(*around));

		if (around)
			check_scopes(&scopes, text, around);
		free(around);
		ecmascript_scopes_release(&scopes);
	} else {
		must(err.kind == ERR_NO_MEMORY || err.kind == ERR_LIMIT);
	}
	arena_release(&arena);
	return 0;
}
