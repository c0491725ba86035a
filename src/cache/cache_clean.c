/* cache_clean.c -- one round of the keeper over the entries. */
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/debugid.h"
#include "base/err.h"
#include "base/mem.h"
#include "board/board.h"
#include "cache/sweep.h"
#include "store/statements.h"

#define TOUCH_ROOM 4096u
#define AUTO_QUOTA_BYTES ((uint64_t)10 * 1000 * 1000 * 1000)

bool sweep_is_stopped(const struct sweep *sweep)
{
	return board_read(sweep->cache->board, BOARD_STOP) != sweep->stop_seen;
}

/* --- Touches ---------------------------------------------------------------------------- */

int cache_write_touches(struct cache *cache, struct store *store, struct err *err)
{
	int64_t *ids = mem_get_array(TOUCH_ROOM, sizeof(*ids));
	struct store_value values[2] = { store_int(cache->now()), store_int(0) };
	unsigned count;
	int rc = 0;

	if (!ids)
		return err_set(err, ERR_NO_MEMORY, "no memory for touches");
	count = board_touched(cache->board, ids, TOUCH_ROOM);
	if (count > 0)
		rc = store_begin(store, STORE_TURN_ENTRY, TEXT_NONE, err);
	for (unsigned i = 0; i < count && rc == 0; i++) {
		values[1] = store_int(ids[i]);
		if (store_run(store, STATEMENT_cache_touch, values, 2, NULL, NULL, err) < 0) {
			store_rollback(store);
			rc = -1;
		}
	}
	if (count > 0 && rc == 0)
		rc = store_commit(store, err);
	mem_give_back(ids);
	return rc < 0 ? err_while(err, "writing touches") : 0;
}

/* --- Expiry ----------------------------------------------------------------------------- */

/* An older version that answers for nobody any more: too old, or made again since.  (A program
 * of before the upgrade may still write some.) */
static bool is_superseded(struct sweep_page *page, const struct sweep_item *item)
{
	const struct cache_entry *entry = &item->entry;
	struct store_value values[3] = {
		store_text(text_of(cache_kind_name(entry->kind))),
		store_int(cache_kind_version(entry->kind)),
		store_bytes(item->text_hash, sizeof(item->text_hash)),
	};
	struct err err = ERR_INIT;

	if (entry->version >= cache_kind_version(entry->kind))
		return false;
	/* Failing that: the next round. */
	return entry->version < cache_kind_oldest(entry->kind) ||
	       store_run(page->sweep->store, STATEMENT_cache_is_ready, values, 3, NULL, NULL, &err) > 0;
}

static int judge_row(void *payload, const struct store_value *columns, unsigned count)
{
	struct sweep_page *page = payload;
	struct sweep_item *item = &page->items[page->count];

	(void)count;
	page->seen++;
	page->last_id = columns[COLUMN_cache_page_id].number;
	if (sweep_read_row(columns, item) &&
	    (cache_is_removable(page->sweep->cache, &item->entry, page->now) ||
	     is_superseded(page, item)))
		page->count++;
	return 0;
}

static int sweep_expired(struct sweep *sweep, struct err *err)
{
	struct sweep_page page;
	int rc = sweep_page_init(&page, sweep, err);

	while (rc == 0 && !sweep_is_stopped(sweep)) {
		struct store_value values[2] = { store_int(page.last_id), store_int(CACHE_BATCH) };

		page.count = page.seen = 0;
		if (store_run(sweep->store, STATEMENT_cache_page, values, 2, judge_row, &page, err) < 0)
			rc = -1;
		else
			rc = sweep_remove(&page, err);
		if (page.seen < CACHE_BATCH)
			break;
	}
	mem_give_back(page.items);
	return rc;
}

/* --- Quota ------------------------------------------------------------------------------- */

static int read_total(void *payload, const struct store_value *columns, unsigned count)
{
	struct cache_round *round = payload;

	(void)count;
	round->kept_entries = (uint64_t)columns[COLUMN_cache_total_entries].number;
	round->kept_bytes = (uint64_t)columns[COLUMN_cache_total_bytes].number +
			    CACHE_ROW_COST_BYTES * (uint64_t)columns[COLUMN_cache_total_rows_only].number;
	return 1;
}

static int choose_row(void *payload, const struct store_value *columns, unsigned count)
{
	struct sweep_page *page = payload;
	struct sweep_item *item = &page->items[page->count];
	uint64_t cost;

	(void)count;
	if (page->excess_bytes == 0)
		return 1;
	page->seen++;
	page->last_id = columns[COLUMN_cache_oldest_id].number;
	page->last_used_at = columns[COLUMN_cache_oldest_used_at].number;
	memset(item, 0, sizeof(*item));
	if (!cache_kind_named(columns[COLUMN_cache_oldest_kind].text, &item->entry.kind) ||
	    columns[COLUMN_cache_oldest_hash].text.size != HASH_SHA256_BYTES)
		return 0;
	item->entry.id = columns[COLUMN_cache_oldest_id].number;
	item->entry.version = columns[COLUMN_cache_oldest_version].number;
	memcpy(item->text_hash, columns[COLUMN_cache_oldest_hash].text.bytes, HASH_SHA256_BYTES);
	item->entry.size_bytes = columns[COLUMN_cache_oldest_size_bytes].number > 0 ? (uint64_t)columns[COLUMN_cache_oldest_size_bytes].number : 0;
	item->entry.is_blob = text_is(columns[COLUMN_cache_oldest_state].text, "ready") && columns[COLUMN_cache_oldest_has_payload].number == 0;
	cost = item->entry.size_bytes + (item->entry.is_blob ? 0 : CACHE_ROW_COST_BYTES);
	page->excess_bytes -= cost < page->excess_bytes ? cost : page->excess_bytes;
	page->count++;
	return 0;
}

