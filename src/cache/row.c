/* row.c -- which row answers for a key. */
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "cache/cache_internal.h"
#include "store/statements.h"

struct picking {
	const struct cache *cache;
	const struct cache_key *key;
	int64_t now;
	int64_t version;
	struct cache_entry *best;
	unsigned best_rank;
	struct cache_hold *hold;     /* NULL: bytes are not wanted */
	bool no_memory;
};

void cache_key_values(const struct cache_key *key, int64_t version, struct store_value values[3])
{
	values[0] = store_text(text_of(cache_kind_name(key->kind)));
	values[1] = store_int(version);
	values[2] = store_bytes(key->text_hash, sizeof(key->text_hash));
}

void cache_credentials(const struct cache *cache, const struct cache_key *key,
		       uint8_t out[HASH_SHA256_BYTES])
{
	static const uint8_t nobody[HASH_SHA256_BYTES];

	if (memcmp(key->credentials, nobody, sizeof(nobody)) == 0)
		memset(out, 0, HASH_SHA256_BYTES);
	else
		hash_keyed(cache->credentials_key, sizeof(cache->credentials_key),
			   key->credentials, sizeof(key->credentials), out);
}

static bool read_entry(const struct picking *picking, const struct store_value *columns,
		       struct cache_entry *entry)
{
	memset(entry, 0, sizeof(*entry));
	if (!cache_state_named(columns[COLUMN_cache_find_state].text, &entry->failure) ||
	    columns[COLUMN_cache_find_size_bytes].number < 0)
		return false;
	entry->id = columns[COLUMN_cache_find_id].number;
	entry->kind = picking->key->kind;
	entry->version = picking->version;
	entry->size_bytes = (uint64_t)columns[COLUMN_cache_find_size_bytes].number;
	entry->is_blob = entry->failure == ERR_NONE && columns[COLUMN_cache_find_payload].type == STORE_NULL;
	if (entry->is_blob && columns[COLUMN_cache_find_checksum].type != STORE_NULL)
		entry->seal = (struct checksum_seal){ entry->size_bytes,
						      (uint64_t)columns[COLUMN_cache_find_checksum].number, true };
	entry->is_global = columns[COLUMN_cache_find_scope].type == STORE_NULL;
	entry->boot = columns[COLUMN_cache_find_boot].number;
	entry->is_of_this_build = text_is(columns[COLUMN_cache_find_build_id].text, store_build_id());
	entry->made_at = columns[COLUMN_cache_find_made_at].number;
	entry->used_at = columns[COLUMN_cache_find_used_at].number;
	entry->repeats = columns[COLUMN_cache_find_repeats].number;
	entry->fresh_until = columns[COLUMN_cache_find_fresh_until].number;
	return true;
}

static void drop_bytes(struct cache_hold *hold)
{
	mem_give_back(hold->bytes);
	hold->bytes = NULL;
	hold->byte_count = 0;
}

static int keep_bytes(struct cache_hold *hold, struct text bytes)
{
	char *copy = mem_get(bytes.size + 1);

	if (!copy)
		return -1;
	if (bytes.size)
		memcpy(copy, bytes.bytes, bytes.size);
	hold->bytes = copy;
	hold->byte_count = bytes.size;
	return 0;
}

#define RANK_PAYLOAD 3u

/* A payload answers first; then what these credentials were told; then what everybody was. */
static unsigned rank_of(const struct cache_entry *entry, const struct store_value *credentials)
{
	static const char nobody[HASH_SHA256_BYTES];

	if (entry->failure == ERR_NONE)
		return RANK_PAYLOAD;
	return text_equal(credentials->text, (struct text){ nobody, sizeof(nobody) }) ? 1 : 2;
}

