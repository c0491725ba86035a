/*
 * live -- the service as it is now, for those who look after it: tables over the database, each as a
 * page, which its query string sorts and filters, and as JSON; and one page above them.
 *
 *  1. One list (live_tables.c) has all tables: a statement of sql/page.sql and its columns.
 *  2. What a query string says chooses among our own words (a column, a page) or is bound as a value;
 *     it never becomes part of a statement.
 *  3. Who has a scope of their own sees what is of that scope, and no ids of jobs.
 *
 * May include: what page.h may, and store.
 */
#ifndef PAGE_LIVE_H
#define PAGE_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

struct board;
struct buf;
struct config;
struct err;
struct html_writer;
struct live_table;
struct page_look;
struct store;

#define LIVE_FILTER_BYTES_MAX 256u   /* of what a column is to contain, decoded */

/* A part of the service that is well, or why it is not: as /readyz says. */
struct live_health {
	const char *what;            /* "database" */
	bool is_fine;
	const char *reason;
};

struct live_view {
	struct store *store;
	const struct board *board;
	const struct config *config;
	struct text own;             /* the scope of who asks; TEXT_NONE: an operator, who sees everything */
	struct text query;           /* of the address, as it came */
	struct text token;           /* for what is done about a row; TEXT_NONE: nothing is */
	int64_t now;                 /* unix seconds */
	const struct live_health *health;    /* for the page above the tables */
	size_t health_count;
	const char *sandbox;         /* what confines cells, in a word */
	uint64_t quota_bytes;        /* CONFIG_UNLIMITED: none */
};

/* NULL: there is no such table, or not for who asks. */
const struct live_table *live_find(const struct live_view *view, struct text name);
struct text live_title(const struct live_table *table);

/* Whole documents.  -1: what store_run() says; ERR_BAD_REQUEST: the query string, or one
 * of its values, is too long. */
int live_table_page(struct html_writer *html, const struct page_look *look, const struct live_view *view,
		    const struct live_table *table, struct err *err) __attribute__((warn_unused_result));
int live_table_json(struct buf *out, const struct live_view *view, const struct live_table *table,
		    struct err *err) __attribute__((warn_unused_result));

/* Is all well, what is under way, how much room is taken; and the tables there are. */
int live_overview_page(struct html_writer *html, const struct page_look *look, const struct live_view *view,
		       struct err *err) __attribute__((warn_unused_result));
int live_overview_json(struct buf *out, const struct live_view *view, struct err *err)
	__attribute__((warn_unused_result));

/* Where to go on after something was done about a row of a page with that query string: appends
 * "failures?..." with what of it is ours. */
void live_back(struct buf *out, const struct live_view *view, const struct live_table *table);

#endif
