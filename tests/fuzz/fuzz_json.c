/*
 * fuzz_json.c -- JSON taken apart value by value must be what is skipped as a whole.
 *
 * Both ways agree on whether it is JSON and where it ends; cJSON, which accepts more, reads
 * whatever we do.  What a string says is never longer than how it was written.
 */
#include <stdint.h>
#include <stdlib.h>

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "base/json_reader.h"
#include "base/limits.h"

#define ARENA_BYTES ((size_t)64 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void check_string(const struct json_string *string, struct arena *arena)
{
	struct text text;

	if (string->has_escapes != !!memchr(string->raw.bytes, '\\', string->raw.size))
		abort();
	if (!json_string_text(string, arena, &text))
		return;
	if (text.size > string->raw.size || (!string->has_escapes && text.bytes != string->raw.bytes))
		abort();
	if (!memchr(text.bytes, '\0', text.size)) {
		char *copy = arena_strndup(arena, text.bytes, text.size);

		if (copy && !json_string_is(string, copy))
			abort();
	}
}

static void walk_scalar(struct json_reader *json, struct arena *arena)
{
	struct json_string string;
	uint64_t number;
	bool word;

	if (json_reader_string(json, &string))
		check_string(&string, arena);
	else if (!json_reader_u64(json, &number) && !json_reader_bool(json, &word))
		json_reader_skip(json);
}

/* By recursion: this one may. */
static void walk(struct json_reader *json, unsigned depth, struct arena *arena)
{
	struct json_string name;

	if (depth > LIMIT_JSON_DEPTH) {
		json_reader_skip(json);
	} else if (json_reader_object(json)) {
		while (json_reader_member(json, &name)) {
			check_string(&name, arena);
			walk(json, depth + 1, arena);
		}
	} else if (json_reader_array(json)) {
		while (json_reader_element(json))
			walk(json, depth + 1, arena);
	} else {
		walk_scalar(json, arena);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct text text = { (const char *)bytes, size };
	struct json_reader skipped = json_reader_over("it", text), walked = skipped;
	struct arena arena;
	cJSON *tree;

	arena_init(&arena, ARENA_BYTES);
	json_reader_skip(&skipped);
	walk(&walked, 0, &arena);
	arena_release(&arena);
	if (skipped.pos > size || walked.pos > size)
		abort();
	if (skipped.missing)
		return 0;
	if (walked.missing || walked.pos != skipped.pos)
		abort();
	tree = cJSON_ParseWithLength(text.bytes, skipped.pos);
	if (!tree && !memmem(text.bytes, skipped.pos, "\\u", 2))
		abort();
	cJSON_Delete(tree);
	return 0;
}
