/*
 * source_listing -- what sources say themselves about what they hold.
 *
 * Private to source; the public part is in source.h.
 */
#ifndef SOURCE_SOURCE_LISTING_H
#define SOURCE_SOURCE_LISTING_H

#include "source/source.h"

/* sentry.c: the address that asks, without what opens it. */
int sentry_name_query(const struct source *source, const struct source_query *query,
		      struct arena *arena, struct text *address, struct err *err)
	__attribute__((warn_unused_result));

/* source_listing.c: the next file of "TYPE ID" lines that is of a type asked for; false: no more. */
bool source_listing_take_file(struct text *text, const struct source_query *query,
			      enum file_type *type, struct text *id);
/* Does the sorted index hold that path? */
bool source_listing_index_holds(struct text index, struct text path);

#endif
