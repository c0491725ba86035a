/* request_members.c -- see request_members.h. */
#include "kinds/request_members.h"

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "lookup/scraping.h"
#include "source/source.h"
#include "work/request_json.h"
#include "work/work.h"

int request_members_frame_order(struct text word, const struct schema_place *place, bool *is_callee_first,
				struct err *err)
{
	*is_callee_first = text_is(word, "callee_first");
	return schema_want(place, *is_callee_first || text_is(word, "caller_first"),
			   "`callee_first` or `caller_first`", err);
}

int request_members_callee_first(const cJSON *json, const struct schema_place *place, void *field,
				 void *context, struct err *err)
{
	struct text word = TEXT_NONE;

	(void)context;
	(void)schema_string(json, &word);
	return request_members_frame_order(word, place, field, err);
}

int request_members_scraping(const cJSON *json, const struct schema_place *place, void *field, void *context,
			     struct err *err)
{
	struct work *work = context;

	return scraping_read(field, json, place, &work->arena, err);
}

/* The source component reads JSON of its own and knows nothing of marks. */
int request_members_parse_sources(const cJSON *array, struct work *work, const struct source_list **sources,
				  struct err *err)
{
	struct source_list *list = arena_alloc(&work->arena, 1, sizeof(*list));

	if (!list)
		return err_no_memory(err);
	for (cJSON *child = array->child; child; child = child->next)
		request_json_unmark(child);
	if (source_list_parse(array, SOURCE_OF_REQUEST, work->config, &work->arena, list, err) < 0)
		return err->kind == ERR_BAD_SHAPE
			? err_while(err, "the body has not the expected form") : -1;
	*sources = list;
	return 0;
}

int request_members_sources(const cJSON *json, const struct schema_place *place, void *field, void *context,
			    struct err *err)
{
	struct work *work = context;

	(void)place;
	if (!cJSON_IsNull(json))
		return request_members_parse_sources(json, work, field, err);
	*(const struct source_list **)field = work->default_sources;
	return 0;
}

int request_members_platform(const cJSON *json, const struct schema_place *place, void *field, void *context,
			     struct err *err)
{
	struct text text;

	(void)field, (void)context;
	return schema_want(place, cJSON_IsNull(json) || schema_string(json, &text), "a string", err);
}
