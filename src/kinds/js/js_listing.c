/*
 * js_listing.c -- what servers say they have for a file, and its release.
 *
 * An answer that cannot be had says nothing; the log says why.
 */
#include "kinds/js/js.h"

#include "base/arena.h"
#include "base/clock.h"
#include "config/config.h"

struct js_listing {
	struct source_listing listing;
	struct held held;
	struct text records;                 /* while it is held */
};

/* Where nothing outlives the service no answer outlives its request: each has a key of its own. */
static int make_key(struct js_listing *asked, struct work *work, struct err *err)
{
	struct text rest = asked->listing.key;
	char id[HASH_UUID_TEXT_BYTES];

	if (work->config->cache_is_of_boot) {
		random_uuid(id);
		rest = text_of(arena_printf(&work->arena, "%.*srequest: %s\n", (int)rest.size, rest.bytes, id));
		if (!rest.bytes)
			return err_no_memory(err);
	}
	return cache_key_make(&asked->held.derive.key, &work->arena, CACHE_SOURCE_INDEX, TEXT_NONE, rest, err);
}

static int make_derive(struct js_listing *asked, struct work *work, struct err *err)
{
	struct derive *derive = &asked->held.derive;

	*derive = (struct derive){
		.kind = derived_listing_of(asked->listing.kind), .listing = &asked->listing,
		.location = &asked->listing.location,
		.since = clock_unix_seconds() - work->config->sentry_index_seconds,
	};
	if (make_key(asked, work, err) < 0)
		return -1;
	lookup_describe_key(&derive->key, derive->location);
	derive->object_key = derive->key;
	return 0;
}

static int begin(struct js *js, struct js_file *file, struct err *err)
{
	const struct source_list *sources = js->request.sources;
	const struct source_query *query = js_query(js, &file->key, false);

	file->asked = arena_alloc(&js->work->arena, sources->count + 1, sizeof(*file->asked));
	if (!file->asked || !query)
		return err_no_memory(err);
	for (size_t i = 0; i < sources->count; i++) {
		struct js_listing *asked = &file->asked[i];

		asked->held.is_settled = true;
		if (!source_is_listed(&sources->sources[i]) || sources->sources[i].has_index)
			continue;
		if (source_listing_first(&sources->sources[i], query, &js->work->arena, &asked->listing,
					 err) < 0)
			return -1;
		if (asked->listing.kind != SOURCE_LISTING_ARTIFACTS)
			continue;
		asked->held.is_settled = false;
		if (make_derive(asked, js->work, err) < 0)
			return -1;
	}
	return 0;
}

/* --- What they say ------------------------------------------------------------------------- */

static bool copy(struct arena *arena, struct text text, struct text *out)
{
	char *bytes = text.bytes ? arena_strndup(arena, text.bytes, text.size) : NULL;

	*out = (struct text){ bytes, bytes ? text.size : 0 };
	return bytes || !text.bytes;
}

/* Of two with one abs_path the first counts. */
static int add_file(struct js *js, const struct source *source, const struct convert_artifact *told,
		    bool *is_news, struct err *err)
{
	struct arena *arena = &js->work->arena;
	struct js_artifact *artifact = js->artifacts;

	while (artifact && !text_equal(artifact->abs_path, told->abs_path))
		artifact = artifact->next;
	if (artifact)
		return 0;
	artifact = arena_alloc(arena, 1, sizeof(*artifact));
	if (!artifact || !copy(arena, told->abs_path, &artifact->abs_path) ||
	    !copy(arena, told->id, &artifact->id) || !copy(arena, told->url, &artifact->url) ||
	    !copy(arena, told->resolved_with, &artifact->resolved_with) ||
	    !copy(arena, told->source_map, &artifact->source_map))
		return err_no_memory(err);
	artifact->has_headers = told->has_headers;
	artifact->source = source;
	*js->last_artifact = artifact;
	js->last_artifact = &artifact->next;
	*is_news = true;
	return 0;
}

