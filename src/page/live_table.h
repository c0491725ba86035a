/* live_table.h -- what a table of live.h is made of; private to the page and its tests. */
#ifndef PAGE_LIVE_TABLE_H
#define PAGE_LIVE_TABLE_H

#include "page/live.h"

struct store_value;

#define LIVE_COLUMNS_MAX 16u
#define LIVE_FILTERS_MAX 5u
#define LIVE_QUERY_BYTES_MAX 4096u   /* all filters with every byte escaped are shorter */
#define LIVE_PAGE_ROWS 100u

enum live_type {
	LIVE_TEXT,                   /* of whoever it is */
	LIVE_CODE,                   /* the same, as an id or an address is written */
	LIVE_MODULE, LIVE_SOURCE,    /* a name: leads to the failures that have it */
	LIVE_JOB,                    /* an id: leads to what came of it */
	LIVE_ENTRY,                  /* a number of `symgate cache show` */
	LIVE_NUMBER,
	LIVE_BYTES, LIVE_SECONDS, LIVE_MILLIS, LIVE_PERMILLE,
	LIVE_TIME,                   /* unix seconds */
};

enum { LIVE_SORTS = 1, LIVE_FILTERS = 2, LIVE_BOTH = 3, LIVE_OPERATORS = 4 };   /* a column's flags */

struct live_column {
	const char *name;            /* in SQL, in JSON and in the query string */
	const char *heading;
	enum live_type type;
	unsigned flags;
};

/* JSON of what stands in no table, for a statement that begins with :facts. */
typedef void live_facts_fn(const struct live_view *view, struct buf *out);

struct live_table {
	const char *name;            /* its address below /ui/op/ */
	const char *title;
	const char *about;           /* a sentence or two */
	const char *empty;           /* what it means when there is nothing to show */
	const char *view;            /* where people with a shell find the same; NULL: in /metrics */
	unsigned statement;
	const char *sort;            /* unless the query string says otherwise: "-asks" */
	struct live_column columns[LIVE_COLUMNS_MAX];   /* as the statement has them, up to `total` */
	bool is_for_operators;       /* it has no scopes */
	bool is_tried_again;         /* its rows are failures: forms ask again, and drop */
	live_facts_fn *facts;        /* NULL: :facts is no parameter */
};

/* All of them, in the order they are shown. */
extern const struct live_table live_tables[];
extern const size_t live_table_count;

unsigned live_column_count(const struct live_table *table);
/* Does who asks see it? */
bool live_column_is_shown(const struct live_view *view, const struct live_column *column);

/* --- live_query.c: what the query string asks of a table ------------------------------------------ */

struct live_query {
	const struct live_table *table;
	const struct live_column *sort;      /* never NULL */
	bool is_descending;
	uint64_t page;                       /* from 1 */
	struct text filters[LIVE_COLUMNS_MAX];       /* by column; TEXT_NONE: lets all pass */
	char words[LIVE_QUERY_BYTES_MAX];            /* the decoded ones */
};

int  live_query_read(struct live_query *query, const struct live_view *view, const struct live_table *table,
		     struct err *err) __attribute__((warn_unused_result));
bool live_query_has_filters(const struct live_query *query);
/* "failures?sort=-asks&module=foo&page=2", with other words for the first and the last: as what is left
 * when the value of an attribute or a header is written. */
void live_query_write(struct buf *out, const struct live_query *query, const char *path,
		      const struct live_column *sort, bool is_descending, uint64_t page);

/* --- live_rows.c: the rows it asks for ----------------------------------------------------------- */

/* Columns in the order of the table's. */
typedef void live_row_fn(void *payload, const struct store_value *columns);

struct live_found {
	uint64_t total;              /* passed the filters; 0 too when the page asked for is behind the last */
	uint64_t rows;               /* of this page */
};
int live_rows(const struct live_view *view, const struct live_query *query, live_row_fn *row, void *payload,
	      struct live_found *found, struct err *err) __attribute__((warn_unused_result));

/* --- live_cell.c: one value --------------------------------------------------------------------------- */

void live_cell(struct html_writer *html, const struct live_column *column, const struct store_value *value,
	       int64_t now);
/* A name of somebody else's, as far as anybody reads. */
void live_text(struct html_writer *html, struct text text);
/* "1.5 MB" with the exact number beside it. */
void live_bytes(struct html_writer *html, uint64_t bytes);
/* "3 m ago" with the time itself. */
void live_time(struct html_writer *html, int64_t at, int64_t now);
/* "1m 30s" with the exact number beside it. */
void live_duration(struct html_writer *html, int64_t millis);

/* --- live_space.c: how much room is taken ------------------------------------------------------------- */

struct live_space { uint64_t entries, bytes; };
int live_space_read(struct live_space *space, const struct live_view *view, struct err *err)
	__attribute__((warn_unused_result));

/* --- live_frame.c: what stands around each page -------------------------------------------------------- */

/* Links to all pages there are; `here` is the name of this one, "" of the first. */
void live_places(struct html_writer *html, const struct live_view *view, const char *here);

#endif
