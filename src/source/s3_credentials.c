/*
 * s3_credentials.c -- the keys of this container or machine.
 *
 *	AWS_CONTAINER_CREDENTIALS_RELATIVE_URI   http://169.254.170.2 + that
 *	AWS_CONTAINER_CREDENTIALS_FULL_URI       https, or this machine's own
 *	otherwise, for sources the operator named: the instance's metadata, a token first, then
 *	the role's name, then its keys
 *
 * The credential is three lines: access key, secret key, session token.
 */
#include "source/s3.h"

#include <cjson/cJSON.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/url.h"

#define CONTAINER_HOST "http://169.254.170.2"
#define METADATA_HOST  "http://169.254.169.254"
#define ROLES          "/latest/meta-data/iam/security-credentials/"
#define TOKEN_HEADER   "x-aws-ec2-metadata-token"
#define EARLY_SECONDS  60            /* they are not used in their last minute */
#define DEFAULT_SECONDS 600          /* for credentials that do not say when they end */
#define WAIT_MILLIS    5000
#define TOKEN_BYTES    ((size_t)64 * 1024)

enum { STEP_BEGIN, STEP_CONTAINER, STEP_TOKEN, STEP_ROLE, STEP_KEYS };

static int no_memory(struct err *err)
{
	return err_set(err, ERR_NO_MEMORY, "no room for credentials");
}

