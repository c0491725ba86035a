/* cache.c -- see cache.h: opening, looking up, giving up damaged entries. */
#include "cache/cache.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/log.h"
#include "base/mem.h"
#include "board/board.h"
#include "cache/cache_counters.h"
#include "cache/cache_internal.h"
#include "store/statements.h"

static void count_lookup(struct cache *cache, enum cache_kind kind, enum cache_lookup how)
{
	board_count(cache->board, &cache_lookups, (unsigned)kind * CACHE_LOOKUPS + (unsigned)how, 1);
}

/* --- Opening -------------------------------------------------------------------------- */

int cache_open(struct cache **cache, const struct config *config, struct board *board,
	       struct store *store, struct err *err)
{
	struct cache *made = mem_get(sizeof(*made));
	struct store_boot boot;

	*cache = NULL;
	if (made)
		made->folder = mem_strdup(config->cache_dir);
	if (!made || !made->folder) {
		mem_give_back(made);
		return err_set(err, ERR_NO_MEMORY, "no memory for the cache");
	}
	made->config = config;
	made->board = board;
	made->now = clock_unix_seconds;
	made->now_millis = clock_monotonic_coarse_millis;
	cache_table_init(made);
	cache_damage_init(made);
	cache_count_descriptors(made);
	if (file_make_folders(made->folder, 0700, err) < 0) {
		err_while(err, "cache_dir");
		cache_close(made);
		return -1;
	}
	if (store_boot_join(store, &boot, err) < 0 ||
	    store_credentials_key(config, made->credentials_key, err) < 0) {
		cache_close(made);
		return -1;
	}
	atomic_store(&made->boot, boot.number);
	atomic_store(&made->boot_read_at_millis, made->now_millis());
	*cache = made;
	return 0;
}

void cache_close(struct cache *cache)
{
	if (!cache)
		return;
	cache_table_release(cache);
	cache_damage_release(cache);
	mem_give_back(cache->folder);
	mem_give_back(cache);
}

/* --- Dropping what is damaged ------------------------------------------------------------ */

static int forget_ready(struct cache *cache, struct store *store, const struct cache_key *key,
			const struct cache_entry *entry, struct err *err)
{
	struct store_value id = store_int(entry->id);
	char path[CACHE_PATH_BYTES];

	if (cache_blob_path(cache, key->kind, entry->version, key->text_hash, path, sizeof(path),
			    err) < 0 ||
	    store_run(store, STATEMENT_cache_forget, &id, 1, NULL, NULL, err) < 0)
		return -1;
	/* Before the commit: publishers rename under the same lock, so this cannot be a newer
	 * one.  Should the commit fail, a row without its blob is a miss. */
	if (entry->is_blob)
		unlink(path);
	return 0;
}

/* Under the write lock, where rows and blobs agree: drops the ready entry if it is of that id,
 * or if its blob is not what the row says.  1 when it was dropped. */
static int drop_ready(struct cache *cache, struct store *store, const struct cache_key *key,
		      int64_t id, struct err *err)
{
	struct cache_entry entry;
	struct stat st;
	int fd = -1;
	int drop = 0;

	if (store_begin(store, STORE_TURN_ENTRY, cache_turn_key(key), err) < 0)
		return -1;
	if (cache_row_read(cache, store, key, &entry, NULL, err) < 0)
		goto undo;
	if (entry.id != 0 && entry.failure == ERR_NONE) {
		drop = id == entry.id;
		if (!drop && entry.is_blob)
			drop = cache_blob_open(cache, key, &entry, &fd, &st, err) == 0;
		if (fd >= 0)
			close(fd);
	}
	if (drop && forget_ready(cache, store, key, &entry, err) < 0)
		goto undo;
	if (store_commit(store, err) < 0)
		return -1;
	if (drop)
		board_generation_bump(cache->board, key->hash);
	return drop;
undo:
	store_rollback(store);
	return -1;
}

static void drop_and_tell(struct cache *cache, struct store *store, const struct cache_key *key,
			  int64_t id, const char *why)
{
	struct err err = ERR_INIT;
	int dropped = store_only_reads(store) ? cache_damage_note(cache, key, id)
					      : drop_ready(cache, store, key, id, &err);

	cache_table_remove(cache, key);
	if (dropped < 0)
		log_message(LOG_WARN, "cache_drop", NULL, "%s: %s", cache_kind_name(key->kind), err.text);
	else if (dropped > 0)
		log_message(LOG_WARN, "cache_drop", NULL, "%s %.*s: %s", cache_kind_name(key->kind),
			    (int)key->module.size, key->module.bytes ? key->module.bytes : "", why);
}

