/* derived_cficache.c -- the unwind rules of native code. */
#include "work/derived.h"

#include "cfi/cfi.h"
#include "config/config.h"
#include "convert/convert.h"

static int write_parameters(const struct derive *derive, const struct config *config,
			    struct buf *out, struct err *err)
{
	const struct convert_cficache cficache = {
		.max_section_bytes = config->section_max_bytes,
		.unwind_chain_max = config->unwind_chain_max,
	};

	(void)derive;
	return convert_cficache_parameters(&cficache, out, err);
}

static int check(struct text payload, struct err *err)
{
	struct cfi cfi;

	return cfi_open(&cfi, payload.bytes, payload.size, err);
}

const struct derived_kind derived_cficache = {
	.name = "cficache", .cache = CACHE_CFICACHES,
	.operation = "cficache", .input = "object", .output = "cficache",
	.from = DERIVED_FROM_OBJECT, .keeps_object = true,
	.parameters = write_parameters, .check = check, .report = derived_report_units, .may_share = derived_may_always_share,
};
