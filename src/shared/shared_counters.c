/* shared_counters.c -- see shared_counters.h. */
#include "shared/shared_counters.h"

#include "shared/shared.h"

static bool describe_lookup(unsigned index, struct text values[COUNTER_LABELS])
{
	static const char *const outcomes[SHARED_LOOKUPS] = {
		[SHARED_HIT] = "hit", [SHARED_MISS] = "miss", [SHARED_ERROR] = "error",
		[SHARED_REFUSED] = "refused", [SHARED_BLOCKED] = "blocked",
	};

	values[0] = text_of(outcomes[index]);
	return true;
}

static bool describe_upload(unsigned index, struct text values[COUNTER_LABELS])
{
	static const char *const reasons[SHARED_REASONS] = {
		[SHARED_NEW] = "new", [SHARED_REFRESH] = "refresh",
	};
	static const char *const results[SHARED_RESULTS] = {
		[SHARED_STORED] = "stored", [SHARED_EXISTS] = "exists", [SHARED_FAILED] = "failed",
		[SHARED_DROPPED] = "dropped",
	};

	values[0] = text_of(reasons[index / SHARED_RESULTS]);
	values[1] = text_of(results[index % SHARED_RESULTS]);
	return true;
}

struct counter_set shared_lookups = {
	.name = "symgate_shared_cache_lookups_total",
	.help = "Entries asked of the shared cache, by outcome.",
	.labels = { "outcome" }, .count = SHARED_LOOKUPS, .describe = describe_lookup,
};

struct counter_set shared_fetched_bytes = {
	.name = "symgate_shared_cache_fetched_bytes_total",
	.help = "Bytes of entries taken from the shared cache, as they are kept here.", .count = 1,
};

struct counter_set shared_uploads = {
	.name = "symgate_shared_cache_uploads_total",
	.help = "Entries to be told to the shared cache, by why and by what became of them.",
	.labels = { "reason", "result" }, .count = SHARED_REASONS * SHARED_RESULTS,
	.describe = describe_upload,
};

struct counter_set shared_stored_bytes = {
	.name = "symgate_shared_cache_stored_bytes_total",
	.help = "Bytes of entries the shared cache took, as they are kept here.", .count = 1,
};

struct counter_set shared_waiting_now = {
	.name = "symgate_shared_cache_uploads_waiting",
	.help = "Entries queued for the shared cache or on their way to it.",
	.kind = COUNTER_GAUGE, .count = 1,
};

struct counter_set *const shared_counters[] = {
	&shared_lookups, &shared_fetched_bytes, &shared_uploads, &shared_stored_bytes,
	&shared_waiting_now, NULL
};
