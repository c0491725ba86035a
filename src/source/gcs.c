/*
 * gcs.c -- sources in Google Cloud Storage.
 *
 * A service account's key signs a short claim (a JWT, RS256), which Google exchanges for a
 * token: the pass.  A bearer token is a pass of its own.  `endpoint` and `token_uri` lead to
 * others who speak the same protocol; both are under the same address guard as everything a
 * request names.
 */
#include "source/bucket.h"

#include <cjson/cJSON.h>
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/json_writer.h"
#include "base/mem.h"
#include "source/sigv4.h"
#include "source/url.h"

#define STORAGE       "https://storage.googleapis.com"
#define TOKEN_ADDRESS "https://www.googleapis.com/oauth2/v4/token"
#define SCOPE         "https://www.googleapis.com/auth/devstorage.read_only"
#define GRANT         "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion="
#define TOKEN_SECONDS (58 * 60)
#define CLAIM_SECONDS (TOKEN_SECONDS + 30)
#define JWT_BYTES     ((size_t)256 * 1024)

enum { STEP_BEGIN, STEP_TOKEN };

struct gcs {
	struct bucket bucket;
	struct text private_key, client_email;       /* or */
	struct text bearer_token;
	struct text endpoint, token_uri;
};

static bool has_string(const struct shape *shape, const char *key)
{
	return cJSON_IsString(shape_member(shape, key));
}

static int parse_credentials(struct gcs *gcs, const struct shape *shape, struct err *err)
{
	if (has_string(shape, "private_key") && has_string(shape, "client_email")) {
		if (shape_string(shape, "private_key", SHAPE_REQUIRED, &gcs->private_key, err) < 0)
			return -1;
		return shape_string(shape, "client_email", SHAPE_REQUIRED, &gcs->client_email, err);
	}
	if (has_string(shape, "bearer_token"))
		return shape_string(shape, "bearer_token", SHAPE_REQUIRED, &gcs->bearer_token, err);
	return shape_refuse(shape, NULL, err, "either `private_key` and `client_email` "
			    "or `bearer_token` is required");
}

static int store_secrets(struct source *source, const struct gcs *gcs, struct err *err)
{
	struct buf bytes;
	int rc;

	buf_init(&bytes, SIZE_MAX);
	credentials_add(&bytes, gcs->private_key);
	credentials_add(&bytes, gcs->client_email);
	credentials_add(&bytes, gcs->bearer_token);
	rc = credentials_store(source, &bytes, err);
	buf_release(&bytes);
	return rc;
}

static int configure(struct source *source, const struct shape *shape,
		     const struct source_setup *setup, struct err *err)
{
	struct gcs *gcs = arena_alloc(shape->arena, 1, sizeof(*gcs));

	if (!gcs)
		return err_set(err, ERR_NO_MEMORY, "no room for the sources");
	source->state = gcs;
	gcs->endpoint = TEXT(STORAGE);
	gcs->token_uri = TEXT(TOKEN_ADDRESS);
	if (bucket_parse(&gcs->bucket, shape, setup, err) < 0 ||
	    shape_string(shape, "endpoint", SHAPE_OPTIONAL, &gcs->endpoint, err) < 0 ||
	    shape_string(shape, "token_uri", SHAPE_OPTIONAL, &gcs->token_uri, err) < 0 ||
	    parse_credentials(gcs, shape, err) < 0)
		return -1;
	return store_secrets(source, gcs, err);
}

static int name_location(const struct source *source, struct text path, struct arena *arena,
			 struct text *uri, struct err *err)
{
	const struct gcs *gcs = source->state;

	return bucket_name(&gcs->bucket, "gs://", path, arena, uri, err);
}

/* --- The pass: a token ---------------------------------------------------------------------- */

static void name_pass(const struct source *source, uint8_t name[HASH_SHA256_BYTES])
{
	const struct gcs *gcs = source->state;
	struct buf bytes;

	memcpy(name, source->credentials, HASH_SHA256_BYTES);
	buf_init(&bytes, SIZE_MAX);
	buf_add(&bytes, source->credentials, sizeof(source->credentials));
	buf_add_text(&bytes, gcs->token_uri);
	if (!bytes.failed)
		hash_sha256(bytes.bytes, bytes.size, name);
	buf_release(&bytes);
}

