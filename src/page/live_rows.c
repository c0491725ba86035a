/* live_rows.c -- a table's statement with what the query string asks for bound to it. */
#include "base/buf.h"
#include "base/err.h"
#include "page/live_table.h"
#include "store/store.h"

#define PARAMETERS_MAX (LIVE_FILTERS_MAX + 5u)
#define FACTS_BYTES ((size_t)1 << 20)
#define ESCAPE '!'                   /* as sql/page.sql says */
/* "%" before and behind, and every byte may need an escape. */
#define PATTERNS_BYTES (2 * LIVE_QUERY_BYTES_MAX + 2 * LIVE_FILTERS_MAX + 1)

struct live_reader {
	const struct live_table *table;
	live_row_fn *row;
	void *payload;
	struct live_found *found;
};

static int read_row(void *payload, const struct store_value *columns, unsigned count)
{
	const struct live_reader *reader = payload;

	reader->found->total = (uint64_t)columns[count - 1].number;
	reader->found->rows++;
	reader->row(reader->payload, columns);
	return 0;
}

static bool is_wild(char c)
{
	return c == '%' || c == '_' || c == ESCAPE;
}

/* Whatever contains it, with nothing in it a wildcard. */
static struct text add_pattern(struct buf *patterns, struct text part)
{
	size_t start = patterns->size;

	buf_add_char(patterns, '%');
	for (size_t i = 0; i < part.size; i++) {
		if (is_wild(part.bytes[i]))
			buf_add_char(patterns, ESCAPE);
		buf_add_char(patterns, part.bytes[i]);
	}
	buf_add_char(patterns, '%');
	return (struct text){ patterns->failed ? NULL : patterns->bytes + start, patterns->size - start };
}

/* The parameters in the order of sql/page.sql; how many. */
static unsigned bind_values(const struct live_view *view, const struct live_query *query, struct text facts,
		     struct text sort, struct buf *patterns, struct store_value values[PARAMETERS_MAX])
{
	const struct live_table *table = query->table;
	unsigned count = 0;

	if (table->facts)
		values[count++] = store_text(facts);
	if (!table->is_for_operators)
		values[count++] = store_text(view->own);
	for (unsigned i = 0; i < live_column_count(table); i++)
		if (table->columns[i].flags & LIVE_FILTERS)
			values[count++] = store_text(query->filters[i].bytes ?
						     add_pattern(patterns, query->filters[i]) : TEXT_NONE);
	values[count++] = store_text(sort);
	values[count++] = store_int(LIVE_PAGE_ROWS);
	values[count++] = store_int((int64_t)((query->page - 1) * LIVE_PAGE_ROWS));
	return count;
}

int live_rows(const struct live_view *view, const struct live_query *query, live_row_fn *row, void *payload,
	      struct live_found *found, struct err *err)
{
	struct live_reader reader = { query->table, row, payload, found };
	struct store_value values[PARAMETERS_MAX];
	struct buf patterns, facts, sort;
	unsigned count;
	int rc = -1;

	*found = (struct live_found){ 0 };
	buf_init(&patterns, PATTERNS_BYTES);
	buf_init(&facts, FACTS_BYTES);
	buf_init(&sort, LIVE_QUERY_BYTES_MAX);
	/* All of them at once: what is bound may not move. */
	if (!buf_reserve(&patterns, PATTERNS_BYTES - 1))
		goto done;
	if (query->table->facts)
		query->table->facts(view, &facts);
	buf_printf(&sort, "%s%s", query->is_descending ? "-" : "", query->sort->name);
	count = bind_values(view, query, buf_text(&facts), buf_text(&sort), &patterns, values);
	if (buf_check(&facts, err) < 0 || buf_check(&sort, err) < 0)
		goto done;
	rc = store_run(view->store, query->table->statement, values, count, read_row, &reader, err) < 0 ? -1 : 0;
done:
	if (patterns.failed)
		rc = buf_check(&patterns, err);
	buf_release(&patterns);
	buf_release(&facts);
	buf_release(&sort);
	return rc;
}