int cache_drop_noted(struct cache *cache, struct store *store, const struct cache_key *key, struct err *err)
{
	int64_t id;

	while (cache_damage_find(cache, key, &id)) {
		if (drop_ready(cache, store, key, id, err) < 0)
			return -1;
		cache_table_remove(cache, key);
		cache_damage_forget(cache, key, id);
	}
	return 0;
}

void cache_invalidate(struct cache *cache, struct store *store, const struct cache_key *key,
		 const struct cache_found *found, const char *why)
{
	const struct cache_hold *hold = found->hold;

	/* A file that was modified is verified by the next cache_find(), which drops it when damaged. */
	if (hold && cache_is_changed(hold)) {
		cache_table_remove(cache, key);
		return;
	}
	/* What others have made again since is not what was damaged: it has another id. */
	drop_and_tell(cache, store, key, hold ? hold->entry.id : CACHE_MISMATCHED, why);
}

/* --- Looking up ------------------------------------------------------------------------- */

/* A sample of what is used is offered to the shared cache again: somebody may have emptied it. */
static void share_sometimes(struct cache *cache, const struct cache_entry *entry)
{
	uint8_t drawn;

	if (!config_has_shared_cache(cache->config) ||
	    entry->version != cache_kind_version(entry->kind))
		return;
	random_bytes(&drawn, sizeof(drawn));
	if (drawn < CACHE_SHARE_OF_256)
		board_share(cache->board, entry->id);
}

/* Keeps used_at to the hour and a failure's asks to the minute.  With the shard's lock. */
static void note_use(struct cache *cache, struct cache_hold *hold, int64_t now)
{
	struct cache_entry *entry = &hold->entry;

	if (entry->failure == ERR_NONE) {
		if (now - entry->used_at < CACHE_TOUCH_SECONDS)
			return;
		entry->used_at = now;
		share_sometimes(cache, entry);
	} else {
		if (now - hold->asked_at < CACHE_ASK_SECONDS)
			return;
		hold->asked_at = now;
	}
	board_touch(cache->board, entry->id);
}

static void hand_out(struct cache_hold *hold, struct cache_found *found)
{
	struct text bytes = { hold->bytes ? hold->bytes : "", hold->byte_count };

	memset(found, 0, sizeof(*found));
	if (hold->entry.id == 0)
		return;                      /* known to be absent */
	atomic_fetch_add(&hold->holders, 1);
	found->hold = hold;
	found->failure = hold->entry.failure;
	found->made_at = hold->entry.made_at;
	found->is_outdated = hold->entry.version != cache_kind_version(hold->entry.kind);
	found->state = found->failure == ERR_NONE ? CACHE_READY : CACHE_FAILED;
	if (found->state == CACHE_FAILED)
		found->details = bytes;
	else if (hold->map.bytes)
		found->payload = (struct text){ (const char *)hold->map.bytes, hold->map.size };
	else
		found->payload = bytes;
}

/* The hot way: one look in the table.  False: the row has to be read. */
static bool find_in_table(struct cache *cache, const struct cache_key *key, struct cache_found *found)
{
	uint32_t generation = board_generation(cache->board, key->hash);
	int64_t now_millis = cache->now_millis();
	int64_t now = cache->now();
	struct cache_shard *shard = cache_table_lock(cache, key->hash);
	struct cache_hold *hold = cache_table_get(shard, key);
	bool fresh = hold && hold->generation == generation &&
		     now_millis - hold->read_at_millis < CACHE_REREAD_MILLIS &&
		     (hold->entry.id == 0 || !cache_is_expired(cache, &hold->entry, now));

	if (fresh) {
		if (hold->entry.id != 0)
			note_use(cache, hold, now);
		hand_out(hold, found);
	}
	cache_table_unlock(shard);
	return fresh;
}

