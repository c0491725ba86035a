/* flight.h -- single flight: the claim on making an entry, across processes (cache_claim). */
#ifndef WORKSHOP_FLIGHT_H
#define WORKSHOP_FLIGHT_H

#include "work/work.h"
#include "workshop/means.h"
#include "workshop/verb_queue.h"

#define OWED_CLAIMS_AT_ONCE 16u

struct flight {
	uint32_t cache_word_seen;    /* when the row was last looked at, while another makes it */
	int64_t looked_millis;
};

/* A claim that is to be given up. */
struct owed_claim {
	enum cache_kind kind;
	uint8_t hash[HASH_SHA256_BYTES], text_hash[HASH_SHA256_BYTES];
};
struct owed_claims {
	struct owed_claim *claims;
	size_t count, capacity;
	size_t promised;             /* room kept for claims that may have to be given up */
	int64_t again_millis;        /* after one could not be given up */
	struct queued_verb verb;            /* gives up these, the first of `claims` */
	struct owed_claim asked[OWED_CLAIMS_AT_ONCE];
	size_t asked_count;
};

/* On the verbs' thread.  1: claimed, 0: another process has the claim, -1. */
int  flight_claim(struct flight *flight, const struct verb_means *means,
		  const struct derive *derive, bool is_refresh, struct err *err)
	__attribute__((warn_unused_result));

enum flight_sight { FLIGHT_ERROR = -1, FLIGHT_NOTHING_NEW, FLIGHT_LANDED, FLIGHT_ABANDONED };
enum flight_sight flight_look(const struct flight *flight, const struct workshop_means *means,
			      const struct derive *derive, struct err *err);

/* Before a claim: that it can be put on the list.  flight_fulfil() takes one promise back. */
int  flight_promise(struct owed_claims *owed, struct err *err) __attribute__((warn_unused_result));
void flight_fulfil(struct owed_claims *owed);
/* Puts a claim on the list; flight_settle() gives it up.  When that fails (a full disk) it stays there, to be
 * given up later: it would be renewed with this owner's other leases, and other processes would wait for
 * the key for ever. */
void flight_give_up(struct owed_claims *owed, const struct cache_key *key);
/* Asks for the listed claims to be given up, but those a task has claimed anew, which are forgotten, and those a task
 * is about to claim: should it fail to, they are owed as before.  False: nothing was asked. */
struct task_list;
bool flight_settle(struct owed_claims *owed, struct verb_queue *verbs, const struct task_list *tasks);
void flight_release_owed(struct owed_claims *owed);

#endif
