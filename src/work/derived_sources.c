/* derived_sources.c -- source files ready to be quoted: those of an object, and one by its link. */
#include "work/derived.h"

#include "config/config.h"
#include "convert/convert.h"
#include "sourcecache/sourcecache.h"
#include "work/work.h"

static int write_parameters(const struct derive *derive, const struct config *config,
			    struct buf *out, struct err *err)
{
	return convert_sources_parameters(&(struct convert_sources){
			.source_max_bytes = config->source_max_bytes,
			.by_url = derive->kind == &derived_url_sources }, out, err);
}

static int check(struct text payload, struct err *err)
{
	struct sourcecache cache;

	return sourcecache_open(&cache, payload.bytes, payload.size, err);
}

static uint64_t source_bytes_max(const struct config *config)
{
	return config->max_download_bytes < config->source_max_bytes ? config->max_download_bytes
								      : config->source_max_bytes;
}

/* Only what anybody would have got from there. */
static bool is_open_to_all(const struct derive *derive)
{
	return derive->link->header_count == 0 && !derive->link->accept_invalid_certs;
}

const struct derived_kind derived_sources = {
	.name = "sources", .cache = CACHE_SOURCES,
	.operation = "sources", .input = "object", .output = "sources",
	.from = DERIVED_FROM_OBJECT, .keeps_object = true,
	.parameters = write_parameters, .check = check, .report = derived_report_units,
	.may_share = derived_may_always_share,
};

/* Of bundles whose files are asked for by URL: the same layout, but that is what they are found by. */
const struct derived_kind derived_url_sources = {
	.name = "url_sources", .cache = CACHE_SOURCES,
	.operation = "sources", .input = "object", .output = "sources",
	.from = DERIVED_FROM_OBJECT, .keeps_object = true,
	.parameters = write_parameters, .check = check, .report = derived_report_units,
	.may_share = derived_may_always_share,
};

const struct derived_kind derived_sourcefile = {
	.name = "sourcefile", .cache = CACHE_SOURCEFILES,
	.operation = "sourcefile", .input = "file", .output = "sources",
	.from = DERIVED_FROM_LINK, .input_bytes_max = source_bytes_max,
	.parameters = write_parameters, .check = check, .report = derived_report_units,
	.may_share = is_open_to_all,
};
