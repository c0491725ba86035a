/*
 * cache_publish.c -- making entries: payloads, failures.
 *
 * A blob is renamed into place inside the transaction that writes its row, so under the write
 * lock row and blob always agree; what readers see in between they check again there.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/debugid.h"
#include "base/err.h"
#include "board/board.h"
#include "cache/cache_counters.h"
#include "cache/cache_internal.h"
#include "store/statements.h"

struct publication {
	struct cache_entry entry;    /* what the row will say */
	struct text payload;         /* small ones */
	struct text details;         /* failures */
	uint8_t own[HASH_SHA256_BYTES];      /* credentials of the key */
	const uint8_t *credentials;          /* own or nobody's */
	int64_t asks;
	int fd;                      /* blobs; -1 */
	const char *path;
};

static const uint8_t nobody[HASH_SHA256_BYTES];

static int run_on_key(struct store *store, unsigned statement, const struct cache_key *key,
		      const uint8_t *credentials, struct err *err)
{
	struct store_value values[4];

	cache_key_values(key, cache_kind_version(key->kind), values);
	if (credentials)
		values[3] = store_bytes(credentials, HASH_SHA256_BYTES);
	return store_run(store, statement, values, credentials ? 4 : 3, NULL, NULL, err) < 0 ? -1 : 0;
}

/* Which build of the module: what a request asks by. */
static struct text module_id(const struct cache_key *key, char text[DEBUGID_TEXT_BYTES])
{
	if (key->debug_id.kind == DEBUGID_NIL)
		return key->code_id.size > 0 ? key->code_id : TEXT_NONE;
	debugid_format(&key->debug_id, text);
	return text_of(text);
}

/* What a module was asked for by: of its files, not of all that is made of them. */
static void name_module(const struct cache_key *key, char id[DEBUGID_TEXT_BYTES],
			struct store_value values[4])
{
	bool is_told = key->kind == CACHE_OBJECT_META;
	bool has_id = is_told && key->debug_id.kind != DEBUGID_NIL;

	if (has_id) {
		debugid_format_breakpad(&key->debug_id, id);
		for (char *at = id; *at; at++)
			*at = ascii_upper(*at);
	}
	values[0] = store_text(is_told && key->debug_file.size ? key->debug_file : TEXT_NONE);
	values[1] = store_text(has_id ? text_of(id) : TEXT_NONE);
	values[2] = store_text(is_told && key->code_file.size ? key->code_file : TEXT_NONE);
	values[3] = store_text(is_told && key->code_id.size ? key->code_id : TEXT_NONE);
}

static int add_row(struct cache *cache, struct store *store, const struct cache_key *key,
		   const struct publication *publication, struct err *err)
{
	const struct cache_entry *entry = &publication->entry;
	int64_t retry = entry->failure == ERR_NONE ? CONFIG_NEVER : cache_expires_at(cache, entry);
	char shown[CACHE_KEY_SHOWN_BYTES];
	char id[DEBUGID_TEXT_BYTES], debug_id[DEBUGID_TEXT_BYTES];
	struct store_value values[28];

	cache_key_values(key, entry->version, values);
	values[3] = store_bytes(publication->credentials, HASH_SHA256_BYTES);
	values[4] = store_text(text_of(cache_state_name(entry->failure)));
	values[5] = entry->failure == ERR_NONE && !entry->is_blob
		    ? store_bytes(publication->payload.bytes, publication->payload.size)
		    : store_text(TEXT_NONE);
	values[6] = store_int((int64_t)entry->size_bytes);
	values[7] = store_text(publication->details);
	values[8] = store_text(key->scope);
	values[9] = store_text(key->module);
	values[10] = store_text(key->source);
	values[11] = store_int(entry->boot);
	values[12] = store_text(text_of(store_build_id()));
	values[13] = store_int(entry->made_at);
	values[14] = retry == CONFIG_NEVER ? store_text(TEXT_NONE) : store_int(retry);
	values[15] = store_int(entry->repeats);
	values[16] = store_int(publication->asks);
	values[17] = store_text(cache_key_shown(key, shown));
	values[18] = entry->seal.is_set ? store_int((int64_t)entry->seal.value) : store_text(TEXT_NONE);
	values[19] = store_text(module_id(key, id));
	name_module(key, debug_id, values + 20);
	values[24] = store_text(key->release);
	values[25] = entry->fresh_until ? store_int(entry->fresh_until) : store_text(TEXT_NONE);
	/* Of a failure there is no version. */
	values[26] = store_text(entry->failure == ERR_NONE && key->etag.size ? key->etag : TEXT_NONE);
	values[27] = store_text(entry->failure == ERR_NONE && key->last_modified.size ? key->last_modified : TEXT_NONE);
	return store_run(store, STATEMENT_cache_add, values, 28, NULL, NULL, err) < 0 ? -1 : 0;
}

