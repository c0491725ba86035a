/*
 * plan.c -- from a module's identity to the keys of everything that might help, and asking
 * for them.
 */
#include "lookup/lookup.h"

#include "base/arena.h"
#include "work/request_json.h"
#include "lookup/plan_memo.h"

/* What is asked for first: an object's features, or the file itself. */
static const struct derived_kind *kind_of(const struct lookup_request *request,
					  enum file_type type)
{
	return request->is_auxiliary ? derived_auxiliary_of(type) : &derived_object_meta;
}

static void describe_object(struct derive *derive)
{
	derive->object_key = derive->key;
	if (derive->kind->is_object)
		cache_key_set_kind(&derive->object_key, CACHE_OBJECTS);
}

static struct candidate *make_candidate(const struct location *location, struct work *work,
					const struct lookup_request *request, struct err *err)
{
	struct candidate *candidate = arena_alloc(&work->arena, 1, sizeof(*candidate));
	struct derive *derive;
	struct text rest;

	if (!candidate) {
		err_no_memory(err);
		return NULL;
	}
	derive = &candidate->held.derive;
	derive->kind = kind_of(request, location->type);
	derive->location = location;
	derive->misses_since = work->misses_since;
	if (lookup_location_text(location, &work->arena, &rest, err) < 0 ||
	    lookup_make_key(&derive->key, work, derive->kind->cache, location, rest, err) < 0)
		return NULL;
	describe_object(derive);
	return candidate;
}

/* Both lists run through the sources in the same order, so `*run`, where the source's part
 * of `other` begins, only moves on. */
static struct candidate *find_candidate(const struct lookup *other, const struct location *location,
					size_t *run)
{
	const struct location_list *list = &other->locations;

	while (*run < list->count && list->locations[*run].source < location->source)
		++*run;
	for (size_t i = *run; i < list->count && list->locations[i].source == location->source; i++)
		if (text_equal(list->locations[i].uri, location->uri))
			return other->candidates[i];
	return NULL;
}

static int make_plan(struct lookup *lookup, struct work *work, const struct lookup_request *request,
		     struct err *err)
{
	struct location_list *list = &lookup->locations;
	size_t run = 0;

	for (size_t i = 0; i < request->sources->count; i++) {
		bool is_listed = lookup->listings && lookup->listings[i];
		int rc = is_listed ? lookup_add_listed(lookup, i, work, list, err)
				   : source_locations(&request->sources->sources[i], request->query,
						      &work->arena, list, err);

		if (rc < 0)
			return -1;
	}
	lookup->candidates = arena_alloc(&work->arena, list->count, sizeof(*lookup->candidates));
	if (!lookup->candidates)
		return err_no_memory(err);
	for (size_t i = 0; i < list->count; i++) {
		if (request->other)
			lookup->candidates[i] = find_candidate(request->other, &list->locations[i],
							       &run);
		if (!lookup->candidates[i])
			lookup->candidates[i] = make_candidate(&list->locations[i], work, request,
							       err);
		if (!lookup->candidates[i])
			return -1;
	}
	return 0;
}

static void recall_candidate(struct candidate *candidate, const struct planned *planned,
			     const struct location *location, struct work *work,
			     const struct lookup_request *request)
{
	struct derive *derive = &candidate->held.derive;

	memset(candidate, 0, sizeof(*candidate));
	derive->kind = kind_of(request, location->type);
	derive->location = location;
	derive->misses_since = work->misses_since;
	derive->key = planned->key;
	derive->key.scope = lookup_scope_of(location->source, work);
	lookup_describe_source(&derive->key, location->source);
	describe_object(derive);
}

/* The same as make_plan() has made before. */
static int recall_plan(struct lookup *lookup, struct work *work,
		       const struct lookup_request *request, struct err *err)
{
	size_t count = plan_count(lookup->plan), run = 0;
	struct candidate *made = NULL;       /* for all that are left */
	struct location *locations = arena_alloc_raw(&work->arena, count, sizeof(*locations));

	lookup->candidates = arena_alloc(&work->arena, count, sizeof(*lookup->candidates));
	if (!locations || !lookup->candidates)
		return err_no_memory(err);
	lookup->locations = (struct location_list){ locations, count, count };
	for (size_t i = 0; i < count; i++) {
		const struct planned *planned = plan_item(lookup->plan, i);

		locations[i] = (struct location){
			.source = &request->sources->sources[planned->source],
			.type = planned->type, .path = planned->path, .uri = planned->uri,
			.query = request->query,
		};
		if (request->other)
			lookup->candidates[i] = find_candidate(request->other, &locations[i], &run);
		if (lookup->candidates[i])
			continue;
		if (!made && !(made = arena_alloc_raw(&work->arena, count - i, sizeof(*made))))
			return err_no_memory(err);
		recall_candidate(made, planned, &locations[i], work, request);
		lookup->candidates[i] = made++;
	}
	return 0;
}

int lookup_plan(struct lookup *lookup, struct work *work, const struct lookup_request *request,
		struct resolver *resolver, struct err *err)
{
	struct text name = TEXT_NONE;
	int planned;

