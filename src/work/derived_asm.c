/* derived_asm.c -- a stretch of an executable's code as text. */
#include "work/derived.h"

#include "base/buf.h"
#include "work/work.h"

static int write_parameters(const struct derive *derive, const struct config *config, struct buf *out,
			    struct err *err)
{
	(void)config;
	buf_add_text(out, derive->part);
	return buf_check(out, err);
}

/* Beside the sources: both are what people read of a module, and are mapped to be read. */
const struct derived_kind derived_asm = {
	.name = "asm", .cache = CACHE_SOURCES,
	.operation = "asm", .input = "object", .output = "asm",
	.from = DERIVED_FROM_OBJECT, .keeps_object = true, .forgets_failures = true,
	.parameters = write_parameters,
};
