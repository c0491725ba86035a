/* test_chart -- charts: what is drawn, what is a gap, and the same figures as a table. */
#include "page/chart.h"

#include <string.h>

#include "base/buf.h"
#include "base/html_writer.h"
#include "page/live.h"
#include "page/page.h"
#include "support/support.h"

#define POINTS 10u
#define START ((int64_t)1800000000)

struct scene {
	struct history_point points[POINTS];
	struct history_series series;
	struct history_list list;
	struct html_writer html;
	struct buf out;
};

static void scene_begin(struct scene *scene)
{
	memset(scene, 0, sizeof(*scene));
	scene->series = (struct history_series){ "one", { START, 600, POINTS }, scene->points };
	scene->list = (struct history_list){ &scene->series, 1, false };
	buf_init(&scene->out, (size_t)16 << 20);
	html_writer_init(&scene->html, &scene->out);
}

static const struct chart *chart_named(const char *name)
{
	for (size_t i = 0; i < chart_count; i++)
		if (strcmp(charts[i].name, name) == 0)
			return &charts[i];
	ck_abort_msg("no chart %s", name);
	return NULL;
}

static const char *draw(struct scene *scene, const char *name)
{
	const struct chart_look look = { chart_named(name), "x" };

	buf_clear(&scene->out);
	page_chart(&scene->html, &scene->series, &look);
	ck_assert(!scene->out.failed);
	ck_assert_uint_eq(scene->html.depth, 0);
	return buf_string(&scene->out);
}

static unsigned count(const char *text, const char *part)
{
	unsigned found = 0;

	for (const char *at = strstr(text, part); at; at = strstr(at + 1, part))
		found++;
	return found;
}

static void watch(struct scene *scene, unsigned point, int64_t requests)
{
	scene->points[point].values[HISTORY_SECONDS] = 600;
	scene->points[point].values[HISTORY_REQUESTS] = requests;
}

/* Points 0 to 3, 5, and 8 to 9. */
START_TEST(gaps_are_not_drawn)
{
	struct scene scene;
	const char *html;

	scene_begin(&scene);
	for (unsigned i = 0; i < POINTS; i++)
		if (i < 4 || i == 5 || i > 7)
			watch(&scene, i, 10 * i);
	html = draw(&scene, "requests");
	ck_assert_ptr_nonnull(strstr(html, " d=\"M0 180h1L111 162L222 144L333 126M555 90h1M888 36h1L1000 18\""));
	ck_assert_uint_eq(count(html, "h1"), 3 * 2);
	ck_assert_ptr_nonnull(strstr(html, "No sample in 3 of 10 steps: nobody counted then."));
	ck_assert_ptr_nonnull(strstr(html, "all: from 0 to 9, last 9. failed: from 0 to 0, last 0. "));
	ck_assert_ptr_nonnull(strstr(html, "0 to 10 a minute"));
	/* The table has them all, and a row for each gap. */
	ck_assert_uint_eq(count(html, "<th scope=\"row\">"), 7 + 2);
	ck_assert_ptr_nonnull(strstr(html, "<td colspan=\"2\">no sample in 2 steps</td>"));
	ck_assert_ptr_nonnull(strstr(html, "<td colspan=\"2\">no sample</td>"));
	ck_assert_ptr_nonnull(strstr(html, "<th scope=\"row\">2027-01-15 08:50</th><td class=\"number\">5</td>"
				     "<td class=\"number\">0</td>"));
	buf_release(&scene.out);
}
END_TEST

