/* renew.c -- what is past its time, but still what its server has: believed once more. */
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "board/board.h"
#include "cache/cache_internal.h"
#include "store/statements.h"

struct stale_look {
	const struct cache *cache;
	const struct cache_key *key;
	struct cache_entry entry;    /* id 0: there is none of use */
	struct arena *arena;         /* NULL: how its version is named does not matter */
	struct text etag, last_modified;
	bool no_memory;
};

static bool keep_text(struct arena *arena, struct text text, struct text *kept)
{
	char *bytes = arena && text.size ? arena_strndup(arena, text.bytes, text.size) : NULL;

	*kept = (struct text){ bytes, bytes ? text.size : 0 };
	return bytes || !arena || text.size == 0;
}

/* In all but its time it has to be what would be found. */
static bool is_stale(const struct cache *cache, struct cache_entry entry)
{
	int64_t fresh_until = entry.fresh_until;

	entry.fresh_until = 0;
	return fresh_until != 0 && !cache_is_expired(cache, &entry, cache->now());
}

static int read_stale(void *payload, const struct store_value *columns, unsigned count)
{
	struct stale_look *look = payload;
	struct cache_entry entry = {
		.id = columns[COLUMN_cache_stale_id].number, .kind = look->key->kind,
		.version = cache_kind_version(look->key->kind),
		.size_bytes = (uint64_t)columns[COLUMN_cache_stale_size_bytes].number,
		.is_blob = columns[COLUMN_cache_stale_has_payload].number == 0,
		.is_global = columns[COLUMN_cache_stale_scope].type == STORE_NULL,
		.boot = columns[COLUMN_cache_stale_boot].number,
		.made_at = columns[COLUMN_cache_stale_made_at].number,
		.used_at = columns[COLUMN_cache_stale_used_at].number,
		.fresh_until = columns[COLUMN_cache_stale_fresh_until].number,
	};

	(void)count;
	if (columns[COLUMN_cache_stale_size_bytes].number < 0 || !is_stale(look->cache, entry))
		return 1;
	look->entry = entry;
	look->no_memory = !keep_text(look->arena, columns[COLUMN_cache_stale_etag].text, &look->etag) ||
			     !keep_text(look->arena, columns[COLUMN_cache_stale_last_modified].text,
					&look->last_modified);
	return 1;
}

/* Of the current version, with its blob where it should have one. */
static int look_up(struct stale_look *look, struct store *store, struct err *err)
{
	const struct cache_key *key = look->key;
	struct store_value values[3];
	struct stat st;
	int fd, there;

	cache_key_values(key, cache_kind_version(key->kind), values);
	if (store_run(store, STATEMENT_cache_stale, values, 3, read_stale, look, err) < 0)
		return -1;
	if (look->no_memory)
		return err_set(err, ERR_NO_MEMORY, "no memory for a cache entry");
	if (!look->entry.id || !look->entry.is_blob)
		return look->entry.id != 0;
	there = cache_blob_open(look->cache, key, &look->entry, &fd, &st, err);
	if (there > 0)
		close(fd);
	return there;
}

int cache_find_stale(struct cache *cache, struct store *store, const struct cache_key *key,
		     struct arena *arena, struct cache_stale *stale, struct err *err)
{
	struct stale_look look = { .cache = cache, .key = key, .arena = arena };
	int there = look_up(&look, store, err);

	*stale = (struct cache_stale){ there > 0 ? look.entry.id : 0, look.etag, look.last_modified };
	return there;
}

/* --- Renewed -------------------------------------------------------------------------------- */

static int write_renewed(struct cache *cache, struct store *store, const struct cache_key *key, int64_t id,
			 struct err *err)
{
	const struct store_value renewed[] = {
		store_int(key->fresh_until), store_text(key->etag.size ? key->etag : TEXT_NONE),
		store_text(key->last_modified.size ? key->last_modified : TEXT_NONE),
		store_int(cache->now()), store_int(id),
	};
	struct store_value values[3];

	cache_key_values(key, cache_kind_version(key->kind), values);
	return store_run(store, STATEMENT_flight_end, values, 3, NULL, NULL, err) < 0 ||
	       store_run(store, STATEMENT_cache_renew, renewed, 5, NULL, NULL, err) < 0 ? -1 : 0;
}

int cache_renew(struct cache *cache, struct store *store, const struct cache_key *key, int64_t id, struct err *err)
{
	struct stale_look look = { .cache = cache, .key = key };
	int there;

	if (store_begin(store, STORE_TURN_ENTRY, cache_turn_key(key), err) < 0)
		return -1;
	there = look_up(&look, store, err);
	if (there > 0 && look.entry.id != id)
		there = 0;
	if (there > 0 && write_renewed(cache, store, key, id, err) < 0)
		there = -1;
	if (there > 0 && store_commit(store, err) < 0)
		return -1;
	if (there <= 0) {
		store_rollback(store);
		return there < 0 ? err_while(err, "renewing an entry of %s", cache_kind_name(key->kind)) : 0;
	}
	board_generation_bump(cache->board, key->hash);
	return 1;
}
