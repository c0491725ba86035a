/* live_page.c -- a table as a page: its filters, its rows, and what may be done about them. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "page/live_table.h"
#include "page/page.h"
#include "store/store.h"

#define LINK_BYTES ((size_t)64 * 1024)       /* each byte of a query string may become three */

struct live_page {
	struct html_writer *html;
	const struct live_view *view;
	const struct live_table *table;
	const struct live_query *query;
};

/* As the value of an attribute: a link of ours with other words for the order and the page. */
static void write_address(const struct live_page *page, const char *attribute, const char *path,
			  const struct live_column *sort, bool is_descending, uint64_t number)
{
	struct buf link;

	buf_init(&link, LINK_BYTES);
	live_query_write(&link, page->query, path, sort, is_descending, number);
	html_attribute(page->html, attribute, buf_text(&link));
	if (link.failed)
		page->html->out->failed = true;
	buf_release(&link);
}

static void write_link(const struct live_page *page, const char *words, const char *suffix, uint64_t number)
{
	char path[64];

	snprintf(path, sizeof(path), "%s%s", page->table->name, suffix);
	html_begin(page->html, "a");
	write_address(page, "href", path, page->query->sort, page->query->is_descending, number);
	html_word(page->html, words);
	html_end(page->html, "a");
}


/* --- Filters -------------------------------------------------------------------------------------- */

static void write_filter(const struct live_page *page, unsigned at)
{
	const struct live_column *column = &page->table->columns[at];
	struct html_writer *html = page->html;

	html_begin(html, "p");
	html_begin(html, "label");
	html_attribute_word(html, "for", column->name);
	html_word(html, column->heading);
	html_word(html, " contains");
	html_end(html, "label");
	html_void(html, "input");
	html_attribute_word(html, "type", "search");
	html_attribute_word(html, "id", column->name);
	html_attribute_word(html, "name", column->name);
	html_attribute(html, "value", page->query->filters[at]);
	html_end(html, "p");
}

static void write_filters(const struct live_page *page)
{
	struct html_writer *html = page->html;
	char sort[64];

	snprintf(sort, sizeof(sort), "%s%s", page->query->is_descending ? "-" : "", page->query->sort->name);
	html_begin(html, "form");
	html_attribute_word(html, "class", "filters");
	html_attribute_word(html, "method", "get");
	html_attribute_word(html, "action", page->table->name);
	page_hidden_field(html, "sort", text_of(sort));
	for (unsigned i = 0; i < live_column_count(page->table); i++)
		if (page->table->columns[i].flags & LIVE_FILTERS)
			write_filter(page, i);
	html_begin(html, "p");
	html_element(html, "button", NULL, TEXT("Filter"));
	if (live_query_has_filters(page->query)) {
		html_begin(html, "a");
		html_attribute_word(html, "href", page->table->name);
		html_word(html, "Show all");
		html_end(html, "a");
	}
	html_end(html, "p");
	html_end(html, "form");
}

/* --- Rows ------------------------------------------------------------------------------------------ */

static bool has_forms(const struct live_page *page)
{
	return page->table->is_tried_again && page->view->token.bytes;
}

/* Numbers and times are looked at from their large end first. */
static bool begins_descending(const struct live_column *column)
{
	return column->type >= LIVE_NUMBER;
}

static void write_heading(const struct live_page *page, const struct live_column *column)
{
	bool is_sort = column == page->query->sort;
	struct html_writer *html = page->html;

	html_begin(html, "th");
	html_attribute_word(html, "scope", "col");
	if (is_sort)
		html_attribute_word(html, "aria-sort", page->query->is_descending ? "descending" : "ascending");
	if (column->flags & LIVE_SORTS) {
		html_begin(html, "a");
		write_address(page, "href", page->table->name, column,
			      is_sort ? !page->query->is_descending : begins_descending(column), 1);
		html_word(html, column->heading);
		html_end(html, "a");
	} else {
		html_word(html, column->heading);
	}
	html_end(html, "th");
}

