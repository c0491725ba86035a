/* apikey.c -- see apikey.h. */
#include "apikey/apikey.h"

#include <stdio.h>
#include <string.h>

#include "base/base64.h"
#include "base/err.h"
#include "base/hash.h"
#include "store/statements.h"
#include "store/store.h"

#define ID_RANDOM_BYTES 15u
#define SECRET_RANDOM_BYTES 32u
#define TOKEN_PARSED_MAX 256u        /* longer ones are nobody's */
#define USE_SECONDS 60               /* a use is noted once in so many */

_Static_assert(APIKEY_ID_BYTES == ID_RANDOM_BYTES / 3 * 4 + 1, "15 bytes are 20 letters");
_Static_assert(APIKEY_TOKEN_BYTES == BASE64_TEXT_BYTES(APIKEY_ID_BYTES + APIKEY_SECRET_BYTES - 1),
	       "id:secret");

const char *apikey_verdict_name(enum apikey_verdict verdict)
{
	static const char *const names[APIKEY_VERDICTS] = {
		[APIKEY_VALID] = "valid", [APIKEY_MISSING] = "missing", [APIKEY_MALFORMED] = "malformed",
		[APIKEY_UNKNOWN] = "unknown", [APIKEY_REVOKED] = "revoked",
	};

	return names[verdict];
}

/* --- Checking ------------------------------------------------------------------------------ */

struct found_key {
	bool is_there, is_revoked;
	uint8_t hash[HASH_SHA256_BYTES];
	int64_t used_at;
	struct apikey_holder holder;
};

static void copy_text(char *out, size_t capacity, struct text text)
{
	snprintf(out, capacity, "%.*s", (int)text.size, text.bytes ? text.bytes : "");
}

static int read_found(void *payload, const struct store_value *columns, unsigned count)
{
	struct found_key *found = payload;
	struct text hash = columns[COLUMN_apikey_of_id_hash].text;

	(void)count;
	if (hash.size != sizeof(found->hash))
		return 0;
	found->is_there = true;
	found->is_revoked = columns[COLUMN_apikey_of_id_revoked_at].type == STORE_INT;
	found->used_at = columns[COLUMN_apikey_of_id_used_at].number;
	memcpy(found->hash, hash.bytes, sizeof(found->hash));
	copy_text(found->holder.id, sizeof(found->holder.id), columns[COLUMN_apikey_of_id_id].text);
	copy_text(found->holder.name, sizeof(found->holder.name), columns[COLUMN_apikey_of_id_name].text);
	return 0;
}

/* What follows the scheme; TEXT_NONE: it is another one, or none. */
static struct text token_of(struct text authorization)
{
	struct text rest = text_trim(authorization);
	const char *blank = rest.size ? memchr(rest.bytes, ' ', rest.size) : NULL;
	struct text scheme = { rest.bytes, blank ? (size_t)(blank - rest.bytes) : rest.size };

	if (!blank || (!text_equal_ignoring_case(scheme, TEXT("apikey")) &&
		       !text_equal_ignoring_case(scheme, TEXT("bearer"))))
		return TEXT_NONE;
	return text_trim(text_from(rest, scheme.size));
}

/* The time it takes says nothing of how much is right. */
static bool is_same_hash(const uint8_t *one, const uint8_t *other)
{
	unsigned differs = 0;

	for (unsigned i = 0; i < HASH_SHA256_BYTES; i++)
		differs |= one[i] ^ other[i];
	return differs == 0;
}

static int note_use(struct store *store, struct text id, int64_t now, struct err *err)
{
	const struct store_value values[] = { store_int(now), store_text(id) };

	/* A database that is busy or full keeps nobody from what he may do. */
	if (store_run(store, STATEMENT_apikey_note_use, values, 2, NULL, NULL, err) < 0)
		err_clear(err);
	return 0;
}

int apikey_check(struct store *store, struct text authorization, int64_t now, enum apikey_verdict *verdict,
		 struct apikey_holder *holder, struct err *err)
{
	struct text token = token_of(authorization), id, secret;
	struct found_key found = { .is_there = false };
	uint8_t hash[HASH_SHA256_BYTES];
	char parsed[TOKEN_PARSED_MAX];
	struct store_value value;
	const char *colon;
	size_t size;

