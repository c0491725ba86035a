/* sweep.h -- the parts of the keeper's round over the cache. */
#ifndef CACHE_SWEEP_H
#define CACHE_SWEEP_H

#include "cache/cache_internal.h"

struct sweep {
	struct cache *cache;
	struct store *store;
	bool dry_run;
	uint32_t stop_seen;          /* the board's word when the round began */
	struct cache_round *round;
};

struct sweep_item {
	struct cache_entry entry;
	uint8_t text_hash[HASH_SHA256_BYTES];
	bool removed;
};

/* At most CACHE_BATCH rows that are to go. */
struct sweep_page {
	const struct sweep *sweep;
	struct sweep_item *items;
	unsigned count;              /* of those to remove */
	unsigned seen;
	int64_t last_id, last_used_at;
	int64_t now;
	uint64_t excess_bytes;       /* quota: still to be freed */
};

/* items are given back with mem_give_back(). */
int sweep_page_init(struct sweep_page *page, const struct sweep *sweep, struct err *err)
	__attribute__((warn_unused_result));
/* The columns of cache_page; false for kinds and states of a newer program, which are kept. */
bool sweep_read_row(const struct store_value *columns, struct sweep_item *item);
/* Removes the page's items (or only counts them, when dry), blobs included. */
int sweep_remove(struct sweep_page *page, struct err *err) __attribute__((warn_unused_result));

/* The service is asked to stop: the rest of the round can wait. */
bool sweep_is_stopped(const struct sweep *sweep);

/* Files: blobs without a row, temporary files somebody left. */
int sweep_orphans(struct sweep *sweep, struct err *err) __attribute__((warn_unused_result));
int sweep_temporaries(struct sweep *sweep, struct err *err) __attribute__((warn_unused_result));

#endif
