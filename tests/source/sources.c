/* sources.c -- see sources.h. */
#include "source/sources.h"

#include <cjson/cJSON.h>

#include "support/support.h"

const struct config sources_no_roots = { .path = NULL };

char *sources_quoted(const char *json)
{
	char *quoted = support_printf("%s", json);

	for (char *at = quoted; *at; at++)
		if (*at == '\'')
			*at = '"';
	return quoted;
}

int sources_parse(const char *json, enum source_origin origin, const struct config *config,
		  struct arena *arena, struct source_list *list, struct err *err)
{
	cJSON *array = cJSON_Parse(json);
	int rc;

	ck_assert_msg(array != NULL, "the test's JSON: %s", json);
	rc = source_list_parse(array, origin, config, arena, list, err);
	cJSON_Delete(array);
	return rc;
}

struct source *sources_one(const char *json, enum source_origin origin, struct arena *arena)
{
	struct source_list *list = arena_alloc(arena, 1, sizeof(*list));
	struct err err = ERR_INIT;

	ck_assert_msg(sources_parse(sources_quoted(support_printf("[%s]", json)), origin, &sources_no_roots,
				    arena, list, &err) == 0, "%s", err.text);
	return list->sources;
}