static const char *variable(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

/* What goes over a line of this machine's own goes through no proxy. */
static void order(struct source_credential *credential, const struct source *source, const char *address,
		  unsigned step)
{
	credential->step = step;
	credential->order = (struct fetch_order){
		.url = address, .source_id = source->id.bytes, .is_whole = true, .trusted = true,
		.proxy = text_starts_with(text_of(address), "https://") ? NULL : "", .fd = -1,
		.total_millis = WAIT_MILLIS,
	};
}

static int add_header(struct source_credential *credential, const char *name, struct text value,
		      struct arena *arena, struct err *err)
{
	struct fetch_header *header = arena_alloc(arena, 1, sizeof(*header));

	if (!header)
		return no_memory(err);
	*header = (struct fetch_header){ text_of(name), value };
	credential->order.headers = header;
	credential->order.header_count = 1;
	return 0;
}

/* --- The container's ---------------------------------------------------------------------- */

/* A file is read anew each time: it is rotated. */
static int container_token(struct arena *arena, struct text *token, struct err *err)
{
	const char *path = variable("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
	struct buf bytes;
	char *copy = NULL;

	*token = text_of(variable("AWS_CONTAINER_AUTHORIZATION_TOKEN"));
	if (!path)
		return 0;
	buf_init(&bytes, TOKEN_BYTES);
	if (file_read_all(path, TOKEN_BYTES, &bytes, err) == 0) {
		while (bytes.size > 0 && (uint8_t)bytes.bytes[bytes.size - 1] <= ' ')
			bytes.size--;
		copy = arena_strndup(arena, buf_string(&bytes), bytes.size);
		if (!copy)
			no_memory(err);
		*token = (struct text){ copy, bytes.size };
	}
	buf_release(&bytes);
	return copy ? 0 : -1;
}

/* "127.0.0.1": nothing but digits and dots, so that it is no name. */
static bool is_loopback_ipv4(struct text host)
{
	for (size_t i = 0; i < host.size; i++)
		if (!ascii_is_digit(host.bytes[i]) && host.bytes[i] != '.')
			return false;
	return text_starts_with(host, "127.");
}

/* Keys go over TLS, or to this machine and its container services only. */
static bool may_be_asked(const char *address)
{
	static const char *const hosts[] = {
		"localhost", "[::1]", "169.254.170.2", "169.254.170.23", "[fd00:ec2::23]",
	};
	struct url_parts parts;

	if (!url_parse(text_of(address), URL_RFC3986, &parts))
		return false;
	if (text_is(parts.scheme, "https"))
		return true;
	if (!text_is(parts.scheme, "http"))
		return false;
	for (size_t i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++)
		if (text_is(parts.host, hosts[i]))
			return true;
	return is_loopback_ipv4(parts.host);
}

static int ask_container(const struct source *source, struct source_credential *credential,
			 const char *address, struct arena *arena, struct err *err)
{
	struct text token;

	if (!may_be_asked(address))
		return err_set(err, ERR_DOWNLOAD, "AWS_CONTAINER_CREDENTIALS_FULL_URI is neither https "
			       "nor of this machine");
	if (container_token(arena, &token, err) < 0)
		return -1;
	order(credential, source, address, STEP_CONTAINER);
	return token.bytes ? add_header(credential, "Authorization", token, arena, err) : 0;
}

/* --- The machine's ------------------------------------------------------------------------ */

static const char *metadata_address(struct arena *arena, const char *path, struct text rest,
				    struct err *err)
{
	const char *host = variable("AWS_EC2_METADATA_SERVICE_ENDPOINT");
	size_t size = host ? strlen(host) : 0;
	const char *made;

	while (size > 0 && host[size - 1] == '/')
		size--;
	if (!host) {
		host = METADATA_HOST;
		size = strlen(host);
	}
	made = arena_printf(arena, "%.*s%s%.*s", (int)size, host, path, (int)rest.size, rest.bytes);
	if (!made)
		no_memory(err);
	return made;
}

static int ask_token(const struct source *source, struct source_credential *credential, struct arena *arena,
		     struct err *err)
{
	const char *address = metadata_address(arena, "/latest/api/token", TEXT(""), err);

	if (!address)
		return -1;
	order(credential, source, address, STEP_TOKEN);
	credential->order.method = "PUT";
	return add_header(credential, "x-aws-ec2-metadata-token-ttl-seconds", TEXT("21600"), arena, err);
}

/* A line of an answer that goes on into the next question. */
static int take_line(struct text answer, struct arena *arena, struct text *line, struct err *err)
{
	const char *end = answer.size ? memchr(answer.bytes, '\n', answer.size) : NULL;
	size_t size = end ? (size_t)(end - answer.bytes) : answer.size;
	char *copy;

	for (size_t i = 0; i < size; i++)
		if ((uint8_t)answer.bytes[i] <= ' ' || (uint8_t)answer.bytes[i] >= 0x7f)
			return err_set(err, ERR_DOWNLOAD, "the instance metadata make no sense");
	copy = size ? arena_strndup(arena, answer.bytes, size) : NULL;
	if (!copy)
		return size ? no_memory(err)
			    : err_set(err, ERR_DOWNLOAD, "the instance has no role");
	*line = (struct text){ copy, size };
	return 0;
}

static int ask_role(const struct source *source, struct source_credential *credential, struct text answer,
		    struct arena *arena, struct err *err)
{
	const char *address = metadata_address(arena, ROLES, TEXT(""), err);
	struct text token;

	if (!address || take_line(answer, arena, &token, err) < 0)
		return -1;
	order(credential, source, address, STEP_ROLE);
	credential->memory = token;
	return add_header(credential, TOKEN_HEADER, token, arena, err);
}

static int ask_keys(const struct source *source, struct source_credential *credential, struct text answer,
		    struct arena *arena, struct err *err)
{
	const char *address;
	struct text role;

	if (take_line(answer, arena, &role, err) < 0)
		return -1;
	address = metadata_address(arena, ROLES, role, err);
	if (!address)
		return -1;
	order(credential, source, address, STEP_KEYS);
	return add_header(credential, TOKEN_HEADER, credential->memory, arena, err);
}

/* --- Both --------------------------------------------------------------------------------- */

static bool two_digits(struct text text, size_t at, int64_t *value)
{
	uint64_t number;

	if (at + 2 > text.size || !text_to_u64((struct text){ text.bytes + at, 2 }, 10, &number))
		return false;
	*value = (int64_t)number;
	return true;
}

/* "2026-01-02T03:04:05Z", of a year not too far; false: it is none. */
static bool read_time(struct text text, int64_t *at)
{
	static const int64_t days_before[] = {
		0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334,
	};
	int64_t century, year, month, day, hour, minute, second, leaps;

	if (!two_digits(text, 0, &century) || !two_digits(text, 2, &year) ||
	    !two_digits(text, 5, &month) || !two_digits(text, 8, &day) ||
	    !two_digits(text, 11, &hour) || !two_digits(text, 14, &minute) ||
	    !two_digits(text, 17, &second) || month < 1 || month > 12 || century < 20)
		return false;
	year += 100 * century - (month <= 2);
	leaps = year / 4 - year / 100 + year / 400 - 477;    /* before that one, since 1970 */
	year += month <= 2;
	*at = (((year - 1970) * 365 + leaps + days_before[month - 1] + day - 1) * 24 + hour) * 3600 +
	      minute * 60 + second;
	return true;
}

static struct text member(const cJSON *json, const char *name)
{
	return text_of(cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, name)));
}

