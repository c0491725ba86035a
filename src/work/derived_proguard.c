/* derived_proguard.c -- the lookup files of mappings of ProGuard and R8. */
#include "work/derived.h"

#include "config/config.h"
#include "convert/convert.h"
#include "proguard/proguard.h"
#include "work/work.h"

static int write_parameters(const struct derive *derive, const struct config *config,
			    struct buf *out, struct err *err)
{
	(void)derive;
	return convert_proguard_parameters(&(struct convert_proguard){
			.max_bytes = config->max_download_bytes }, out, err);
}

static int check(struct text payload, struct err *err)
{
	struct proguard mapping;

	return proguard_open(&mapping, payload.bytes, payload.size, err);
}

const struct derived_kind derived_proguard = {
	.name = "proguard", .cache = CACHE_PROGUARD,
	.operation = "proguard", .input = "file", .output = "proguard",
	.from = DERIVED_FROM_LOCATION,
	.parameters = write_parameters, .check = check,
	.may_share = derived_may_share_file,
};