/* The file could not be kept; failures of the database are shown by the store. */
static int cannot_keep(struct cache *cache, const struct cache_key *key, struct err *err)
{
	struct err told = *err;

	err_while(&told, "publishing into the cache of %s", cache_kind_name(key->kind));
	board_trouble_set(cache->board, cache->now(), told.text);
	return -1;
}

static int put_blob(struct cache *cache, const struct cache_key *key,
		    const struct publication *publication, struct err *err)
{
	char path[CACHE_PATH_BYTES];

	if (publication->fd < 0)
		return 0;
	if (cache_blob_path(cache, key->kind, publication->entry.version, key->text_hash, path,
			    sizeof(path), err) < 0)
		return -1;
	if (file_publish(publication->fd, publication->path, path, 0400, err) < 0)
		return cannot_keep(cache, key, err);
	return 0;
}

static void gone_path(const struct cache *cache, const struct cache_key *key, int64_t version,
		      char *path, size_t capacity)
{
	char hex[2 * HASH_SHA256_BYTES + 1];

	hex_format(key->hash, HASH_SHA256_BYTES, hex);
	snprintf(path, capacity, "%s/tmp/gone-%s-v%lld", cache->folder, hex, (long long)version);
}

/* What older versions have is not needed any more: a new format must not double the disk.  The
 * last step before the commit; renamed away, which is quick, to be deleted after it. */
static int forget_older(struct cache *cache, struct store *store, const struct cache_key *key,
			struct err *err)
{
	char path[CACHE_PATH_BYTES], gone[CACHE_PATH_BYTES + 128];

	for (int64_t version = cache_kind_version(key->kind) - 1; version > 0; version--) {
		struct store_value values[3];
		int64_t rows;

		cache_key_values(key, version, values);
		rows = store_run(store, STATEMENT_cache_forget_key, values, 3, NULL, NULL, err);
		if (rows < 0 || cache_blob_path(cache, key->kind, version, key->text_hash, path,
						sizeof(path), err) < 0)
			return -1;
		gone_path(cache, key, version, gone, sizeof(gone));
		if (rows > 0 && rename(path, gone) < 0)
			unlink(path);
	}
	return 0;
}

static void delete_older(const struct cache *cache, const struct cache_key *key)
{
	char gone[CACHE_PATH_BYTES + 128];

	for (int64_t version = cache_kind_version(key->kind) - 1; version > 0; version--) {
		gone_path(cache, key, version, gone, sizeof(gone));
		unlink(gone);
	}
}

static int write_payload(struct cache *cache, struct store *store, const struct cache_key *key,
			 const struct publication *publication, struct err *err)
{
	if (store_begin(store, STORE_TURN_ENTRY, cache_turn_key(key), err) < 0)
		return -1;
	if (run_on_key(store, STATEMENT_cache_forget_key, key, NULL, err) < 0 ||
	    run_on_key(store, STATEMENT_flight_end, key, NULL, err) < 0 ||
	    add_row(cache, store, key, publication, err) < 0 ||
	    put_blob(cache, key, publication, err) < 0 ||
	    forget_older(cache, store, key, err) < 0) {
		store_rollback(store);
		return -1;
	}
	if (store_commit(store, err) < 0)
		return -1;
	delete_older(cache, key);
	return 0;
}

static struct cache_entry entry_of_now(struct cache *cache, struct store *store,
				       const struct cache_key *key)
{
	struct cache_entry entry = { .kind = key->kind, .version = cache_kind_version(key->kind),
				     .is_global = !key->scope.bytes, .is_of_this_build = true,
				     .fresh_until = key->fresh_until };

	cache_refresh_boot(cache, store);
	entry.boot = atomic_load(&cache->boot);
	entry.made_at = entry.used_at = cache->now();
	return entry;
}

static int publish_payload(struct cache *cache, struct store *store, const struct cache_key *key,
			   struct publication *publication, struct err *err)
{
	publication->credentials = nobody;
	if (write_payload(cache, store, key, publication, err) < 0)
		return err_while(err, "publishing into the cache of %s", cache_kind_name(key->kind));
	if (publication->fd >= 0)
		board_trouble_clear(cache->board);
	board_count(cache->board, &cache_written_bytes, (unsigned)key->kind,
		    publication->entry.size_bytes);
	board_generation_bump(cache->board, key->hash);
	return 0;
}

int cache_publish_file(struct cache *cache, struct store *store, const struct cache_key *key,
		       int fd, const char *path, struct err *err)
{
	struct publication publication = { .entry = entry_of_now(cache, store, key), .fd = fd,
					   .path = path };
	struct checksum_seal *seal = &publication.entry.seal;

	/* The slow part, before anybody has to wait for us. */
	if ((fsync(fd) < 0 ? err_os(err, errno, "writing %s", path)
			   : checksum_seal_file(fd, seal, err)) < 0) {
		(void)cannot_keep(cache, key, err);
		return err_while(err, "publishing into the cache of %s", cache_kind_name(key->kind));
	}
	publication.entry.is_blob = true;
	publication.entry.size_bytes = seal->size_bytes;
	return publish_payload(cache, store, key, &publication, err);
}