/* Behind the first column: nobody has to scroll to what is done about a row. */
static void write_headings(const struct live_page *page)
{
	struct html_writer *html = page->html;
	bool is_first = true;

	html_begin(html, "thead");
	html_begin(html, "tr");
	for (unsigned i = 0; i < live_column_count(page->table); i++) {
		if (!live_column_is_shown(page->view, &page->table->columns[i]))
			continue;
		write_heading(page, &page->table->columns[i]);
		if (is_first && has_forms(page)) {
			html_begin(html, "th");
			html_attribute_word(html, "scope", "col");
			html_word(html, "Do");
			html_end(html, "th");
		}
		is_first = false;
	}
	html_end(html, "tr");
	html_end(html, "thead");
}

static void write_button(struct html_writer *html, const char *action, const char *words, struct text name)
{
	html_begin(html, "button");
	html_attribute_word(html, "name", "do");
	html_attribute_word(html, "value", action);
	html_word(html, words);
	html_begin(html, "span");
	html_attribute_word(html, "class", "unseen");
	html_word(html, " ");
	live_text(html, name);
	html_end(html, "span");
	html_end(html, "button");
}

/* Of a row, for those who only hear it: its first text. */
static struct text name_of(const struct live_page *page, const struct store_value *columns)
{
	for (unsigned i = 0; i < live_column_count(page->table); i++)
		if (columns[i].type == STORE_TEXT && columns[i].text.size > 0)
			return columns[i].text;
	return TEXT_NONE;
}

static int64_t entry_of(const struct live_page *page, const struct store_value *columns)
{
	for (unsigned i = 0; i < live_column_count(page->table); i++)
		if (page->table->columns[i].type == LIVE_ENTRY)
			return columns[i].number;
	return 0;
}

/* One form for each row: which entry, what to do, and where to go on after it. */
static void write_forms(const struct live_page *page, const struct store_value *columns)
{
	struct text name = name_of(page, columns);
	struct html_writer *html = page->html;
	char number[32];

	snprintf(number, sizeof(number), "%lld", (long long)entry_of(page, columns));
	html_begin(html, "td");
	html_begin(html, "form");
	html_attribute_word(html, "method", "post");
	html_attribute_word(html, "enctype", "multipart/form-data");
	html_attribute_word(html, "action", page->table->name);
	page_hidden_field(html, "token", page->view->token);
	page_hidden_field(html, "id", text_of(number));
	page_hidden_field(html, "query", page->view->query);
	write_button(html, "retry", "Retry", name);
	write_button(html, "drop", "Drop", name);
	html_end(html, "form");
	html_end(html, "td");
}

static bool is_number(const struct live_column *column)
{
	return column->type >= LIVE_NUMBER && column->type < LIVE_TIME;
}

static void write_row(void *payload, const struct store_value *columns)
{
	const struct live_page *page = payload;
	struct html_writer *html = page->html;
	bool is_first = true;

	html_begin(html, "tr");
	for (unsigned i = 0; i < live_column_count(page->table); i++) {
		const struct live_column *column = &page->table->columns[i];
		const char *element = is_first ? "th" : "td";

		if (!live_column_is_shown(page->view, column))
			continue;
		html_begin(html, element);
		if (is_first)
			html_attribute_word(html, "scope", "row");
		if (is_number(column))
			html_attribute_word(html, "class", "number");
		live_cell(html, column, &columns[i], page->view->now);
		html_end(html, element);
		if (is_first && has_forms(page))
			write_forms(page, columns);
		is_first = false;
	}
	html_end(html, "tr");
}

static void write_caption(const struct live_page *page)
{
	struct html_writer *html = page->html;

	html_begin(html, "caption");
	html_word(html, page->table->title);
	html_word(html, ", by ");
	html_word(html, page->query->sort->heading);
	if (page->query->is_descending)
		html_word(html, ", descending");
	html_end(html, "caption");
}

