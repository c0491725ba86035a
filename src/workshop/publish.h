/* publish.h -- what was made becomes an entry, and others may have it: for verbs, on their thread. */
#ifndef WORKSHOP_PUBLISH_H
#define WORKSHOP_PUBLISH_H

#include "work/work.h"
#include "workshop/temporary.h"
#include "workshop/verb_queue.h"

/* The derive's key, with the time up to which an entry counts of which its server said that it does so for
 * fresh_seconds (-1: nothing), where the derive has one. */
struct cache_key publish_key(const struct derive *derive, int64_t fresh_seconds);
/* One of our files as the payload of an entry; up to row_bytes_max it is copied into the row. */
int publish_file(const struct verb_means *means, const struct cache_key *key,
		 struct temporary *file, size_t row_bytes_max, struct err *err)
	__attribute__((warn_unused_result));
/* A file as the payload of its row: `check` NULL: anything. */
int publish_row(const struct verb_means *means, const struct cache_key *key, int fd,
		size_t bytes_max, int (*check)(struct text payload, struct err *err),
		struct err *err) __attribute__((warn_unused_result));

#endif
