/*
 * arena -- memory with the lifetime of one job.
 *
 * A job gets one arena with a ceiling; everything it learns lives there and
 * dies with arena_release().  Nothing is freed piece by piece.  When the
 * ceiling is reached arena_alloc() returns NULL: a hostile file costs its own
 * job a failure, not the machine its memory.  One thread at a time.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

#define ARENA_BLOCK_BYTES ((size_t)64 * 1024)

struct arena_block;

struct arena {
	struct arena_block *blocks;   /* newest first */
	size_t ceiling_bytes;         /* promised to the operator */
	size_t held_bytes;            /* taken from the allocator so far */
	bool is_full;                 /* something was refused over the ceiling, */
	bool is_refused;              /* or below it by the allocator; until cleared */
};

/* A place to return to: everything allocated since is forgotten by arena_rewind(). */
struct arena_mark {
	struct arena_block *block;
	size_t used;
};

void  arena_init(struct arena *arena, size_t ceiling_bytes);
void  arena_release(struct arena *arena);

/* Zeroed, aligned for any type; NULL over the ceiling or on overflow. */
void *arena_alloc(struct arena *arena, size_t count, size_t size)
	__attribute__((warn_unused_result));
/* As arena_alloc(), but the bytes are whatever they were. */
void *arena_alloc_raw(struct arena *arena, size_t count, size_t size)
	__attribute__((warn_unused_result));
/* A NUL-ended copy. */
char *arena_strndup(struct arena *arena, const char *text, size_t len)
	__attribute__((warn_unused_result));
char *arena_strdup(struct arena *arena, const char *text)
	__attribute__((warn_unused_result));
/* Formatted; NULL over the ceiling. */
char *arena_printf(struct arena *arena, const char *fmt, ...)
	__attribute__((format(printf, 2, 3), warn_unused_result));

struct arena_mark arena_mark(const struct arena *arena);
/* Blocks newer than the mark go back to the allocator, but for one kept to be used again. */
void  arena_rewind(struct arena *arena, struct arena_mark mark);

#endif
