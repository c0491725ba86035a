/*
 * gcs_credentials.c -- the token that opens a bucket.
 *
 *	a service account   its key signs a short claim (a JWT, RS256), which is exchanged
 *	a person            a refresh token is exchanged
 *	this machine        its metadata server hands one out (a shared cache's place alone)
 */
#include "source/gcs.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/base64.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/json_writer.h"
#include "base/mem.h"
#include "base/url.h"
#include "source/crypto_library.h"

#define MACHINE_HOST  "metadata.google.internal"
#define MACHINE_PATH  "/computeMetadata/v1/instance/service-accounts/default/token"
#define SCOPE_READ    "https://www.googleapis.com/auth/devstorage.read_only"
#define SCOPE_WRITE   "https://www.googleapis.com/auth/devstorage.read_write"
#define GRANT         "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion="
#define TOKEN_SECONDS (58 * 60)
#define CLAIM_SECONDS (TOKEN_SECONDS + 30)
#define EARLY_SECONDS 60             /* one that says when it ends is not used in its last minute */
#define LEAST_SECONDS 30
#define JWT_BYTES     ((size_t)256 * 1024)
#define BASE64_STEP_BYTES 48u        /* a multiple of 3: the steps' texts join */

enum { STEP_BEGIN, STEP_TOKEN };

void gcs_name_credential(const struct source *source, uint8_t name[HASH_SHA256_BYTES])
{
	const struct gcs *gcs = source->state;
	struct buf bytes;

	memcpy(name, source->credentials, HASH_SHA256_BYTES);
	buf_init(&bytes, SIZE_MAX);
	buf_add(&bytes, source->credentials, sizeof(source->credentials));
	buf_add_text(&bytes, gcs->token_uri);
	buf_add_string(&bytes, gcs->writes ? "w" : "");
	if (!bytes.failed)
		hash_sha256(bytes.bytes, bytes.size, name);
	buf_release(&bytes);
}

