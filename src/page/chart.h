/*
 * chart -- what was counted over time as charts: SVG made here, each with its figures as a table.
 *
 * A line is told from another by its dashes, never by colour alone; all is drawn in the colour of
 * text.  What was not watched is a gap in the line and one row in the table.  Nothing needs a script,
 * or a style: the style sheet knows
 *
 *	figure.chart > figcaption  svg.plot > path.grid path.line  p.times > span
 *	ul.legend > li > svg.key  details.figures > div.scroll > table
 *
 * May include: what page.h may, and history.
 */
#ifndef PAGE_CHART_H
#define PAGE_CHART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "history/history.h"

struct buf;
struct html_writer;
struct live_view;
struct page_look;

/* How a line's values come from a point's fields. */
enum chart_measure {
	CHART_PER_MINUTE,            /* the sum of its fields, for each minute that was watched */
	CHART_MOST,                  /* its one field as it is; HISTORY_UNKNOWN is none */
	CHART_QUANTILE,              /* so many of a hundred requests took at most that */
	CHART_REST_OF,               /* percent of its first field that are not of its second */
	CHART_SHARE_OF               /* percent of both its fields that are of the first */
};

#define CHART_FIELDS 3u
#define CHART_LINES 4u

struct chart_line {
	const char *name;
	enum chart_measure measure;
	unsigned percent;            /* CHART_QUANTILE */
	unsigned field_count;
	enum history_field fields[CHART_FIELDS];
};

struct chart {
	const char *name, *title, *unit;     /* "latency", "Latency", "ms" */
	enum chart_scale { CHART_LINEAR, CHART_PERCENT, CHART_DOUBLING } scale;
	double divisor;              /* values are shown divided by it */
	unsigned line_count;
	struct chart_line lines[CHART_LINES];
};

/* All there are. */
extern const struct chart charts[];
extern const size_t chart_count;

/* False: there is none, in a gap or otherwise. */
bool chart_value(const struct chart *chart, const struct chart_line *line,
		 const struct history_point *point, double *value);

#define CHART_NUMBER_BYTES 32u
/* Three figures or so: "0", "0.25", "12.5", "1340". */
void chart_format(double value, char out[CHART_NUMBER_BYTES]);

/* What begins the ids of its elements: different for each chart of a page. */
struct chart_look { const struct chart *chart; const char *id; };

void page_chart(struct html_writer *html, const struct history_series *series, const struct chart_look *look);
/* All charts of each node. */
void page_charts(struct html_writer *html, const struct history_list *list);

/* --- The page of them ------------------------------------------------------------------------------ */

/* How far back: as the query string names it. */
struct chart_span { const char *name, *words; int64_t step; unsigned points; };
/* The one of that name; the first where there is none of it. */
const struct chart_span *chart_span_find(struct text name);

/* A whole document at an address "charts?span=NAME". */
void page_charts_page(struct html_writer *html, const struct page_look *look, const struct live_view *view,
		      const struct chart_span *span, const struct history_list *list);
/* The same as JSON: for each node its name and, for each step, the fields by name; gaps are null. */
void page_charts_json(struct buf *out, const struct chart_span *span, const struct history_list *list);

#endif
