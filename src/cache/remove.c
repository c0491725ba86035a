/*
 * remove.c -- entries removed a page at a time.
 *
 * Rows are read in pages without a lock, judged, and removed in one transaction per page by
 * id: an entry published again meanwhile has another id and stays.  Within that transaction
 * the blob is renamed away, which is quick whatever its size; it is deleted after the commit.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "board/board.h"
#include "cache/sweep.h"
#include "store/statements.h"

/* Columns of cache_page.  A kind or state we do not know is of a newer program: kept. */
bool sweep_read_row(const struct store_value *columns, struct sweep_item *item)
{
	memset(item, 0, sizeof(*item));
	if (!cache_kind_named(columns[COLUMN_cache_page_kind].text, &item->entry.kind) ||
	    !cache_state_named(columns[COLUMN_cache_page_state].text, &item->entry.failure) ||
	    columns[COLUMN_cache_page_hash].text.size != HASH_SHA256_BYTES)
		return false;
	item->entry.id = columns[COLUMN_cache_page_id].number;
	item->entry.version = columns[COLUMN_cache_page_version].number;
	memcpy(item->text_hash, columns[COLUMN_cache_page_hash].text.bytes, HASH_SHA256_BYTES);
	item->entry.size_bytes = columns[COLUMN_cache_page_size_bytes].number > 0 ? (uint64_t)columns[COLUMN_cache_page_size_bytes].number : 0;
	item->entry.is_blob = item->entry.failure == ERR_NONE && columns[COLUMN_cache_page_has_payload].number == 0;
	item->entry.is_global = columns[COLUMN_cache_page_scope].type == STORE_NULL;
	item->entry.boot = columns[COLUMN_cache_page_boot].number;
	item->entry.is_of_this_build = text_is(columns[COLUMN_cache_page_build_id].text, store_build_id());
	item->entry.made_at = columns[COLUMN_cache_page_made_at].number;
	item->entry.used_at = columns[COLUMN_cache_page_used_at].number;
	item->entry.repeats = columns[COLUMN_cache_page_repeats].number;
	item->entry.fresh_until = columns[COLUMN_cache_page_fresh_until].number;
	item->entry.is_versioned = columns[COLUMN_cache_page_is_versioned].number != 0;
	return true;
}

int sweep_page_init(struct sweep_page *page, const struct sweep *sweep, struct err *err)
{
	memset(page, 0, sizeof(*page));
	page->sweep = sweep;
	page->now = sweep->cache->now();
	page->items = mem_get_array(CACHE_BATCH, sizeof(*page->items));
	return page->items ? 0 : err_set(err, ERR_NO_MEMORY, "no memory to clean up the cache");
}

static void gone_path(const struct cache *cache, const struct sweep_item *item, char *path, size_t capacity)
{
	snprintf(path, capacity, "%s/tmp/gone-%lld", cache->folder, (long long)item->entry.id);
}

static int remove_one(const struct sweep *sweep, struct sweep_item *item, struct err *err)
{
	char path[CACHE_PATH_BYTES], gone[CACHE_PATH_BYTES + 64];
	struct store_value id = store_int(item->entry.id);
	int64_t rows = store_run(sweep->store, STATEMENT_cache_forget, &id, 1, NULL, NULL, err);

	if (rows < 0)
		return -1;
	item->removed = rows > 0;
	if (!item->removed || !item->entry.is_blob)
		return 0;
	if (cache_blob_path(sweep->cache, item->entry.kind, item->entry.version, item->text_hash, path,
			    sizeof(path), err) < 0)
		return -1;
	gone_path(sweep->cache, item, gone, sizeof(gone));
	/* No blob, or no folder to move it to: the sweep for orphans sees to it. */
	if (rename(path, gone) < 0)
		unlink(path);
	return 0;
}

/* After the commit: the space, the news, the sums. */
static void settle_one(const struct sweep *sweep, const struct sweep_item *item)
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
	cache_fold_hash(hash, item->entry.kind, item->text_hash);
	board_generation_bump(sweep->cache->board, hash);
}

static int remove_all(struct sweep_page *page, struct err *err)
{
	const struct sweep *sweep = page->sweep;

	if (store_begin(sweep->store, STORE_TURN_ENTRY, TEXT_NONE, err) < 0)
		return -1;
	for (unsigned i = 0; i < page->count; i++) {
		if (remove_one(sweep, &page->items[i], err) < 0) {
			store_rollback(sweep->store);
			return -1;
		}
	}
	return store_commit(sweep->store, err);
}

/* On a full disk not even a removal can be written: the files go first.  What was published
 * again meanwhile may be among them; a row without its blob is a miss. */
static void free_blobs(const struct sweep_page *page)
{
	const struct cache *cache = page->sweep->cache;
	char path[CACHE_PATH_BYTES], gone[CACHE_PATH_BYTES + 64];
	struct err err = ERR_INIT;

	for (unsigned i = 0; i < page->count; i++) {
		const struct sweep_item *item = &page->items[i];

		if (!item->entry.is_blob ||
		    cache_blob_path(cache, item->entry.kind, item->entry.version, item->text_hash,
				    path, sizeof(path), &err) < 0)
			continue;
		gone_path(cache, item, gone, sizeof(gone));
		unlink(gone);
		unlink(path);
	}
}

int sweep_remove(struct sweep_page *page, struct err *err)
{
	const struct sweep *sweep = page->sweep;
	int rc = 0;

	if (page->count == 0)
		return 0;
	if (!sweep->dry_run)
		rc = remove_all(page, err);
	if (rc < 0 && err->kind == ERR_IO) {
		free_blobs(page);
		err_clear(err);
		rc = remove_all(page, err);
	}
	if (rc < 0)
		return -1;
	for (unsigned i = 0; sweep->dry_run && i < page->count; i++)
		page->items[i].removed = true;
	for (unsigned i = 0; i < page->count; i++)
		settle_one(sweep, &page->items[i]);
	return 0;
}
