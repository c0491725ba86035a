/*
 * shared_place.c -- the configured bucket as a source, and the credentials for it.
 *
 * Google's chain of credentials: the file that is configured; the one of
 * GOOGLE_APPLICATION_CREDENTIALS; the one gcloud leaves in the home folder; those of the
 * machine.
 */
#include "shared/shared_internal.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "config/config.h"

#define ACCOUNT_BYTES ((size_t)64 * 1024)
#define GCLOUD_FILE   "/.config/gcloud/application_default_credentials.json"

static void add(struct json_writer *json, const char *key, const char *value)
{
	if (value)
		json_member_string(json, key, value);
}

/* --- Google's ------------------------------------------------------------------------------- */

static const char *find_account(const struct config *config, struct arena *arena)
{
	const char *named = getenv("GOOGLE_APPLICATION_CREDENTIALS"), *home = getenv("HOME");
	const char *path;

	if (config->shared.gcs.account_path)
		return config->shared.gcs.account_path;
	if (named && *named)
		return named;
	path = home && *home ? arena_printf(arena, "%s" GCLOUD_FILE, home) : NULL;
	return path && access(path, R_OK) == 0 ? path : NULL;
}

static const char *member(const cJSON *account, const char *name)
{
	return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(account, name));
}

static int add_members(const cJSON *account, const struct config *config, struct json_writer *json,
		       struct err *err)
{
	static const char *const names[] = {
		"private_key", "client_email", "refresh_token", "client_id", "client_secret",
	};
	bool is_account = member(account, "private_key") && member(account, "client_email");

	if (!is_account && !member(account, "refresh_token"))
		return err_set(err, ERR_BAD_SHAPE, "it holds neither `private_key` and `client_email` "
			       "nor `refresh_token`");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		add(json, names[i], member(account, names[i]));
	if (!config->shared.gcs.token_uri)
		add(json, "token_uri", member(account, "token_uri"));
	return 0;
}

static int add_account(const struct config *config, struct arena *arena, struct json_writer *json,
		       struct err *err)
{
	const char *path = find_account(config, arena);
	struct buf text;
	cJSON *account = NULL;
	int rc;

	if (!path)
		return 0;
	buf_init(&text, ACCOUNT_BYTES);
	rc = file_read_all(path, ACCOUNT_BYTES, &text, err);
	if (rc == 0) {
		account = cJSON_ParseWithLength(buf_string(&text), text.size);
		rc = add_members(account, config, json, err);
	}
	if (rc < 0)
		err_while(err, "the credentials in %s", path);
	cJSON_Delete(account);
	buf_release(&text);
	return rc;
}

static int write_gcs(const struct config *config, struct arena *arena, struct json_writer *json,
		     struct err *err)
{
	add(json, "type", "gcs");
	add(json, "bucket", config->shared.gcs.bucket);
	add(json, "prefix", config->shared.gcs.prefix);
	add(json, "endpoint", config->shared.gcs.endpoint);
	add(json, "token_uri", config->shared.gcs.token_uri);
	return add_account(config, arena, json, err);
}

/* --- S3 ------------------------------------------------------------------------------------- */

static void write_s3(const struct config *config, struct json_writer *json)
{
	add(json, "type", "s3");
	add(json, "bucket", config->shared.s3.bucket);
	add(json, "prefix", config->shared.s3.prefix);
	add(json, "aws_credentials_provider", config->shared.s3.provider);
	add(json, "access_key", config->shared.s3.access_key);
	add(json, "secret_key", config->shared.s3.secret_key);
	add(json, "session_token", config->shared.s3.session_token);
	if (!config->shared.s3.endpoint) {
		add(json, "region", config->shared.s3.region);
		return;
	}
	json_key(json, "region");
	json_array(json);
	json_string(json, config->shared.s3.region);
	json_string(json, config->shared.s3.endpoint);
	json_array_end(json);
}

/* --- Both ----------------------------------------------------------------------------------- */

static int parse(const struct buf *text, const char *place, const struct config *config,
		 struct arena *arena, struct source *source, struct err *err)
{
	cJSON *json = cJSON_ParseWithLength(text->bytes, text->size);
	int rc = json ? source_place_parse(json, place, config, arena, source, err)
		      : err_set(err, ERR_NO_MEMORY, "no room for the shared cache");

	cJSON_Delete(json);
	return rc;
}

int shared_place_open(const struct config *config, struct arena *arena, struct source *source,
		      struct err *err)
{
	const char *place = config->shared.gcs.bucket ? "shared_cache.gcs" : "shared_cache.s3";
	struct json_writer json;
	struct buf text;
	int rc = 0;

	if (config->shared.folder)
		return 0;
	buf_init(&text, 8 * ACCOUNT_BYTES);
	json_writer_init(&json, &text);
	json_object(&json);
	if (config->shared.gcs.bucket)
		rc = write_gcs(config, arena, &json, err);
	else
		write_s3(config, &json);
	json_object_end(&json);
	if (rc == 0)
		rc = buf_check(&text, err);
	if (rc == 0)
		rc = parse(&text, place, config, arena, source, err);
	buf_release(&text);
	return rc;
}

void shared_name_place(const struct config *config, struct buf *out)
{
	const struct config_shared *shared = &config->shared;
	const char *prefix = shared->gcs.bucket ? shared->gcs.prefix : shared->s3.prefix;

	if (shared->folder) {
		buf_add_string(out, shared->folder);
		return;
	}
	buf_add_string(out, shared->gcs.bucket ? "gs://" : "s3://");
	buf_add_string(out, shared->gcs.bucket ? shared->gcs.bucket : shared->s3.bucket);
	if (prefix)
		buf_printf(out, "/%s", prefix);
}
