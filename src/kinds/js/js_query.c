/* js_query.c -- what sources are asked for a file of a release. */
#include "kinds/js/js.h"

#include "base/arena.h"

static const struct object_ids no_ids = { .type = OBJECT_TYPE_UNKNOWN };
static const struct source_query nothing = { .by = SOURCE_BY_URL, .ids = &no_ids };

/* What a bundle is called by has nothing to do with the ids in it. */
const struct source_query *js_query_nothing(void)
{
	return &nothing;
}

/* Single files of one type, or bundles that may have it. */
const struct source_query *js_query(const struct js *js, const struct js_file_key *key, bool is_bundle)
{
	static const enum file_type files[] = {
		[JS_MINIFIED] = FILE_TYPE_MINIFIED_SOURCE, [JS_MAP] = FILE_TYPE_SOURCE_MAP,
		[JS_SOURCE] = FILE_TYPE_SOURCE,
	};
	static const enum file_type bundle = FILE_TYPE_SOURCEBUNDLE;
	struct arena *arena = &js->work->arena;
	struct source_query *query = arena_alloc(arena, 1, sizeof(*query));
	struct object_ids *ids = arena_alloc(arena, 1, sizeof(*ids));

	if (!query || !ids)
		return NULL;
	ids->type = OBJECT_TYPE_UNKNOWN;
	ids->debug_id = key->debug_id;
	*query = (struct source_query){
		.by = SOURCE_BY_URL, .ids = ids, .url = key->url, .release = js->request.release,
		.dist = js->request.dist, .types = is_bundle ? &bundle : &files[key->type], .type_count = 1,
	};
	return query;
}
