/*
 * lookup -- which file for which module: the locations of one purpose, what became of each,
 * and the choice among them.
 *
 *	ids, sources, file types -> listings -> locations -> keys -> candidates -> choice
 *
 * module_lookup.h has all purposes of one module, scraping.h and source_link.h the source files
 * that debug files name by URL.
 *
 * May include: base, config, object (ids), source, fetch, cache, sourcecache, convert (its
 * replies), work.
 */
#ifndef LOOKUP_LOOKUP_H
#define LOOKUP_LOOKUP_H

#include "convert/convert.h"
#include "source/source.h"
#include "work/held.h"
#include "work/work.h"

/* --- purpose.c: what a file is looked for ------------------------------------------------ */

/* In the order they are looked for, where a module needs several. */
enum lookup_purpose { LOOKUP_UNWIND, LOOKUP_DEBUG, LOOKUP_SOURCE, LOOKUP_PURPOSES };
/* File types looked for, in order.  Static memory. */
const enum file_type *lookup_file_types(enum lookup_purpose purpose, enum object_type type,
					size_t *count);

/* --- Lookups ----------------------------------------------------------------------------- */

/* One location and what became of it. */
struct candidate {
	struct held held;                    /* let go once `meta` is read from it */
	struct convert_meta meta;            /* of the object, when there is one */
	struct debugid original;             /* of a UUID map, instead of meta */
};

struct lookup_request {              /* what a look-up is for */
	const struct source_list *sources;
	const struct source_query *query;    /* stays as long as the work */
	bool is_auxiliary;                   /* these files are no objects */
	const struct lookup *other;          /* locations it has tried already are shared; or NULL */
};

/* Every location of one purpose (or of one companion), in order of preference. */
struct listing_state;
struct plan;
struct lookup {
	bool is_planned;
	bool is_asking;                      /* locations come once listings are there */
	struct lookup_request request;       /* while is_asking */
	struct listing_state **listings;     /* one per source, NULL: not listed */
	struct held *listed;                 /* the lists among their answers */
	struct lookup *meanwhile;            /* what the other sources have */
	struct plan *plan;                   /* held: the texts are there; NULL: in the arena */
	struct location_list locations;
	struct candidate **candidates;       /* one per location */
	size_t settled;                      /* candidates[0 .. settled) are settled */
};

#define NO_WINNER SIZE_MAX

/* --- plan.c: what has to be looked at ---------------------------------------------------- */

/* Lists the locations and makes their keys, or finds both in the resolver's memo. */
int  lookup_plan(struct lookup *lookup, struct work *work, const struct lookup_request *request,
		 struct resolver *resolver, struct err *err) __attribute__((warn_unused_result));
void lookup_release(struct lookup *lookup);
/* READY: the locations are known, in order of preference, each with its candidate; none was asked for. */
enum resolved lookup_locate(struct lookup *lookup, struct work *work, struct resolver *resolver,
			    struct err *err);
/* Asks for everything not yet settled. */
enum resolved lookup_resolve(struct lookup *lookup, struct work *work, struct resolver *resolver,
			     struct err *err);

/* --- lookup_key.c ------------------------------------------------------------------------ */

/* Files of public sources belong to everybody; all others to the request's scope. */
struct text lookup_scope_of(const struct source *source, const struct work *work);
/* What a key says beside its text. */
void lookup_describe_key(struct cache_key *key, const struct location *location);
/* The part of that which is the source's. */
void lookup_describe_source(struct cache_key *key, const struct source *source);
/* A key for what is made of a location's file; `rest` follows the scope line. */
int lookup_make_key(struct cache_key *key, struct work *work, enum cache_kind kind,
		    const struct location *location, struct text rest, struct err *err)
	__attribute__((warn_unused_result));
/* "source: ID\nlocation: URI\n", in the arena. */
int lookup_location_text(const struct location *location, struct arena *arena, struct text *text,
			 struct err *err) __attribute__((warn_unused_result));

/* --- listings.c: sources that say what they hold ------------------------------------------- */

bool lookup_needs_listings(const struct source_list *sources);
/* READY: they may be read. */
enum resolved lookup_resolve_listings(struct lookup *lookup, struct work *work,
				      struct resolver *resolver, struct err *err);
/* WAIT: some are no more what they were, to be resolved again. */
enum resolved lookup_read_listings(struct lookup *lookup, struct work *work,
				   struct resolver *resolver, struct err *err);
/* Of those read: what source `index` has, appended. */
int  lookup_add_listed(const struct lookup *lookup, size_t index, struct work *work,
		       struct location_list *list, struct err *err)
	__attribute__((warn_unused_result));
void lookup_forget_listings(struct lookup *lookup);

/* --- choose.c: which of them ------------------------------------------------------------- */

/* Index of the best candidate, or NO_WINNER. */
size_t lookup_choose(const struct lookup *lookup, enum lookup_purpose purpose);

#endif
