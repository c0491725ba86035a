/* derived_section.c -- the bytes of one section of an object, as they are stored in it. */
#include "work/derived.h"

#include "convert/convert.h"
#include "work/work.h"

static int write_parameters(const struct derive *derive, const struct config *config,
			    struct buf *out, struct err *err)
{
	(void)config;
	return convert_section_parameters(derive->part, out, err);
}

const struct derived_kind derived_section = {
	.name = "section", .cache = CACHE_SECTIONS,
	.operation = "section", .input = "object", .output = "section",
	.from = DERIVED_FROM_OBJECT, .keeps_object = true,
	.parameters = write_parameters,
};
