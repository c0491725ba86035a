/* live_cell.c -- one value of a table, as people read it, with the exact one in the markup. */
#include <stdio.h>

#include "base/clock.h"
#include "base/html_writer.h"
#include "page/live_table.h"
#include "store/store.h"

#define SHOWN_BYTES_MAX 1000u        /* of a text; the JSON has all of it */
#define WORDS_BYTES 64u
#define MINUTE_SECONDS 60
#define HOUR_SECONDS 3600
#define DAY_SECONDS 86400

/* "1.5 MB": powers of 1000, as `symgate status` has them. */
void live_bytes(struct html_writer *html, uint64_t bytes)
{
	static const char *const units[] = { "kB", "MB", "GB", "TB" };
	double value = (double)bytes / 1000;
	size_t unit = 0;

	while (value >= 1000 && unit + 1 < sizeof(units) / sizeof(units[0])) {
		value /= 1000;
		unit++;
	}
	html_begin(html, "data");
	html_attribute_u64(html, "value", bytes);
	if (bytes < 1000)
		html_printf(html, "%llu B", (unsigned long long)bytes);
	else
		html_printf(html, "%.1f %s", value, units[unit]);
	html_end(html, "data");
}

/* The largest unit that fits at least twice: 119 s, 2 m, 47 h. */
static void name_age(int64_t seconds, char words[WORDS_BYTES])
{
	static const struct { int64_t seconds; char unit; } units[] = {
		{ DAY_SECONDS, 'd' }, { HOUR_SECONDS, 'h' }, { MINUTE_SECONDS, 'm' },
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (seconds >= 2 * units[i].seconds) {
			snprintf(words, WORDS_BYTES, "%lld %c", (long long)(seconds / units[i].seconds),
				 units[i].unit);
			return;
		}
	}
	snprintf(words, WORDS_BYTES, "%lld s", (long long)seconds);
}

void live_time(struct html_writer *html, int64_t at, int64_t now)
{
	char utc[CLOCK_TEXT_BYTES], words[WORDS_BYTES];

	clock_format_utc(at, utc);
	name_age(at > now ? at - now : now - at, words);
	html_begin(html, "time");
	html_attribute_word(html, "datetime", utc);
	html_attribute_word(html, "title", utc);
	html_printf(html, at > now ? "in %s" : "%s ago", words);
	html_end(html, "time");
}

void live_duration(struct html_writer *html, int64_t millis)
{
	char words[WORDS_BYTES];

	if (millis < 0)
		millis = 0;
	duration_format(millis, words, sizeof(words));
	html_begin(html, "data");
	html_value_begin(html, "value");
	html_value_u64(html, (uint64_t)millis);
	html_value_word(html, "ms");
	html_value_end(html);
	html_word(html, words);
	html_end(html, "data");
}

static void write_permille(struct html_writer *html, int64_t permille)
{
	html_begin(html, "data");
	html_attribute_u64(html, "value", (uint64_t)permille);
	html_printf(html, "%lld.%lld %%", (long long)(permille / 10), (long long)(permille % 10));
	html_end(html, "data");
}

/* At a whole character; a name of 64 KiB is nobody's to read. */
static struct text shorten(struct text text)
{
	size_t size = 0;
	bool valid;

	if (text.size <= SHOWN_BYTES_MAX)
		return text;
	while (size < SHOWN_BYTES_MAX)
		size += utf8_step(text.bytes + size, text.size - size, &valid);
	return (struct text){ text.bytes, size };
}

void live_text(struct html_writer *html, struct text text)
{
	struct text shown = shorten(text);

	html_text(html, shown);
	if (shown.size < text.size)
		html_word(html, " ...");
}

static void write_text(struct html_writer *html, const char *element, struct text text)
{
	html_begin(html, element);
	live_text(html, text);
	html_end(html, element);
}

static void write_job(struct html_writer *html, struct text id)
{
	html_begin(html, "a");
	html_value_begin(html, "href");
	html_value_word(html, "../r/");
	html_value_part(html, id);
	html_value_end(html);
	write_text(html, "code", id);
	html_end(html, "a");
}

/* A name that is too long for a filter leads nowhere. */
static void write_failing(struct html_writer *html, const char *filter, struct text name)
{
	if (name.size == 0 || name.size > LIVE_FILTER_BYTES_MAX) {
		write_text(html, "span", name);
		return;
	}
	html_begin(html, "a");
	html_value_begin(html, "href");
	html_value_word(html, "failures?");
	html_value_word(html, filter);
	html_value_word(html, "=");
	html_value_part(html, name);
	html_value_end(html);
	live_text(html, name);
	html_end(html, "a");
}

static void write_number(struct html_writer *html, const struct live_column *column, int64_t number, int64_t now)
{
	switch (column->type) {
	case LIVE_BYTES:
		live_bytes(html, (uint64_t)number);
		break;
	case LIVE_SECONDS:
		live_duration(html, number < INT64_MAX / 1000 ? number * 1000 : number);
		break;
	case LIVE_MILLIS:
		live_duration(html, number);
		break;
	case LIVE_PERMILLE:
		write_permille(html, number);
		break;
	case LIVE_TIME:
		live_time(html, number, now);
		break;
	default:
		html_printf(html, "%lld", (long long)number);
	}
}

static void write_name(struct html_writer *html, const struct live_column *column, struct text name)
{
	switch (column->type) {
	case LIVE_JOB:
		write_job(html, name);
		break;
	case LIVE_MODULE:
		write_failing(html, "module", name);
		break;
	case LIVE_SOURCE:
		write_failing(html, "source", name);
		break;
	default:
		write_text(html, column->type == LIVE_CODE ? "code" : "span", name);
	}
}

void live_cell(struct html_writer *html, const struct live_column *column, const struct store_value *value,
	       int64_t now)
{
	if (value->type == STORE_NULL)
		html_element(html, "span", "none", TEXT("-"));
	else if (value->type == STORE_INT)
		write_number(html, column, value->number, now);
	else
		write_name(html, column, value->text);
}