static bool is_one_line(struct text text)
{
	return !text.size || !memchr(text.bytes, '\n', text.size);
}

static int read_keys(struct source_credential *credential, const cJSON *json, struct arena *arena,
		     struct err *err)
{
	struct text access = member(json, "AccessKeyId"), secret = member(json, "SecretAccessKey");
	struct text token = member(json, "Token");
	int64_t now = clock_unix_seconds();

	if (!access.size || !secret.size || !is_one_line(access) || !is_one_line(secret) ||
	    !is_one_line(token))
		return err_set(err, ERR_DOWNLOAD, "the credentials make no sense");
	credential->secret = text_of(arena_printf(arena, "%s\n%s\n%s", access.bytes, secret.bytes,
					    token.bytes ? token.bytes : ""));
	if (!credential->secret.bytes)
		return no_memory(err);
	if (read_time(member(json, "Expiration"), &credential->until))
		credential->until -= EARLY_SECONDS;
	else
		credential->until = now + DEFAULT_SECONDS;
	return 0;
}

static int end(struct source_credential *credential, struct text answer, struct arena *arena, struct err *err)
{
	cJSON *json = cJSON_ParseWithLength(answer.bytes ? answer.bytes : "", answer.size);
	int rc = read_keys(credential, json, arena, err);

	cJSON_Delete(json);
	return rc;
}

static int begin(const struct source *source, struct source_credential *credential, struct arena *arena,
		 struct err *err)
{
	const char *relative = variable("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
	const char *full = variable("AWS_CONTAINER_CREDENTIALS_FULL_URI");
	const char *off = variable("AWS_EC2_METADATA_DISABLED");
	const struct s3 *s3 = source->state;

	if (relative) {
		full = arena_printf(arena, CONTAINER_HOST "%s", relative);
		if (!full)
			return no_memory(err);
	}
	if (full)
		return ask_container(source, credential, full, arena, err);
	if (!s3->bucket.trusted || (off && text_equal_ignoring_case(text_of(off), TEXT("true"))))
		return err_set(err, ERR_DOWNLOAD, "this is no container with credentials");
	return ask_token(source, credential, arena, err);
}

/* The machine's keys are for the operator's own sources: others never find them. */
void s3_name_credential(const struct source *source, uint8_t name[HASH_SHA256_BYTES])
{
	static const char *const words[] = { "aws container", "aws" };
	const struct s3 *s3 = source->state;
	const char *word = words[s3->bucket.trusted];

	hash_sha256(word, strlen(word), name);
}

int s3_step_credential(const struct source *source, struct source_credential *credential, struct text answer,
		 struct arena *arena, struct err *err)
{
	int rc;

	switch (credential->step) {
	case STEP_BEGIN:
		rc = begin(source, credential, arena, err);
		break;
	case STEP_TOKEN:
		rc = ask_role(source, credential, answer, arena, err);
		break;
	case STEP_ROLE:
		rc = ask_keys(source, credential, answer, arena, err);
		break;
	default:
		return end(credential, answer, arena, err);
	}
	return rc < 0 ? -1 : 1;
}

void s3_fail_credential(struct err *err)
{
	err_while(err, "asking for credentials");
	if (err->kind != ERR_TIMEOUT && err->kind != ERR_RESOLVE && !err_kind_is_ours(err->kind))
		err->kind = ERR_DOWNLOAD;
}

void s3_keys_of_credential(struct text credential, struct s3_keys *keys)
{
	const char *first = memchr(credential.bytes, '\n', credential.size);
	const char *second = first ? memchr(first + 1, '\n',
					    (size_t)(credential.bytes + credential.size - first - 1)) : NULL;

	if (!second)
		return;
	keys->access_key = (struct text){ credential.bytes, (size_t)(first - credential.bytes) };
	keys->secret_key = (struct text){ first + 1, (size_t)(second - first - 1) };
	keys->session_token = (struct text){ second + 1,
					     (size_t)(credential.bytes + credential.size - second - 1) };
}
