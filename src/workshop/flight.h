/* flight.h -- single flight: the claim on making an entry, across processes (cache_claim). */
#ifndef WORKSHOP_FLIGHT_H
#define WORKSHOP_FLIGHT_H

#include "work/work.h"
#include "workshop/means.h"

struct flight {
	uint32_t cache_word_seen;    /* when the row was last looked at, while another makes it */
	int64_t looked_millis;
};

/* A claim whose row could not be deleted. */
struct owed_claim {
	enum cache_kind kind;
	uint8_t hash[HASH_SHA256_BYTES], text_hash[HASH_SHA256_BYTES];
};
struct owed_claims {
	struct owed_claim *claims;
	size_t count, capacity;
};

/* 1: claimed, 0: another process has the claim, -1. */
int  flight_claim(struct flight *flight, const struct workshop_means *means,
		  const struct derive *derive, bool is_refresh, struct err *err)
	__attribute__((warn_unused_result));

enum flight_sight { FLIGHT_ERROR = -1, FLIGHT_NOTHING_NEW, FLIGHT_LANDED, FLIGHT_ABANDONED };
enum flight_sight flight_look(const struct flight *flight, const struct workshop_means *means,
			      const struct derive *derive, struct err *err);

/* Gives up a claim.  When that fails (a full disk) the claim is put on the list to be given up later: it would
 * be renewed with this owner's other leases, and other processes would wait for the key for ever. */
void flight_give_up(struct owed_claims *owed, const struct workshop_means *means,
		    const struct cache_key *key);
/* Tries again to give up the listed claims, except those a task has claimed anew. */
struct task_list;
void flight_settle(struct owed_claims *owed, const struct workshop_means *means,
		   const struct task_list *tasks);
void flight_release_owed(struct owed_claims *owed);

#endif
