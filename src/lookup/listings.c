/*
 * listings.c -- listings of sources that have locations only once they said what they hold.
 *
 * A listing that cannot be had is an empty one: the source then has no files, and the log
 * says why.
 */
#include "lookup/lookup.h"

#include "base/arena.h"
#include "base/clock.h"
#include "config/config.h"

#define LAST_ID_SECONDS (24 * 3600)

/* One source's way to its list. */
struct listing_state {
	struct source_listing listing;       /* kind NONE: nothing to ask */
	struct held held;                    /* its answer */
	struct source_listing next;          /* what that leads to; kind NONE: it is the list */
	bool is_settled;
	struct location_list locations;      /* what the list has for us */
};

bool lookup_needs_listings(const struct source_list *sources)
{
	for (size_t i = 0; i < sources->count; i++)
		if (source_is_listed(&sources->sources[i]))
			return true;
	return false;
}

/* How old an answer may be: seconds before now, of which time it is. */
static int64_t since_when(const struct source_listing *listing, const struct work *work)
{
	switch (listing->kind) {
	case SOURCE_LISTING_MODULE:
	case SOURCE_LISTING_ARTIFACTS:
		return clock_unix_seconds() - (work->config->cache_is_of_boot
					       ? 0 : work->config->sentry_index_seconds);
	case SOURCE_LISTING_LAST_ID:
		return clock_unix_seconds() - LAST_ID_SECONDS;
	default:
		return INT64_MIN;
	}
}

/* Indexes belong to everybody, a server's answers to whoever has its credentials. */
static int make_derive(struct listing_state *state, struct work *work, struct err *err)
{
	struct derive *derive = &state->held.derive;

	*derive = (struct derive){
		.kind = derived_listing_of(state->listing.kind), .listing = &state->listing,
		.location = &state->listing.location, .since = since_when(&state->listing, work),
	};
	if (cache_key_make(&derive->key, &work->arena, CACHE_SOURCE_INDEX, TEXT_NONE,
			   state->listing.key, err) < 0)
		return -1;
	lookup_describe_key(&derive->key, derive->location);
	derive->object_key = derive->key;
	return 0;
}

static int ask_first(struct listing_state *state, const struct source *source,
		     const struct lookup_request *request,
		     struct work *work, struct err *err)
{
	if (source_listing_first(source, request->query, &work->arena, &state->listing, err) < 0)
		return -1;
	state->is_settled = state->held.is_settled = state->listing.kind == SOURCE_LISTING_NONE;
	return state->is_settled ? 0 : make_derive(state, work, err);
}

struct listing_reader { struct listing_state *state; struct work *work; };

static int read_next(void *payload, struct text bytes, struct err *damage)
{
	const struct listing_reader *reader = payload;

	return source_listing_next(&reader->state->listing, bytes, &reader->work->arena,
				   &reader->state->next, damage);
}

/* What a derive points to must stay, so the next question has its own place. */
static int ask_next(struct listing_state **state, struct work *work, struct err *err)
{
	struct listing_state *next = arena_alloc(&work->arena, 1, sizeof(*next));

	if (!next)
		return err_no_memory(err);
	next->listing = (*state)->next;
	*state = next;
	return make_derive(next, work, err);
}

/* A store's last id is read and let go; the list itself is held until it is read. */
static enum resolved settle_one(struct lookup *lookup, struct listing_state *state,
				struct work *work,
				struct resolver *resolver, struct err *err)
{
	struct listing_reader reader = { state, work };
	const struct held_opening opening = {
		.open = read_next, .payload = &reader, .arena = &work->arena,
		.list = state->listing.kind == SOURCE_LISTING_LAST_ID ? NULL : &lookup->listed,
		.is_kept_senseless = true,
	};

	return held_resolve(&state->held, &opening, resolver, err);
}