START_TEST(lines_are_told_apart_without_colour)
{
	struct scene scene;
	const char *html;

	scene_begin(&scene);
	watch(&scene, 2, 5);
	html = draw(&scene, "cells");
	ck_assert_uint_eq(count(html, "stroke=\"currentColor\""), 1 + 4 + 4);
	ck_assert_uint_eq(count(html, "stroke-dasharray=\"7 4\""), 2);
	ck_assert_uint_eq(count(html, "stroke-dasharray=\"2 4\""), 2);
	ck_assert_uint_eq(count(html, "stroke-dasharray=\"12 3 2 3\""), 2);
	ck_assert_ptr_null(strstr(html, "style="));
	ck_assert_ptr_null(strstr(html, "<script"));
	ck_assert_ptr_null(strstr(html, "fill=\"#"));
	ck_assert_uint_eq(count(html, "role=\"img\" aria-labelledby=\"x-title x-desc\""), 1);
	ck_assert_uint_eq(count(html, " id=\"x-title\""), 1);
	ck_assert_uint_eq(count(html, " id=\"x-desc\""), 1);
	buf_release(&scene.out);
}
END_TEST

START_TEST(nothing_at_all_can_be_drawn)
{
	struct scene scene;
	const char *html;

	scene_begin(&scene);
	for (size_t i = 0; i < chart_count; i++) {
		html = draw(&scene, charts[i].name);
		ck_assert_ptr_null(strstr(html, " d=\"M0 180h1"));
		ck_assert_ptr_nonnull(strstr(html, "no sample in 10 steps"));
		ck_assert_ptr_nonnull(strstr(html, ": none. "));
	}
	scene.series.range.points = 1;
	watch(&scene, 0, INT64_MAX / 600);
	for (size_t i = 0; i < chart_count; i++)
		draw(&scene, charts[i].name);
	buf_release(&scene.out);
}
END_TEST

/* Charts by name, what stands in the fields, and the value of the first line; -1: none. */
static const struct {
	const char *what, *chart;
	struct { enum history_field field; int64_t value; } fields[3];
	double value;
} values[] = {
	{ "a rate",               "requests", { { HISTORY_SECONDS, 30 }, { HISTORY_REQUESTS, 10 } }, 20 },
	{ "all were hot",         "hot", { { HISTORY_SECONDS, 60 }, { HISTORY_ASKED, 10 } }, 100 },
	{ "half were hot",        "hot", { { HISTORY_SECONDS, 60 }, { HISTORY_ASKED, 10 }, { HISTORY_COLD, 5 } }, 50 },
	{ "more cold than asked", "hot", { { HISTORY_SECONDS, 60 }, { HISTORY_ASKED, 1 }, { HISTORY_COLD, 5 } }, 0 },
	{ "nobody asked",         "hot", { { HISTORY_SECONDS, 60 } }, -1 },
	{ "a quarter hit",        "hits", { { HISTORY_SECONDS, 60 }, { HISTORY_HITS, 1 }, { HISTORY_MISSES, 3 } }, 25 },
	{ "none was timed",       "latency", { { HISTORY_SECONDS, 60 } }, -1 },
	{ "two were slow",        "latency", { { HISTORY_SECONDS, 60 }, { HISTORY_TIMED, 2 } }, 131072 },
	{ "a gap",                "requests", { { HISTORY_REQUESTS, 10 } }, -1 },
	{ "a cache nobody added up", "cache", { { HISTORY_SECONDS, 60 }, { HISTORY_CACHE_BYTES, -1 } }, -1 },
	{ "an empty cache",       "cache", { { HISTORY_SECONDS, 60 } }, 0 },
	{ "a megabyte a minute",  "bytes", { { HISTORY_SECONDS, 120 }, { HISTORY_DOWNLOAD_BYTES, 2 << 20 } }, 1 },
};

START_TEST(values_come_from_fields)
{
	const struct chart *chart = chart_named(values[_i].chart);
	struct history_point point = { { 0 } };
	double value = -1;

	for (int i = 0; i < 3; i++)
		point.values[values[_i].fields[i].field] += values[_i].fields[i].value;
	ck_assert_msg(chart_value(chart, &chart->lines[0], &point, &value) == (values[_i].value >= 0), "%s",
		      values[_i].what);
	if (values[_i].value >= 0)
		ck_assert_msg(value > values[_i].value - 1e-9 && value < values[_i].value + 1e-9, "%s: %f",
			      values[_i].what, value);
}
END_TEST