/* RFC 4648 §5, without padding. */
static void add_base64(struct buf *out, const void *bytes, size_t size)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
	const uint8_t *from = bytes;

	for (size_t i = 0; i < size; i += 3) {
		uint32_t word = (uint32_t)from[i] << 16;

		if (i + 1 < size)
			word |= (uint32_t)from[i + 1] << 8;
		if (i + 2 < size)
			word |= from[i + 2];
		for (unsigned j = 0; j < 4 && i + j <= size; j++)
			buf_add_char(out, digits[word >> (18 - 6 * j) & 63]);
	}
}

static void add_claim(struct buf *out, const struct gcs *gcs)
{
	static const char head[] = "{\"typ\":\"JWT\",\"alg\":\"RS256\"}";
	int64_t now = clock_unix_seconds();
	struct json_writer json;
	struct buf claim;

	buf_init(&claim, JWT_BYTES);
	json_writer_init(&json, &claim);
	json_object(&json);
	json_member_text(&json, "iss", gcs->client_email);
	json_member_string(&json, "scope", SCOPE);
	json_member_text(&json, "aud", gcs->token_uri);
	json_member_u64(&json, "exp", (uint64_t)(now + CLAIM_SECONDS));
	json_member_u64(&json, "iat", (uint64_t)now);
	json_object_end(&json);
	add_base64(out, head, sizeof(head) - 1);
	buf_add_char(out, '.');
	add_base64(out, claim.bytes, claim.size);
	out->failed |= claim.failed;
	buf_release(&claim);
}

/* The key as PEM: each `\n` of two characters is a line's end.  NULL: it is none. */
static EVP_PKEY *read_key(struct text text)
{
	struct buf pem;
	EVP_PKEY *key = NULL;
	BIO *bio;

	buf_init(&pem, JWT_BYTES);
	for (size_t i = 0; i < text.size; i++) {
		bool is_end = text.bytes[i] == '\\' && i + 1 < text.size && text.bytes[i + 1] == 'n';

		buf_add_char(&pem, is_end ? '\n' : text.bytes[i]);
		i += is_end;
	}
	bio = pem.failed || pem.size == 0 ? NULL : BIO_new_mem_buf(pem.bytes, (int)pem.size);
	if (bio)
		key = PEM_read_bio_PrivateKey(bio, NULL, NULL, (void *)"");
	BIO_free(bio);
	if (pem.bytes)
		OPENSSL_cleanse(pem.bytes, pem.size);
	buf_release(&pem);
	if (key && !EVP_PKEY_is_a(key, "RSA")) {
		EVP_PKEY_free(key);
		key = NULL;
	}
	return key;
}

/* Appends the signature of what is there. */
static bool add_signature(struct buf *out, EVP_PKEY *key)
{
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	unsigned char *signature = NULL;
	size_t size = 0;
	bool done = false;

	if (context && EVP_DigestSignInit(context, NULL, EVP_sha256(), NULL, key) == 1 &&
	    EVP_DigestSign(context, NULL, &size, (const unsigned char *)out->bytes, out->size) == 1)
		signature = mem_get(size);
	if (signature && EVP_DigestSign(context, signature, &size,
					(const unsigned char *)out->bytes, out->size) == 1) {
		buf_add_char(out, '.');
		add_base64(out, signature, size);
		done = !out->failed;
	}
	mem_give_back(signature);
	EVP_MD_CTX_free(context);
	return done;
}

static int make_jwt(const struct gcs *gcs, struct buf *out, struct err *err)
{
	EVP_PKEY *key = read_key(gcs->private_key);
	bool done = false;

	if (key) {
		add_claim(out, gcs);
		done = !out->failed && add_signature(out, key);
	}
	EVP_PKEY_free(key);
	return done ? 0 : err_set(err, ERR_DOWNLOAD, "failed encoding JWT");
}

static int ask_token(const struct source *source, struct source_pass *pass, struct arena *arena,
		     struct err *err)
{
	const struct gcs *gcs = source->state;
	struct text body;
	struct buf jwt, form;
	int rc;

	buf_init(&jwt, JWT_BYTES);
	buf_init(&form, JWT_BYTES);
	rc = make_jwt(gcs, &jwt, err);
	buf_add_string(&form, GRANT);
	buf_add_text(&form, buf_text(&jwt));
	buf_release(&jwt);
	if (rc < 0) {
		buf_release(&form);
		return -1;
	}
	if (bucket_keep(&form, arena, &body, err) < 0)
		return -1;
	pass->step = STEP_TOKEN;
	pass->order = (struct fetch_order){
		.url = gcs->token_uri.bytes, .source_id = source->id.bytes, .method = "POST",
		.body = body, .is_whole = true, .trusted = gcs->bucket.trusted, .fd = -1,
	};
	return 1;
}

