/* reading.c -- see reading.h. */
#include "ecmascript/reading.h"

#define ARENA_BYTES ((size_t)256 << 20)

struct reading reading;

void reading_begin(void)
{
	arena_init(&reading.arena, ARENA_BYTES);
}

void reading_end(void)
{
	ecmascript_scopes_release(&reading.scopes);
	arena_release(&reading.arena);
}

void reading_must_read(struct text text)
{
	struct err err = ERR_INIT;

	ecmascript_scopes_release(&reading.scopes);
	ck_assert_msg(ecmascript_scopes_read(&reading.scopes, text, &reading.arena, &err) == 0, "%s", err.text);
}

void reading_add_name(const struct ecmascript_scope *scope, struct buf *out)
{
	for (uint32_t i = 0; i < scope->part_count; i++) {
		const struct ecmascript_part *part = &reading.scopes.parts[scope->first_part + i];

		buf_add(out, part->bytes, part->size);
	}
}
