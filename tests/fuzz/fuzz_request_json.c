/*
 * fuzz_request_json.c -- a body read by one pass must be what two passes read: the same tree, or the same words
 * about the same byte.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "work/json_filter.h"
#include "work/request_json.h"

#define ARENA_BYTES ((size_t)256 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	const struct text body = { (const char *)bytes, size };
	struct err err = ERR_INIT, expected = ERR_INIT;
	struct cJSON *json, *other;
	struct arena arena;
	int result;

	arena_init(&arena, ARENA_BYTES);
	result = request_json_parse(body, &arena, &json, &err);
	if (result != json_filter_parse(body, &arena, &other, &expected))
		abort();
	if (result == 0 && json_trees_differ(json, other))
		abort();
	if (err.kind != expected.kind || strcmp(err.text, expected.text) != 0)
		abort();
	arena_release(&arena);
	return 0;
}
