/*
 * cloud.c -- s3, gcs and sentry: their schema and where their files would lie.
 *
 * They are read and checked like the others, so that a wrong one is refused and a right one
 * shows its candidates; reaching them is refused with words.
 */
#include "source/kind.h"

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "source/url.h"

struct bucket {
	struct text name;
	struct text prefix;          /* without slashes at either end */
	struct text region, endpoint;
};

static struct text trim_slashes(struct text text)
{
	while (text.size > 0 && text.bytes[0] == '/') {
		text.bytes++;
		text.size--;
	}
	while (text.size > 0 && text.bytes[text.size - 1] == '/')
		text.size--;
	return text;
}

static int parse_bucket(struct source *source, const struct shape *shape, struct bucket **made,
			struct err *err)
{
	struct bucket *bucket = arena_alloc(shape->arena, 1, sizeof(*bucket));

	if (!bucket)
		return err_set(err, ERR_NO_MEMORY, "no room for the sources");
	source->state = *made = bucket;
	if (shape_string(shape, "bucket", SHAPE_REQUIRED, &bucket->name, err) < 0 ||
	    shape_string(shape, "prefix", SHAPE_OPTIONAL, &bucket->prefix, err) < 0)
		return -1;
	bucket->prefix = trim_slashes(bucket->prefix);
	return 0;
}

/* "eu-central-1", or ["name", "https://endpoint"] */
static int parse_region(struct bucket *bucket, const struct shape *shape, struct err *err)
{
	const struct cJSON *region = shape_member(shape, "region");
	const struct cJSON *endpoint;

	if (!region || cJSON_IsString(region))
		return shape_string(shape, "region", SHAPE_REQUIRED, &bucket->region, err);
	endpoint = cJSON_GetArrayItem(region, 1);
	if (!cJSON_IsArray(region) || cJSON_GetArraySize(region) != 2 ||
	    !cJSON_IsString(region->child) || !cJSON_IsString(endpoint))
		return shape_refuse(shape, "region", err,
				    "a name, or an array of name and endpoint, is expected");
	if (shape_copy(shape, shape_text(region->child), &bucket->region, err) < 0)
		return -1;
	return shape_copy(shape, shape_text(endpoint), &bucket->endpoint, err);
}

static int store_secrets(struct source *source, const struct text *secrets, size_t count,
			 struct err *err)
{
	struct buf bytes;
	int rc;

	buf_init(&bytes, SIZE_MAX);
	for (size_t i = 0; i < count; i++)
		credentials_add(&bytes, secrets[i]);
	rc = credentials_store(source, &bytes, err);
	buf_release(&bytes);
	return rc;
}

static int configure_s3(struct source *source, const struct shape *shape,
			const struct source_setup *setup, struct err *err)
{
	struct text provider = TEXT("static");
	struct text keys[2] = { TEXT_NONE, TEXT_NONE };
	struct bucket *bucket;

	(void)setup;
	if (parse_bucket(source, shape, &bucket, err) < 0 ||
	    parse_region(bucket, shape, err) < 0 ||
	    shape_string(shape, "aws_credentials_provider", SHAPE_OPTIONAL, &provider, err) < 0 ||
	    shape_string(shape, "access_key", SHAPE_OPTIONAL, &keys[0], err) < 0 ||
	    shape_string(shape, "secret_key", SHAPE_OPTIONAL, &keys[1], err) < 0)
		return -1;
	if (!text_is(provider, "static") && !text_is(provider, "container"))
		return shape_refuse(shape, "aws_credentials_provider", err,
				    "unknown provider `%.*s`", SHAPE_QUOTED, provider.bytes);
	return store_secrets(source, keys, 2, err);
}

static bool has_string(const struct shape *shape, const char *key)
{
	return cJSON_IsString(shape_member(shape, key));
}

