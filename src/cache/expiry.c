/*
 * expiry.c -- how long what is remembered: the one place that judges.
 *
 *	ready                        unused for max_unused
 *	not_found denied timeout
 *	download unsupported         retry_misses after it was made, or retry_misses_public
 *	                             when it is of the global scope and there is a cache_dir
 *	malformed                    retry_malformed, or the next boot
 *	crashed limit                one minute, doubling with each repeat up to a day; or
 *	                             another build, which may be able to do it
 *	any with fresh_until         no longer than that; the keeper leaves a payload there whose version
 *	                             its server has named: it may be renewed
 *
 * Times are judged when an entry is looked up, by the configuration of now.  A time that
 * lies ahead of the clock was written under a wrong one: expired.
 */
#include "cache/cache_internal.h"

#define FIRST_RETRY_SECONDS 60
#define LAST_RETRY_SECONDS  86400
#define REPEATS_MAX         11           /* 60 << 11 is over a day */

static int64_t retry_of_repeats(int64_t repeats)
{
	if (repeats < 0 || repeats >= REPEATS_MAX)
		return LAST_RETRY_SECONDS;
	return (int64_t)FIRST_RETRY_SECONDS << repeats;
}

/* Zero would make a failure expired before whoever waits for it could read it. */
static int64_t at_least_one(int64_t seconds)
{
	return seconds == 0 ? 1 : seconds;
}

/* A cache that lasts only for this boot has no longer time for public files. */
static int64_t miss_seconds(const struct cache *cache, enum cache_kind kind, bool is_global)
{
	const struct config_cache_times *times = cache_kind_times(cache->config, kind);

	return is_global && !cache->config->cache_is_of_boot ? times->retry_misses_public_seconds
							     : times->retry_misses_seconds;
}

int64_t cache_retry_seconds(const struct cache *cache, const struct cache_entry *entry)
{
	const struct config_cache_times *times = cache_kind_times(cache->config, entry->kind);

	switch (entry->failure) {
	case ERR_CRASHED:
	case ERR_LIMIT:
		return retry_of_repeats(entry->repeats);
	case ERR_MALFORMED:
		return at_least_one(times->retry_malformed_seconds);
	default:
		return at_least_one(miss_seconds(cache, entry->kind, entry->is_global));
	}
}

bool cache_remembers(const struct cache *cache, const struct cache_key *key, enum err_kind failure)
{
	const struct config_cache_times *times = cache_kind_times(cache->config, key->kind);

	if (!err_kind_is_lasting(failure))
		return false;
	if (failure == ERR_CRASHED || failure == ERR_LIMIT)
		return true;
	if (failure == ERR_MALFORMED)
		return times->retry_malformed_seconds != 0;
	return miss_seconds(cache, key->kind, !key->scope.bytes) != 0;
}

/* A row may say any time. */
static int64_t age(int64_t since, int64_t now)
{
	int64_t seconds;

	return __builtin_sub_overflow(now, since, &seconds) ? INT64_MAX : seconds;
}

static bool is_past(int64_t since, int64_t seconds, int64_t now)
{
	return seconds != CONFIG_NEVER && age(since, now) >= seconds;
}

static bool failure_is_expired(const struct cache *cache, const struct cache_entry *entry,
			       int64_t now)
{
	if (entry->failure == ERR_MALFORMED && entry->boot < atomic_load(&cache->boot))
		return true;
	if ((entry->failure == ERR_CRASHED || entry->failure == ERR_LIMIT) &&
	    !entry->is_of_this_build)
		return true;
	return is_past(entry->made_at, cache_retry_seconds(cache, entry), now);
}

bool cache_is_expired(const struct cache *cache, const struct cache_entry *entry, int64_t now)
{
	const struct config_cache_times *times = cache_kind_times(cache->config, entry->kind);

	if (entry->made_at > now + CACHE_SLACK_SECONDS || entry->used_at > now + CACHE_SLACK_SECONDS)
		return true;
	if (cache->config->cache_is_of_boot && entry->boot != atomic_load(&cache->boot))
		return true;
	if (entry->fresh_until && now >= entry->fresh_until)
		return true;
	if (entry->failure != ERR_NONE)
		return failure_is_expired(cache, entry, now);
	return times->max_unused_seconds != CONFIG_NEVER &&
	       age(entry->used_at, now) > times->max_unused_seconds;
}

int64_t cache_expires_at(const struct cache *cache, const struct cache_entry *entry)
{
	int64_t seconds = entry->failure != ERR_NONE ? cache_retry_seconds(cache, entry)
			  : cache_kind_times(cache->config, entry->kind)->max_unused_seconds;
	int64_t since = entry->failure != ERR_NONE ? entry->made_at : entry->used_at;
	int64_t at;

	if (seconds == CONFIG_NEVER || __builtin_add_overflow(since, seconds, &at))
		at = CONFIG_NEVER;
	if (entry->fresh_until && (at == CONFIG_NEVER || entry->fresh_until < at))
		at = entry->fresh_until;
	return at;
}

bool cache_is_removable(const struct cache *cache, const struct cache_entry *entry, int64_t now)
{
	struct cache_entry timeless = *entry;

	if (entry->is_versioned && entry->failure == ERR_NONE) {
		timeless.fresh_until = 0;
		entry = &timeless;
	}
	if (!cache_is_expired(cache, entry, now))
		return false;
	if ((entry->failure != ERR_CRASHED && entry->failure != ERR_LIMIT) || !entry->is_of_this_build)
		return true;
	/* Its repeats still count when it is tried again within a day. */
	return entry->made_at > now + CACHE_SLACK_SECONDS ||
	       age(entry->made_at, now) >= cache_retry_seconds(cache, entry) + LAST_RETRY_SECONDS;
}
