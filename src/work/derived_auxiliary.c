/*
 * derived_auxiliary.c -- files that are no objects but help to read one.
 *
 * A copy is kept even of a file that lies beside us; of a UUID map we keep what it says.
 */
#include "work/derived.h"

#include "base/arena.h"
#include "base/debugid.h"
#include "config/config.h"
#include "convert/convert.h"
#include "work/work.h"

static enum convert_auxiliary_kind auxiliary_kind(const struct derived_kind *kind)
{
	return kind == &derived_uuid_map ? CONVERT_UUID_MAP
	       : kind == &derived_line_map ? CONVERT_LINE_MAP : CONVERT_NAME_MAP;
}

static int write_parameters(const struct derive *derive, const struct config *config,
			    struct buf *out, struct err *err)
{
	return convert_auxiliary_parameters(&(struct convert_auxiliary){
			.kind = auxiliary_kind(derive->kind),
			.max_bytes = config->max_download_bytes }, out, err);
}

static int read_payload(struct text reply, struct arena *arena, struct text *payload, struct err *err)
{
	char text[DEBUGID_TEXT_BYTES];
	struct debugid original;
	char *copy;

	if (convert_auxiliary_reply(reply, &original, err) < 0)
		return -1;
	if (debugid_is_nil(&original))
		return err_set(err, ERR_MALFORMED, "the UUID map leads nowhere");
	debugid_format(&original, text);
	copy = arena_strdup(arena, text);
	if (!copy)
		return err_set(err, ERR_NO_MEMORY, "no memory for a UUID");
	*payload = text_of(copy);
	return 0;
}

static int check(struct text payload, struct err *err)
{
	struct debugid id;

	return debugid_parse(payload, &id) && !debugid_is_nil(&id) ? 0
	       : err_set(err, ERR_MALFORMED, "it is no debug id");
}

const struct derived_kind derived_uuid_map = {
	.name = "uuid_map", .cache = CACHE_AUXDIFS,
	.operation = "auxiliary", .input = "file", .output = "object",
	.from = DERIVED_FROM_LOCATION,
	.parameters = write_parameters, .payload = read_payload, .check = check,
	.may_share = derived_may_share_file,
};

const struct derived_kind derived_symbol_map = {
	.name = "symbol_map", .cache = CACHE_AUXDIFS,
	.operation = "auxiliary", .input = "file", .output = "object",
	.from = DERIVED_FROM_LOCATION,
	.parameters = write_parameters, .may_share = derived_may_share_file,
};

const struct derived_kind derived_line_map = {
	.name = "line_map", .cache = CACHE_IL2CPP,
	.operation = "auxiliary", .input = "file", .output = "object",
	.from = DERIVED_FROM_LOCATION,
	.parameters = write_parameters, .may_share = derived_may_share_file,
};

const struct derived_kind *derived_auxiliary_of(enum file_type type)
{
	switch (type) {
	case FILE_TYPE_UUIDMAP: return &derived_uuid_map;
	case FILE_TYPE_IL2CPP:  return &derived_line_map;
	case FILE_TYPE_PROGUARD: return &derived_proguard;
	default:                return &derived_symbol_map;
	}
}
