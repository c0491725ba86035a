/*
 * request_json.c -- cJSON inside an arena.
 *
 * cJSON's allocator hooks are one pair per process, its callers are many threads: the hooks
 * look at a thread-local arena, set for the time of one parse.  Outside of a parse they are
 * the program's ordinary allocator, so that other users of cJSON see what they expect.
 */
#include "work/request_json.h"

#include <pthread.h>
#include <stdlib.h>

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/mem.h"
#include "work/work.h"

static _Thread_local struct arena *parse_arena;
static _Thread_local bool parse_met_ceiling;

static void *json_get(size_t bytes)
{
	void *block;

	if (!parse_arena)
		return mem_get(bytes);
	block = arena_alloc_raw(parse_arena, bytes, 1);
	if (!block)
		parse_met_ceiling = bytes > parse_arena->ceiling_bytes - parse_arena->held_bytes;
	return block;
}

static void json_give_back(void *block)
{
	if (!parse_arena)
		mem_give_back(block);
}

static void install_hooks(void)
{
	cJSON_Hooks hooks = { json_get, json_give_back };

	cJSON_InitHooks(&hooks);
}

struct arena *request_json_lend_arena(struct arena *arena)
{
	static pthread_once_t installed = PTHREAD_ONCE_INIT;
	struct arena *before = parse_arena;

	pthread_once(&installed, install_hooks);
	parse_arena = arena;
	return before;
}

int request_json_parse(struct text body, struct arena *arena, struct cJSON **json, struct err *err)
{
	struct arena *before;
	struct text clean;

	if (json_scan(body, arena, &clean, err) < 0)
		return -1;
	before = request_json_lend_arena(arena);
	parse_met_ceiling = false;
	*json = cJSON_ParseWithLengthOpts(clean.bytes, clean.size, NULL, 0);
	(void)request_json_lend_arena(before);
	if (*json)
		return 0;
	if (parse_met_ceiling)
		return err_set(err, ERR_LIMIT,
			       "the body needs more memory than one request may have");
	return err_set(err, ERR_NO_MEMORY, "out of memory while reading the body");
}

void request_json_unmark(struct cJSON *json)
{
	for (cJSON *child = json->child; child; child = child->next)
		request_json_unmark(child);
	if (cJSON_IsString(json) && json->valuestring[0] == JSON_INTEGER_MARK) {
		json->type = cJSON_Number;
		json->valuedouble = strtod(json->valuestring + 1, NULL);
		json->valueint = 0;
		json->valuestring = NULL;
	}
}