	memset(holder, 0, sizeof(*holder));
	*verdict = token.bytes ? APIKEY_MALFORMED : APIKEY_MISSING;
	if (!token.bytes || !base64_parse(token, parsed, sizeof(parsed), &size))
		return 0;
	colon = memchr(parsed, ':', size);
	if (!colon || !text_is_utf8((struct text){ parsed, (size_t)(colon - parsed) }))
		return 0;
	id = (struct text){ parsed, (size_t)(colon - parsed) };
	secret = (struct text){ colon + 1, size - id.size - 1 };
	value = store_text(id);
	*verdict = APIKEY_UNKNOWN;
	if (store_run(store, STATEMENT_apikey_of_id, &value, 1, read_found, &found, err) < 0)
		return err_while(err, "looking an API key up");
	hash_sha256(secret.bytes, secret.size, hash);
	if (!found.is_there || !is_same_hash(hash, found.hash))
		return 0;
	*holder = found.holder;
	*verdict = found.is_revoked ? APIKEY_REVOKED : APIKEY_VALID;
	if (*verdict != APIKEY_VALID || (found.used_at <= now && now < found.used_at + USE_SECONDS))
		return 0;
	return note_use(store, id, now, err);
}

/* --- Making, revoking, listing --------------------------------------------------------------- */

int apikey_create(struct store *store, struct text name, int64_t now, char id[APIKEY_ID_BYTES],
		  char token[APIKEY_TOKEN_BYTES], struct err *err)
{
	uint8_t random[SECRET_RANDOM_BYTES], hash[HASH_SHA256_BYTES];
	char whole[APIKEY_ID_BYTES + APIKEY_SECRET_BYTES], *secret = whole + APIKEY_ID_BYTES;
	int64_t made;

	if (name.size == 0 || name.size >= APIKEY_NAME_BYTES || text_has_controls(name) || !text_is_utf8(name))
		return err_set(err, ERR_BAD_REQUEST, "a key's name has 1 to %u printable bytes",
			       APIKEY_NAME_BYTES - 1);
	random_bytes(random, ID_RANDOM_BYTES);
	base64_format_url(random, ID_RANDOM_BYTES, id);
	random_bytes(random, sizeof(random));
	memcpy(whole, id, APIKEY_ID_BYTES - 1);
	whole[APIKEY_ID_BYTES - 1] = ':';
	base64_format_url(random, sizeof(random), secret);
	hash_sha256(secret, strlen(secret), hash);
	base64_format(whole, strlen(whole), token);
	made = store_run(store, STATEMENT_apikey_add, (const struct store_value[]){
			 store_text(text_of(id)), store_text(name), store_bytes(hash, sizeof(hash)),
			 store_int(now) }, 4, NULL, NULL, err);
	if (made < 0)
		return err_while(err, "making an API key");
	return made > 0 ? 0 : err_set(err, ERR_BUSY, "there is a key `%.*s` already: revoke it first, or take "
				      "another name", (int)name.size, name.bytes);
}

int apikey_revoke(struct store *store, struct text name_or_id, int64_t now, struct err *err)
{
	const struct store_value values[] = { store_int(now), store_text(name_or_id) };
	int64_t changed = store_run(store, STATEMENT_apikey_revoke, values, 2, NULL, NULL, err);

	return changed < 0 ? err_while(err, "revoking an API key") : changed > 0;
}

struct apikey_reader { apikey_line_fn *fn; void *payload; };

static int read_line(void *payload, const struct store_value *columns, unsigned count)
{
	const struct apikey_reader *reader = payload;
	const struct apikey_line line = {
		.id = columns[COLUMN_apikey_list_id].text,
		.name = columns[COLUMN_apikey_list_name].text,
		.created_at = columns[COLUMN_apikey_list_created_at].number,
		.used_at = columns[COLUMN_apikey_list_used_at].number,
		.revoked_at = columns[COLUMN_apikey_list_revoked_at].number,
	};

	(void)count;
	return reader->fn(reader->payload, &line);
}

int apikey_list(struct store *store, apikey_line_fn *fn, void *payload, struct err *err)
{
	struct apikey_reader reader = { fn, payload };

	return store_run(store, STATEMENT_apikey_list, NULL, 0, read_line, &reader, err) < 0 ? -1 : 0;
}