static int sum_up(struct sweep *sweep, struct err *err)
{
	return store_run(sweep->store, STATEMENT_cache_total, NULL, 0, read_total, sweep->round, err) < 0
	       ? -1 : 0;
}

/* auto: enough for most, and never so much of a small disk that others starve. */
uint64_t cache_quota(const struct cache *cache)
{
	uint64_t tenth = UINT64_MAX;
	struct statvfs disk;

	if (cache->config->cache_quota_bytes != CONFIG_AUTO)
		return cache->config->cache_quota_bytes;
	if (statvfs(cache->folder, &disk) == 0)
		tenth = (uint64_t)disk.f_blocks * disk.f_frsize / 10;
	return tenth < AUTO_QUOTA_BYTES ? tenth : AUTO_QUOTA_BYTES;
}

static int sweep_over_quota(struct sweep *sweep, struct err *err)
{
	uint64_t quota = cache_quota(sweep->cache);
	uint64_t expired_bytes = sweep->dry_run ? sweep->round->removed_bytes : 0;
	struct sweep_page page;
	int rc = sum_up(sweep, err);
	uint64_t held = sweep->round->kept_bytes + sweep->round->temporary_bytes;

	if (rc < 0 || quota == CONFIG_UNLIMITED || held <= expired_bytes || held - expired_bytes <= quota)
		return rc;
	rc = sweep_page_init(&page, sweep, err);
	page.excess_bytes = held - expired_bytes - quota;
	page.last_used_at = INT64_MIN;
	while (rc == 0 && page.excess_bytes > 0 && !sweep_is_stopped(sweep)) {
		struct store_value values[3] = { store_int(page.last_used_at), store_int(page.last_id),
						 store_int(CACHE_BATCH) };

		page.count = page.seen = 0;
		if (store_run(sweep->store, STATEMENT_cache_oldest, values, 3, choose_row, &page, err) < 0)
			rc = -1;
		else
			rc = sweep_remove(&page, err);
		if (page.seen == 0)
			break;
	}
	mem_give_back(page.items);
	return rc < 0 ? -1 : sum_up(sweep, err);
}

/* --- The round --------------------------------------------------------------------------- */

static int sweep_flights(struct sweep *sweep, struct err *err)
{
	struct store_value values[2] = { store_int(sweep->cache->now()), store_int(CACHE_LEASE_SECONDS) };

	if (sweep->dry_run)
		return 0;
	return store_run(sweep->store, STATEMENT_flight_sweep, values, 2, NULL, NULL, err) < 0 ? -1 : 0;
}

static int write_touches(struct sweep *sweep, struct err *err)
{
	return sweep->dry_run ? 0 : cache_write_touches(sweep->cache, sweep->store, err);
}

/* In that order: what needs no database makes room for what does. */
static const struct {
	int (*run)(struct sweep *sweep, struct err *err);
	bool is_expiry;
} chores[] = {
	{ sweep_temporaries, false }, { sweep_orphans, false },  { write_touches, false },
	{ sweep_flights, false },     { sweep_expired, true },   { sweep_over_quota, false },
};

/* A full disk may fail one chore, and another make room. */
static int run_chores(struct sweep *sweep, bool with_expiry, struct err *err)
{
	bool failed = false;

	memset(sweep->round, 0, sizeof(*sweep->round));
	cache_refresh_boot(sweep->cache, sweep->store);
	for (size_t i = 0; i < sizeof(chores) / sizeof(chores[0]); i++) {
		struct err trouble = ERR_INIT;

		if ((chores[i].is_expiry && !with_expiry) || chores[i].run(sweep, &trouble) == 0)
			continue;
		if (!failed)
			*err = trouble;
		failed = true;
	}
	return failed ? err_while(err, "cleaning up the cache") : 0;
}

int cache_clean(struct cache *cache, struct store *store, bool dry_run, struct cache_round *round,
		struct err *err)
{
	struct sweep sweep = { cache, store, dry_run, board_read(cache->board, BOARD_STOP), round };

	return run_chores(&sweep, true, err);
}

int cache_keep_quota(struct cache *cache, struct store *store, struct cache_round *round,
		     struct err *err)
{
	struct sweep sweep = { cache, store, false, board_read(cache->board, BOARD_STOP), round };

	return run_chores(&sweep, false, err);
}
