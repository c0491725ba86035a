/* artifacts_read.c -- what a Sentry server says it has of a JavaScript release: read in a cell, and what that
 * kept of it by whoever asked. */
#include "convert/convert_internal.h"

#include <string.h>

#include <cjson/cJSON.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/url.h"

static const char *const ways[] = {
	"debug-id", "url", "index", "release", "release-old", "scraping", "unknown",
};

static int refuse(struct err *err, const char *what)
{
	return err_set(err, ERR_MALFORMED, "an answer about artifacts has %s", what);
}

static bool is_way(const char *name)
{
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		if (strcmp(ways[i], name) == 0)
			return true;
	return false;
}

static void put(struct buf *records, const char *text)
{
	buf_add(records, text, strlen(text) + 1);
}

/* A member that is there is a string. */
static int read_string(const cJSON *item, const char *name, const char *missing, const char **value,
		       struct err *err)
{
	const cJSON *member = cJSON_GetObjectItemCaseSensitive(item, name);

	*value = cJSON_IsString(member) ? cJSON_GetStringValue(member) : missing;
	return *value && (!member || cJSON_IsString(member)) ? 0 : refuse(err, "no such text");
}

/* Names in any case; of two the later counts, of the two names the first. */
static const char *find_map(const cJSON *headers)
{
	static const char *const names[] = { "sourcemap", "x-sourcemap" };
	const char *found = NULL;
	const cJSON *header;

	for (size_t i = 0; i < 2 && !found; i++)
		cJSON_ArrayForEach(header, headers)
			if (text_equal_ignoring_case(text_of(header->string), text_of(names[i])))
				found = cJSON_GetStringValue(header);
	return found;
}

static int read_headers(const cJSON *item, struct buf *records, struct err *err)
{
	const cJSON *headers = cJSON_GetObjectItemCaseSensitive(item, "headers"), *header;
	const char *map;

	if (headers && !cJSON_IsObject(headers))
		return refuse(err, "headers that are no object");
	cJSON_ArrayForEach(header, headers)
		if (!cJSON_IsString(header))
			return refuse(err, "a header that is no text");
	put(records, headers && headers->child ? "headers" : "");
	map = find_map(headers);
	put(records, map ? "map" : "");
	put(records, map ? map : "");
	return 0;
}

static int read_one(const cJSON *item, struct buf *records, struct err *err)
{
	const char *type, *id, *url, *way, *abs_path = "";
	bool is_file;

	if (!cJSON_IsObject(item))
		return refuse(err, "what is no object");
	if (read_string(item, "type", NULL, &type, err) < 0 || read_string(item, "id", NULL, &id, err) < 0 ||
	    read_string(item, "url", NULL, &url, err) < 0 ||
	    read_string(item, "resolved_with", "unknown", &way, err) < 0)
		return -1;
	is_file = strcmp(type, "file") == 0;
	if (!is_file && strcmp(type, "bundle") != 0)
		return refuse(err, "what is neither file nor bundle");
	if (!is_way(way))
		return refuse(err, "what was found in no known way");
	if (url_scheme_size(text_of(url)) == 0)
		return refuse(err, "an address that is none");
	if (is_file && read_string(item, "abs_path", NULL, &abs_path, err) < 0)
		return -1;
	put(records, type);
	put(records, id);
	put(records, url);
	put(records, way);
	put(records, abs_path);
	return read_headers(is_file ? item : NULL, records, err);
}

int convert_artifacts_read(struct text answer, struct buf *records, struct err *err)
{
	cJSON *array = cJSON_ParseWithLength(answer.bytes ? answer.bytes : "", answer.size);
	const cJSON *item;
	int rc = 0;

	if (!cJSON_IsArray(array))
		rc = err_set(err, ERR_MALFORMED, "an answer about artifacts is no JSON array");
	else
		cJSON_ArrayForEach(item, array)
			if (rc == 0)
				rc = read_one(item, records, err);
	cJSON_Delete(array);
	return rc;
}

/* --- What was kept ------------------------------------------------------------------------ */

static bool take(struct text *records, struct text *field)
{
	const char *end = records->size ? memchr(records->bytes, '\0', records->size) : NULL;

	if (!end)
		return false;
	*field = (struct text){ records->bytes, (size_t)(end - records->bytes) };
	*records = text_from(*records, field->size + 1);
	return true;
}

bool convert_artifact_take(struct text *records, struct convert_artifact *artifact)
{
	struct text type, headers, has_map, map;

	if (!take(records, &type) || !take(records, &artifact->id) || !take(records, &artifact->url) ||
	    !take(records, &artifact->resolved_with) || !take(records, &artifact->abs_path) ||
	    !take(records, &headers) || !take(records, &has_map) || !take(records, &map))
		return false;
	artifact->is_bundle = text_is(type, "bundle");
	artifact->has_headers = headers.size > 0;
	artifact->source_map = has_map.size ? map : TEXT_NONE;
	return true;
}
