/* derived_symcache.c -- the lookup files of native code: by name, and by variables. */
#include "work/derived.h"

#include "config/config.h"
#include "convert/convert.h"
#include "symcache/symcache.h"
#include "work/work.h"

static int write_parameters(const struct derive *derive, const struct config *config,
			    struct buf *out, struct err *err)
{
	const struct convert_symcache symcache = {
		.max_section_bytes = config->section_max_bytes,
		.threads = (unsigned)config->workshop_cell_threads,
		.of_variables = derive->kind == &derived_variables,
	};

	return convert_symcache_parameters(&symcache, out, err);
}

static int check(struct text payload, struct err *err)
{
	struct symcache cache;

	return symcache_open(&cache, payload.bytes, payload.size, err);
}

const struct derived_kind derived_symcache = {
	.name = "symcache", .cache = CACHE_SYMCACHES,
	.operation = "symcache", .input = "object", .output = "symcache",
	.from = DERIVED_FROM_OBJECT, .keeps_object = true,
	.parameters = write_parameters, .check = check, .report = derived_report_units,
	.may_share = derived_may_always_share,
};

/* Its functions go by their variables instead of their names (symcache/symcache.h). */
const struct derived_kind derived_variables = {
	.name = "variables", .cache = CACHE_SYMCACHES,
	.operation = "symcache", .input = "object", .output = "symcache",
	.from = DERIVED_FROM_OBJECT, .keeps_object = true,
	.parameters = write_parameters, .check = check, .report = derived_report_units,
	.may_share = derived_may_always_share,
};