/* Is the row we have still the one that was just read?  Then it stays, with its mapping. */
static bool keep_known(struct cache *cache, const struct cache_key *key, struct cache_hold *fresh,
		       const struct stat *st, struct cache_found *found)
{
	struct cache_shard *shard = cache_table_lock(cache, key->hash);
	struct cache_hold *known = cache_table_get(shard, key);
	bool same = known && known->entry.id != 0 && known->entry.id == fresh->entry.id &&
		    known->entry.size_bytes == fresh->entry.size_bytes &&
		    known->entry.failure == fresh->entry.failure &&
		    known->entry.is_blob == fresh->entry.is_blob &&
		    known->entry.version == fresh->entry.version;

	if (same && known->entry.is_blob)
		same = cache_is_same_file(&known->stamp, st);
	/* Edited by hand under the same id. */
	if (same && known->bytes)
		same = known->byte_count == fresh->byte_count &&
		       memcmp(known->bytes, fresh->bytes, fresh->byte_count) == 0;
	if (same) {
		/* Not what callers read without the lock: that is the same. */
		known->entry.made_at = fresh->entry.made_at;
		known->entry.used_at = fresh->entry.used_at;
		known->entry.fresh_until = fresh->entry.fresh_until;
		known->entry.boot = fresh->entry.boot;
		known->entry.repeats = fresh->entry.repeats;
		known->entry.is_global = fresh->entry.is_global;
		known->entry.is_kept = fresh->entry.is_kept;
		known->entry.is_of_this_build = fresh->entry.is_of_this_build;
		known->generation = fresh->generation;
		known->read_at_millis = fresh->read_at_millis;
		note_use(cache, known, cache->now());
		hand_out(known, found);
	}
	cache_table_unlock(shard);
	return same;
}

/* The blob of a row: mapped into the hold unless we have it mapped already.  1, 0 when it is
 * not what the row says, -1. */
static int bring_blob(struct cache *cache, const struct cache_key *key, struct cache_hold *hold,
		      struct cache_found *found, struct err *err)
{
	struct stat st;
	int fd;
	int good = cache_blob_open(cache, key, &hold->entry, &fd, &st, err);

	if (good <= 0)
		return good;
	if (keep_known(cache, key, hold, &st, found)) {
		close(fd);
		return 1;
	}
	if (cache_kind_is_mapped(key->kind) && file_map_fd(&hold->map, fd, err) < 0) {
		close(fd);
		return -1;
	}
	if (hold->map.bytes)
		cache_keep_descriptor(cache, hold, fd);
	else
		close(fd);
	/* It may have been cut between the two looks. */
	return (!cache_kind_is_mapped(key->kind) || hold->map.size == hold->entry.size_bytes) &&
	       cache_verify_new(hold, &st);
}

static int find_in_store(struct cache *cache, struct store *store, const struct cache_key *key,
			 struct cache_hold *hold, struct cache_found *found, struct err *err)
{
	struct cache_shard *shard;
	int good;

	/* Before the row: a change in between makes us read again. */
	hold->generation = board_generation(cache->board, key->hash);
	hold->read_at_millis = cache->now_millis();
	cache_refresh_boot(cache, store);
	if (cache_row_read(cache, store, key, &hold->entry, hold, err) < 0)
		return -1;
	if (hold->entry.id != 0 && cache_damage_is_noted(cache, key, hold->entry.id))
		return 0;
	if (hold->entry.is_blob) {
		good = bring_blob(cache, key, hold, found, err);
		if (good < 0)
			return -1;
		if (good == 0) {
			drop_and_tell(cache, store, key, hold->entry.id,
				      "the blob is gone or damaged");
			return 0;
		}
	} else if (hold->entry.id != 0 && keep_known(cache, key, hold, NULL, found)) {
		return 0;
	}
	if (found->hold)
		return 0;
	cache_table_put(cache, hold);
	shard = cache_table_lock(cache, key->hash);
	if (hold->entry.id != 0)
		note_use(cache, hold, cache->now());
	hand_out(hold, found);
	cache_table_unlock(shard);
	return 0;
}

int cache_find(struct cache *cache, struct store *store, const struct cache_key *key,
	       struct cache_found *found, struct err *err)
{
	struct cache_hold *hold;
	int rc;

	memset(found, 0, sizeof(*found));
	if (find_in_table(cache, key, found)) {
		count_lookup(cache, key->kind, found->state == CACHE_ABSENT ? CACHE_MISS
									    : CACHE_HIT_MEMORY);
		return 0;
	}
	hold = cache_hold_new(cache, key);
	if (!hold)
		return err_set(err, ERR_NO_MEMORY, "no memory for a cache entry");
	rc = find_in_store(cache, store, key, hold, found, err);
	cache_hold_drop(hold);
	if (rc < 0)
		return err_while(err, "looking in the cache of %s", cache_kind_name(key->kind));
	count_lookup(cache, key->kind, found->state == CACHE_ABSENT ? CACHE_MISS
								    : CACHE_HIT_ROW);
	return 0;
}

