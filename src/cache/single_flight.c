/* single_flight.c -- one maker per key, across processes. */
#include "base/err.h"
#include "base/log.h"
#include "board/board.h"
#include "cache/cache_internal.h"
#include "store/statements.h"

static int64_t claim_row(struct cache *cache, struct store *store, const struct cache_key *key,
			 const char *owner, struct err *err)
{
	char shown[CACHE_KEY_SHOWN_BYTES];
	struct store_value values[9];

	cache_key_values(key, cache_kind_version(key->kind), values);
	values[3] = store_text(text_of(owner));
	values[4] = store_int(atomic_load(&cache->boot));
	values[5] = store_int(cache->now());
	values[6] = store_int(CACHE_LEASE_SECONDS);
	values[7] = store_text(key->module);
	values[8] = store_text(cache_key_shown(key, shown));
	return store_run(store, STATEMENT_flight_claim, values, 9, NULL, NULL, err);
}

/* From when on what was made counts as published. */
struct since { int64_t payloads, failures; };

static bool is_published(const struct cache_entry *entry, struct since since)
{
	if (entry->id == 0)
		return false;
	/* An outdated one whose new version failed answers for that failure, too. */
	if (entry->version != cache_kind_version(entry->kind))
		return entry->is_kept;
	return entry->made_at >= (entry->failure == ERR_NONE ? since.payloads : since.failures);
}

static int claim(struct cache *cache, struct store *store, const struct cache_key *key,
		 struct since since, const char *owner, struct err *err)
{
	struct cache_entry entry;
	int64_t rows;

	cache_refresh_boot(cache, store);
	if (cache_drop_noted(cache, store, key, err) < 0)
		return err_while(err, "claiming a key of %s", cache_kind_name(key->kind));
	if (store_begin(store, STORE_TURN_ENTRY, cache_turn_key(key), err) < 0)
		return -1;
	if (cache_row_read(cache, store, key, &entry, NULL, err) < 0)
		goto undo;
	if (is_published(&entry, since)) {
		/* Published since the caller looked: the next look will see it. */
		store_rollback(store);
		cache_table_remove(cache, key);
		board_bump(cache->board, BOARD_CACHE_CHANGED);
		return 0;
	}
	rows = claim_row(cache, store, key, owner, err);
	if (rows < 0)
		goto undo;
	if (store_commit(store, err) < 0)
		return -1;
	return rows > 0;
undo:
	store_rollback(store);
	return err_while(err, "claiming a key of %s", cache_kind_name(key->kind));
}

int cache_claim(struct cache *cache, struct store *store, const struct cache_key *key,
		const char *owner, struct err *err)
{
	return cache_claim_since(cache, store, key, INT64_MIN, INT64_MIN, owner, err);
}

int cache_claim_since(struct cache *cache, struct store *store, const struct cache_key *key,
		      int64_t since, int64_t misses_since, const char *owner, struct err *err)
{
	return claim(cache, store, key, (struct since){ since, misses_since }, owner, err);
}

int cache_claim_unless_ready(struct cache *cache, struct store *store, const struct cache_key *key,
			     int64_t since, const char *owner, struct err *err)
{
	return claim(cache, store, key, (struct since){ since, INT64_MAX }, owner, err);
}

int cache_claim_again(struct cache *cache, struct store *store, const struct cache_key *key,
		      const char *owner, struct err *err)
{
	struct since since = { INT64_MIN, cache->now() - CACHE_UPGRADE_SECONDS + 1 };

	return claim(cache, store, key, since, owner, err);
}

int cache_claims_renew(struct cache *cache, struct store *store, const char *owner,
		       struct err *err)
{
	struct store_value values[3] = { store_int(cache->now()), store_int(CACHE_LEASE_SECONDS),
					 store_text(text_of(owner)) };

	return store_run(store, STATEMENT_flight_renew, values, 3, NULL, NULL, err) < 0
	       ? err_while(err, "renewing claims") : 0;
}

int cache_claims_release_dead_owner(struct cache *cache, struct store *store, const char *owner,
		      struct err *err)
{
	struct store_value values[2] = { store_int(cache->now()), store_text(text_of(owner)) };

	if (store_run(store, STATEMENT_flight_lapse, values, 2, NULL, NULL, err) < 0)
		return err_while(err, "giving the claims of %s back", owner);
	board_bump(cache->board, BOARD_CACHE_CHANGED);
	return 0;
}

bool cache_unclaim(struct cache *cache, struct store *store, const struct cache_key *key,
		   const char *owner)
{
	struct store_value values[4];
	struct err err = ERR_INIT;
	bool done;

	cache_key_values(key, cache_kind_version(key->kind), values);
	values[3] = store_text(text_of(owner));
	done = store_run(store, STATEMENT_flight_give_up, values, 4, NULL, NULL, &err) >= 0;
	if (!done)
		log_message(LOG_WARN, "cache_unclaim", NULL, "%s", err.text);
	board_generation_bump(cache->board, key->hash);
	return done;
}