static int configure_gcs(struct source *source, const struct shape *shape,
			 const struct source_setup *setup, struct err *err)
{
	struct text secrets[2] = { TEXT_NONE, TEXT_NONE };
	struct bucket *bucket;

	(void)setup;
	if (parse_bucket(source, shape, &bucket, err) < 0)
		return -1;
	if (has_string(shape, "private_key") && has_string(shape, "client_email")) {
		if (shape_string(shape, "private_key", SHAPE_REQUIRED, &secrets[0], err) < 0 ||
		    shape_string(shape, "client_email", SHAPE_REQUIRED, &secrets[1], err) < 0)
			return -1;
	} else if (has_string(shape, "bearer_token")) {
		if (shape_string(shape, "bearer_token", SHAPE_REQUIRED, &secrets[0], err) < 0)
			return -1;
	} else {
		return shape_refuse(shape, NULL, err, "either `private_key` and `client_email` "
				    "or `bearer_token` is required");
	}
	return store_secrets(source, secrets, 2, err);
}

static int configure_sentry(struct source *source, const struct shape *shape,
			    const struct source_setup *setup, struct err *err)
{
	struct text url = TEXT_NONE, secret = TEXT_NONE;
	struct url parts;
	const char *fault, *key = has_string(shape, "token") ? "token" : "cookies";

	(void)setup;
	if (shape_string(shape, "url", SHAPE_REQUIRED, &url, err) < 0)
		return -1;
	fault = url_split(url, shape->arena, &parts);
	if (fault && !*fault)
		return err_set(err, ERR_NO_MEMORY, "no room for the sources");
	if (fault)
		return shape_refuse(shape, "url", err, "%s", fault);
	if (!has_string(shape, key))
		return shape_refuse(shape, NULL, err, "either `token` or `cookies` is required");
	if (shape_string(shape, key, SHAPE_REQUIRED, &secret, err) < 0)
		return -1;
	return store_secrets(source, &secret, 1, err);
}

static void add_segments(struct buf *out, struct text path)
{
	size_t at = 0;

	while (at < path.size) {
		const char *slash = memchr(path.bytes + at, '/', path.size - at);
		size_t end = slash ? (size_t)(slash - path.bytes) : path.size;

		buf_add_char(out, '/');
		url_add_segment(out, (struct text){ path.bytes + at, end - at });
		at = end + 1;
	}
}

static int name_in_bucket(const char *scheme, const struct source *source, struct text path,
			  struct arena *arena, struct text *uri, struct err *err)
{
	const struct bucket *bucket = source->state;
	struct buf made;
	char *copy;

	buf_init(&made, 8 * URL_BYTES);
	buf_add_string(&made, scheme);
	url_add_segment(&made, bucket->name);
	add_segments(&made, bucket->prefix);
	add_segments(&made, path);
	copy = made.failed ? NULL : arena_strndup(arena, buf_string(&made), made.size);
	*uri = (struct text){ copy, copy ? made.size : 0 };
	buf_release(&made);
	return copy ? 0 : err_set(err, ERR_NO_MEMORY, "no room for a location");
}

static int name_s3(const struct source *source, struct text path, struct arena *arena,
		   struct text *uri, struct err *err)
{
	return name_in_bucket("s3://", source, path, arena, uri, err);
}

static int name_gcs(const struct source *source, struct text path, struct arena *arena,
		    struct text *uri, struct err *err)
{
	return name_in_bucket("gs://", source, path, arena, uri, err);
}

static int refuse(const struct location *location, struct arena *arena,
		  enum source_access *access, int *fd, struct fetch_order *order, struct err *err)
{
	(void)arena, (void)access, (void)fd, (void)order;
	return err_set(err, ERR_UNSUPPORTED, "sources of kind %s cannot be reached yet",
		       location->source->kind->name);
}

const struct source_kind source_kind_s3 = {
	.name = "s3",
	.configure = configure_s3,
	.name_location = name_s3,
	.reach = refuse,
};

const struct source_kind source_kind_gcs = {
	.name = "gcs",
	.configure = configure_gcs,
	.name_location = name_gcs,
	.reach = refuse,
};

const struct source_kind source_kind_sentry = {
	.name = "sentry",
	.is_listed = true,
	.configure = configure_sentry,
	.reach = refuse,
};
