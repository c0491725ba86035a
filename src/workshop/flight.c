/* flight.c -- see flight.h. */
#include "workshop/flight.h"

#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/vec.h"
#include "board/board.h"
#include "cache/cache.h"
#include "workshop/task.h"
#include "workshop/workshop_counters.h"

#define LOOK_AGAIN_MILLIS 1000    /* a lease may run out without a word */

static int claim(const struct workshop_means *means, const struct derive *derive, bool is_refresh,
		 struct err *err)
{
	if (is_refresh)
		return cache_claim_again(means->cache, means->store, &derive->key, means->owner, err);
	if (derive_is_of_folder(derive))
		return cache_claim_unless_ready(means->cache, means->store, &derive->key, derive->since,
						means->owner, err);
	return cache_claim_since(means->cache, means->store, &derive->key, derive->since, means->owner,
				 err);
}

int flight_claim(struct flight *flight, const struct workshop_means *means,
		 const struct derive *derive, bool is_refresh, struct err *err)
{
	int mine;

	flight->cache_word_seen = board_read(means->board, BOARD_CACHE_CHANGED);
	flight->looked_millis = clock_monotonic_millis();
	mine = claim(means, derive, is_refresh, err);
	if (mine == 0 && !is_refresh)
		board_count(means->board, &workshop_flights_waited, 0, 1);
	return mine;
}

enum flight_sight flight_look(const struct flight *flight, const struct workshop_means *means,
			      const struct derive *derive, struct err *err)
{
	struct cache_found found = { 0 };
	enum flight_sight sight;

	if (flight->cache_word_seen == board_read(means->board, BOARD_CACHE_CHANGED) &&
	    clock_monotonic_millis() - flight->looked_millis < LOOK_AGAIN_MILLIS)
		return FLIGHT_NOTHING_NEW;
	if (cache_find(means->cache, means->store, &derive->key, &found, err) < 0)
		return FLIGHT_ERROR;
	sight = found.state != CACHE_ABSENT && !derive_is_stale(derive, &found, NULL) ? FLIGHT_LANDED
									       : FLIGHT_ABANDONED;
	cache_found_release(&found);
	return sight;
}

void flight_give_up(struct owed_claims *owed, const struct workshop_means *means,
		    const struct cache_key *key)
{
	struct owed_claim *claim;

	if (cache_unclaim(means->cache, means->store, key, means->owner) ||
	    vec_reserve(&owed->claims, &owed->capacity, owed->count + 1, sizeof(*owed->claims)) < 0)
		return;
	claim = &owed->claims[owed->count++];
	*claim = (struct owed_claim){ .kind = key->kind };
	memcpy(claim->hash, key->hash, sizeof(key->hash));
	memcpy(claim->text_hash, key->text_hash, sizeof(key->text_hash));
}

void flight_settle(struct owed_claims *owed, const struct workshop_means *means,
		   const struct task_list *tasks)
{
	while (owed->count) {
		const struct owed_claim *claim = &owed->claims[owed->count - 1];
		struct cache_key key = { .kind = claim->kind };

		memcpy(key.hash, claim->hash, sizeof(key.hash));
		memcpy(key.text_hash, claim->text_hash, sizeof(key.text_hash));
		if (!task_is_known(tasks, &key) &&
		    !cache_unclaim(means->cache, means->store, &key, means->owner))
			return;
		owed->count--;
	}
}

void flight_release_owed(struct owed_claims *owed)
{
	mem_give_back(owed->claims);
	*owed = (struct owed_claims){ 0 };
}
