/* cache_counters.c -- see cache_counters.h. */
#include "cache/cache_counters.h"

#include "cache/cache.h"

static bool describe_lookup(unsigned index, struct text values[COUNTER_LABELS])
{
	static const char *const outcomes[CACHE_LOOKUPS] = {
		[CACHE_HIT_MEMORY] = "hit_memory", [CACHE_HIT_ROW] = "hit_row", [CACHE_MISS] = "miss",
	};

	values[0] = text_of(cache_kind_name((enum cache_kind)(index / CACHE_LOOKUPS)));
	values[1] = text_of(outcomes[index % CACHE_LOOKUPS]);
	return true;
}

static bool describe_kind(unsigned index, struct text values[COUNTER_LABELS])
{
	values[0] = text_of(cache_kind_name((enum cache_kind)index));
	return true;
}

static bool describe_category(unsigned index, struct text values[COUNTER_LABELS])
{
	static const char *const names[CACHE_CATEGORIES] = {
		[CACHE_DOWNLOADED] = "downloaded", [CACHE_DERIVED] = "derived", [CACHE_INDEX] = "index",
	};

	values[0] = text_of(names[index]);
	return true;
}

struct counter_set cache_lookups = {
	.name = "symgate_cache_lookups_total",
	.help = "Look-ups in a cache: in this process's memory, in the database, or not there.",
	.labels = { "kind", "outcome" }, .count = CACHE_KINDS * CACHE_LOOKUPS, .describe = describe_lookup,
};

struct counter_set cache_written_bytes = {
	.name = "symgate_cache_written_bytes_total", .help = "Bytes published into a cache.",
	.labels = { "kind" }, .count = CACHE_KINDS, .describe = describe_kind,
};

struct counter_set cache_refreshes = {
	.name = "symgate_refreshes_total",
	.help = "Entries made again in the background while old ones answered.",
	.labels = { "category" }, .count = CACHE_CATEGORIES, .describe = describe_category,
};

struct counter_set cache_refreshes_refused = {
	.name = "symgate_refreshes_refused_total",
	.help = "Refreshes put off because as many as may be were under way.",
	.labels = { "category" }, .count = CACHE_CATEGORIES, .describe = describe_category,
};

struct counter_set *const cache_counters[] = {
	&cache_lookups, &cache_written_bytes, &cache_refreshes, &cache_refreshes_refused, NULL
};
