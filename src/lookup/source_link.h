/*
 * source_link -- source files that have to be fetched, by their URLs: one for each chain and URL,
 * however many frames need it.
 */
#ifndef LOOKUP_SOURCE_LINK_H
#define LOOKUP_SOURCE_LINK_H

#include "lookup/lookup.h"
#include "lookup/scraping.h"
#include "sourcecache/sourcecache.h"

struct source_link {
	struct source_link *next;
	struct source source;                /* what keys and candidates call its source */
	struct location location;
	struct derive_link order;
	struct candidate candidate;
	struct sourcecache cache;            /* over its payload, while it is open */
};

struct source_links { struct source_link *first; size_t count; };

/* NULL: there is none yet. */
struct source_link *source_link_find(const struct source_links *links, struct text url);
/* A new one.  `query` is what the link was found for, `is_public` says whether everybody might
 * have found it.  NULL: no memory. */
struct source_link *source_link_add(struct source_links *links, struct text url,
				    const struct scraping *scraping,
				    const struct source_query *query, bool is_public,
				    struct work *work, struct err *err)
	__attribute__((warn_unused_result));

/* READY: all are settled; those that could be had are in the list `open`, to be read together. */
enum resolved source_links_resolve(struct source_links *links, struct held **open,
				   struct work *work, struct resolver *resolver,
				   struct err *err);
void source_links_release(struct source_links *links);

/* A held_open_fn for the payloads of links and of what is made of objects with sources; its payload
 * is a struct sourcecache. */
int source_link_open(void *payload, struct text bytes, struct err *damage);

#endif
