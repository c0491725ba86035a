/* publish.h -- what was made becomes an entry, and others may have it: for verbs, on their thread. */
#ifndef WORKSHOP_PUBLISH_H
#define WORKSHOP_PUBLISH_H

#include "work/work.h"
#include "workshop/temporary.h"
#include "workshop/verb_queue.h"

struct fetch_validators;

/* The derive's key; where the derive has a time of its own, with that up to which an entry counts of which its
 * server said that it does so for fresh_seconds (-1: nothing), and with its names of the version (NULL: none),
 * which it points to. */
struct cache_key publish_key(const struct derive *derive, int64_t fresh_seconds,
			     const struct fetch_validators *validators);
/* One of our files as the payload of an entry; up to row_bytes_max it is copied into the row. */
int publish_file(const struct verb_means *means, const struct cache_key *key,
		 struct temporary *file, size_t row_bytes_max, struct err *err)
	__attribute__((warn_unused_result));
/* A file as the payload of its row: `check` NULL: anything. */
int publish_row(const struct verb_means *means, const struct cache_key *key, int fd,
		size_t bytes_max, int (*check)(struct text payload, struct err *err),
		struct err *err) __attribute__((warn_unused_result));

#endif
