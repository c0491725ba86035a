/*
 * request_json.c -- the tree of a body, and cJSON inside an arena.
 *
 * cJSON's allocator hooks are one pair per process, its callers are many threads: the hooks
 * look at a thread-local arena, set while somebody lends one.  Outside of that they are
 * the program's ordinary allocator, so that other users of cJSON see what they expect.
 */
#include "work/request_json.h"

#include <pthread.h>
#include <stdlib.h>

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/mem.h"
#include "work/json_tree.h"

static _Thread_local struct arena *lent_arena;

static void *json_get(size_t bytes)
{
	return lent_arena ? arena_alloc_raw(lent_arena, bytes, 1) : mem_get(bytes);
}

static void json_give_back(void *block)
{
	if (!lent_arena)
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
	struct arena *before = lent_arena;

	pthread_once(&installed, install_hooks);
	lent_arena = arena;
	return before;
}

int request_json_parse(struct text body, struct arena *arena, struct cJSON **json, struct err *err)
{
	struct json_tree tree;

	json_tree_init(&tree, body, arena);
	if (json_scan(body, &tree, err) < 0)
		return -1;
	*json = tree.root;
	if (*json)
		return 0;
	if (tree.met_ceiling)
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
