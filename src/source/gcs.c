/*
 * gcs.c -- sources in Google Cloud Storage.
 *
 * A token is the credential (gcs_credentials.c); a bearer token is one already.  `endpoint` and `token_uri`
 * lead to others who speak the same protocol; both are under the address guard as everything a
 * request names.
 */
#include "source/gcs.h"

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/url.h"
#include "source/base_url.h"

#define STORAGE       "https://storage.googleapis.com"
#define TOKEN_ADDRESS "https://www.googleapis.com/oauth2/v4/token"

static bool has_string(const struct shape *shape, const char *key)
{
	return cJSON_IsString(shape_member(shape, key));
}

static int parse_credentials(struct gcs *gcs, const struct shape *shape, struct err *err)
{
	bool has_key = has_string(shape, "private_key"), has_email = has_string(shape, "client_email");
	bool has_bearer = has_string(shape, "bearer_token");

	if (has_key && has_email) {
		if (shape_string(shape, "private_key", SHAPE_REQUIRED, &gcs->private_key, err) < 0)
			return -1;
		return shape_string(shape, "client_email", SHAPE_REQUIRED, &gcs->client_email, err);
	}
	if (has_bearer)
		return shape_string(shape, "bearer_token", SHAPE_REQUIRED, &gcs->bearer_token, err);
	if (gcs->writes && has_string(shape, "refresh_token")) {
		if (shape_string(shape, "client_id", SHAPE_REQUIRED, &gcs->client_id, err) < 0 ||
		    shape_string(shape, "client_secret", SHAPE_REQUIRED, &gcs->client_secret, err) < 0)
			return -1;
		return shape_string(shape, "refresh_token", SHAPE_REQUIRED, &gcs->refresh_token, err);
	}
	if (gcs->writes)
		return 0;
	return shape_refuse(shape, NULL, err, "either `private_key` and `client_email` "
			    "or `bearer_token` is required");
}

static int store_secrets(struct source *source, const struct gcs *gcs, struct err *err)
{
	struct buf bytes;
	int rc;

	buf_init(&bytes, SIZE_MAX);
	source_credentials_add(&bytes, gcs->private_key);
	source_credentials_add(&bytes, gcs->client_email);
	source_credentials_add(&bytes, gcs->bearer_token);
	rc = source_credentials_store(source, &bytes, err);
	buf_release(&bytes);
	return rc;
}

static int configure(struct source *source, const struct shape *shape,
		     const struct source_setup *setup, struct err *err)
{
	struct gcs *gcs = arena_alloc(shape->arena, 1, sizeof(*gcs));
	int rc;

	if (!gcs)
		return err_set(err, ERR_NO_MEMORY, "no room for the sources");
	source->state = gcs;
	gcs->endpoint = TEXT(STORAGE);
	gcs->token_uri = TEXT(TOKEN_ADDRESS);
	gcs->writes = setup->is_written_to;
	rc = bucket_parse(&gcs->bucket, shape, setup, err);
	if (shape_goes_on(shape, rc))
		rc |= shape_string(shape, "endpoint", SHAPE_OPTIONAL, &gcs->endpoint, err);
	if (shape_goes_on(shape, rc))
		rc |= shape_string(shape, "token_uri", SHAPE_OPTIONAL, &gcs->token_uri, err);
	if (shape_goes_on(shape, rc))
		rc |= parse_credentials(gcs, shape, err);
	return rc == 0 ? store_secrets(source, gcs, err) : -1;
}

static int name_location(const struct source *source, struct text path, struct arena *arena,
			 struct text *uri, struct err *err)
{
	const struct gcs *gcs = source->state;

	return bucket_name(&gcs->bucket, "gs://", path, arena, uri, err);
}

/* --- Downloads ------------------------------------------------------------------------------ */

/* Where an address leads: to the contents of an object, to what is said about it, or to where
 * one is made. */
enum leads { LEADS_TO_MEDIA, LEADS_TO_OBJECT, LEADS_TO_UPLOAD, LEADS_TO_UPLOAD_OF_NEW };

