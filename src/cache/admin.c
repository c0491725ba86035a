/* admin.c -- see admin.h. */
#include "cache/admin.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "board/board.h"
#include "cache/sweep.h"
#include "store/statements.h"

#define FILTER_VALUES 8u

static struct store_value or_null(struct text text)
{
	return store_text(text);             /* TEXT_NONE is NULL: any */
}

/* The parameters of cache_admin_list and cache_admin_page, which begin alike. */
static void fill_values(const struct cache_filter *filter, int64_t after, int64_t count,
			struct store_value values[FILTER_VALUES])
{
	values[0] = store_int(after);
	values[1] = or_null(filter->kind);
	values[2] = or_null(filter->scope);
	values[3] = or_null(filter->module);
	values[4] = or_null(filter->source);
	values[5] = store_int(filter->id);
	values[6] = store_int(filter->failures_only);
	values[7] = store_int(count);
}

struct listing {
	cache_line_fn *fn;
	void *payload;
};

static int list_row(void *payload, const struct store_value *columns, unsigned count)
{
	const struct listing *listing = payload;
	struct cache_line line = {
		.id = columns[0].number, .kind = columns[1].text, .state = columns[2].text,
		.size_bytes = (uint64_t)columns[3].number, .scope = columns[4].text,
		.module = columns[5].text, .source = columns[6].text, .details = columns[7].text,
		.made_at = columns[8].number, .used_at = columns[9].number,
		.retry_at = columns[10].number, .asks = columns[11].number,
	};

	(void)count;
	return listing->fn(listing->payload, &line);
}

int cache_list(struct store *store, const struct cache_filter *filter, int64_t most,
	       cache_line_fn *fn, void *payload, struct err *err)
{
	struct store_value values[FILTER_VALUES];
	struct listing listing = { fn, payload };

	fill_values(filter, 0, most, values);
	return store_run(store, STATEMENT_cache_admin_list, values, FILTER_VALUES, list_row, &listing,
			 err) < 0 ? -1 : 0;
}

static int take_row(void *payload, const struct store_value *columns, unsigned count)
{
	struct sweep_page *page = payload;

	(void)count;
	page->seen++;
	page->last_id = columns[0].number;
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
		if (store_run(store, STATEMENT_cache_admin_page, values, FILTER_VALUES, take_row, &page,
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
