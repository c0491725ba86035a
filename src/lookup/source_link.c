/* source_link.c -- see source_link.h. */
#include "lookup/source_link.h"

#include "base/arena.h"
#include "work/derived.h"

#define SOURCE_ID "web-scraping"

/* --- Making one -------------------------------------------------------------------------- */

struct source_link *source_link_find(const struct source_links *links, struct text url)
{
	struct source_link *link = links->first;

	while (link && !text_equal(link->location.uri, url))
		link = link->next;
	return link;
}

/* Headers of the request go along only where it lets them. */
static void describe_order(struct source_link *link, const struct scraping *scraping)
{
	link->order.url = link->location.uri.bytes;
	link->order.accept_invalid_certs = !scraping->verify_ssl;
	if (!scraping->enabled || !scraping->header_count ||
	    !scraping_allows(scraping, link->location.uri))
		return;
	link->order.headers = scraping->headers;
	link->order.header_count = scraping->header_count;
}

/* A location like others, so that keys, logs and candidates know what to say about it. */
static int describe_derive(struct source_link *link, struct work *work, struct err *err)
{
	struct derive *derive = &link->candidate.held.derive;
	struct text rest;

	derive->kind = &derived_sourcefile;
	derive->location = &link->location;
	derive->link = &link->order;
	link->candidate.meta.has_sources = true;
	if (lookup_location_text(&link->location, &work->arena, &rest, err) < 0)
		return -1;
	return lookup_make_key(&derive->key, work, CACHE_SOURCEFILES, &link->location, rest, err);
}

struct source_link *source_link_add(struct source_links *links, struct text url,
				    const struct scraping *scraping,
				    const struct source_query *query, bool is_public,
				    struct work *work, struct err *err)
{
	struct source_link *link = arena_alloc(&work->arena, 1, sizeof(*link));

	if (!link) {
		err_no_memory(err);
		return NULL;
	}
	link->source = (struct source){ .id = TEXT(SOURCE_ID), .is_public = is_public };
	link->location = (struct location){
		.source = &link->source, .type = FILE_TYPES, .uri = url, .query = query,
	};
	describe_order(link, scraping);
	if (scraping_set_credentials(&link->source, &link->order, err) < 0 || describe_derive(link, work, err) < 0)
		return NULL;
	link->next = links->first;
	links->first = link;
	links->count++;
	return link;
}

/* --- Asking for them --------------------------------------------------------------------- */

int source_link_open(void *payload, struct text bytes, struct err *damage)
{
	struct sourcecache *cache = payload;

	return sourcecache_open(cache, bytes.bytes, bytes.size, damage);
}

enum resolved source_links_resolve(struct source_links *links, struct held **open,
				   struct work *work, struct resolver *resolver, struct err *err)
{
	enum resolved all = RESOLVED_READY;

	for (struct source_link *link = links->first; link; link = link->next) {
		const struct held_opening opening = {
			.open = source_link_open, .payload = &link->cache,
			.arena = &work->arena, .list = open,
		};
		enum resolved one = held_resolve(&link->candidate.held, &opening, resolver, err);

		if (one == RESOLVED_ERROR || (one == RESOLVED_WAIT && resolver->stops_at_wait))
			return one;
		if (one == RESOLVED_WAIT)
			all = one;
	}
	return all;
}

void source_links_release(struct source_links *links)
{
	for (struct source_link *link = links->first; link; link = link->next)
		held_release(&link->candidate.held);
}