void cache_found_release(struct cache_found *found)
{
	cache_hold_drop(found->hold);
	memset(found, 0, sizeof(*found));
}

/* --- Refreshes ---------------------------------------------------------------------------- */

static bool is_worth_it(const struct cache_hold *hold, int64_t now, int64_t now_millis)
{
	const struct cache_entry *entry = &hold->entry;
	int64_t every_millis = CACHE_RENEW_MILLIS;

	if (entry->version == cache_kind_version(entry->kind)) {
		if (!cache_failure_may_pass(entry->failure) ||
		    now - entry->made_at < CACHE_UPGRADE_SECONDS)
			return false;
		every_millis = (int64_t)CACHE_UPGRADE_SECONDS * 1000;
	}
	return !entry->is_kept &&
	       (hold->refreshed_millis == 0 || now_millis - hold->refreshed_millis >= every_millis);
}

bool cache_claim_refresh(struct cache *cache, const struct cache_key *key)
{
	int64_t now_millis = cache->now_millis();
	int64_t now = cache->now();
	struct cache_shard *shard = cache_table_lock(cache, key->hash);
	struct cache_hold *hold = cache_table_get(shard, key);
	bool worth = hold && hold->entry.id != 0 && is_worth_it(hold, now, now_millis);

	if (worth)
		hold->refreshed_millis = now_millis;
	cache_table_unlock(shard);
	return worth;
}

bool cache_may_have_passed(const struct cache *cache, const struct cache_found *found)
{
	return found->state == CACHE_FAILED && cache_failure_may_pass(found->failure) &&
	       cache->now() - found->made_at >= CACHE_UPGRADE_SECONDS;
}

/* --- A payload as a descriptor --------------------------------------------------------- */

static int small_as_file(struct text payload, int *fd, struct err *err)
{
	*fd = memfd_create("symgate-payload", MFD_CLOEXEC);
	if (*fd < 0)
		return err_os(err, errno, "a file in memory");
	if (file_write_all(*fd, payload.bytes, payload.size, err) == 0 &&
	    lseek(*fd, 0, SEEK_SET) == 0)
		return 0;
	close(*fd);
	*fd = -1;
	return err_while(err, "a file in memory");
}

int cache_open_blob(struct cache *cache, struct store *store, const struct cache_key *key,
		    int *fd, struct checksum_seal *seal, struct err *err)
{
	struct cache_found found;
	struct stat st;
	int rc;

	*fd = -1;
	*seal = (struct checksum_seal){ 0, 0, false };
	if (cache_find(cache, store, key, &found, err) < 0)
		return -1;
	if (found.state != CACHE_READY) {
		rc = 0;
	} else if (!found.hold->entry.is_blob) {
		rc = small_as_file(found.payload, fd, err) == 0 ? 1 : -1;
	} else {
		*seal = found.hold->entry.seal;
		rc = cache_blob_open(cache, key, &found.hold->entry, fd, &st, err);
		if (rc == 0)
			drop_and_tell(cache, store, key, CACHE_MISMATCHED, "the blob is gone or damaged");
	}
	cache_found_release(&found);
	if (rc == 0)
		return err_set(err, ERR_NOT_FOUND, "the cache of %s has it no more",
			       cache_kind_name(key->kind));
	return rc < 0 ? -1 : 0;
}

int cache_drop_if_damaged(struct cache *cache, struct store *store, const struct cache_key *key,
			  struct err *err)
{
	struct checksum_seal seal;
	struct cache_found found;
	int fd = -1, sound = 1;

	if (cache_find(cache, store, key, &found, err) < 0)
		return -1;
	if (found.state == CACHE_READY && found.hold->entry.is_blob) {
		sound = cache_open_blob(cache, store, key, &fd, &seal, err);
		if (sound == 0)
			sound = checksum_check_file(fd, &seal, err);
		else if (err->kind == ERR_NOT_FOUND)
			sound = 1;           /* it has gone by itself */
	}
	if (sound == 0)
		drop_and_tell(cache, store, key, found.hold->entry.id, "it is not what was published");
	if (fd >= 0)
		close(fd);
	cache_found_release(&found);
	return sound < 0 ? -1 : !sound;
}
