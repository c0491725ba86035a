/*
 * clean.c -- one round of the keeper over the entries.
 *
 * Rows are read in pages without a lock, judged, and removed in one transaction per page by
 * id: an entry published again meanwhile has another id and stays.  Within that transaction
 * the blob is renamed away, which is quick whatever its size; it is deleted after the commit.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/debugid.h"
#include "base/err.h"
#include "base/mem.h"
#include "board/board.h"
#include "cache/sweep.h"
#include "store/statements.h"

#define TOUCH_ROOM 4096u

struct item {
	struct cache_entry entry;
	int64_t version;
	uint8_t text_hash[HASH_SHA256_BYTES];
	bool removed;
};

struct page {
	const struct sweep *sweep;
	struct item *items;
	unsigned count;              /* of those to remove */
	unsigned seen;
	int64_t last_id, last_used_at;
	int64_t now;
	uint64_t excess_bytes;       /* quota: still to be freed */
};

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
		rc = store_begin(store, err);
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

/* --- Removing a page ----------------------------------------------------------------------- */

static void gone_path(const struct cache *cache, const struct item *item, char *path, size_t room)
{
	snprintf(path, room, "%s/tmp/gone-%lld", cache->folder, (long long)item->entry.id);
}

static int remove_one(const struct sweep *sweep, struct item *item, struct err *err)
{
	char path[CACHE_PATH_BYTES], gone[CACHE_PATH_BYTES + 64];
	struct store_value id = store_int(item->entry.id);
	int64_t rows = store_run(sweep->store, STATEMENT_cache_forget, &id, 1, NULL, NULL, err);

	if (rows < 0)
		return -1;
	item->removed = rows > 0;
	if (!item->removed || !item->entry.is_blob)
		return 0;
	if (cache_blob_path(sweep->cache, item->entry.kind, item->version, item->text_hash, path,
			    sizeof(path), err) < 0)
		return -1;
	gone_path(sweep->cache, item, gone, sizeof(gone));
	/* No blob, or no folder to move it to: the sweep for orphans sees to it. */
	if (rename(path, gone) < 0)
		unlink(path);
	return 0;
}

/* After the commit: the space, the news, the sums. */
static void settle_one(const struct sweep *sweep, const struct item *item)
{
	char gone[CACHE_PATH_BYTES + 64];
	uint8_t hash[HASH_SHA256_BYTES];

	if (!item->removed)
		return;
	sweep->round->removed_entries++;
	sweep->round->removed_bytes += item->entry.size_bytes;
	if (sweep->dry_run)
		return;
	if (item->entry.is_blob) {
		gone_path(sweep->cache, item, gone, sizeof(gone));
		unlink(gone);
	}
	cache_fold_hash(hash, item->entry.kind, item->version, item->text_hash);
	board_generation_bump(sweep->cache->board, hash);
}

static int remove_page(struct page *page, struct err *err)
{
	const struct sweep *sweep = page->sweep;

	if (page->count == 0)
		return 0;
	if (!sweep->dry_run && store_begin(sweep->store, err) < 0)
		return -1;
	for (unsigned i = 0; i < page->count; i++) {
		if (sweep->dry_run) {
			page->items[i].removed = true;
		} else if (remove_one(sweep, &page->items[i], err) < 0) {
			store_rollback(sweep->store);
			return -1;
		}
	}
	if (!sweep->dry_run && store_commit(sweep->store, err) < 0)
		return -1;
	for (unsigned i = 0; i < page->count; i++)
		settle_one(sweep, &page->items[i]);
	return 0;
}

/* --- Expiry ----------------------------------------------------------------------------- */

/* Columns of cache_page.  A kind or state we do not know is of a newer program: kept. */
static bool read_page_row(const struct store_value *columns, struct item *item)
{
	memset(item, 0, sizeof(*item));
	if (!cache_kind_named(columns[1].text, &item->entry.kind) ||
	    !cache_state_named(columns[4].text, &item->entry.failure) ||
	    columns[3].text.size != HASH_SHA256_BYTES)
		return false;
	item->entry.id = columns[0].number;
	item->version = columns[2].number;
	memcpy(item->text_hash, columns[3].text.bytes, HASH_SHA256_BYTES);
	item->entry.size_bytes = columns[5].number > 0 ? (uint64_t)columns[5].number : 0;
	item->entry.is_blob = item->entry.failure == ERR_NONE && columns[6].number == 0;
	item->entry.is_global = columns[7].type == STORE_NULL;
	item->entry.boot = columns[8].number;
	item->entry.is_of_this_build = text_is(columns[9].text, store_build_id());
	item->entry.made_at = columns[10].number;
	item->entry.used_at = columns[11].number;
	item->entry.repeats = columns[12].number;
	return true;
}

