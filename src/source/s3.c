/* s3.c -- sources in S3 buckets, at Amazon or anywhere that speaks its protocol. */
#include "source/s3.h"

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/url.h"
#include "source/base_url.h"
#include "source/sigv4.h"

#define EXPIRES_SECONDS 900u
#define LABEL_BYTES_MIN 3u
#define LABEL_BYTES_MAX 63u

/* "eu-central-1", or ["name", "https://endpoint"] */
static int parse_region(struct s3 *s3, const struct shape *shape, struct err *err)
{
	const struct cJSON *region = shape_member(shape, "region");
	const struct cJSON *endpoint;

	if (!region || cJSON_IsString(region))
		return shape_string(shape, "region", SHAPE_REQUIRED, &s3->region, err);
	endpoint = cJSON_GetArrayItem(region, 1);
	if (!cJSON_IsArray(region) || cJSON_GetArraySize(region) != 2 ||
	    !cJSON_IsString(region->child) || !cJSON_IsString(endpoint))
		return shape_refuse(shape, "region", err,
				    "a name, or an array of name and endpoint, is expected");
	if (shape_copy(shape, shape_text(region->child), &s3->region, err) < 0)
		return -1;
	return shape_copy(shape, shape_text(endpoint), &s3->endpoint, err);
}

static int parse_provider(struct s3 *s3, const struct shape *shape, struct err *err)
{
	struct text provider = TEXT("static");

	if (shape_string(shape, "aws_credentials_provider", SHAPE_OPTIONAL, &provider, err) < 0)
		return -1;
	s3->of_container = text_is(provider, "container");
	if (!s3->of_container && !text_is(provider, "static"))
		return shape_refuse(shape, "aws_credentials_provider", err,
				    "unknown provider `%.*s`", SHAPE_QUOTED, provider.bytes);
	return 0;
}

static int parse_credentials(struct source *source, const struct shape *shape, struct err *err)
{
	struct s3 *s3 = source->state;
	struct buf secrets;
	int rc = parse_provider(s3, shape, err);

	if (shape_goes_on(shape, rc))
		rc |= shape_string(shape, "access_key", SHAPE_OPTIONAL, &s3->access_key, err);
	if (shape_goes_on(shape, rc))
		rc |= shape_string(shape, "secret_key", SHAPE_OPTIONAL, &s3->secret_key, err);
	if (shape_goes_on(shape, rc))
		rc |= shape_string(shape, "session_token", SHAPE_OPTIONAL, &s3->session_token, err);
	if (rc < 0)
		return -1;
	buf_init(&secrets, SIZE_MAX);
	source_credentials_add(&secrets, s3->of_container ? TEXT("container") : TEXT_NONE);
	source_credentials_add(&secrets, s3->access_key);
	source_credentials_add(&secrets, s3->secret_key);
	source_credentials_add(&secrets, s3->session_token);
	rc = source_credentials_store(source, &secrets, err);
	buf_release(&secrets);
	return rc;
}

static int configure(struct source *source, const struct shape *shape,
		     const struct source_setup *setup, struct err *err)
{
	struct s3 *s3 = arena_alloc(shape->arena, 1, sizeof(*s3));
	int rc;

	if (!s3)
		return err_set(err, ERR_NO_MEMORY, "no room for the sources");
	source->state = s3;
	s3->access_key = s3->secret_key = s3->session_token = TEXT("");
	rc = bucket_parse(&s3->bucket, shape, setup, err);
	if (shape_goes_on(shape, rc))
		rc |= parse_region(s3, shape, err);
	if (shape_goes_on(shape, rc))
		rc |= parse_credentials(source, shape, err);
	return rc;
}

static int name_location(const struct source *source, struct text path, struct arena *arena,
			 struct text *uri, struct err *err)
{
	const struct s3 *s3 = source->state;

	return bucket_name(&s3->bucket, "s3://", path, arena, uri, err);
}

/* --- Addresses ---------------------------------------------------------------------------- */

/* Can the bucket be a part of a host name?  With a dot no certificate would fit it. */
static bool is_label(struct text name)
{
	for (size_t i = 0; i < name.size; i++) {
		char c = name.bytes[i];

		if (!(c >= 'a' && c <= 'z') && !ascii_is_digit(c) &&
		    (c != '-' || i == 0 || i + 1 == name.size))
			return false;
	}
	return name.size >= LABEL_BYTES_MIN && name.size <= LABEL_BYTES_MAX;
}

static bool is_region(struct text region)
{
	for (size_t i = 0; i < region.size; i++)
		if (!(region.bytes[i] >= 'a' && region.bytes[i] <= 'z') &&
		    !ascii_is_digit(region.bytes[i]) && region.bytes[i] != '-')
			return false;
	return region.size > 0;
}

/* "https://host", and how the path begins; false: bucket and key come after it. */
static int find_home(const struct s3 *s3, struct arena *arena, struct text *origin,
		     struct text *base, bool *in_host, struct err *err)
{
	bool is_china = text_starts_with(s3->region, "cn-");
	struct base_url url;
	const char *fault;

	*base = TEXT("");
	*in_host = !s3->endpoint.bytes && is_label(s3->bucket.name);
	if (s3->endpoint.bytes) {
		fault = base_url_parse(s3->endpoint, arena, &url);
		if (fault)
			return err_set(err, *fault ? ERR_DOWNLOAD : ERR_NO_MEMORY, "endpoint: %s",
				       *fault ? fault : "no memory");
		*origin = url.origin;
		*base = url.path;
		if (base->size > 0 && base->bytes[base->size - 1] == '/')
			base->size--;
		return 0;
	}
	if (!is_region(s3->region))
		return err_set(err, ERR_DOWNLOAD, "no region has this name");
	*origin = text_of(arena_printf(arena, "https://%s%ss3.%s.amazonaws.com%s",
				       *in_host ? s3->bucket.name.bytes : "", *in_host ? "." : "",
				       s3->region.bytes, is_china ? ".cn" : ""));
	return origin->bytes ? 0 : err_set(err, ERR_NO_MEMORY, "no room for a location");
}

