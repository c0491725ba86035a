/*
 * scraping -- how a request lets us fetch single source files from the web: whether, with which of
 * its headers, and from where.
 */
#ifndef LOOKUP_SCRAPING_H
#define LOOKUP_SCRAPING_H

#include <stdbool.h>

#include "fetch/fetch.h"
#include "work/schema.h"

struct arena;

struct scraping {
	bool enabled, verify_ssl;
	struct text_list allowed_origins;
	const struct fetch_header *headers;
	size_t header_count;
};

/* Of requests that say nothing: everything, everywhere, without headers. */
struct scraping scraping_default(void);
/* The JSON object, in the arena; a member that is missing in it makes ERR_BAD_SHAPE. */
int scraping_read(struct scraping *scraping, const struct cJSON *json,
		  const struct schema_place *place, struct arena *arena, struct err *err)
	__attribute__((warn_unused_result));

/* May its headers go to that URL? */
bool scraping_allows(const struct scraping *scraping, struct text url);
/* The URL as it is fetched and shown, in the arena; TEXT_NONE when it is none of the web. */
int scraping_normalise_url(struct text url, struct arena *arena, struct text *normal,
			   struct err *err) __attribute__((warn_unused_result));

/* What one got with the headers of that order does not answer for others: they are what opens `source`
 * (source/source.h). */
struct derive_link;
struct source;
int scraping_set_credentials(struct source *source, const struct derive_link *order, struct err *err)
	__attribute__((warn_unused_result));

#endif