static int add_bundle(struct js *js, const struct source *source, const struct convert_artifact *told,
		      bool *is_news, struct err *err)
{
	struct arena *arena = &js->work->arena;
	struct location location;
	struct text way;

	if (!copy(arena, told->resolved_with, &way))
		return err_no_memory(err);
	if (source_artifact_location(source, js_query_nothing(), FILE_TYPE_SOURCEBUNDLE, told->id, told->url,
				     arena, &location, err) < 0)
		return -1;
	return js_bundle_add(js, &location, way, is_news, err);
}

struct js_taking { struct js *js; struct js_file *file; bool *is_news; bool is_early; struct err *err; };

static int take(void *payload)
{
	struct js_taking *taking = payload;
	const struct source_list *sources = taking->js->request.sources;

	for (size_t i = 0; i < sources->count; i++) {
		const struct js_listing *asked = &taking->file->asked[i];
		struct text rest = asked->records;
		struct convert_artifact told;

		if (!asked->held.derive.kind || asked->held.failure)
			continue;
		while (convert_artifact_take(&rest, &told)) {
			taking->is_early = taking->js->is_ahead;
			if (taking->is_early)
				return 0;
			if ((told.is_bundle ? add_bundle : add_file)(taking->js, &sources->sources[i], &told,
								     taking->is_news, taking->err) < 0)
				return -1;
		}
	}
	return 0;
}

static int open_records(void *payload, struct text bytes, struct err *damage)
{
	(void)damage;
	*(struct text *)payload = bytes;
	return 0;
}

static enum resolved settle(struct js *js, struct js_file *file, struct resolver *resolver, struct err *err)
{
	enum resolved all = RESOLVED_READY;

	for (size_t i = 0; i < js->request.sources->count; i++) {
		struct js_listing *asked = &file->asked[i];
		const struct held_opening opening = {
			.open = open_records, .payload = &asked->records, .arena = &js->work->arena,
			.list = &file->listings, .is_kept_senseless = true,
		};
		enum resolved one = held_resolve(&asked->held, &opening, resolver, err);

		if (one == RESOLVED_ERROR || (one == RESOLVED_WAIT && resolver->stops_at_wait))
			return one;
		if (one == RESOLVED_WAIT)
			all = one;
	}
	return all;
}

static bool is_asked(const struct js *js, const struct js_file *file, bool is_settled)
{
	for (size_t i = 0; i < js->request.sources->count; i++)
		if (file->asked[i].held.derive.kind && file->asked[i].held.is_settled == is_settled)
			return true;
	return false;
}

/* Ahead of one that a server may tell of a bundle which has the rest too, nobody is asked. */
static bool is_early(const struct js *js, const struct js_file *file)
{
	return js->is_ahead && is_asked(js, file, false) &&
	       (!js->is_told_nothing || js->bundles || js->artifacts);
}

enum resolved js_listing_ask(struct js *js, struct js_file *file, bool *is_news,
			     struct resolver *resolver, struct err *err)
{
	struct js_taking taking = { .js = js, .file = file, .is_news = is_news, .err = err };
	enum resolved resolved;

	*is_news = false;
	if (!file->asked && begin(js, file, err) < 0)
		return RESOLVED_ERROR;
	if (is_early(js, file))
		return RESOLVED_WAIT;
	do {
		resolved = settle(js, file, resolver, err);
		if (resolved == RESOLVED_READY)
			resolved = held_read(&file->listings, take, &taking, resolver, err);
		else
			return resolved;
	} while (resolved == RESOLVED_WAIT);
	if (resolved == RESOLVED_READY && taking.is_early)
		return RESOLVED_WAIT;
	if (resolved == RESOLVED_READY) {
		js->is_told_nothing |= !*is_news && is_asked(js, file, true);
		js_listing_release(file);
	}
	return resolved;
}

void js_listing_release(struct js_file *file)
{
	for (struct held *held = file->listings; held; held = held->next)
		held_release(held);
	file->listings = NULL;
}
