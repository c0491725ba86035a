/*
 * noted_damage.c -- damaged entries that were met by who only reads, until their keys are claimed.
 *
 * A bounded ring: with more of them the oldest is forgotten, and noted anew when it is met again.
 */
#include <string.h>

#include "cache/cache_internal.h"

void cache_damage_init(struct cache *cache)
{
	pthread_mutex_init(&cache->damage_lock, NULL);
}

void cache_damage_release(struct cache *cache)
{
	pthread_mutex_destroy(&cache->damage_lock);
}

static bool is_used(const struct cache_damage *damage)
{
	static const uint8_t none[HASH_SHA256_BYTES];

	return memcmp(damage->hash, none, sizeof(none)) != 0;
}

static bool is_of(const struct cache_damage *damage, const struct cache_key *key)
{
	return damage->kind == key->kind && memcmp(damage->hash, key->hash, sizeof(key->hash)) == 0;
}

/* With the lock. */
static struct cache_damage *find(struct cache *cache, const struct cache_key *key, const int64_t *id)
{
	for (unsigned i = 0; i < CACHE_DAMAGES; i++) {
		struct cache_damage *damage = &cache->damages[i];

		if (is_of(damage, key) && (!id || damage->id == *id))
			return damage;
	}
	return NULL;
}

bool cache_damage_note(struct cache *cache, const struct cache_key *key, int64_t id)
{
	struct cache_damage *damage;
	bool is_new;

	pthread_mutex_lock(&cache->damage_lock);
	is_new = !find(cache, key, &id);
	if (is_new) {
		damage = &cache->damages[cache->damage_next++ % CACHE_DAMAGES];
		if (!is_used(damage))
			atomic_fetch_add(&cache->damage_count, 1);
		*damage = (struct cache_damage){ .kind = key->kind, .id = id };
		memcpy(damage->hash, key->hash, sizeof(damage->hash));
	}
	pthread_mutex_unlock(&cache->damage_lock);
	return is_new;
}

bool cache_damage_is_noted(struct cache *cache, const struct cache_key *key, int64_t id)
{
	bool noted;

	if (atomic_load(&cache->damage_count) == 0)
		return false;
	pthread_mutex_lock(&cache->damage_lock);
	noted = find(cache, key, &id) != NULL;
	pthread_mutex_unlock(&cache->damage_lock);
	return noted;
}

bool cache_damage_find(struct cache *cache, const struct cache_key *key, int64_t *id)
{
	const struct cache_damage *damage;

	if (atomic_load(&cache->damage_count) == 0)
		return false;
	pthread_mutex_lock(&cache->damage_lock);
	damage = find(cache, key, NULL);
	if (damage)
		*id = damage->id;
	pthread_mutex_unlock(&cache->damage_lock);
	return damage != NULL;
}

void cache_damage_forget(struct cache *cache, const struct cache_key *key, int64_t id)
{
	struct cache_damage *damage;

	pthread_mutex_lock(&cache->damage_lock);
	damage = find(cache, key, &id);
	if (damage) {
		memset(damage, 0, sizeof(*damage));
		atomic_fetch_sub(&cache->damage_count, 1);
	}
	pthread_mutex_unlock(&cache->damage_lock);
}
