/* convert_listing.c -- in a cell: what a source says it holds. */
#include "convert/convert_internal.h"

#include <string.h>

#include <cjson/cJSON.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/limits.h"
#include "sandbox/sandbox.h"

#define TYPES_MAX 32u                    /* that a file may be of */

static const char *const kinds[CONVERT_LISTINGS] = {
	[CONVERT_LISTING_FILES] = "files", [CONVERT_LISTING_LAST_ID] = "last_id",
	[CONVERT_LISTING_ARTIFACTS] = "artifacts",
	[CONVERT_LISTING_INDEX] = "index",
};

int convert_listing_parameters(const struct convert_listing *listing, struct buf *out,
			       struct err *err)
{
	struct json_writer json;

	json_writer_init(&json, out);
	json_object(&json);
	json_member_string(&json, "kind", kinds[listing->kind]);
	json_key(&json, "types");
	json_array(&json);
	for (size_t i = 0; i < listing->type_count; i++)
		json_string(&json, listing->types[i]);
	json_array_end(&json);
	json_object_end(&json);
	return buf_check(out, err);
}

static int kind_of(const cJSON *parameters, enum convert_listing_kind *kind, struct err *err)
{
	const char *name = convert_json_string(parameters, "kind");

	for (unsigned i = 0; name && i < CONVERT_LISTINGS; i++) {
		if (strcmp(name, kinds[i]) == 0) {
			*kind = (enum convert_listing_kind)i;
			return 0;
		}
	}
	return err_set(err, ERR_INTERNAL, "a listing of no known kind");
}

/* The types are borrowed from the JSON. */
static int run(const cJSON *parameters, struct text answer, struct buf *lines, struct err *err)
{
	const char *types[TYPES_MAX];
	struct convert_listing listing = { .types = types };
	const cJSON *type;

	if (kind_of(parameters, &listing.kind, err) < 0)
		return -1;
	cJSON_ArrayForEach(type, cJSON_GetObjectItemCaseSensitive(parameters, "types"))
		if (cJSON_IsString(type) && listing.type_count < TYPES_MAX)
			types[listing.type_count++] = cJSON_GetStringValue(type);
	return convert_listing_read(&listing, answer, lines, err);
}

int convert_run_listing(struct cell *cell, struct err *err)
{
	struct file_map map = { NULL, 0 };
	cJSON *parameters;
	struct buf lines;
	int rc = -1;

	if (convert_json_parse(cell->parameters, &parameters, err) < 0)
		return -1;
	buf_init(&lines, LIMIT_INDEX_BYTES);
	if (file_map_fd(&map, cell_input(cell, "file"), err) == 0 &&
	    run(parameters, (struct text){ (const char *)map.bytes, map.size }, &lines, err) == 0)
		rc = file_write_all(cell_output(cell, "listing"), lines.bytes, lines.size, err);
	buf_release(&lines);
	file_unmap(&map);
	cJSON_Delete(parameters);
	return rc;
}
