/*
 * body_damage -- bodies of any bytes, answered by a kind of request over a resolver of tables.
 *
 * What comes out must be JSON by our own scanner, and nothing may stay held.
 */
#ifndef TESTS_KINDS_BODY_DAMAGE_H
#define TESTS_KINDS_BODY_DAMAGE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "kinds/native/fake.h"
#include "work/request_json.h"

#define BODY_DAMAGE_ARENA_BYTES ((size_t)64 << 20)

typedef int body_answer_fn(const struct config *config, struct text body, unsigned waits, unsigned damaged,
			   struct buf *reply, struct err *err);

/* One body, as a fuzz target has it. */
static inline int body_damage_answer(body_answer_fn *answer, const uint8_t *bytes, size_t size)
{
	struct config config = fake_config;
	struct err err = ERR_INIT;
	struct arena arena;
	struct buf reply;
	struct cJSON *json;

	config.request_memory_bytes = BODY_DAMAGE_ARENA_BYTES;
	buf_init(&reply, BODY_DAMAGE_ARENA_BYTES);
	arena_init(&arena, BODY_DAMAGE_ARENA_BYTES);
	if (answer(&config, (struct text){ (const char *)bytes, size }, 1, 0, &reply, &err) == 0 &&
	    request_json_parse(buf_text(&reply), &arena, &json, &err) < 0)
		abort();
	arena_release(&arena);
	buf_release(&reply);
	if (fake_holds)
		abort();
	return 0;
}

/* That body with each byte changed, and cut at each. */
static inline void body_damage_every_byte(const char *body, int (*answer)(const uint8_t *bytes, size_t size))
{
	size_t size = strlen(body);

	for (size_t at = 0; at < size; at++) {
		char *copy = strdup(body);

		if (!copy)
			abort();
		copy[at] = (char)(copy[at] ^ 1 << at % 7);
		answer((const uint8_t *)copy, size);
		answer((const uint8_t *)copy, at);
		free(copy);
	}
}

#endif
