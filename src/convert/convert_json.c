/* convert_json.c -- small JSON objects from somebody who may be hostile: see internal.h. */
#include "convert/convert_internal.h"

#include <string.h>

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/mem.h"

#define DEPTH_MAX 6              /* ours are 4 deep */
#define VALUES_MAX 4096          /* and hold a few hundred values */
#define EXACT_MAX 9007199254740992.0         /* 2^53: what a double holds exactly */

/* Past the string that starts at `at`; beyond the end: it does not end.  0: it holds a NUL,
 * which would end cJSON's string early. */
static size_t skip_string(struct text json, size_t at)
{
	for (at++; at < json.size && json.bytes[at] != '"'; at++) {
		if (json.bytes[at] == '\0')
			return 0;
		if (json.bytes[at] != '\\')
			continue;
		if (json.size - at > 5 && memcmp(json.bytes + at + 1, "u0000", 5) == 0)
			return 0;
		at++;
	}
	return at + 1;
}

static bool is_modest(struct text json)
{
	unsigned depth = 0, values = 0;
	size_t at = 0;

	if (json.size > CONVERT_REPLY_BYTES_MAX)
		return false;
	while (at < json.size) {
		char c = json.bytes[at];

		if (c == '"') {
			at = skip_string(json, at);
			if (at == 0)
				return false;
			continue;
		}
		at++;
		depth += c == '{' || c == '[';
		depth -= depth > 0 && (c == '}' || c == ']');
		values += c == ',' || c == '{' || c == '[';
		if (c == '\0' || depth > DEPTH_MAX || values > VALUES_MAX)
			return false;
	}
	return true;
}

int convert_json_parse(struct text json, struct cJSON **object, struct err *err)
{
	unsigned long refusals = mem_refusals;

	*object = NULL;
	if (!json.size || !is_modest(json))
		return err_set(err, ERR_MALFORMED, "facts of a cell are not as we write them");
	*object = cJSON_ParseWithLength(json.bytes, json.size);
	if (cJSON_IsObject(*object))
		return 0;
	cJSON_Delete(*object);
	*object = NULL;
	if (mem_refusals != refusals)        /* cJSON does not say so */
		return err_set(err, ERR_NO_MEMORY, "no memory for facts of a cell");
	return err_set(err, ERR_MALFORMED, "facts of a cell are no JSON object");
}

bool convert_json_bool(const struct cJSON *object, const char *name)
{
	return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(object, name));
}

uint64_t convert_json_u64(const struct cJSON *object, const char *name)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);

	if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0))
		return 0;
	return item->valuedouble >= EXACT_MAX ? (uint64_t)EXACT_MAX
					      : (uint64_t)item->valuedouble;
}

const char *convert_json_string(const struct cJSON *object, const char *name)
{
	return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
}

uint64_t convert_json_size(const struct cJSON *object, const char *name)
{
	uint64_t value;

	return text_to_u64(text_of(convert_json_string(object, name)), 10, &value) ? value
										   : UINT64_MAX;
}

int convert_json_text(const struct cJSON *object, const char *name, struct arena *arena,
		      struct text *out, struct err *err)
{
	const char *string = convert_json_string(object, name);
	size_t size = string ? strlen(string) : 0;
	char *copy;

	*out = TEXT_NONE;
	if (!string)
		return 0;
	copy = arena_strndup(arena, string, size);
	if (!copy)
		return err_set(err, ERR_NO_MEMORY, "no memory for what a cell found out");
	*out = (struct text){ copy, size };
	return 0;
}
