/*
 * listing.c -- before some sources have locations they have to be asked what they hold.
 *
 * A listing that cannot be had is an empty one: the source then has no files, and the log
 * says why.
 */
#include "symbolicate/native.h"

#include "base/arena.h"
#include "base/clock.h"
#include "config/config.h"

#define LAST_ID_SECONDS (24 * 3600)

/* One source's way to its list. */
struct asked {
	struct source_listing listing;       /* kind NONE: nothing (more) to ask */
	struct derive derive;
	struct cache_found found;            /* held: the list, once is_settled */
	bool is_settled;
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
		return clock_unix_seconds() - (work->config->cache_is_of_boot
					       ? 0 : work->config->sentry_index_seconds);
	case SOURCE_LISTING_LAST_ID:
		return clock_unix_seconds() - LAST_ID_SECONDS;
	default:
		return INT64_MIN;
	}
}

/* Indexes belong to everybody, a server's answers to whoever has its credentials. */
static int make_derive(struct asked *asked, struct work *work, struct err *err)
{
	struct derive *derive = &asked->derive;

	*derive = (struct derive){
		.how = DERIVE_LISTING, .listing = &asked->listing,
		.location = &asked->listing.location, .since = since_when(&asked->listing, work),
	};
	if (cache_key_make(&derive->key, &work->arena, CACHE_SOURCE_INDEX, TEXT_NONE,
			   asked->listing.key, err) < 0)
		return -1;
	describe_key(&derive->key, derive->location);
	derive->object_key = derive->key;
	return 0;
}

static int ask_first(struct asked *asked, const struct source *source, const struct wanted *wanted,
		     struct work *work, struct err *err)
{
	if (source_listing_first(source, wanted->ids, &work->arena, &asked->listing, err) < 0)
		return -1;
	asked->is_settled = asked->listing.kind == SOURCE_LISTING_NONE;
	return asked->is_settled ? 0 : make_derive(asked, work, err);
}

static void forget(struct asked *asked)
{
	cache_found_release(&asked->found);
	asked->found = (struct cache_found){ .state = CACHE_ABSENT };
}

/* After one answer: another question, or it is the list.  What a derive points to must stay,
 * so the next question has its own place. */
static int ask_next(struct asked **asked, struct work *work, struct err *err)
{
	struct asked *next;
	struct err damage = ERR_INIT;

	if ((*asked)->found.state != CACHE_READY) {
		forget(*asked);
		(*asked)->is_settled = true;
		return 0;
	}
	next = arena_alloc(&work->arena, 1, sizeof(*next));
	if (!next)
		return err_no_memory(err);
	if (source_listing_next(&(*asked)->listing, (*asked)->found.payload, &work->arena,
				&next->listing, &damage) < 0) {
		forget(*asked);
		(*asked)->is_settled = true;
		return damage.kind == ERR_NO_MEMORY ? err_no_memory(err) : 0;
	}
	if (next->listing.kind == SOURCE_LISTING_NONE) {
		(*asked)->is_settled = true;
		return 0;
	}
	forget(*asked);
	*asked = next;
	return make_derive(next, work, err);
}

static enum resolved settle(struct asked **asked, struct work *work, struct resolver *resolver,
			    struct err *err)
{
	while (!(*asked)->is_settled) {
		enum resolved resolved = resolver->entry(resolver, &(*asked)->derive,
							 &(*asked)->found, err);

		if (resolved != RESOLVED_READY)
			return resolved;
		if (ask_next(asked, work, err) < 0)
			return RESOLVED_ERROR;
	}
	return RESOLVED_READY;
}

static int begin(struct lookup *lookup, struct work *work, struct err *err)
{
	const struct source_list *sources = lookup->wanted.sources;

	lookup->asked = arena_alloc(&work->arena, sources->count, sizeof(*lookup->asked));
	if (!lookup->asked)
		return err_no_memory(err);
	for (size_t i = 0; i < sources->count; i++) {
		struct asked *asked;

		if (!source_is_listed(&sources->sources[i]))
			continue;
		asked = arena_alloc(&work->arena, 1, sizeof(*asked));
		if (!asked)
			return err_no_memory(err);
		if (ask_first(asked, &sources->sources[i], &lookup->wanted, work, err) < 0)
			return -1;
		lookup->asked[i] = asked;
	}
	return 0;
}

enum resolved lookup_resolve_listings(struct lookup *lookup, struct work *work, struct resolver *resolver,
			      struct err *err)
{
	enum resolved all = RESOLVED_READY;

	if (!lookup->asked && begin(lookup, work, err) < 0)
		return RESOLVED_ERROR;
	for (size_t i = 0; i < lookup->wanted.sources->count; i++) {
		enum resolved one;

		if (!lookup->asked[i])
			continue;
		one = settle(&lookup->asked[i], work, resolver, err);
		if (one == RESOLVED_ERROR || (one == RESOLVED_WAIT && resolver->stops_at_wait))
			return one;
		if (one == RESOLVED_WAIT)
			all = one;
	}
	return all;
}

int lookup_listed_locations(const struct lookup *lookup, size_t index, struct work *work,
		      struct location_list *list, struct err *err)
{
	const struct wanted *wanted = &lookup->wanted;

	return source_listed_locations(&wanted->sources->sources[index],
				       lookup->asked[index]->found.payload, wanted->ids,
				       wanted->types, wanted->type_count, &work->arena, list, err);
}

void lookup_forget_listings(struct lookup *lookup)
{
	for (size_t i = 0; lookup->asked && i < lookup->wanted.sources->count; i++)
		if (lookup->asked[i])
			forget(lookup->asked[i]);
	lookup->asked = NULL;
}
