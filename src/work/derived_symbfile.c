/* derived_symbfile.c -- indexes of uploaded symbfiles, part by part. */
#include "work/derived.h"

#include "symbfile/symbfile_index.h"

static int check(struct text payload, struct err *err)
{
	struct symbfile_index index;

	return symbfile_index_open(&index, payload.bytes, payload.size, err);
}

const struct derived_kind derived_symbfile = {
	.name = "symbfile index", .cache = CACHE_SYMBFILES,
	.operation = "symbfile", .input = "file", .output = "index",
	.from = DERIVED_FROM_LOCATION, .check = check,
};
