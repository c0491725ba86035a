/* chart.c -- see chart.h: one chart, drawn and as a table. */
#include "page/chart.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/html_writer.h"

#define PLOT_WIDTH 1000u
#define PLOT_HEIGHT 180u
#define PLOT_EDGE 3u                 /* around it: half a stroke is not cut off */
#define UTC_BYTES 17u                /* "2026-01-02 03:04" */

/* Of one line: what is said of it in words. */
struct summary { bool has_any; double least, most, last; };

struct drawing {
	struct html_writer *html;
	const struct history_series *series;
	const struct chart *chart;
	const char *id;
	struct summary summaries[CHART_LINES];
	double top;                          /* the value at the upper edge */
	unsigned gaps;                       /* steps without a sample */
};

static bool value_at(const struct drawing *drawing, unsigned line, unsigned point, double *value)
{
	return chart_value(drawing->chart, &drawing->chart->lines[line], &drawing->series->points[point],
			   value);
}

static bool is_gap(const struct drawing *drawing, unsigned point)
{
	return drawing->series->points[point].values[HISTORY_SECONDS] <= 0;
}

/* --- Looking over it ------------------------------------------------------------------------------- */

static void sum_up(struct drawing *drawing, unsigned line)
{
	struct summary *summary = &drawing->summaries[line];
	double value;

	for (unsigned i = 0; i < drawing->series->range.points; i++) {
		if (!value_at(drawing, line, i, &value))
			continue;
		if (!summary->has_any || value < summary->least)
			summary->least = value;
		if (!summary->has_any || value > summary->most)
			summary->most = value;
		summary->last = value;
		summary->has_any = true;
	}
}

/* 1, 2, 5, 10, ...: the first that is enough; or of powers of two. */
static double round_up(double most, enum chart_scale scale)
{
	static const double steps[] = { 2, 2.5, 2 };
	double top = 1;

	if (scale == CHART_PERCENT)
		return 100;
	for (unsigned i = 0; top < most; i++)
		top *= scale == CHART_DOUBLING ? 2 : steps[i % 3];
	return top;
}

static void look_over(struct drawing *drawing)
{
	double most = 0;

	for (unsigned i = 0; i < drawing->chart->line_count; i++) {
		sum_up(drawing, i);
		if (drawing->summaries[i].has_any && drawing->summaries[i].most > most)
			most = drawing->summaries[i].most;
	}
	drawing->top = round_up(most, drawing->chart->scale);
	for (unsigned i = 0; i < drawing->series->range.points; i++)
		drawing->gaps += is_gap(drawing, i);
}

/* --- Words ----------------------------------------------------------------------------------------- */

static void write_number(struct html_writer *html, double value)
{
	char number[CHART_NUMBER_BYTES];

	chart_format(value, number);
	html_word(html, number);
}

static void format_time(int64_t at, char out[UTC_BYTES])
{
	char utc[CLOCK_TEXT_BYTES];

	clock_format_utc(at, utc);
	utc[10] = ' ';
	snprintf(out, UTC_BYTES, "%.16s", utc);
}

static int64_t time_of(const struct drawing *drawing, unsigned point)
{
	return drawing->series->range.from + (int64_t)point * drawing->series->range.step;
}

static void write_id(const struct drawing *drawing, const char *attribute, const char *part)
{
	html_value_begin(drawing->html, attribute);
	html_value_word(drawing->html, drawing->id);
	html_value_word(drawing->html, part);
	html_value_end(drawing->html);
}

static void describe_line(const struct drawing *drawing, unsigned line)
{
	const struct summary *summary = &drawing->summaries[line];
	struct html_writer *html = drawing->html;

	html_word(html, drawing->chart->lines[line].name);
	if (!summary->has_any) {
		html_word(html, ": none. ");
		return;
	}
	html_word(html, ": from ");
	write_number(html, summary->least);
	html_word(html, " to ");
	write_number(html, summary->most);
	html_word(html, ", last ");
	write_number(html, summary->last);
	html_word(html, ". ");
}

/* Whoever does not see it is told the same in short; the table has all of it. */
static void describe(const struct drawing *drawing)
{
	struct html_writer *html = drawing->html;

	html_begin(html, "title");
	write_id(drawing, "id", "-title");
	html_word(html, drawing->chart->title);
	html_word(html, ", ");
	html_word(html, drawing->chart->unit);
	html_end(html, "title");
	html_begin(html, "desc");
	write_id(drawing, "id", "-desc");
	for (unsigned i = 0; i < drawing->chart->line_count; i++)
		describe_line(drawing, i);
	if (drawing->gaps > 0)
		html_printf(html, "No sample in %u of %u steps: nobody counted then.",
			    drawing->gaps, drawing->series->range.points);
	html_end(html, "desc");
}

/* --- The plot --------------------------------------------------------------------------------------- */

/* Lines differ by their dashes, in the order they are named. */
static const char *const dashes[CHART_LINES] = { NULL, "7 4", "2 4", "12 3 2 3" };