static const struct { double value; const char *text; } numbers[] = {
	{ 0, "0" }, { 0.001, "0" }, { 0.25, "0.25" }, { 0.5, "0.5" }, { 1, "1" }, { 9.994, "9.99" }, { 9.996, "10" },
	{ 12.34, "12.3" }, { 99.96, "100" }, { 100, "100" }, { 1340.4, "1340" }, { 9e18, "9000000000000000000" },
};

START_TEST(numbers_are_short)
{
	char text[CHART_NUMBER_BYTES];

	chart_format(numbers[_i].value, text);
	ck_assert_str_eq(text, numbers[_i].text);
}
END_TEST

START_TEST(a_machine_may_be_called_anything)
{
	struct page_look look = { .root = "../../", .title = TEXT("Charts") };
	const struct live_view view = { .own = TEXT_NONE };
	struct scene scene;
	const char *html;

	scene_begin(&scene);
	scene.series.node = "<script>alert(1)</script>\" onload='x' \xe2\x80\xae";
	watch(&scene, 1, 1);
	page_charts_page(&scene.html, &look, &view, chart_span_find(TEXT("hour")), &scene.list);
	html = buf_string(&scene.out);
	ck_assert(!scene.out.failed);
	ck_assert_ptr_nonnull(strstr(html, "&lt;script&gt;alert(1)&lt;/script&gt;&quot; onload=&#39;x&#39; [U+202E]"));
	ck_assert_ptr_null(strstr(html, "<script>"));
	ck_assert_uint_eq(count(html, "<figure"), (unsigned)chart_count);
	ck_assert_ptr_nonnull(strstr(html, "<a href=\"charts?span=hour\" aria-current=\"page\">An hour</a>"));
	buf_clear(&scene.out);
	scene.list.count = 0;
	scene.list.has_more = true;
	page_charts_page(&scene.html, &look, &view, chart_span_find(TEXT("no such")), &scene.list);
	ck_assert_ptr_nonnull(strstr(buf_string(&scene.out), "No sample was taken in this time"));
	ck_assert_ptr_nonnull(strstr(buf_string(&scene.out), "There are more nodes"));
	ck_assert_ptr_nonnull(strstr(buf_string(&scene.out), "aria-current=\"page\">A day</a>"));
	buf_release(&scene.out);
}
END_TEST

START_TEST(the_same_is_told_as_json)
{
	struct scene scene;
	const char *json;

	scene_begin(&scene);
	scene.series.node = "a \"node\"";
	watch(&scene, 1, 7);
	scene.points[1].values[HISTORY_CACHE_BYTES] = HISTORY_UNKNOWN;
	page_charts_json(&scene.out, chart_span_find(TEXT("day")), &scene.list);
	json = buf_string(&scene.out);
	ck_assert_ptr_nonnull(strstr(json, "{\"span\":\"day\",\"nodes\":[{\"node\":\"a \\\"node\\\"\",\"from\":"
				     "1800000000,\"step\":600,\"points\":[null,{\"seconds\":600,\"requests\":7,"));
	ck_assert_ptr_nonnull(strstr(json, "\"cache_bytes\":null,\"timed\":0,"));
	ck_assert_uint_eq(count(json, "null"), POINTS);
	buf_release(&scene.out);
}
END_TEST

#define LOOP(test, table) \
	tcase_add_loop_test(tcase, test, 0, (int)(sizeof(table) / sizeof((table)[0])))

int main(void)
{
	Suite *suite = suite_create("chart");
	TCase *tcase = tcase_create("chart");

	tcase_add_test(tcase, gaps_are_not_drawn);
	tcase_add_test(tcase, lines_are_told_apart_without_colour);
	tcase_add_test(tcase, nothing_at_all_can_be_drawn);
	LOOP(values_come_from_fields, values);
	LOOP(numbers_are_short, numbers);
	tcase_add_test(tcase, a_machine_may_be_called_anything);
	tcase_add_test(tcase, the_same_is_told_as_json);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
