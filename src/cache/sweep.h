/* sweep.h -- the parts of the keeper's round over the cache. */
#ifndef CACHE_SWEEP_H
#define CACHE_SWEEP_H

#include "cache/room.h"

struct sweep {
	struct cache *cache;
	struct store *store;
	bool dry_run;
	uint32_t stop_seen;          /* the board's word when the round began */
	struct cache_round *round;
};

/* The service is asked to stop: the rest of the round can wait. */
bool sweep_is_stopped(const struct sweep *sweep);

/* Entries: expired ones, then the least recently used until the quota is kept. */
int sweep_expired(struct sweep *sweep, struct err *err) __attribute__((warn_unused_result));
int sweep_over_quota(struct sweep *sweep, struct err *err) __attribute__((warn_unused_result));

/* Files: blobs without a row, temporary files somebody left. */
int sweep_orphans(struct sweep *sweep, struct err *err) __attribute__((warn_unused_result));
int sweep_temporaries(struct sweep *sweep, struct err *err) __attribute__((warn_unused_result));

#endif
