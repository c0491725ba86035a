/* flight.c -- see flight.h. */
#include "workshop/flight.h"

#include <stddef.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/vec.h"
#include "board/board.h"
#include "cache/cache.h"
#include "workshop/task.h"
#include "workshop/workshop_counters.h"

#define LOOK_AGAIN_MILLIS   1000  /* nobody is told when a lease runs out */
#define SETTLE_AGAIN_MILLIS 3000

static int claim(const struct verb_means *means, const struct derive *derive, bool is_refresh,
		 struct err *err)
{
	if (is_refresh)
		return cache_claim_again(means->cache, means->store, &derive->key, means->owner, err);
	if (derive_is_of_folder(derive))
		return cache_claim_unless_ready(means->cache, means->store, &derive->key, derive->since,
						means->owner, err);
	return cache_claim_since(means->cache, means->store, &derive->key, derive->since,
				 derive->misses_since, means->owner, err);
}

int flight_claim(struct flight *flight, const struct verb_means *means,
		 const struct derive *derive, bool is_refresh, struct err *err)
{
	int mine;

	flight->cache_word_seen = board_read(means->rows.board, BOARD_CACHE_CHANGED);
	flight->looked_millis = clock_monotonic_millis();
	mine = claim(means, derive, is_refresh, err);
	if (mine == 0 && !is_refresh)
		board_count(means->rows.board, &workshop_flights_waited, 0, 1);
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

/* --- Giving up ------------------------------------------------------------------------------ */

int flight_promise(struct owed_claims *owed, struct err *err)
{
	if (vec_reserve(&owed->claims, &owed->capacity, owed->count + owed->promised + 1,
			sizeof(*owed->claims)) < 0)
		return err_set(err, ERR_NO_MEMORY, "no room for a claim");
	owed->promised++;
	return 0;
}

void flight_fulfil(struct owed_claims *owed)
{
	owed->promised--;
}

void flight_give_up(struct owed_claims *owed, const struct cache_key *key)
{
	struct owed_claim *claim = &owed->claims[owed->count++];

	*claim = (struct owed_claim){ .kind = key->kind };
	memcpy(claim->hash, key->hash, sizeof(key->hash));
	memcpy(claim->text_hash, key->text_hash, sizeof(key->text_hash));
}

static struct cache_key key_of(const struct owed_claim *claim)
{
	struct cache_key key = { .kind = claim->kind };

	memcpy(key.hash, claim->hash, sizeof(key.hash));
	memcpy(key.text_hash, claim->text_hash, sizeof(key.text_hash));
	return key;
}

static struct owed_claims *owed_of(struct queued_verb *verb)
{
	return (struct owed_claims *)(void *)((char *)verb - offsetof(struct owed_claims, verb));
}

/* How many were given up: up to the first that fails, since the others would fail alike. */
static int run_give_up(struct queued_verb *verb, struct verb_means *means, struct err *err)
{
	const struct owed_claims *owed = owed_of(verb);
	int count = 0;

	(void)err;                           /* it was logged */
	while ((size_t)count < owed->asked_count) {
		const struct cache_key key = key_of(&owed->asked[count]);

		if (!cache_unclaim(means->cache, means->store, &key, means->owner))
			break;
		count++;
	}
	return count;
}

static void gave_up(struct queued_verb *verb)
{
	struct owed_claims *owed = owed_of(verb);
	size_t given = (size_t)verb->rc;

	owed->count -= given;
	memmove(owed->claims, owed->claims + given, owed->count * sizeof(*owed->claims));
	if (given < owed->asked_count)
		owed->again_millis = clock_monotonic_millis() + SETTLE_AGAIN_MILLIS;
}

/* Those that a task has again are its to give up; those that a task may get any moment stay until that is
 * known, behind the others.  How many others there are. */
static size_t sort_out(struct owed_claims *owed, const struct task_list *tasks)
{
	size_t left = 0, free_count = 0;

	for (size_t i = 0; i < owed->count; i++) {
		const struct owed_claim claim = owed->claims[i];
		const struct cache_key key = key_of(&claim);

		if (task_has_claim(tasks, &key))
			continue;
		owed->claims[left++] = claim;
		if (task_is_known(tasks, &key))
			continue;
		owed->claims[left - 1] = owed->claims[free_count];
		owed->claims[free_count++] = claim;
	}
	owed->count = left;
	return free_count;
}

bool flight_settle(struct owed_claims *owed, struct verb_queue *verbs, const struct task_list *tasks)
{
	size_t count;

	if (owed->count == 0 || owed->verb.is_asked || clock_monotonic_millis() < owed->again_millis)
		return false;
	count = sort_out(owed, tasks);
	if (count == 0)
		return false;
	owed->asked_count = count < OWED_CLAIMS_AT_ONCE ? count : OWED_CLAIMS_AT_ONCE;
	memcpy(owed->asked, owed->claims, owed->asked_count * sizeof(*owed->asked));
	owed->verb.run = run_give_up;
	owed->verb.told = gave_up;
	owed->verb.is_urgent = true;                 /* before a task claims one of them anew */
	verb_queue_ask(verbs, &owed->verb);
	return true;
}

void flight_release_owed(struct owed_claims *owed)
{
	mem_give_back(owed->claims);
	*owed = (struct owed_claims){ 0 };
}
