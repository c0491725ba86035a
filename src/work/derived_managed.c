/* derived_managed.c -- the lookup files of managed code. */
#include "work/derived.h"

#include "ppdbcache/ppdbcache.h"

static int check(struct text payload, struct err *err)
{
	struct ppdbcache cache;

	return ppdbcache_open(&cache, payload.bytes, payload.size, err);
}

const struct derived_kind derived_ppdb = {
	.name = "ppdb", .cache = CACHE_PPDB_CACHES,
	.operation = "ppdbcache", .input = "object", .output = "ppdbcache",
	.from = DERIVED_FROM_OBJECT, .keeps_object = true,
	.check = check, .report = derived_report_units,
	.may_share = derived_may_always_share,
};
