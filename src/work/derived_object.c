/* derived_object.c -- what an object offers; the object itself is kept beside it.  And that file alone, for
 * those who give it away. */
#include "work/derived.h"

#include "base/arena.h"
#include "config/config.h"
#include "convert/convert.h"
#include "work/work.h"

#define META_ARENA_BYTES ((size_t)32 * 1024 * 1024)

static int write_parameters(const struct derive *derive, const struct config *config,
			    struct buf *out, struct err *err)
{
	const struct convert_inspect inspect = {
		.debug_id = derive->location->query->ids->debug_id,
		.code_id = derive->location->query->ids->code_id,
		.max_bytes = config->max_download_bytes,
		.max_section_bytes = config->section_max_bytes,
		.is_copied = source_is_pointer(derive->location),
	};

	return convert_inspect_parameters(&inspect, out, err);
}

static int read_payload(struct text reply, struct arena *arena, struct text *payload, struct err *err)
{
	bool written;

	return convert_inspect_reply(reply, arena, &written, payload, err);
}

static int check(struct text payload, struct err *err)
{
	struct convert_meta meta;
	struct arena arena;
	int rc;

	arena_init(&arena, META_ARENA_BYTES);
	rc = convert_meta_parse(payload, &arena, &meta, err);
	arena_release(&arena);
	return rc;
}

const struct derived_kind derived_object_meta = {
	.name = "object_meta", .cache = CACHE_OBJECT_META,
	.operation = "inspect", .input = "file", .output = "object",
	.from = DERIVED_FROM_LOCATION, .keeps_object = true, .is_object = true,
	.parameters = write_parameters, .payload = read_payload, .check = check,
	.may_share = derived_may_always_share,
};

/* Asked for of what lies elsewhere, or is packed: what was kept may have gone, while what is known of it stays.
 * Of a file that is read in place there is none (convert_meta.is_extract). */
const struct derived_kind derived_object_file = {
	.name = "object_file", .cache = CACHE_OBJECTS,
	.operation = "inspect", .input = "file", .output = "object",
	.from = DERIVED_FROM_LOCATION, .keeps_object = true, .is_object = true,
	.parameters = write_parameters, .forgets_failures = true,
};
