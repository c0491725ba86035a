/* admin.c -- see admin.h. */
#include "cache/admin.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "board/board.h"
#include "cache/sweep.h"
#include "store/statements.h"

#define FILTER_VALUES 9u

/* The parameters of cache_admin_list. */
static void fill_values(const struct cache_filter *filter, int64_t after, int64_t count,
			struct store_value values[FILTER_VALUES])
{
	values[0] = store_int(after);        /* texts: TEXT_NONE is NULL, any */
	values[1] = store_text(filter->kind);
	values[2] = store_text(filter->scope);
	values[3] = store_text(filter->module);
	values[4] = store_text(filter->source);
	values[5] = store_int(filter->id);
	values[6] = store_int(filter->failures_only);
	values[7] = store_text(filter->hash);
	values[8] = store_int(count);
}

/* --- Looking ------------------------------------------------------------------------------ */

struct cache_listing {
	struct cache *cache;
	cache_line_fn *fn;
	void *payload;
	int64_t now;
};

/* What follows from the row and the configuration of now. */
static void judge(const struct cache_listing *listing, const struct sweep_item *item, char *path,
		  size_t capacity, struct cache_line *line)
{
	const struct cache_entry *entry = &item->entry;
	struct err err = ERR_INIT;

	line->is_outdated = entry->version < cache_kind_version(entry->kind);
	line->is_expired = cache_is_expired(listing->cache, entry, listing->now) ||
			   entry->version < cache_kind_oldest(entry->kind);
	line->expires_at = cache_expires_at(listing->cache, entry);
	if (line->expires_at == CONFIG_NEVER)
		line->expires_at = 0;
	if (!entry->is_blob || cache_blob_path(listing->cache, entry->kind, entry->version,
					       item->text_hash, path, capacity, &err) < 0)
		return;
	line->path = path;
	line->has_file = access(path, F_OK) == 0;
}

static int list_row(void *payload, const struct store_value *columns, unsigned count)
{
	const struct cache_listing *listing = payload;
	char path[CACHE_PATH_BYTES];
	struct sweep_item item;
	struct cache_line line = {
		.id = columns[COLUMN_cache_admin_list_id].number, .kind = columns[COLUMN_cache_admin_list_kind].text, .version = columns[COLUMN_cache_admin_list_version].number,
		.state = columns[COLUMN_cache_admin_list_state].text, .size_bytes = (uint64_t)columns[COLUMN_cache_admin_list_size_bytes].number,
		.scope = columns[COLUMN_cache_admin_list_scope].text, .boot = columns[COLUMN_cache_admin_list_boot].number, .build_id = columns[COLUMN_cache_admin_list_build_id].text,
		.made_at = columns[COLUMN_cache_admin_list_made_at].number, .used_at = columns[COLUMN_cache_admin_list_used_at].number,
		.repeats = columns[COLUMN_cache_admin_list_repeats].number, .module = columns[COLUMN_cache_admin_list_module].text,
		.source = columns[COLUMN_cache_admin_list_source].text, .details = columns[COLUMN_cache_admin_list_details].text,
		.asks = columns[COLUMN_cache_admin_list_asks].number, .key_text = columns[COLUMN_cache_admin_list_key_text].text,
		.is_personal = columns[COLUMN_cache_admin_list_is_personal].number != 0,
		.module_id = columns[COLUMN_cache_admin_list_module_id].text,
	};

	(void)count;
	if (columns[COLUMN_cache_admin_list_hash].text.size == HASH_SHA256_BYTES)
		memcpy(line.hash, columns[COLUMN_cache_admin_list_hash].text.bytes, HASH_SHA256_BYTES);
	if (sweep_read_row(columns, &item))
		judge(listing, &item, path, sizeof(path), &line);
	return listing->fn(listing->payload, &line);
}

int cache_list(struct cache *cache, struct store *store, const struct cache_filter *filter,
	       int64_t most, cache_line_fn *fn, void *payload, struct err *err)
{
	struct store_value values[FILTER_VALUES + 1];
	struct cache_listing listing = { cache, fn, payload, cache->now() };

	fill_values(filter, 0, most, values);
	if (filter->sort.bytes) {
		values[FILTER_VALUES] = values[FILTER_VALUES - 1];
		values[FILTER_VALUES - 1] = store_text(filter->sort);
		return store_run(store, STATEMENT_cache_admin_sorted, values, FILTER_VALUES + 1, list_row,
				 &listing, err) < 0 ? -1 : 0;
	}
	return store_run(store, STATEMENT_cache_admin_list, values, FILTER_VALUES, list_row, &listing,
			 err) < 0 ? -1 : 0;
}

static int read_flight(void *payload, const struct store_value *columns, unsigned count)
{
	struct cache_flight *flight = payload;

	(void)count;
	snprintf(flight->owner, sizeof(flight->owner), "%.*s", (int)columns[COLUMN_flight_of_owner].text.size,
		 columns[COLUMN_flight_of_owner].text.bytes);
	flight->attempt = columns[COLUMN_flight_of_attempt].number;
	flight->started_at = columns[COLUMN_flight_of_started_at].number;
	return 1;
}

int cache_flight_of(struct store *store, const struct cache_line *line, struct cache_flight *flight,
		    struct err *err)
{
	struct store_value values[3];
	enum cache_kind kind;
	int64_t rows;

	if (!cache_kind_named(line->kind, &kind))
		return 0;
	values[0] = store_text(line->kind);
	values[1] = store_int(cache_kind_version(kind));
	values[2] = store_bytes(line->hash, sizeof(line->hash));
	rows = store_run(store, STATEMENT_flight_of, values, 3, read_flight, flight, err);
	return rows < 0 ? -1 : rows > 0;
}

/* --- Dropping ----------------------------------------------------------------------------- */

static int take_row(void *payload, const struct store_value *columns, unsigned count)
{
	struct sweep_page *page = payload;

	(void)count;
	page->seen++;
	page->last_id = columns[COLUMN_cache_page_id].number;
	if (sweep_read_row(columns, &page->items[page->count]))
		page->count++;
	return 0;
}

int cache_drop(struct cache *cache, struct store *store, const struct cache_filter *filter,
	       bool dry_run, struct cache_round *round, struct err *err)
{
	struct sweep sweep = { cache, store, dry_run, board_read(cache->board, BOARD_STOP), round };
	struct sweep_page page;
	int rc;

	memset(round, 0, sizeof(*round));
	rc = sweep_page_init(&page, &sweep, err);
	while (rc == 0) {
		struct store_value values[FILTER_VALUES];

		page.count = page.seen = 0;
		fill_values(filter, page.last_id, CACHE_BATCH, values);
		if (store_run(store, STATEMENT_cache_admin_list, values, FILTER_VALUES, take_row, &page,
			      err) < 0)
			rc = -1;
		else
			rc = sweep_remove(&page, err);
		if (page.seen < CACHE_BATCH)
			break;
	}
	mem_give_back(page.items);
	return rc;
}
