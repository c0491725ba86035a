/* derived_jsfile.c -- files of a JavaScript release: by themselves, out of a bundle, and what a bundle holds. */
#include "work/derived.h"

#include "config/config.h"
#include "convert/convert.h"
#include "jsfile/jsbundle.h"
#include "jsfile/jsfile.h"
#include "work/work.h"

static int write_file_parameters(const struct derive *derive, const struct config *config,
				 struct buf *out, struct err *err)
{
	return convert_jsfile_parameters(&(struct convert_jsfile){
			.header = derive->part, .bytes_max = config->max_download_bytes }, out, err);
}

static int write_bundled_parameters(const struct derive *derive, const struct config *config,
				    struct buf *out, struct err *err)
{
	struct convert_jsfile jsfile = { .bytes_max = config->source_max_bytes };
	uint64_t number;

	if (!text_to_u64(derive->part, 10, &number) || number > UINT32_MAX)
		return err_set(err, ERR_INTERNAL, "a file of a bundle without a number");
	jsfile.number = (uint32_t)number;
	return convert_jsfile_parameters(&jsfile, out, err);
}

static int check_file(struct text payload, struct err *err)
{
	struct jsfile file;

	return jsfile_open(&file, payload.bytes, payload.size, err);
}

static int check_index(struct text payload, struct err *err)
{
	struct jsbundle bundle;

	return jsbundle_open(&bundle, payload.bytes, payload.size, err);
}

const struct derived_kind derived_jsfile = {
	.name = "jsfile", .cache = CACHE_SOURCEFILES,
	.operation = "jsfile", .input = "file", .output = "jsfile",
	.from = DERIVED_FROM_LOCATION,
	.parameters = write_file_parameters, .check = check_file,
	.may_share = derived_may_share_file, .heeds_head = true,
};

/* From the web: what its server shows to others may be something else. */
const struct derived_kind derived_scraped = {
	.name = "scraped", .cache = CACHE_SOURCEFILES,
	.operation = "jsfile", .input = "file", .output = "jsfile",
	.from = DERIVED_FROM_LINK, .heeds_head = true,
	.parameters = write_file_parameters, .check = check_file,
};

const struct derived_kind derived_jsbundle = {
	.name = "jsbundle", .cache = CACHE_SOURCES,
	.operation = "jsbundle", .input = "object", .output = "index",
	.from = DERIVED_FROM_OBJECT, .keeps_object = true, .looks_first = true,
	.parameters = write_file_parameters, .check = check_index,
	.may_share = derived_may_always_share,
};

const struct derived_kind derived_bundled = {
	.name = "bundled", .cache = CACHE_SOURCEFILES,
	.operation = "bundled", .input = "object", .output = "jsfile",
	.from = DERIVED_FROM_OBJECT, .keeps_object = true,
	.parameters = write_bundled_parameters, .check = check_file,
	.may_share = derived_may_always_share,
};