	if (lookup_needs_listings(request->sources)) {
		lookup->request = *request;
		lookup->is_planned = lookup->is_asking = true;
		return 0;
	}
	if (resolver->memo && plan_name(work, request, &work->arena, &name, err) < 0)
		return -1;
	if (name.bytes)
		lookup->plan = plan_find(resolver->memo, name);
	planned = lookup->plan ? recall_plan(lookup, work, request, err)
			       : make_plan(lookup, work, request, err);
	if (planned < 0)
		return -1;
	if (name.bytes && !lookup->plan)
		plan_keep(resolver->memo, name, lookup, request->sources);
	lookup->is_planned = true;
	return 0;
}

void lookup_release(struct lookup *lookup)
{
	plan_drop(lookup->plan);
	lookup->plan = NULL;
	lookup_forget_listings(lookup);
}

/* --- Asking ------------------------------------------------------------------------------ */

struct candidate_reader { struct candidate *candidate; struct work *work; };

static int read_meta(const struct candidate_reader *reader, struct text bytes, struct err *damage)
{
	struct arena *arena = &reader->work->arena;
	struct arena *before = request_json_lend_arena(arena);   /* no malloc, should it be cJSON */
	int parsed = convert_meta_parse(bytes, arena, &reader->candidate->meta, damage);

	(void)request_json_lend_arena(before);
	reader->candidate->held.derive.is_extract = reader->candidate->meta.is_extract;
	return parsed;
}

/* Of a file that is no object, that it is there is all; a UUID map is the UUID it leads to.  All
 * that is read here stands in rows, not in mapped files. */
static int read_candidate(void *payload, struct text bytes, struct err *damage)
{
	const struct candidate_reader *reader = payload;
	struct candidate *candidate = reader->candidate;

	if (candidate->held.derive.kind == &derived_object_meta)
		return read_meta(reader, bytes, damage);
	if (candidate->held.derive.kind != &derived_uuid_map ||
	    debugid_parse(bytes, &candidate->original))
		return 0;
	return err_set(damage, ERR_MALFORMED, "no UUID where one was remembered");
}

static enum resolved resolve_one(struct candidate *candidate, struct work *work,
				 struct resolver *resolver, struct err *err)
{
	struct candidate_reader reader = { candidate, work };
	const struct held_opening opening = { .open = read_candidate, .payload = &reader,
					      .arena = &work->arena };

	return held_resolve(&candidate->held, &opening, resolver, err);
}

/* Nobody else's files wait for a listing: they are under way, whatever it will say. */
static enum resolved start_others(struct lookup *lookup, struct work *work,
				  struct resolver *resolver, struct err *err)
{
	if (!lookup->meanwhile) {
		lookup->meanwhile = arena_alloc(&work->arena, 1, sizeof(*lookup->meanwhile));
		if (!lookup->meanwhile) {
			err_no_memory(err);
			return RESOLVED_ERROR;
		}
		if (make_plan(lookup->meanwhile, work, &lookup->request, err) < 0)
			return RESOLVED_ERROR;
		lookup->meanwhile->is_planned = true;
	}
	if (lookup_resolve(lookup->meanwhile, work, resolver, err) == RESOLVED_ERROR)
		return RESOLVED_ERROR;
	return RESOLVED_WAIT;
}

/* The listings of sources first, then the locations they give. */
static enum resolved locate(struct lookup *lookup, bool starts_others, struct work *work,
			    struct resolver *resolver, struct err *err)
{
	enum resolved resolved;

	do {
		resolved = lookup_resolve_listings(lookup, work, resolver, err);
		if (resolved == RESOLVED_WAIT && starts_others && !resolver->stops_at_wait)
			return start_others(lookup, work, resolver, err);
		if (resolved != RESOLVED_READY)
			return resolved;
		resolved = lookup_read_listings(lookup, work, resolver, err);
	} while (resolved == RESOLVED_WAIT);
	if (resolved != RESOLVED_READY || make_plan(lookup, work, &lookup->request, err) < 0)
		return RESOLVED_ERROR;
	lookup_forget_listings(lookup);
	lookup->is_asking = false;
	return RESOLVED_READY;
}

enum resolved lookup_locate(struct lookup *lookup, struct work *work, struct resolver *resolver,
			    struct err *err)
{
	return lookup->is_asking ? locate(lookup, false, work, resolver, err) : RESOLVED_READY;
}

enum resolved lookup_resolve(struct lookup *lookup, struct work *work, struct resolver *resolver,
			     struct err *err)
{
	enum resolved all = lookup->is_asking ? locate(lookup, true, work, resolver, err)
					      : RESOLVED_READY;

	if (all != RESOLVED_READY)
		return all;

	for (size_t i = lookup->settled; i < lookup->locations.count; i++) {
		enum resolved one = resolve_one(lookup->candidates[i], work, resolver, err);

		if (one == RESOLVED_ERROR || (one == RESOLVED_WAIT && resolver->stops_at_wait))
			return one;
		if (one == RESOLVED_WAIT)
			all = RESOLVED_WAIT;
		else if (lookup->settled == i)
			lookup->settled++;
	}
	return all;
}