static void add_base64url(struct buf *out, const void *bytes, size_t size)
{
	char encoded[BASE64_TEXT_BYTES(BASE64_STEP_BYTES)];
	const uint8_t *from = bytes;

	for (size_t at = 0; at < size; at += BASE64_STEP_BYTES) {
		base64_format_url(from + at, size - at < BASE64_STEP_BYTES ? size - at : BASE64_STEP_BYTES,
				  encoded);
		buf_add_string(out, encoded);
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
	json_member_string(&json, "scope", gcs->writes ? SCOPE_WRITE : SCOPE_READ);
	json_member_text(&json, "aud", gcs->token_uri);
	json_member_u64(&json, "exp", (uint64_t)(now + CLAIM_SECONDS));
	json_member_u64(&json, "iat", (uint64_t)now);
	json_object_end(&json);
	add_base64url(out, head, sizeof(head) - 1);
	buf_add_char(out, '.');
	add_base64url(out, claim.bytes, claim.size);
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
	bio = pem.failed || pem.size == 0 ? NULL : crypto_library.BIO_new_mem_buf(pem.bytes, (int)pem.size);
	if (bio)
		key = crypto_library.PEM_read_bio_PrivateKey(bio, NULL, NULL, (void *)"");
	crypto_library.BIO_free(bio);
	if (pem.bytes)
		explicit_bzero(pem.bytes, pem.size);
	buf_release(&pem);
	if (key && !crypto_library.EVP_PKEY_is_a(key, "RSA")) {
		crypto_library.EVP_PKEY_free(key);
		key = NULL;
	}
	return key;
}

/* Appends the signature of what is there. */
static bool add_signature(struct buf *out, EVP_PKEY *key)
{
	EVP_MD_CTX *context = crypto_library.EVP_MD_CTX_new();
	unsigned char *signature = NULL;
	size_t size = 0;
	bool done = false;

	if (context && crypto_library.EVP_DigestSignInit(context, NULL, crypto_library.EVP_sha256(), NULL, key) == 1 &&
	    crypto_library.EVP_DigestSign(context, NULL, &size, (const unsigned char *)out->bytes, out->size) == 1)
		signature = mem_get(size);
	if (signature && crypto_library.EVP_DigestSign(context, signature, &size,
					(const unsigned char *)out->bytes, out->size) == 1) {
		buf_add_char(out, '.');
		add_base64url(out, signature, size);
		done = !out->failed;
	}
	mem_give_back(signature);
	crypto_library.EVP_MD_CTX_free(context);
	return done;
}

static int make_jwt(const struct gcs *gcs, struct buf *out, struct err *err)
{
	EVP_PKEY *key;
	bool done = false;

	if (crypto_library_load(err) < 0)
		return -1;
	key = read_key(gcs->private_key);
	if (key) {
		add_claim(out, gcs);
		done = !out->failed && add_signature(out, key);
	}
	crypto_library.EVP_PKEY_free(key);
	return done ? 0 : err_set(err, ERR_DOWNLOAD, "failed encoding JWT");
}

static int ask_token(const struct source *source, struct source_credential *credential, struct buf *form,
		     struct arena *arena, struct err *err)
{
	const struct gcs *gcs = source->state;
	struct text body;

	if (bucket_keep(form, arena, &body, err) < 0)
		return -1;
	credential->order = (struct fetch_order){
		.url = gcs->token_uri.bytes, .source_id = source->id.bytes, .method = "POST",
		.body = body, .is_whole = true, .trusted = gcs->bucket.trusted, .fd = -1,
	};
	return 1;
}

static int ask_for_account(const struct source *source, struct source_credential *credential,
			   struct arena *arena, struct err *err)
{
	struct buf jwt, form;
	int rc;

	buf_init(&jwt, JWT_BYTES);
	buf_init(&form, JWT_BYTES);
	rc = make_jwt(source->state, &jwt, err);
	buf_add_string(&form, GRANT);
	buf_add_text(&form, buf_text(&jwt));
	buf_release(&jwt);
	if (rc == 0)
		return ask_token(source, credential, &form, arena, err);
	buf_release(&form);
	return -1;
}

static int ask_for_person(const struct source *source, struct source_credential *credential,
			  struct arena *arena, struct err *err)
{
	const struct gcs *gcs = source->state;
	struct buf form;

	buf_init(&form, JWT_BYTES);
	buf_add_string(&form, "grant_type=refresh_token&refresh_token=");
	url_add_escaped(&form, gcs->refresh_token, "");
	buf_add_string(&form, "&client_id=");
	url_add_escaped(&form, gcs->client_id, "");
	buf_add_string(&form, "&client_secret=");
	url_add_escaped(&form, gcs->client_secret, "");
	return ask_token(source, credential, &form, arena, err);
}

static int ask_machine(const struct source *source, struct source_credential *credential, struct arena *arena,
		       struct err *err)
{
	struct fetch_header *flavor = arena_alloc(arena, 1, sizeof(*flavor));
	const char *host = getenv("GCE_METADATA_HOST");

	if (!flavor)
		return err_set(err, ERR_NO_MEMORY, "no room for credentials");
	*flavor = (struct fetch_header){ TEXT("Metadata-Flavor"), TEXT("Google") };
	credential->order = (struct fetch_order){
		.url = arena_printf(arena, "http://%s" MACHINE_PATH, host && *host ? host : MACHINE_HOST),
		.source_id = source->id.bytes, .headers = flavor, .header_count = 1,
		.is_whole = true, .trusted = true, .proxy = "", .fd = -1,
	};
	return credential->order.url ? 1 : err_set(err, ERR_NO_MEMORY, "no room for credentials");
}

static int ask(const struct source *source, struct source_credential *credential, struct arena *arena,
	       struct err *err)
{
	const struct gcs *gcs = source->state;

	credential->step = STEP_TOKEN;
	if (gcs->private_key.bytes)
		return ask_for_account(source, credential, arena, err);
	return gcs->refresh_token.bytes ? ask_for_person(source, credential, arena, err)
					: ask_machine(source, credential, arena, err);
}

static int64_t lasting_seconds(const cJSON *json)
{
	const cJSON *said = cJSON_GetObjectItemCaseSensitive(json, "expires_in");
	int64_t seconds = TOKEN_SECONDS;

	if (cJSON_IsNumber(said) && said->valuedouble < TOKEN_SECONDS + EARLY_SECONDS)
		seconds = (int64_t)said->valuedouble - EARLY_SECONDS;
	return seconds < LEAST_SECONDS ? LEAST_SECONDS : seconds;
}

static int take_token(struct source_credential *credential, struct text answer, struct arena *arena,
		      struct err *err)
{
	cJSON *json = cJSON_ParseWithLength(answer.bytes ? answer.bytes : "", answer.size);
	const char *token = cJSON_GetStringValue(
		cJSON_GetObjectItemCaseSensitive(json, "access_token"));

	credential->secret = text_of(token ? arena_strdup(arena, token) : NULL);
	credential->until = clock_unix_seconds() + lasting_seconds(json);
	cJSON_Delete(json);
	return credential->secret.bytes ? 0
	       : err_set(err, ERR_DOWNLOAD, "failed to send authentication request");
}

int gcs_step_credential(const struct source *source, struct source_credential *credential, struct text answer,
		     struct arena *arena, struct err *err)
{
	return credential->step == STEP_BEGIN ? ask(source, credential, arena, err)
					: take_token(credential, answer, arena, err);
}

void gcs_fail_credential(struct err *err)
{
	if (!err_kind_is_ours(err->kind))
		err_set(err, err->kind == ERR_RESOLVE ? ERR_RESOLVE : ERR_DOWNLOAD,
			"failed to send authentication request");
}
