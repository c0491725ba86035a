/* request_members.c -- see request_members.h. */
#include "kinds/request_members.h"

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "base/limits.h"
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

static const struct source *configured(const struct source_list *sources, const char *id)
{
	for (size_t i = 0; i < sources->count; i++)
		if (text_is(sources->sources[i].id, id))
			return &sources->sources[i];
	return NULL;
}

/* ["local", "vendor"]: some of those of the configuration, in that order. */
static int choose_sources(const cJSON *array, struct work *work, const struct source_list **sources,
			  struct err *err)
{
	size_t count = (size_t)cJSON_GetArraySize(array), at = 0;
	struct source_list *list = arena_alloc(&work->arena, 1, sizeof(*list));
	struct source *chosen = arena_alloc(&work->arena, count, sizeof(*chosen));
	const cJSON *item;

	if (count > LIMIT_SOURCES)
		return err_set(err, ERR_BAD_SHAPE, "the body has not the expected form: sources: more than %u",
			       LIMIT_SOURCES);
	if (!list || !chosen)
		return err_no_memory(err);
	cJSON_ArrayForEach(item, array) {
		const char *id = cJSON_GetStringValue(item);
		const struct source *source = id ? configured(work->default_sources, id) : NULL;

		if (!source)
			return err_set(err, ERR_BAD_SHAPE, id ? "the body has not the expected form: sources[%zu]: "
				       "the configuration has no source `%.200s`" : "the body has not the expected "
				       "form: sources[%zu]: a name like those before", at, id ? id : "");
		chosen[at++] = *source;
	}
	*list = (struct source_list){ .sources = chosen, .count = at };
	*sources = list;
	return 0;
}

/* The source component reads JSON of its own and knows nothing of marks. */
int request_members_parse_sources(const cJSON *array, struct work *work, const struct source_list **sources,
				  struct err *err)
{
	struct source_list *list;

	for (cJSON *child = array->child; child; child = child->next)
		request_json_unmark(child);
	if (cJSON_IsArray(array) && cJSON_IsString(array->child))
		return choose_sources(array, work, sources, err);
	list = arena_alloc(&work->arena, 1, sizeof(*list));
	if (!list)
		return err_no_memory(err);
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