int cache_publish_small(struct cache *cache, struct store *store, const struct cache_key *key,
			struct text payload, struct err *err)
{
	struct publication publication = { .entry = entry_of_now(cache, store, key), .fd = -1,
					   .payload = payload };

	if (payload.size > CACHE_SMALL_BYTES)
		return err_set(err, ERR_INTERNAL, "%zu bytes are no small payload", payload.size);
	publication.entry.size_bytes = payload.size;
	return publish_payload(cache, store, key, &publication, err);
}

/* --- Failures --------------------------------------------------------------------------- */

struct before {
	int64_t asks;
	int64_t repeats;             /* -1: what was there is of another kind */
	const struct cache *cache;
	int64_t now;
};

static int read_asks(void *payload, const struct store_value *columns, unsigned count)
{
	(void)count;
	((struct before *)payload)->asks = columns[COLUMN_cache_asks_asks].number;
	return 1;
}

static int read_repeats(void *payload, const struct store_value *columns, unsigned count)
{
	struct before *before = payload;
	bool ended_itself = text_is(columns[COLUMN_cache_find_state].text, "crashed") || text_is(columns[COLUMN_cache_find_state].text, "limit");

	(void)count;
	if (ended_itself && text_is(columns[COLUMN_cache_find_build_id].text, store_build_id()) &&
	    columns[COLUMN_cache_find_made_at].number <= before->now + CACHE_SLACK_SECONDS)
		before->repeats = columns[COLUMN_cache_find_repeats].number;
	return 0;
}

static int look_before(struct store *store, const struct cache_key *key, const uint8_t *credentials,
		       struct before *before, struct err *err)
{
	struct store_value values[4];

	cache_key_values(key, cache_kind_version(key->kind), values);
	values[3] = store_bytes(credentials, HASH_SHA256_BYTES);
	if (store_run(store, STATEMENT_cache_asks, values, 4, read_asks, before, err) < 0 ||
	    store_run(store, STATEMENT_cache_find, values, 4, read_repeats, before, err) < 0)
		return -1;
	return 0;
}

/* What went before for this key, as far as the new failure supersedes it. */
static int forget_before(struct store *store, const struct cache_key *key,
			 const struct publication *publication, struct err *err)
{
	if (publication->credentials == nobody &&
	    run_on_key(store, STATEMENT_cache_forget_one, key, nobody, err) < 0)
		return -1;
	if (run_on_key(store, STATEMENT_cache_forget_shared_failure, key, NULL, err) < 0)
		return -1;
	return memcmp(publication->own, nobody, sizeof(nobody)) == 0 ? 0
	       : run_on_key(store, STATEMENT_cache_forget_one, key, publication->own, err);
}

static int write_failure(struct cache *cache, struct store *store, const struct cache_key *key,
			 struct publication *publication, struct err *err)
{
	struct before before = { .repeats = -1, .now = publication->entry.made_at };
	struct cache_entry standing;
	enum err_kind failure = publication->entry.failure;

	if (run_on_key(store, STATEMENT_flight_end, key, NULL, err) < 0 ||
	    cache_row_read(cache, store, key, &standing, NULL, err) < 0)
		return -1;
	/* Somebody else had more luck meanwhile. */
	if (standing.id != 0 && standing.failure == ERR_NONE &&
	    standing.version == publication->entry.version)
		return 0;
	if (look_before(store, key, publication->credentials, &before, err) < 0 ||
	    forget_before(store, key, publication, err) < 0)
		return -1;
	publication->asks = before.asks + 1;
	if (failure == ERR_CRASHED || failure == ERR_LIMIT)
		publication->entry.repeats = before.repeats + 1;
	return add_row(cache, store, key, publication, err);
}

int cache_publish_failure(struct cache *cache, struct store *store, const struct cache_key *key,
			  const struct err *failure, struct err *err)
{
	bool by_credentials = failure->kind == ERR_NOT_FOUND || failure->kind == ERR_DENIED;
	struct publication publication = { .entry = entry_of_now(cache, store, key), .fd = -1 };
	bool none;

	publication.entry.failure = failure->kind;
	publication.details = text_of(failure->text);
	cache_credentials(cache, key, publication.own);
	none = memcmp(publication.own, nobody, sizeof(nobody)) == 0;
	publication.credentials = by_credentials && !none ? publication.own : nobody;
	if (store_begin(store, STORE_TURN_ENTRY, cache_turn_key(key), err) < 0)
		return -1;
	if ((err_kind_is_lasting(failure->kind)
	     ? write_failure(cache, store, key, &publication, err)
	     : run_on_key(store, STATEMENT_flight_end, key, NULL, err)) < 0) {
		store_rollback(store);
		return err_while(err, "remembering a failure in the cache of %s",
				 cache_kind_name(key->kind));
	}
	if (store_commit(store, err) < 0)
		return -1;
	board_generation_bump(cache->board, key->hash);
	return 0;
}
