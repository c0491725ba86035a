/* live_query.c -- what the query string asks of a table: our own words, or values that are bound. */
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/html_writer.h"
#include "base/url.h"
#include "page/live_table.h"

#define PAGE_MAX 1000000u

static const struct live_column *column_named(const struct live_view *view, const struct live_table *table,
					      struct text name, unsigned flag)
{
	for (unsigned i = 0; i < live_column_count(table); i++) {
		const struct live_column *column = &table->columns[i];

		if (text_is(name, column->name) && (column->flags & flag) &&
		    live_column_is_shown(view, column))
			return column;
	}
	return NULL;
}

/* "-asks" is the other way round.  What is no column that sorts changes nothing. */
static void take_sort(struct live_query *query, const struct live_view *view, struct text value)
{
	bool is_descending = text_starts_with(value, "-");
	const struct live_column *column = column_named(view, query->table,
							is_descending ? text_from(value, 1) : value, LIVE_SORTS);

	if (!column)
		return;
	query->sort = column;
	query->is_descending = is_descending;
}

static void take_page(struct live_query *query, struct text value)
{
	uint64_t page;

	if (text_to_u64(value, 10, &page) && page > 0 && page <= PAGE_MAX)
		query->page = page;
}

static int take_filter(struct live_query *query, const struct live_column *column, struct text value,
		       struct err *err)
{
	if (value.size > LIVE_FILTER_BYTES_MAX)
		return err_set(err, ERR_BAD_REQUEST, "%s is to contain %zu bytes (at most %u)", column->name,
			       value.size, LIVE_FILTER_BYTES_MAX);
	query->filters[column - query->table->columns] = value.size > 0 ? value : TEXT_NONE;
	return 0;
}

static int take_pair(struct live_query *query, const struct live_view *view, struct text name,
		     struct text value, struct err *err)
{
	const struct live_column *column = column_named(view, query->table, name, LIVE_FILTERS);

	if (text_is(name, "sort"))
		take_sort(query, view, value);
	else if (text_is(name, "page"))
		take_page(query, value);
	else if (column)
		return take_filter(query, column, value, err);
	return 0;
}

/* As forms write it: "+" is a space. */
static struct text decode(struct live_query *query, size_t *used, struct text coded)
{
	char *out = query->words + *used;
	char plain[LIVE_QUERY_BYTES_MAX];

	for (size_t i = 0; i < coded.size; i++)
		plain[i] = coded.bytes[i];
	for (size_t i = 0; i < coded.size; i++)
		if (plain[i] == '+')
			plain[i] = ' ';
	coded.bytes = plain;
	coded.size = url_unescape(coded, out);
	*used += coded.size;
	return (struct text){ out, coded.size };
}

int live_query_read(struct live_query *query, const struct live_view *view, const struct live_table *table,
		    struct err *err)
{
	struct text rest = view->query;
	size_t used = 0;

	memset(query, 0, sizeof(*query));
	query->table = table;
	query->sort = table->columns;
	query->page = 1;
	take_sort(query, view, text_of(table->sort));
	if (rest.size > LIVE_QUERY_BYTES_MAX)
		return err_set(err, ERR_BAD_REQUEST, "a query string of %zu bytes (at most %u)", rest.size,
			       LIVE_QUERY_BYTES_MAX);
	while (rest.size > 0) {
		struct text pair = text_cut(&rest, '&');
		struct text name = text_cut(&pair, '=');

		name = decode(query, &used, name);
		if (take_pair(query, view, name, decode(query, &used, pair), err) < 0)
			return -1;
	}
	return 0;
}

bool live_query_has_filters(const struct live_query *query)
{
	for (unsigned i = 0; i < LIVE_COLUMNS_MAX; i++)
		if (query->filters[i].bytes)
			return true;
	return false;
}

void live_query_write(struct buf *out, const struct live_query *query, const char *path,
		      const struct live_column *sort, bool is_descending, uint64_t page)
{
	buf_printf(out, "%s?sort=%s%s", path, is_descending ? "-" : "", sort->name);
	for (unsigned i = 0; i < LIVE_COLUMNS_MAX; i++) {
		struct text value = query->filters[i];

		if (!value.bytes)
			continue;
		buf_printf(out, "&%s=", query->table->columns[i].name);
		url_add_escaped(out, value, "");
	}
	if (page > 1)
		buf_printf(out, "&page=%llu", (unsigned long long)page);
}