static int take_token(struct source_pass *pass, struct text answer, struct arena *arena,
		      struct err *err)
{
	cJSON *json = cJSON_ParseWithLength(answer.bytes ? answer.bytes : "", answer.size);
	const char *token = cJSON_GetStringValue(
		cJSON_GetObjectItemCaseSensitive(json, "access_token"));

	pass->secret = text_of(token ? arena_strdup(arena, token) : NULL);
	pass->until = clock_unix_seconds() + TOKEN_SECONDS;
	cJSON_Delete(json);
	return pass->secret.bytes ? 0
	       : err_set(err, ERR_DOWNLOAD, "failed to send authentication request");
}

static int step_pass(const struct source *source, struct source_pass *pass, struct text answer,
		     struct arena *arena, struct err *err)
{
	return pass->step == STEP_BEGIN ? ask_token(source, pass, arena, err)
					: take_token(pass, answer, arena, err);
}

static void fail_pass(struct err *err)
{
	if (err->kind != ERR_IO && err->kind != ERR_NO_MEMORY)
		err_set(err, ERR_DOWNLOAD, "failed to send authentication request");
}

/* --- Downloads ------------------------------------------------------------------------------ */

static int make_address(const struct gcs *gcs, struct text path, struct arena *arena,
			struct text *address, struct err *err)
{
	struct text endpoint = gcs->endpoint;
	struct buf key, made;
	struct url url;

	if (url_split(endpoint, arena, &url))
		return err_set(err, ERR_DOWNLOAD, "failed to construct URL");
	while (endpoint.size > 0 && endpoint.bytes[endpoint.size - 1] == '/')
		endpoint.size--;
	buf_init(&key, URL_BYTES);
	buf_init(&made, 8 * URL_BYTES);
	bucket_add_key(&gcs->bucket, path, &key);
	buf_add_text(&made, endpoint);
	buf_add_string(&made, "/storage/v1/b/");
	sigv4_encode(&made, gcs->bucket.name, true);
	buf_add_string(&made, "/o/");
	sigv4_encode(&made, buf_text(&key), true);
	buf_add_string(&made, "?alt=media");
	made.failed |= key.failed;
	buf_release(&key);
	return bucket_keep(&made, arena, address, err);
}

static bool is_header_value(struct text value)
{
	for (size_t i = 0; i < value.size; i++)
		if ((uint8_t)value.bytes[i] < ' ' || value.bytes[i] == 0x7f)
			return false;
	return true;
}

static int authorise(struct text token, struct arena *arena, struct fetch_order *order,
		     struct err *err)
{
	struct fetch_header *header = arena_alloc(arena, 1, sizeof(*header));
	char *value = arena_printf(arena, "Bearer %.*s", (int)token.size, token.bytes);

	if (!header || !value)
		return err_set(err, ERR_NO_MEMORY, "no room for a location");
	if (!is_header_value(token))
		return err_set(err, ERR_DOWNLOAD, "the token is no token");
	*header = (struct fetch_header){ TEXT("authorization"), text_of(value) };
	order->headers = header;
	order->header_count = 1;
	return 0;
}

static int reach(const struct location *location, struct text pass, struct arena *arena,
		 enum source_access *access, int *fd, struct fetch_order *order, struct err *err)
{
	const struct gcs *gcs = location->source->state;
	struct text token = gcs->bearer_token.bytes ? gcs->bearer_token : pass;
	struct text address;

	*fd = -1;
	*access = SOURCE_NEEDS_PASS;
	if (!token.bytes)
		return 0;
	if (make_address(gcs, location->path, arena, &address, err) < 0)
		return -1;
	*access = SOURCE_ORDERED;
	*order = (struct fetch_order){
		.url = address.bytes, .source_id = location->source->id.bytes,
		.trusted = gcs->bucket.trusted, .fd = -1,
	};
	return authorise(token, arena, order, err);
}

const struct source_kind source_kind_gcs = {
	.name = "gcs",
	.configure = configure,
	.name_location = name_location,
	.reach = reach,
	.name_pass = name_pass,
	.step_pass = step_pass,
	.fail_pass = fail_pass,
};