/* Wider than a small screen: it scrolls by itself, by keyboard too. */
static int write_table(const struct live_page *page, struct live_found *found, struct err *err)
{
	struct html_writer *html = page->html;
	int rc;

	html_begin(html, "div");
	html_attribute_word(html, "class", "wide");
	html_attribute_word(html, "role", "region");
	html_attribute_word(html, "aria-label", page->table->title);
	html_attribute_word(html, "tabindex", "0");
	html_begin(html, "table");
	write_caption(page);
	write_headings(page);
	html_begin(html, "tbody");
	rc = live_rows(page->view, page->query, write_row, (void *)page, found, err);
	html_end(html, "tbody");
	html_end(html, "table");
	html_end(html, "div");
	return rc;
}

/* --- Around them -------------------------------------------------------------------------------------- */

static void write_empty(const struct live_page *page)
{
	struct html_writer *html = page->html;

	html_begin(html, "p");
	html_attribute_word(html, "class", "empty");
	if (page->query->page > 1) {
		html_word(html, "There are no rows on this page. ");
		write_link(page, "Go to the first", "", 1);
	} else if (live_query_has_filters(page->query)) {
		html_word(html, "Nothing passes these filters.");
	} else {
		html_word(html, page->table->empty);
	}
	html_end(html, "p");
}

static void write_pages(const struct live_page *page, const struct live_found *found)
{
	uint64_t first = (page->query->page - 1) * LIVE_PAGE_ROWS;
	struct html_writer *html = page->html;

	html_begin(html, "nav");
	html_attribute_word(html, "class", "pages");
	html_attribute_word(html, "aria-label", "Pages of this table");
	html_printf(html, "%llu to %llu of %llu ", (unsigned long long)first + 1,
		    (unsigned long long)(first + found->rows), (unsigned long long)found->total);
	if (page->query->page > 1)
		write_link(page, "Previous page", "", page->query->page - 1);
	html_word(html, " ");
	if (first + found->rows < found->total)
		write_link(page, "Next page", "", page->query->page + 1);
	html_end(html, "nav");
}

static void write_elsewhere(const struct live_page *page)
{
	struct html_writer *html = page->html;

	html_begin(html, "p");
	html_attribute_word(html, "class", "elsewhere");
	write_link(page, "Refresh", "", page->query->page);
	html_word(html, " ");
	write_link(page, "The same as JSON", ".json", page->query->page);
	if (!page->view->own.bytes && page->table->view) {
		html_word(html, " In a shell: ");
		html_begin(html, "code");
		html_word(html, "sqlite3 -box STATE_DIR/symgate.db 'SELECT * FROM ");
		html_word(html, page->table->view);
		html_word(html, "'");
		html_end(html, "code");
	} else if (!page->view->own.bytes) {
		html_word(html, " Counted for /metrics too.");
	}
	html_end(html, "p");
}

int live_table_page(struct html_writer *html, const struct page_look *look, const struct live_view *view,
		    const struct live_table *table, struct err *err)
{
	struct live_query query;
	const struct live_page page = { html, view, table, &query };
	struct live_found found = { 0 };
	int rc;

	if (live_query_read(&query, view, table, err) < 0)
		return -1;
	page_begin(html, look);
	live_places(html, view, table->name);
	html_element(html, "p", "about", text_of(table->about));
	write_filters(&page);
	html_begin(html, "section");
	html_attribute_word(html, "id", "live");
	html_attribute_word(html, "data-refresh", "2");
	html_attribute_word(html, "aria-label", "As of now");
	rc = write_table(&page, &found, err);
	if (rc == 0 && found.rows == 0)
		write_empty(&page);
	else if (rc == 0)
		write_pages(&page, &found);
	html_end(html, "section");
	write_elsewhere(&page);
	page_end(html);
	return rc < 0 ? -1 : buf_check(html->out, err);
}

void live_back(struct buf *out, const struct live_view *view, const struct live_table *table)
{
	struct err err = ERR_INIT;
	struct live_query query;

	if (live_query_read(&query, view, table, &err) < 0)
		buf_add_string(out, table->name);
	else
		live_query_write(out, &query, table->name, query.sort, query.is_descending, query.page);
}