static void add_path(const struct s3 *s3, struct text base, bool in_host, struct text path,
		     struct buf *out)
{
	struct buf key;

	buf_init(&key, URL_BYTES);
	bucket_add_key(&s3->bucket, path, &key);
	buf_add_text(out, base);
	buf_add_char(out, '/');
	if (!in_host) {
		url_add_escaped(out, s3->bucket.name, "");
		buf_add_char(out, '/');
	}
	url_add_escaped(out, buf_text(&key), "/");
	out->failed |= key.failed;
	buf_release(&key);
}

static struct text host_of(struct text origin)
{
	struct url_parts parts;

	return url_parse(origin, URL_WHATWG, &parts) ? parts.host_port : TEXT_NONE;
}

/* What is asked of an object, and as S3's own clients name it. */
struct s3_operation { const char *method, *name; };

static int sign(const struct s3 *s3, const struct s3_keys *keys,
		const struct s3_operation *operation,
		struct text path, struct arena *arena, struct text *address, struct err *err)
{
	struct text origin, base, signed_path;
	struct sigv4 sigv4 = {
		.method = text_of(operation->method), .last = text_of(operation->name),
		.access_key = keys->access_key, .secret_key = keys->secret_key,
		.session_token = keys->session_token, .region = s3->region,
		.now = clock_unix_seconds(), .expires_seconds = EXPIRES_SECONDS,
	};
	struct buf made, encoded;
	bool in_host;

	if (find_home(s3, arena, &origin, &base, &in_host, err) < 0)
		return -1;
	buf_init(&encoded, 8 * URL_BYTES);
	add_path(s3, base, in_host, path, &encoded);
	if (bucket_keep(&encoded, arena, &signed_path, err) < 0)
		return -1;
	buf_init(&made, 16 * URL_BYTES);
	buf_add_text(&made, origin);
	buf_add_text(&made, signed_path);
	buf_add_char(&made, '?');
	sigv4_presign(&sigv4, host_of(origin), signed_path, &made);
	return bucket_keep(&made, arena, address, err);
}

static int order_for(const struct location *location, const struct s3_operation *operation,
		     struct text credential, struct arena *arena, enum source_access *access,
		     struct fetch_order *order, struct err *err)
{
	const struct s3 *s3 = location->source->state;
	struct s3_keys keys = { s3->access_key, s3->secret_key, s3->session_token };
	struct text address;

	*access = SOURCE_NEEDS_CREDENTIAL;
	if (s3->of_container && !credential.bytes)
		return 0;
	if (s3->of_container)
		s3_keys_of_credential(credential, &keys);
	if (sign(s3, &keys, operation, location->path, arena, &address, err) < 0)
		return -1;
	*access = SOURCE_ORDERED;
	*order = (struct fetch_order){
		.url = address.bytes, .source_id = location->source->id.bytes,
		.trusted = s3->bucket.trusted, .judge = s3_judge, .fd = -1,
	};
	return 0;
}

static int reach(const struct location *location, struct text credential, struct arena *arena,
		 enum source_access *access, int *fd, struct fetch_order *order, struct err *err)
{
	static const struct s3_operation get = { "GET", "x-id=GetObject" };

	*fd = -1;
	return order_for(location, &get, credential, arena, access, order, err);
}

/* Not all that speak the protocol know conditions: they say so, or that a header is wrong. */
static void judge_put(unsigned status, struct text body, struct err *err)
{
	if (status == 412 || status == 409)
		err_set(err, ERR_BUSY, "it is there already");
	else if (status == 501 || status == 400)
		err_set(err, ERR_UNSUPPORTED, "no conditional writes");
	else
		s3_judge(status, body, err);
}

static int put(const struct location *location, enum source_putting putting, struct text credential,
	       struct fetch_file *file, struct arena *arena, enum source_access *access,
	       struct fetch_order *order, struct err *err)
{
	static const struct s3_operation look = { "HEAD", "" }, write = { "PUT", "x-id=PutObject" };
	const struct s3_operation *operation = putting == SOURCE_PUT_LOOK ? &look : &write;
	struct fetch_header *if_new = arena_alloc(arena, 1, sizeof(*if_new));

	if (!if_new)
		return err_set(err, ERR_NO_MEMORY, "no room for a location");
	if (order_for(location, operation, credential, arena, access, order, err) < 0)
		return -1;
	order->method = operation->method;
	order->is_whole = true;
	if (putting == SOURCE_PUT_LOOK)
		return 0;
	order->file = file;
	file->compressed = false;            /* it wants to know the length beforehand */
	if (putting != SOURCE_PUT_NEW)
		return 0;
	*if_new = (struct fetch_header){ TEXT("If-None-Match"), TEXT("*") };
	order->headers = if_new;
	order->header_count = 1;
	order->judge = judge_put;
	return 0;
}

const struct source_kind source_kind_s3 = {
	.name = "s3",
	.configure = configure,
	.name_location = name_location,
	.reach = reach,
	.put = put,
	.name_credential = s3_name_credential,
	.step_credential = s3_step_credential,
	.fail_credential = s3_fail_credential,
};