static int judge_row(void *payload, const struct store_value *columns, unsigned count)
{
	struct page *page = payload;
	struct item *item = &page->items[page->count];

	(void)count;
	page->seen++;
	page->last_id = columns[0].number;
	if (read_page_row(columns, item) &&
	    cache_is_removable(page->sweep->cache, &item->entry, page->now))
		page->count++;
	return 0;
}

static int page_init(struct page *page, const struct sweep *sweep, struct err *err)
{
	memset(page, 0, sizeof(*page));
	page->sweep = sweep;
	page->now = sweep->cache->now();
	page->items = mem_get_array(CACHE_BATCH, sizeof(*page->items));
	return page->items ? 0 : err_set(err, ERR_NO_MEMORY, "no memory to clean up the cache");
}

int sweep_expired(struct sweep *sweep, struct err *err)
{
	struct page page;
	int rc = page_init(&page, sweep, err);

	while (rc == 0 && !sweep_is_stopped(sweep)) {
		struct store_value values[2] = { store_int(page.last_id), store_int(CACHE_BATCH) };

		page.count = page.seen = 0;
		if (store_run(sweep->store, STATEMENT_cache_page, values, 2, judge_row, &page, err) < 0)
			rc = -1;
		else
			rc = remove_page(&page, err);
		if (page.seen < CACHE_BATCH)
			break;
	}
	mem_give_back(page.items);
	return rc;
}

/* --- Quota ------------------------------------------------------------------------------- */

/* Columns of cache_total: entries, bytes, those that are rows only. */
static int read_total(void *payload, const struct store_value *columns, unsigned count)
{
	struct cache_round *round = payload;

	(void)count;
	round->kept_entries = (uint64_t)columns[0].number;
	round->kept_bytes = (uint64_t)columns[1].number +
			    CACHE_ROW_COST_BYTES * (uint64_t)columns[2].number;
	return 1;
}

/* Columns of cache_oldest. */
static int choose_row(void *payload, const struct store_value *columns, unsigned count)
{
	struct page *page = payload;
	struct item *item = &page->items[page->count];
	uint64_t cost;

	(void)count;
	if (page->excess_bytes == 0)
		return 1;
	page->seen++;
	page->last_id = columns[0].number;
	page->last_used_at = columns[7].number;
	memset(item, 0, sizeof(*item));
	if (!cache_kind_named(columns[1].text, &item->entry.kind) ||
	    columns[3].text.size != HASH_SHA256_BYTES)
		return 0;
	item->entry.id = columns[0].number;
	item->version = columns[2].number;
	memcpy(item->text_hash, columns[3].text.bytes, HASH_SHA256_BYTES);
	item->entry.size_bytes = columns[4].number > 0 ? (uint64_t)columns[4].number : 0;
	item->entry.is_blob = text_is(columns[5].text, "ready") && columns[6].number == 0;
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

int sweep_over_quota(struct sweep *sweep, struct err *err)
{
	uint64_t quota = sweep->cache->config->cache_quota_bytes;
	uint64_t expired_bytes = sweep->dry_run ? sweep->round->removed_bytes : 0;
	struct page page;
	int rc = sum_up(sweep, err);

	if (rc < 0 || quota == CONFIG_UNLIMITED || sweep->round->kept_bytes <= quota + expired_bytes)
		return rc;
	rc = page_init(&page, sweep, err);
	page.excess_bytes = sweep->round->kept_bytes - quota - expired_bytes;
	page.last_used_at = INT64_MIN;
	while (rc == 0 && page.excess_bytes > 0 && !sweep_is_stopped(sweep)) {
		struct store_value values[3] = { store_int(page.last_used_at), store_int(page.last_id),
						 store_int(CACHE_BATCH) };

		page.count = page.seen = 0;
		if (store_run(sweep->store, STATEMENT_cache_oldest, values, 3, choose_row, &page, err) < 0)
			rc = -1;
		else
			rc = remove_page(&page, err);
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

int cache_clean(struct cache *cache, struct store *store, bool dry_run, struct cache_round *round,
		struct err *err)
{
	struct sweep sweep = { cache, store, dry_run, board_read(cache->board, BOARD_STOP), round };

	memset(round, 0, sizeof(*round));
	cache_refresh_boot(cache, store);
	if ((!dry_run && cache_write_touches(cache, store, err) < 0) ||
	    sweep_flights(&sweep, err) < 0 ||
	    sweep_expired(&sweep, err) < 0 ||
	    sweep_over_quota(&sweep, err) < 0 ||
	    sweep_orphans(&sweep, err) < 0 ||
	    sweep_temporaries(&sweep, err) < 0)
		return err_while(err, "cleaning up the cache");
	return 0;
}
