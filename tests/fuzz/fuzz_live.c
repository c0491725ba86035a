/* fuzz_live -- query strings of the operators' tables: what is asked for is ours, and a link says the same. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "page/live_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* What is written into an address, header or form. */
static void check_written(struct text written)
{
	for (size_t i = 0; i < written.size; i++)
		if (written.bytes[i] <= ' ' || written.bytes[i] > '~' || strchr("\"'<>\\", written.bytes[i]))
			abort();
}

static void check_same(const struct live_query *a, const struct live_query *b)
{
	if (a->sort != b->sort || a->is_descending != b->is_descending || a->page != b->page)
		abort();
	for (unsigned i = 0; i < LIVE_COLUMNS_MAX; i++)
		if (!a->filters[i].bytes != !b->filters[i].bytes || !text_equal(a->filters[i], b->filters[i]))
			abort();
}

static void check_query(const struct live_query *query, struct live_view *view)
{
	struct err err = ERR_INIT;
	struct live_query again;
	struct buf link;

	if (!(query->sort->flags & LIVE_SORTS) || !live_column_is_shown(view, query->sort) || query->page == 0)
		abort();
	for (unsigned i = 0; i < LIVE_COLUMNS_MAX; i++)
		if (query->filters[i].bytes && !(query->table->columns[i].flags & LIVE_FILTERS))
			abort();
	buf_init(&link, (size_t)1 << 20);
	live_query_write(&link, query, "", query->sort, query->is_descending, query->page);
	check_written(buf_text(&link));
	view->query = text_from(buf_text(&link), 1);
	if (live_query_read(&again, view, query->table, &err) < 0)
		abort();
	check_same(query, &again);
	buf_release(&link);
}

/* The first byte says whose table it is. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct live_view view = { .own = TEXT_NONE };
	const struct live_table *table;
	struct live_query query;
	struct err err = ERR_INIT;

	if (size == 0)
		return 0;
	table = &live_tables[bytes[0] % live_table_count];
	if (bytes[0] & 0x80 && !table->is_for_operators)
		view.own = TEXT("own");
	view.query = (struct text){ (const char *)bytes + 1, size - 1 };
	if (live_query_read(&query, &view, table, &err) < 0) {
		if (err.kind != ERR_BAD_REQUEST)
			abort();
		return 0;
	}
	check_query(&query, &view);
	return 0;
}
