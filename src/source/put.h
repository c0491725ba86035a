/*
 * put -- the place of a shared cache: written to like no source is, read like any.
 *
 * It is the operator's own and has neither layout nor filters: a location's path says all.
 *
 * May include: what source.h may.
 */
#ifndef SOURCE_PUT_H
#define SOURCE_PUT_H

#include "source/source.h"

/* {"type": "s3" or "gcs", ...} as a source would be written, but for id and layout; of a gcs
 * place also {"refresh_token", "client_id", "client_secret"}, or no credentials: those of this
 * machine.  ERR_BAD_SHAPE begins with `place`. */
int source_place_parse(const struct cJSON *json, const char *place, const struct config *config,
		       struct arena *arena, struct source *source, struct err *err)
	__attribute__((warn_unused_result));

enum source_putting {
	SOURCE_PUT_LOOK,             /* is it there?  ERR_NOT_FOUND: no */
	SOURCE_PUT_NEW,              /* write it unless it is there: then ERR_BUSY.  ERR_UNSUPPORTED:
	                              * this server cannot tell; look first and put anyhow */
	SOURCE_PUT_ANYHOW,
};
/* The order, but for its fd, max_bytes and times.  `file` (NULL to look) is pointed to by it
 * and told whether it is to be compressed.  *access as source_reach_with() has it. */
int source_put(const struct location *location, enum source_putting putting, struct text credential,
	       struct fetch_file *file, struct arena *arena, enum source_access *access,
	       struct fetch_order *order, struct err *err) __attribute__((warn_unused_result));

/* May what comes from there lie in a shared cache?  Not from the buckets of Sentry's own, which are
 * as near. */
bool source_may_share_files(const struct source *source);

#endif
