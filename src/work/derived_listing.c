/*
 * derived_listing.c -- what sources say they hold (source/source.h), as lines that can be
 * searched.
 */
#include "work/derived.h"

#include "base/err.h"
#include "base/limits.h"
#include "convert/convert.h"
#include "work/work.h"

#define ROW_BYTES ((size_t)64 * 1024)

static int write_parameters(const struct derive *derive, const struct config *config,
			    struct buf *out, struct err *err)
{
	struct convert_listing listing = { .kind = CONVERT_LISTING_INDEX };

	(void)config;
	if (derive->kind == &derived_module_listing) {
		listing.kind = CONVERT_LISTING_FILES;
		listing.types = source_listed_types(&listing.type_count);
	} else if (derive->kind == &derived_artifact_listing) {
		listing.kind = CONVERT_LISTING_ARTIFACTS;
	} else if (derive->kind == &derived_last_id) {
		listing.kind = CONVERT_LISTING_LAST_ID;
	}
	return convert_listing_parameters(&listing, out, err);
}

static uint64_t answer_bytes_max(const struct config *config)
{
	(void)config;
	return LIMIT_LISTING_BYTES;
}

static uint64_t last_id_bytes_max(const struct config *config)
{
	(void)config;
	return LIMIT_LAST_ID_BYTES;
}

static uint64_t index_bytes_max(const struct config *config)
{
	(void)config;
	return LIMIT_INDEX_BYTES;
}

/* An index names files that a lookup asks for, and finds or does not: no line is believed. */
static int check_index(struct text payload, struct err *err)
{
	return payload.size <= LIMIT_INDEX_BYTES ? 0
	       : err_set(err, ERR_LIMIT, "an index of %zu bytes", payload.size);
}

/* Of an index nothing lasts but its failure as a whole. */
static void judge_index(struct err *failure)
{
	if (err_kind_is_lasting(failure->kind))
		failure->kind = ERR_DOWNLOAD;
}

/* A Sentry server's; each time that fails it is asked again. */
const struct derived_kind derived_module_listing = {
	.name = "module_listing", .cache = CACHE_SOURCE_INDEX,
	.operation = "listing", .input = "file", .output = "listing",
	.from = DERIVED_FROM_LOCATION, .input_bytes_max = answer_bytes_max,
	.parameters = write_parameters, .row_bytes_max = ROW_BYTES, .forgets_failures = true,
	.logs_failures = true,
};

/* The same of what it says about a release. */
const struct derived_kind derived_artifact_listing = {
	.name = "artifact_listing", .cache = CACHE_SOURCE_INDEX,
	.operation = "listing", .input = "file", .output = "listing",
	.from = DERIVED_FROM_LOCATION, .input_bytes_max = answer_bytes_max,
	.parameters = write_parameters, .row_bytes_max = ROW_BYTES, .forgets_failures = true,
	.logs_failures = true,
};

/* A symstore's; the one that is known is believed another day when it cannot be read. */
const struct derived_kind derived_last_id = {
	.name = "last_id", .cache = CACHE_SOURCE_INDEX,
	.operation = "listing", .input = "file", .output = "listing",
	.from = DERIVED_FROM_LOCATION, .input_bytes_max = last_id_bytes_max,
	.parameters = write_parameters, .row_bytes_max = ROW_BYTES, .keeps_old = true,
	.logs_failures = true,
};

const struct derived_kind derived_index = {
	.name = "index", .cache = CACHE_SOURCE_INDEX,
	.operation = "listing", .input = "file", .output = "listing",
	.from = DERIVED_FROM_SEGMENTS, .input_bytes_max = index_bytes_max,
	.parameters = write_parameters, .row_bytes_max = ROW_BYTES,
	.check = check_index, .may_share = derived_may_always_share, .judge = judge_index,
	.logs_failures = true,
};

const struct derived_kind *derived_listing_of(enum source_listing_kind kind)
{
	switch (kind) {
	case SOURCE_LISTING_MODULE:  return &derived_module_listing;
	case SOURCE_LISTING_ARTIFACTS: return &derived_artifact_listing;
	case SOURCE_LISTING_LAST_ID: return &derived_last_id;
	default:                     return &derived_index;
	}
}
