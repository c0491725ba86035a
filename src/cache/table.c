/*
 * table.c -- the rows this process has read, bounded, by key.
 *
 * 1. A hold in the table counts as held by it; the table never frees what a caller holds.
 * 2. What changes in a hold after it entered the table (used_at, asked_at, generation,
 *    read_at_millis, links) changes under its shard's lock.
 * 3. Each shard keeps two lists by use: mapped blobs are scarcer than rows.
 */
#include <string.h>

#include "base/mem.h"
#include "cache/cache_internal.h"

struct cache_hold *cache_hold_new(struct cache *cache, const struct cache_key *key)
{
	struct cache_hold *hold = mem_get(sizeof(*hold));

	if (!hold)
		return NULL;
	hold->cache = cache;
	hold->fd = -1;
	memcpy(hold->hash, key->hash, sizeof(hold->hash));
	memcpy(hold->text_hash, key->text_hash, sizeof(hold->text_hash));
	memcpy(hold->credentials, key->credentials, sizeof(hold->credentials));
	atomic_init(&hold->holders, 1);
	return hold;
}

void cache_hold_drop(struct cache_hold *hold)
{
	if (!hold || atomic_fetch_sub(&hold->holders, 1) != 1)
		return;
	file_unmap(&hold->map);
	cache_give_back_descriptor(hold);
	mem_give_back(hold->bytes);
	mem_give_back(hold);
}

static enum cache_list list_of(const struct cache_hold *hold)
{
	return hold->map.bytes ? CACHE_LIST_MAPS : CACHE_LIST_ROWS;
}

static struct cache_shard *shard_of(struct cache *cache, const uint8_t *hash)
{
	return &cache->shards[hash[4] % CACHE_SHARDS];
}

/* SHA-256 is spread well enough as it is. */
static struct cache_hold **bucket_of(struct cache_shard *shard, const uint8_t *hash)
{
	return &shard->buckets[(hash[5] | (unsigned)hash[6] << 8) % CACHE_BUCKETS];
}

static bool is_of(const struct cache_hold *hold, const uint8_t *hash, const uint8_t *credentials)
{
	return memcmp(hold->hash, hash, HASH_SHA256_BYTES) == 0 &&
	       memcmp(hold->credentials, credentials, HASH_SHA256_BYTES) == 0;
}

static void list_take_out(struct cache_shard *shard, struct cache_hold *hold)
{
	enum cache_list list = list_of(hold);

	*(hold->newer ? &hold->newer->older : &shard->lists[list].newest) = hold->older;
	*(hold->older ? &hold->older->newer : &shard->lists[list].oldest) = hold->newer;
	hold->newer = hold->older = NULL;
	shard->lists[list].count--;
}

static void list_put_in(struct cache_shard *shard, struct cache_hold *hold)
{
	enum cache_list list = list_of(hold);

	hold->newer = NULL;
	hold->older = shard->lists[list].newest;
	*(hold->older ? &hold->older->newer : &shard->lists[list].oldest) = hold;
	shard->lists[list].newest = hold;
	shard->lists[list].count++;
}

/* Out of the table; the hold goes when nobody else has it. */
static void take_out(struct cache_shard *shard, struct cache_hold *hold)
{
	struct cache_hold **at = bucket_of(shard, hold->hash);

	while (*at != hold)
		at = &(*at)->next;
	*at = hold->next;
	hold->next = NULL;
	list_take_out(shard, hold);
	cache_hold_drop(hold);
}

static struct cache_hold *find(struct cache_shard *shard, const uint8_t *hash,
			       const uint8_t *credentials)
{
	struct cache_hold *hold = *bucket_of(shard, hash);

	while (hold && !is_of(hold, hash, credentials))
		hold = hold->next;
	return hold;
}

void cache_table_init(struct cache *cache)
{
	for (unsigned i = 0; i < CACHE_SHARDS; i++)
		pthread_mutex_init(&cache->shards[i].lock, NULL);
}

void cache_table_release(struct cache *cache)
{
	for (unsigned i = 0; i < CACHE_SHARDS; i++) {
		struct cache_shard *shard = &cache->shards[i];

		for (unsigned list = 0; list < CACHE_LISTS; list++)
			while (shard->lists[list].oldest)
				take_out(shard, shard->lists[list].oldest);
		pthread_mutex_destroy(&shard->lock);
	}
}

struct cache_shard *cache_table_lock(struct cache *cache, const uint8_t *hash)
{
	struct cache_shard *shard = shard_of(cache, hash);

	pthread_mutex_lock(&shard->lock);
	return shard;
}

void cache_table_unlock(struct cache_shard *shard)
{
	pthread_mutex_unlock(&shard->lock);
}

struct cache_hold *cache_table_get(struct cache_shard *shard, const struct cache_key *key)
{
	struct cache_hold *hold = find(shard, key->hash, key->credentials);

	if (hold && hold->newer) {
		list_take_out(shard, hold);
		list_put_in(shard, hold);
	}
	return hold;
}

void cache_table_put(struct cache *cache, struct cache_hold *hold)
{
	static const unsigned most[CACHE_LISTS] = { CACHE_ROWS_PER_SHARD, CACHE_MAPS_PER_SHARD };
	struct cache_shard *shard = cache_table_lock(cache, hold->hash);
	struct cache_hold *old = find(shard, hold->hash, hold->credentials);
	struct cache_hold **bucket = bucket_of(shard, hold->hash);
	enum cache_list list = list_of(hold);

	if (old)
		take_out(shard, old);
	atomic_fetch_add(&hold->holders, 1);
	hold->next = *bucket;
	*bucket = hold;
	list_put_in(shard, hold);
	while (shard->lists[list].count > most[list])
		take_out(shard, shard->lists[list].oldest);
	cache_table_unlock(shard);
}

void cache_table_remove(struct cache *cache, const struct cache_key *key)
{
	struct cache_shard *shard = cache_table_lock(cache, key->hash);
	struct cache_hold *hold = find(shard, key->hash, key->credentials);

	if (hold)
		take_out(shard, hold);
	cache_table_unlock(shard);
}