static void write_stroke(struct html_writer *html, unsigned line)
{
	html_attribute_word(html, "class", "line");
	html_attribute_word(html, "fill", "none");
	html_attribute_word(html, "stroke", "currentColor");
	html_attribute_word(html, "stroke-width", "2");
	html_attribute_word(html, "stroke-linecap", "round");
	html_attribute_word(html, "vector-effect", "non-scaling-stroke");
	if (dashes[line])
		html_attribute_word(html, "stroke-dasharray", dashes[line]);
}

/* How often 1 has to be doubled, between two powers straight. */
static double doublings(double value)
{
	double count = 0, power = 1;

	while (power * 2 <= value) {
		power *= 2;
		count++;
	}
	return count + (value > power ? value / power - 1 : 0);
}

static unsigned height_of(const struct drawing *drawing, double value)
{
	double share = value / drawing->top;

	if (drawing->chart->scale == CHART_DOUBLING)
		share = drawing->top > 1 ? doublings(value) / doublings(drawing->top) : 0;
	share = share < 0 ? 0 : share > 1 ? 1 : share;
	return PLOT_HEIGHT - (unsigned)(share * PLOT_HEIGHT + 0.5);
}

static unsigned place_of(const struct drawing *drawing, unsigned point)
{
	unsigned points = drawing->series->range.points;

	return points > 1 ? (unsigned)((uint64_t)point * PLOT_WIDTH / (points - 1)) : 0;
}

/* A line ends before a gap and begins anew behind it; a point between two is a dot. */
static void draw_line(const struct drawing *drawing, unsigned line)
{
	struct html_writer *html = drawing->html;
	bool is_drawing = false;
	double value;
	char step[32];

	html_begin(html, "path");
	write_stroke(html, line);
	html_value_begin(html, "d");
	for (unsigned i = 0; i < drawing->series->range.points; i++) {
		if (!value_at(drawing, line, i, &value)) {
			is_drawing = false;
			continue;
		}
		snprintf(step, sizeof(step), is_drawing ? "L%u %u" : "M%u %uh1", place_of(drawing, i),
			 height_of(drawing, value));
		html_value_word(html, step);
		is_drawing = true;
	}
	html_value_end(html);
	html_end(html, "path");
}

static void draw_grid(struct html_writer *html)
{
	char lines[64];

	snprintf(lines, sizeof(lines), "M0 0H%uM0 %uH%uM0 %uH%u", PLOT_WIDTH, PLOT_HEIGHT / 2, PLOT_WIDTH,
		 PLOT_HEIGHT, PLOT_WIDTH);
	html_begin(html, "path");
	html_attribute_word(html, "class", "grid");
	html_attribute_word(html, "stroke", "currentColor");
	html_attribute_word(html, "stroke-opacity", "0.25");
	html_attribute_word(html, "vector-effect", "non-scaling-stroke");
	html_attribute_word(html, "d", lines);
	html_end(html, "path");
}

static void draw(const struct drawing *drawing)
{
	struct html_writer *html = drawing->html;
	char box[64];

	snprintf(box, sizeof(box), "-%u -%u %u %u", PLOT_EDGE, PLOT_EDGE, PLOT_WIDTH + 2 * PLOT_EDGE,
		 PLOT_HEIGHT + 2 * PLOT_EDGE);
	html_begin(html, "svg");
	html_attribute_word(html, "class", "plot");
	html_attribute_word(html, "viewBox", box);
	html_attribute_word(html, "width", "100%");
	html_attribute_word(html, "preserveAspectRatio", "none");
	html_attribute_word(html, "role", "img");
	html_value_begin(html, "aria-labelledby");
	html_value_word(html, drawing->id);
	html_value_word(html, "-title ");
	html_value_word(html, drawing->id);
	html_value_word(html, "-desc");
	html_value_end(html);
	describe(drawing);
	draw_grid(html);
	for (unsigned i = 0; i < drawing->chart->line_count; i++)
		if (drawing->summaries[i].has_any)
			draw_line(drawing, i);
	html_end(html, "svg");
}

/* Around the plot, not in it: text keeps its size where the plot gets small. */
static void write_caption(const struct drawing *drawing)
{
	struct html_writer *html = drawing->html;

	html_begin(html, "figcaption");
	html_element(html, "b", NULL, text_of(drawing->chart->title));
	html_word(html, ", 0 to ");
	write_number(html, drawing->top);
	html_word(html, " ");
	html_word(html, drawing->chart->unit);
	if (drawing->chart->scale == CHART_DOUBLING)
		html_word(html, ", doubling in equal steps");
	html_end(html, "figcaption");
}

static void write_time(const struct drawing *drawing, unsigned point, const char *words)
{
	char utc[UTC_BYTES];

	format_time(time_of(drawing, point), utc);
	html_begin(drawing->html, "span");
	html_word(drawing->html, utc);
	html_word(drawing->html, words);
	html_end(drawing->html, "span");
}