static int pick_row(void *payload, const struct store_value *columns, unsigned count)
{
	struct picking *picking = payload;
	struct cache_entry entry;
	unsigned rank;

	(void)count;
	if (!read_entry(picking, columns, &entry) ||
	    cache_is_expired(picking->cache, &entry, picking->now))
		return 0;
	rank = rank_of(&entry, &columns[COLUMN_cache_find_credentials]);
	if (rank <= picking->best_rank)
		return 0;
	if (picking->hold)
		drop_bytes(picking->hold);
	if (picking->hold && !entry.is_blob) {
		const struct store_value *bytes = &columns[entry.failure == ERR_NONE ? COLUMN_cache_find_payload
								   : COLUMN_cache_find_details];

		if (keep_bytes(picking->hold, bytes->text) < 0) {
			picking->no_memory = true;
			return 1;
		}
	}
	picking->best_rank = rank;
	*picking->best = entry;
	return 0;
}

/* What the older versions have: a payload, or with nothing at all in *entry a failure. */
static int read_older(struct picking *picking, struct store *store, struct store_value values[4],
		      struct err *err)
{
	struct cache_entry *answer = picking->best, older;
	int64_t oldest = cache_kind_oldest(picking->key->kind);
	bool failed = answer->id != 0;

	picking->best = &older;
	for (int64_t version = picking->version - 1; version >= oldest; version--) {
		memset(&older, 0, sizeof(older));
		/* Only a payload is better than a failure of now. */
		picking->best_rank = failed ? RANK_PAYLOAD - 1 : 0;
		picking->version = version;
		values[1] = store_int(version);
		if (store_run(store, STATEMENT_cache_find, values, 4, pick_row, picking, err) < 0)
			return -1;
		if (older.id == 0)
			continue;
		older.is_kept = failed;
		*answer = older;
		return 0;
	}
	return 0;
}

int cache_row_read(struct cache *cache, struct store *store, const struct cache_key *key,
		   struct cache_entry *entry, struct cache_hold *hold, struct err *err)
{
	struct picking picking = { .cache = cache, .key = key, .now = cache->now(),
				   .version = cache_kind_version(key->kind), .best = entry,
				   .hold = hold };
	uint8_t credentials[HASH_SHA256_BYTES];
	struct store_value values[4];

	memset(entry, 0, sizeof(*entry));
	cache_key_values(key, picking.version, values);
	cache_credentials(cache, key, credentials);
	values[3] = store_bytes(credentials, sizeof(credentials));
	if (store_run(store, STATEMENT_cache_find, values, 4, pick_row, &picking, err) < 0)
		return -1;
	if ((entry->id == 0 || entry->failure != ERR_NONE) &&
	    read_older(&picking, store, values, err) < 0)
		return -1;
	if (picking.no_memory)
		return err_set(err, ERR_NO_MEMORY, "no memory for a cache entry");
	return 0;
}

static int read_key(void *payload, const struct store_value *columns, unsigned count)
{
	struct cache_key *key = payload;
	enum cache_kind kind;

	(void)count;
	if (!cache_kind_named(columns[COLUMN_cache_key_of_kind].text, &kind) ||
	    columns[COLUMN_cache_key_of_version].number != cache_kind_version(kind) ||
	    columns[COLUMN_cache_key_of_hash].text.size != sizeof(key->text_hash))
		return 1;
	key->kind = kind;
	memcpy(key->text_hash, columns[COLUMN_cache_key_of_hash].text.bytes, sizeof(key->text_hash));
	cache_fold_hash(key->hash, kind, key->text_hash);
	key->module = TEXT("");
	return 1;
}

int cache_key_of_entry(struct store *store, int64_t id, struct cache_key *key, struct err *err)
{
	static const uint8_t none[HASH_SHA256_BYTES];
	struct store_value value = store_int(id);

	memset(key, 0, sizeof(*key));
	if (store_run(store, STATEMENT_cache_key_of, &value, 1, read_key, key, err) < 0)
		return -1;
	return memcmp(key->text_hash, none, sizeof(none)) != 0;
}

void cache_refresh_boot(struct cache *cache, struct store *store)
{
	int64_t now = cache->now_millis();
	struct err err = ERR_INIT;
	struct store_boot boot;

	if (now - atomic_load(&cache->boot_read_at_millis) < CACHE_REREAD_MILLIS)
		return;
	if (store_boot(store, &boot, &err) == 0) {
		atomic_store(&cache->boot, boot.number);
		atomic_store(&cache->boot_read_at_millis, now);
	}
}
