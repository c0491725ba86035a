/*
 * fuzz_mozilla.c -- a body sent to Mozilla's API, from JSON to reply: version 5, and version 4 in both
 * dialects; and the path of a download.
 *
 * What comes out must be JSON by our own scanner, and nothing may stay held.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/arena.h"
#include "kinds/kinds.h"
#include "kinds/mozilla/mozilla_answers.h"
#include "work/request_json.h"

#define ARENA_BYTES ((size_t)64 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void ask(const struct request_kind *kind, bool is_eliot, struct text body)
{
	struct config config = fake_config;
	struct err err = ERR_INIT;
	struct arena arena;
	struct buf reply;
	struct cJSON *json;
	int status;

	config.request_memory_bytes = ARENA_BYTES;
	config.mozilla_v4_is_eliot = is_eliot;
	config.mozilla_module_errors = true;
	buf_init(&reply, ARENA_BYTES);
	arena_init(&arena, ARENA_BYTES);
	if (mozilla_answer_to(kind, &config, body, &reply, &status, &err) == 0 &&
	    kind != &request_kind_mozilla_download && request_json_parse(buf_text(&reply), &arena, &json, &err) < 0)
		abort();
	arena_release(&arena);
	buf_release(&reply);
	if (fake_holds)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	const struct text body = { (const char *)bytes, size };

	ask(&request_kind_mozilla_v5_debug, false, body);
	ask(&request_kind_mozilla_v4, false, body);
	ask(&request_kind_mozilla_v4, true, body);
	ask(&request_kind_mozilla_download, false, body);
	return 0;
}
