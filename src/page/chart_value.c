/* chart_value.c -- which charts there are, and the numbers in them. */
#include <stdio.h>
#include <string.h>

#include "page/chart.h"

#define MEBIBYTE 1048576.0

#define RATE(name, ...) { name, CHART_PER_MINUTE, 0, \
	sizeof((enum history_field[]){ __VA_ARGS__ }) / sizeof(enum history_field), { __VA_ARGS__ } }
#define MOST(name, field) { name, CHART_MOST, 0, 1, { field } }
#define QUANTILE(name, percent) { name, CHART_QUANTILE, percent, 0, { 0 } }

const struct chart charts[] = {
	{ "requests", "Requests", "a minute", CHART_LINEAR, 1, 2, {
		RATE("all", HISTORY_REQUESTS), RATE("failed", HISTORY_FAILED) } },
	{ "hot", "Answered at once, of those that may need a job", "%", CHART_PERCENT, 1, 1, {
		{ "hot", CHART_REST_OF, 0, 2, { HISTORY_ASKED, HISTORY_COLD } } } },
	{ "latency", "Time to answer", "ms at most", CHART_DOUBLING, 1, 3, {
		QUANTILE("half of them", 50), QUANTILE("95 %", 95), QUANTILE("99 %", 99) } },
	{ "jobs", "Jobs that ended", "a minute", CHART_LINEAR, 1, 3, {
		RATE("completed", HISTORY_JOBS_COMPLETED),
		RATE("failed", HISTORY_JOBS_FAILED, HISTORY_JOBS_INTERNAL),
		RATE("too late", HISTORY_JOBS_TIMEOUT) } },
	{ "live", "Jobs queued and running", "at most", CHART_LINEAR, 1, 1, {
		MOST("jobs", HISTORY_JOBS_LIVE) } },
	{ "hits", "Look-ups found in the caches", "%", CHART_PERCENT, 1, 1, {
		{ "hits", CHART_SHARE_OF, 0, 2, { HISTORY_HITS, HISTORY_MISSES } } } },
	{ "downloads", "Downloads", "a minute", CHART_LINEAR, 1, 3, {
		RATE("complete", HISTORY_DOWNLOADS_OK), RATE("not there", HISTORY_DOWNLOADS_ABSENT),
		RATE("failed", HISTORY_DOWNLOADS_FAILED) } },
	{ "bytes", "Bytes", "MiB a minute", CHART_LINEAR, MEBIBYTE, 2, {
		RATE("downloaded", HISTORY_DOWNLOAD_BYTES), RATE("written to the cache", HISTORY_WRITTEN_BYTES) } },
	{ "cells", "Cells that ended", "a minute", CHART_LINEAR, 1, 4, {
		RATE("done", HISTORY_CELLS_DONE), RATE("failed by their file", HISTORY_CELLS_FAILED),
		RATE("crashed", HISTORY_CELLS_CRASHED),
		RATE("ended by a limit or us", HISTORY_CELLS_LIMIT, HISTORY_CELLS_KILLED) } },
	{ "cache", "Cache", "MiB at most", CHART_LINEAR, MEBIBYTE, 1, {
		MOST("held", HISTORY_CACHE_BYTES) } },
};
const size_t chart_count = sizeof(charts) / sizeof(charts[0]);

static double sum_of(const struct chart_line *line, const struct history_point *point)
{
	int64_t sum = 0;

	for (unsigned i = 0; i < line->field_count; i++)
		sum += point->values[line->fields[i]];
	return (double)sum;
}

static bool share(double part, double whole, double *value)
{
	if (whole <= 0)
		return false;
	*value = part > 0 ? 100 * part / whole : 0;
	return true;
}

bool chart_value(const struct chart *chart, const struct chart_line *line,
		 const struct history_point *point, double *value)
{
	int64_t seconds = point->values[HISTORY_SECONDS], millis;
	double first = (double)point->values[line->fields[0]];

	if (seconds <= 0)
		return false;
	switch (line->measure) {
	case CHART_PER_MINUTE:
		*value = sum_of(line, point) * 60 / (double)seconds / chart->divisor;
		return true;
	case CHART_MOST:
		*value = first / chart->divisor;
		return first >= 0;
	case CHART_QUANTILE:
		millis = history_quantile(point, line->percent);
		*value = (double)millis;
		return millis >= 0;
	case CHART_REST_OF:
		return share(first - (double)point->values[line->fields[1]], first, value);
	case CHART_SHARE_OF:
		return share(first, first + (double)point->values[line->fields[1]], value);
	}
	return false;
}

void chart_format(double value, char out[CHART_NUMBER_BYTES])
{
	size_t size;

	snprintf(out, CHART_NUMBER_BYTES, "%.*f", value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2, value);
	if (!strchr(out, '.'))
		return;
	size = strlen(out);
	while (out[size - 1] == '0')
		out[--size] = '\0';
	if (out[size - 1] == '.')
		out[--size] = '\0';
}
