/* derived_sourcemap.c -- the lookup file of a minified file and its source map. */
#include "work/derived.h"

#include "sourcemap/sourcemap.h"
#include "work/work.h"

static int check(struct text payload, struct err *err)
{
	struct sourcemap map;

	return sourcemap_open(&map, payload.bytes, payload.size, err);
}

/* The map is a companion of the role "sourcemap"; absent: it is inside of the minified file. */
const struct derived_kind derived_sourcemap = {
	.name = "sourcemap", .cache = CACHE_SOURCEMAP_CACHES,
	.operation = "sourcemap", .input = "file", .output = "sourcemap",
	.from = DERIVED_FROM_ENTRY,
	.check = check, .report = derived_report_units,
};