static void write_times(const struct drawing *drawing)
{
	unsigned points = drawing->series->range.points;

	html_begin(drawing->html, "p");
	html_attribute_word(drawing->html, "class", "times");
	write_time(drawing, 0, " ");
	write_time(drawing, points / 2, " ");
	write_time(drawing, points - 1, " UTC");
	html_end(drawing->html, "p");
}

static void write_legend(const struct drawing *drawing)
{
	struct html_writer *html = drawing->html;

	html_begin(html, "ul");
	html_attribute_word(html, "class", "legend");
	for (unsigned i = 0; i < drawing->chart->line_count; i++) {
		html_begin(html, "li");
		html_begin(html, "svg");
		html_attribute_word(html, "class", "key");
		html_attribute_word(html, "viewBox", "0 0 40 8");
		html_attribute_word(html, "width", "40");
		html_attribute_word(html, "height", "8");
		html_attribute_word(html, "aria-hidden", "true");
		html_begin(html, "path");
		write_stroke(html, i);
		html_attribute_word(html, "d", "M1 4H39");
		html_end(html, "path");
		html_end(html, "svg");
		html_word(html, " ");
		describe_line(drawing, i);
		html_end(html, "li");
	}
	html_end(html, "ul");
}

/* --- The table -------------------------------------------------------------------------------------- */

static void write_headings(const struct drawing *drawing)
{
	struct html_writer *html = drawing->html;

	html_begin(html, "thead");
	html_begin(html, "tr");
	html_begin(html, "th");
	html_attribute_word(html, "scope", "col");
	html_word(html, "From (UTC)");
	html_end(html, "th");
	for (unsigned i = 0; i < drawing->chart->line_count; i++) {
		html_begin(html, "th");
		html_attribute_word(html, "scope", "col");
		html_attribute_word(html, "class", "number");
		html_word(html, drawing->chart->lines[i].name);
		html_end(html, "th");
	}
	html_end(html, "tr");
	html_end(html, "thead");
}

static void begin_row(const struct drawing *drawing, unsigned point)
{
	struct html_writer *html = drawing->html;
	char utc[UTC_BYTES];

	format_time(time_of(drawing, point), utc);
	html_begin(html, "tr");
	html_begin(html, "th");
	html_attribute_word(html, "scope", "row");
	html_word(html, utc);
	html_end(html, "th");
}

static void write_values(const struct drawing *drawing, unsigned point)
{
	struct html_writer *html = drawing->html;
	double value;

	begin_row(drawing, point);
	for (unsigned i = 0; i < drawing->chart->line_count; i++) {
		html_begin(html, "td");
		html_attribute_word(html, "class", "number");
		if (value_at(drawing, i, point, &value))
			write_number(html, value);
		else
			html_word(html, "none");
		html_end(html, "td");
	}
	html_end(html, "tr");
}

/* All steps of a gap in one row; returns the first behind it. */
static unsigned write_gap(const struct drawing *drawing, unsigned point)
{
	struct html_writer *html = drawing->html;
	unsigned end = point;

	while (end < drawing->series->range.points && is_gap(drawing, end))
		end++;
	begin_row(drawing, point);
	html_begin(html, "td");
	html_attribute_u64(html, "colspan", drawing->chart->line_count);
	html_printf(html, end - point > 1 ? "no sample in %u steps" : "no sample", end - point);
	html_end(html, "td");
	html_end(html, "tr");
	return end;
}

/* Wider than a small screen: it scrolls by itself, by keyboard too. */
static void write_table(const struct drawing *drawing)
{
	struct html_writer *html = drawing->html;

	html_begin(html, "div");
	html_attribute_word(html, "class", "scroll");
	html_attribute_word(html, "tabindex", "0");
	html_attribute_word(html, "role", "region");
	write_id(drawing, "aria-labelledby", "-caption");
	html_begin(html, "table");
	html_begin(html, "caption");
	write_id(drawing, "id", "-caption");
	html_word(html, drawing->chart->title);
	html_word(html, ", ");
	html_word(html, drawing->chart->unit);
	html_end(html, "caption");
	write_headings(drawing);
	html_begin(html, "tbody");
	for (unsigned i = 0; i < drawing->series->range.points;) {
		if (is_gap(drawing, i))
			i = write_gap(drawing, i);
		else
			write_values(drawing, i++);
	}
	html_end(html, "tbody");
	html_end(html, "table");
	html_end(html, "div");
}

void page_chart(struct html_writer *html, const struct history_series *series, const struct chart_look *look)
{
	struct drawing drawing = { .html = html, .series = series, .chart = look->chart, .id = look->id };

	look_over(&drawing);
	html_begin(html, "figure");
	html_attribute_word(html, "class", "chart");
	write_caption(&drawing);
	draw(&drawing);
	write_times(&drawing);
	write_legend(&drawing);
	html_begin(html, "details");
	html_attribute_word(html, "class", "figures");
	html_begin(html, "summary");
	html_word(html, "Figures: ");
	html_word(html, look->chart->title);
	html_end(html, "summary");
	write_table(&drawing);
	html_end(html, "details");
	html_end(html, "figure");
}