static enum resolved settle(struct lookup *lookup, struct listing_state **state, struct work *work,
			    struct resolver *resolver, struct err *err)
{
	/* A list that is read may have to be had once more. */
	while (!(*state)->is_settled || !(*state)->held.is_settled) {
		enum resolved resolved = settle_one(lookup, *state, work, resolver, err);

		if (resolved != RESOLVED_READY)
			return resolved;
		(*state)->is_settled = (*state)->held.failure ||
				       (*state)->next.kind == SOURCE_LISTING_NONE;
		if (!(*state)->is_settled && ask_next(state, work, err) < 0)
			return RESOLVED_ERROR;
	}
	return RESOLVED_READY;
}

static int begin(struct lookup *lookup, struct work *work, struct err *err)
{
	const struct source_list *sources = lookup->request.sources;

	lookup->listings = arena_alloc(&work->arena, sources->count, sizeof(*lookup->listings));
	if (!lookup->listings)
		return err_no_memory(err);
	for (size_t i = 0; i < sources->count; i++) {
		struct listing_state *state;

		if (!source_is_listed(&sources->sources[i]))
			continue;
		state = arena_alloc(&work->arena, 1, sizeof(*state));
		if (!state)
			return err_no_memory(err);
		if (ask_first(state, &sources->sources[i], &lookup->request, work, err) < 0)
			return -1;
		lookup->listings[i] = state;
	}
	return 0;
}

enum resolved lookup_resolve_listings(struct lookup *lookup, struct work *work, struct resolver *resolver,
			      struct err *err)
{
	enum resolved all = RESOLVED_READY;

	if (!lookup->listings && begin(lookup, work, err) < 0)
		return RESOLVED_ERROR;
	for (size_t i = 0; i < lookup->request.sources->count; i++) {
		enum resolved one;

		if (!lookup->listings[i])
			continue;
		one = settle(lookup, &lookup->listings[i], work, resolver, err);
		if (one == RESOLVED_ERROR || (one == RESOLVED_WAIT && resolver->stops_at_wait))
			return one;
		if (one == RESOLVED_WAIT)
			all = one;
	}
	return all;
}

/* --- Reading them ------------------------------------------------------------------------- */

struct finding { const struct lookup *lookup; struct work *work; struct err *err; };

static int find_all(void *payload)
{
	const struct finding *finding = payload;
	const struct lookup_request *request = &finding->lookup->request;

	for (size_t i = 0; i < request->sources->count; i++) {
		struct listing_state *state = finding->lookup->listings[i];

		if (!state)
			continue;
		state->locations = (struct location_list){ NULL, 0, 0 };
		if (source_listed_locations(&request->sources->sources[i], state->held.found.payload,
					    request->query, &finding->work->arena,
					    &state->locations, finding->err) < 0)
			return -1;
	}
	return 0;
}

enum resolved lookup_read_listings(struct lookup *lookup, struct work *work,
				   struct resolver *resolver, struct err *err)
{
	struct finding finding = { lookup, work, err };

	return held_read(&lookup->listed, find_all, &finding, resolver, err);
}

int lookup_add_listed(const struct lookup *lookup, size_t index, struct work *work,
		      struct location_list *list, struct err *err)
{
	const struct location_list *more = &lookup->listings[index]->locations;
	size_t capacity = list->count + more->count;
	struct location *grown;

	if (!more->count)
		return 0;
	grown = arena_alloc_raw(&work->arena, capacity, sizeof(*grown));
	if (!grown)
		return err_no_memory(err);
	if (list->count)
		memcpy(grown, list->locations, list->count * sizeof(*grown));
	memcpy(grown + list->count, more->locations, more->count * sizeof(*grown));
	*list = (struct location_list){ grown, capacity, capacity };
	return 0;
}

void lookup_forget_listings(struct lookup *lookup)
{
	for (size_t i = 0; lookup->listings && i < lookup->request.sources->count; i++)
		if (lookup->listings[i])
			held_release(&lookup->listings[i]->held);
	lookup->listings = NULL;
	lookup->listed = NULL;
}