static void add_address(const struct gcs *gcs, struct text key, enum leads leads, struct buf *out)
{
	bool is_upload = leads >= LEADS_TO_UPLOAD;

	buf_add_string(out, is_upload ? "/upload/storage/v1/b/" : "/storage/v1/b/");
	url_add_escaped(out, gcs->bucket.name, "");
	buf_add_string(out, is_upload ? "/o?uploadType=media&name=" : "/o/");
	url_add_escaped(out, key, "");
	if (leads == LEADS_TO_MEDIA)
		buf_add_string(out, "?alt=media");
	if (leads == LEADS_TO_UPLOAD_OF_NEW)
		buf_add_string(out, "&ifGenerationMatch=0");
	if (is_upload)
		buf_add_string(out, "&contentEncoding=zstd");
}

static int make_address(const struct gcs *gcs, struct text path, enum leads leads,
			struct arena *arena, struct text *address, struct err *err)
{
	struct text endpoint = gcs->endpoint;
	struct buf key, made;
	struct base_url url;

	if (base_url_parse(endpoint, arena, &url))
		return err_set(err, ERR_DOWNLOAD, "failed to construct URL");
	while (endpoint.size > 0 && endpoint.bytes[endpoint.size - 1] == '/')
		endpoint.size--;
	buf_init(&key, URL_BYTES);
	buf_init(&made, 8 * URL_BYTES);
	bucket_add_key(&gcs->bucket, path, &key);
	buf_add_text(&made, endpoint);
	add_address(gcs, buf_text(&key), leads, &made);
	made.failed |= key.failed;
	buf_release(&key);
	return bucket_keep(&made, arena, address, err);
}

static int authorise(struct text token, struct arena *arena, struct fetch_order *order,
		     struct err *err)
{
	struct fetch_header *header = arena_alloc(arena, 1, sizeof(*header));
	char *value = arena_printf(arena, "Bearer %.*s", (int)token.size, token.bytes);

	if (!header || !value)
		return err_set(err, ERR_NO_MEMORY, "no room for a location");
	if (text_has_controls(token))
		return err_set(err, ERR_DOWNLOAD, "the token is no token");
	*header = (struct fetch_header){ TEXT("authorization"), text_of(value) };
	order->headers = header;
	order->header_count = 1;
	return 0;
}

static int order_for(const struct location *location, enum leads leads, struct text credential,
		     struct arena *arena, enum source_access *access, struct fetch_order *order,
		     struct err *err)
{
	const struct gcs *gcs = location->source->state;
	struct text token = gcs->bearer_token.bytes ? gcs->bearer_token : credential;
	struct text address;

	*access = SOURCE_NEEDS_CREDENTIAL;
	if (!token.bytes)
		return 0;
	if (make_address(gcs, location->path, leads, arena, &address, err) < 0)
		return -1;
	*access = SOURCE_ORDERED;
	*order = (struct fetch_order){
		.url = address.bytes, .source_id = location->source->id.bytes,
		.trusted = gcs->bucket.trusted, .fd = -1,
	};
	return authorise(token, arena, order, err);
}

static int reach(const struct location *location, struct text credential, struct arena *arena,
		 enum source_access *access, int *fd, struct fetch_order *order, struct err *err)
{
	*fd = -1;
	return order_for(location, LEADS_TO_MEDIA, credential, arena, access, order, err);
}

static void judge_put(unsigned status, struct text body, struct err *err)
{
	(void)body;
	if (status == 412)
		err_set(err, ERR_BUSY, "it is there already");
}

static int put(const struct location *location, enum source_putting putting, struct text credential,
	       struct fetch_file *file, struct arena *arena, enum source_access *access,
	       struct fetch_order *order, struct err *err)
{
	static const enum leads leads[] = {
		[SOURCE_PUT_LOOK] = LEADS_TO_OBJECT, [SOURCE_PUT_NEW] = LEADS_TO_UPLOAD_OF_NEW,
		[SOURCE_PUT_ANYHOW] = LEADS_TO_UPLOAD,
	};

	if (order_for(location, leads[putting], credential, arena, access, order, err) < 0)
		return -1;
	order->is_whole = true;
	if (putting == SOURCE_PUT_LOOK)
		return 0;
	order->method = "POST";
	order->file = file;
	order->judge = judge_put;
	file->compressed = true;
	return 0;
}

const struct source_kind source_kind_gcs = {
	.name = "gcs",
	.configure = configure,
	.name_location = name_location,
	.reach = reach,
	.put = put,
	.name_credential = gcs_name_credential,
	.step_credential = gcs_step_credential,
	.fail_credential = gcs_fail_credential,
};
