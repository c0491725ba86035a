/* chart_page.c -- see chart.h: all charts of a time, as a page and as JSON. */
#include <stdio.h>

#include "base/json_writer.h"
#include "page/chart.h"
#include "page/live_table.h"
#include "page/page.h"

#define ID_BYTES 64u

static const struct chart_span spans[] = {
	{ "day", "A day", 600, 144 },
	{ "hour", "An hour", 60, 60 },
	{ "14-days", "14 days", 7200, 168 },
	{ "400-days", "400 days", 172800, 200 },
};
#define SPANS (sizeof(spans) / sizeof(spans[0]))

const struct chart_span *chart_span_find(struct text name)
{
	for (size_t i = 0; i < SPANS; i++)
		if (text_is(name, spans[i].name))
			return &spans[i];
	return &spans[0];
}

static void write_node(struct html_writer *html, const struct history_series *series, unsigned number)
{
	char id[ID_BYTES];

	html_begin(html, "section");
	snprintf(id, sizeof(id), "node-%u", number);
	html_attribute_word(html, "aria-labelledby", id);
	html_begin(html, "h2");
	html_attribute_word(html, "id", id);
	html_text(html, text_of(series->node));
	html_end(html, "h2");
	for (size_t i = 0; i < chart_count; i++) {
		const struct chart_look look = { &charts[i], id };

		snprintf(id, sizeof(id), "%s-%u", charts[i].name, number);
		page_chart(html, series, &look);
	}
	html_end(html, "section");
}

void page_charts(struct html_writer *html, const struct history_list *list)
{
	if (list->count == 0)
		html_element(html, "p", "empty", TEXT("No sample was taken in this time. There is one each minute "
						      "in which a keeper runs; one that is started on "
						      "demand leaves when there is no work."));
	for (unsigned i = 0; i < list->count; i++)
		write_node(html, &list->series[i], i + 1);
	if (list->has_more)
		html_element(html, "p", NULL, TEXT("There are more nodes: the view v_samples has them all."));
}

static void write_spans(struct html_writer *html, const struct chart_span *here)
{
	html_begin(html, "nav");
	html_attribute_word(html, "class", "pages");
	html_attribute_word(html, "aria-label", "Time");
	for (size_t i = 0; i < SPANS; i++) {
		html_begin(html, "a");
		html_value_begin(html, "href");
		html_value_word(html, "charts?span=");
		html_value_word(html, spans[i].name);
		html_value_end(html);
		if (here == &spans[i])
			html_attribute_word(html, "aria-current", "page");
		html_word(html, spans[i].words);
		html_end(html, "a");
	}
	html_begin(html, "a");
	html_value_begin(html, "href");
	html_value_word(html, "charts.json?span=");
	html_value_word(html, here->name);
	html_value_end(html);
	html_word(html, "JSON");
	html_end(html, "a");
	html_end(html, "nav");
}

void page_charts_page(struct html_writer *html, const struct page_look *look, const struct live_view *view,
		      const struct chart_span *span, const struct history_list *list)
{
	page_begin(html, look);
	live_places(html, view, "charts");
	write_spans(html, span);
	html_begin(html, "p");
	html_printf(html, "Steps of %lld min, from samples of each minute. Where a line is broken nobody counted, "
		    "which is not to say that nothing was asked. In SQL: ", (long long)span->step / 60);
	html_element(html, "code", NULL, TEXT("v_samples"));
	html_word(html, ".");
	html_end(html, "p");
	page_charts(html, list);
	page_end(html);
}

static void write_point(struct json_writer *json, const struct history_point *point)
{
	if (point->values[HISTORY_SECONDS] <= 0) {
		json_null(json);
		return;
	}
	json_object(json);
	for (unsigned i = 0; i < HISTORY_FIELDS; i++) {
		json_key(json, history_field_name((enum history_field)i));
		if (i == HISTORY_CACHE_BYTES && point->values[i] == HISTORY_UNKNOWN)
			json_null(json);
		else
			json_i64(json, point->values[i]);
	}
	json_object_end(json);
}

void page_charts_json(struct buf *out, const struct chart_span *span, const struct history_list *list)
{
	struct json_writer json;

	json_writer_init(&json, out);
	json_object(&json);
	json_key(&json, "span");
	json_string(&json, span->name);
	json_key(&json, "nodes");
	json_array(&json);
	for (unsigned i = 0; i < list->count; i++) {
		const struct history_series *series = &list->series[i];

		json_object(&json);
		json_key(&json, "node");
		json_string(&json, series->node);
		json_key(&json, "from");
		json_i64(&json, series->range.from);
		json_key(&json, "step");
		json_i64(&json, series->range.step);
		json_key(&json, "points");
		json_array(&json);
		for (unsigned k = 0; k < series->range.points; k++)
			write_point(&json, &series->points[k]);
		json_array_end(&json);
		json_object_end(&json);
	}
	json_array_end(&json);
	json_object_end(&json);
}
