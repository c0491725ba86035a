/* derived_cficache.c -- the unwind rules of native code. */
#include "work/derived.h"

#include "cfi/cfi.h"

static int check(struct text payload, struct err *err)
{
	struct cfi cfi;

	return cfi_open(&cfi, payload.bytes, payload.size, err);
}

const struct derived_kind derived_cficache = {
	.name = "cficache", .cache = CACHE_CFICACHES,
	.operation = "cficache", .input = "object", .output = "cficache",
	.from = DERIVED_FROM_OBJECT, .keeps_object = true,
	.check = check, .report = derived_report_units, .may_share = derived_may_always_share,
};
