/*
 * fuzz_js_request.c -- a body of POST /symbolicate-js, from JSON to reply.
 *
 * What comes out must be JSON by our own scanner, and nothing may stay held.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/arena.h"
#include "kinds/js/js_answers.h"
#include "work/request_json.h"

#define ARENA_BYTES ((size_t)64 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct config config = fake_config;
	struct err err = ERR_INIT;
	struct arena arena;
	struct buf reply;
	struct text out;

	config.request_memory_bytes = ARENA_BYTES;
	buf_init(&reply, ARENA_BYTES);
	arena_init(&arena, ARENA_BYTES);
	if (js_answer_to(&config, (struct text){ (const char *)bytes, size }, 1, 0, &reply, &err) == 0 &&
	    json_scan(buf_text(&reply), &arena, &out, &err) < 0)
		abort();
	arena_release(&arena);
	buf_release(&reply);
	if (fake_holds)
		abort();
	return 0;
}
