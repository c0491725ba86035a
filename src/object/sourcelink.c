/* sourcelink.c -- see sourcelink.h. */
#include "object/sourcelink.h"

#include <cjson/cJSON.h>

#include "base/err.h"
#include "object/object.h"

#define JSON_BYTES_MAX ((size_t)16 * 1024 * 1024)

static int tell(const cJSON *documents, const struct object_source_sink *sink, struct err *err)
{
	const cJSON *item;

	cJSON_ArrayForEach(item, documents) {
		struct object_source_link link = { text_of(item->string),
						   text_of(item->valuestring) };

		if (!cJSON_IsString(item))
			return err_set(err, ERR_MALFORMED, "SourceLink: a link is no text");
		if (sink->link && sink->link(sink->payload, &link, err) < 0)
			return -1;
	}
	return 0;
}

int sourcelink_each(struct text json, const struct object_source_sink *sink, struct err *err)
{
	const cJSON *documents;
	cJSON *object;
	int rc = -1;

	if (json.size > JSON_BYTES_MAX)
		return err_set(err, ERR_LIMIT, "SourceLink of %zu bytes", json.size);
	if (json.size >= 3 && memcmp(json.bytes, "\xef\xbb\xbf", 3) == 0)
		json = (struct text){ json.bytes + 3, json.size - 3 };
	object = text_is_utf8(json) ? cJSON_ParseWithLength(json.bytes, json.size) : NULL;
	documents = cJSON_GetObjectItemCaseSensitive(object, "documents");
	if (!cJSON_IsObject(object))
		err_set(err, ERR_MALFORMED, "SourceLink is no JSON object");
	else if (documents && !cJSON_IsObject(documents))
		err_set(err, ERR_MALFORMED, "SourceLink: documents is no object");
	else
		rc = tell(documents, sink, err);
	cJSON_Delete(object);
	return rc;
}
