/* clock.c -- see clock.h. */
#include "base/clock.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define SECOND_MILLIS 1000
#define MINUTE_MILLIS (60 * (int64_t)SECOND_MILLIS)
#define HOUR_MILLIS   (60 * MINUTE_MILLIS)
#define DAY_MILLIS    (24 * HOUR_MILLIS)
#define MONTH_MILLIS  (2630016 * (int64_t)SECOND_MILLIS)   /* 30.44 days */
#define YEAR_MILLIS   (31557600 * (int64_t)SECOND_MILLIS)  /* 365.25 days */
#define DAY_SECONDS   86400
#define YEAR_1_SECONDS    (-62135596800)
#define YEAR_9999_SECONDS 253402300799

static int64_t read_clock(clockid_t which, int64_t per_second)
{
	struct timespec now;

	clock_gettime(which, &now);
	return (int64_t)now.tv_sec * per_second +
	       (int64_t)now.tv_nsec / (1000000000 / per_second);
}

/* Asked for every entry of every request: the coarse clock need not read the counter, and is
 * late by a tick at most. */
int64_t clock_unix_seconds(void)
{
	return read_clock(CLOCK_REALTIME_COARSE, 1);
}

int64_t clock_unix_millis(void)
{
	return read_clock(CLOCK_REALTIME, 1000);
}

int64_t clock_monotonic_millis(void)
{
	return read_clock(CLOCK_MONOTONIC, 1000);
}

int64_t clock_monotonic_coarse_millis(void)
{
	return read_clock(CLOCK_MONOTONIC_COARSE, 1000);
}

int64_t clock_monotonic_micros(void)
{
	return read_clock(CLOCK_MONOTONIC, 1000000);
}

/*
 * Days since 1970-01-01 to year, month and day.  Years are counted from March, so that
 * the leap day is a year's last and months are runs of 153 days in five.
 */
static void date_of(int64_t days, int *year, int *month, int *day)
{
	int64_t since = days + 719468;                 /* from 0000-03-01 */
	int64_t era = since / 146097;                  /* 400 years; since >= 0 here */
	int64_t in_era = since % 146097;
	int64_t of_era = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
	int64_t in_year = in_era - (365 * of_era + of_era / 4 - of_era / 100);
	int64_t from_march = (5 * in_year + 2) / 153;

	*day = (int)(in_year - (153 * from_march + 2) / 5 + 1);
	*month = (int)(from_march < 10 ? from_march + 3 : from_march - 9);
	*year = (int)(of_era + era * 400 + (*month <= 2));
}

void clock_format_utc(int64_t unix_seconds, char out[CLOCK_TEXT_BYTES])
{
	int year, month, day;
	int64_t days, seconds;

	if (unix_seconds < YEAR_1_SECONDS)
		unix_seconds = YEAR_1_SECONDS;
	if (unix_seconds > YEAR_9999_SECONDS)
		unix_seconds = YEAR_9999_SECONDS;
	days = unix_seconds / DAY_SECONDS;
	seconds = unix_seconds % DAY_SECONDS;
	if (seconds < 0) {
		seconds += DAY_SECONDS;
		days--;
	}
	date_of(days, &year, &month, &day);
	snprintf(out, CLOCK_TEXT_BYTES, "%04u-%02u-%02uT%02u:%02u:%02uZ",
		 (unsigned)year % 10000, (unsigned)month % 100, (unsigned)day % 100,
		 (unsigned)(seconds / 3600) % 100, (unsigned)(seconds / 60 % 60),
		 (unsigned)(seconds % 60));
}

/* A unit is so many milliseconds, or so many parts of one. */
static const struct {
	const char *name;
	int64_t millis;
	int64_t parts;
} units[] = {
	{ "ns", 0, 1000000 }, { "nsec", 0, 1000000 }, { "nanos", 0, 1000000 },
	{ "us", 0, 1000 }, { "usec", 0, 1000 },
	{ "ms", 1, 0 }, { "msec", 1, 0 }, { "millis", 1, 0 },
	{ "s", SECOND_MILLIS, 0 }, { "sec", SECOND_MILLIS, 0 }, { "secs", SECOND_MILLIS, 0 },
	{ "second", SECOND_MILLIS, 0 }, { "seconds", SECOND_MILLIS, 0 },
	{ "m", MINUTE_MILLIS, 0 }, { "min", MINUTE_MILLIS, 0 }, { "mins", MINUTE_MILLIS, 0 },
	{ "minute", MINUTE_MILLIS, 0 }, { "minutes", MINUTE_MILLIS, 0 },
	{ "h", HOUR_MILLIS, 0 }, { "hr", HOUR_MILLIS, 0 }, { "hrs", HOUR_MILLIS, 0 },
	{ "hour", HOUR_MILLIS, 0 }, { "hours", HOUR_MILLIS, 0 },
	{ "d", DAY_MILLIS, 0 }, { "day", DAY_MILLIS, 0 }, { "days", DAY_MILLIS, 0 },
	{ "w", 7 * DAY_MILLIS, 0 }, { "wk", 7 * DAY_MILLIS, 0 }, { "wks", 7 * DAY_MILLIS, 0 },
	{ "week", 7 * DAY_MILLIS, 0 }, { "weeks", 7 * DAY_MILLIS, 0 },
	{ "M", MONTH_MILLIS, 0 }, { "month", MONTH_MILLIS, 0 }, { "months", MONTH_MILLIS, 0 },
	{ "y", YEAR_MILLIS, 0 }, { "yr", YEAR_MILLIS, 0 }, { "yrs", YEAR_MILLIS, 0 },
	{ "year", YEAR_MILLIS, 0 }, { "years", YEAR_MILLIS, 0 },
};

#define UNITS (sizeof(units) / sizeof(units[0]))

static bool is_letter(char c)
{
	c = ascii_lower(c);
	return c >= 'a' && c <= 'z';
}

static void skip_blanks(struct text text, size_t *at)
{
	while (*at < text.size && ascii_is_blank(text.bytes[*at]))
		(*at)++;
}

/* The run of characters at *at that are `belongs`; *at moves past it. */
static struct text take_run(struct text text, size_t *at, bool (*belongs)(char c))
{
	size_t start = *at;

	while (*at < text.size && belongs(text.bytes[*at]))
		(*at)++;
	return (struct text){ text.bytes + start, *at - start };
}

/* Adds number times unit; what is less than a millisecond is gathered in *nanos. */
static bool add_part(uint64_t number, struct text name, int64_t *millis, int64_t *nanos)
{
	size_t i = 0;
	int64_t part;

	while (i < UNITS && !text_is(name, units[i].name))
		i++;
	if (i == UNITS || number > INT64_MAX)
		return false;
	if (units[i].parts) {
		part = (int64_t)number / units[i].parts;
		*nanos += (int64_t)number % units[i].parts * (1000000 / units[i].parts);
		part += *nanos / 1000000;
		*nanos %= 1000000;
	} else if (__builtin_mul_overflow((int64_t)number, units[i].millis, &part)) {
		return false;
	}
	return !__builtin_add_overflow(*millis, part, millis);
}

bool duration_parse(struct text text, int64_t *millis)
{
	int64_t sum = 0, nanos = 0;
	size_t at = 0;
	uint64_t number;

	if (text_is(text, "0")) {
		*millis = 0;
		return true;
	}
	skip_blanks(text, &at);
	if (at == text.size)
		return false;
	while (at < text.size) {
		if (!text_to_u64(take_run(text, &at, ascii_is_digit), 10, &number))
			return false;
		skip_blanks(text, &at);
		if (!add_part(number, take_run(text, &at, is_letter), &sum, &nanos))
			return false;
		skip_blanks(text, &at);
	}
	*millis = sum;
	return true;
}

void duration_format(int64_t millis, char *out, size_t capacity)
{
	static const struct {
		int64_t millis;
		const char *name;
		bool has_plural;
	} parts[] = {
		{ YEAR_MILLIS, "year", true }, { MONTH_MILLIS, "month", true },
		{ DAY_MILLIS, "day", true }, { HOUR_MILLIS, "h", false },
		{ MINUTE_MILLIS, "m", false }, { SECOND_MILLIS, "s", false },
		{ 1, "ms", false },
	};
	size_t used = 0;

	if (millis <= 0) {
		snprintf(out, capacity, "0s");
		return;
	}
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && used < capacity; i++) {
		int64_t count = millis / parts[i].millis;
		int size;

		millis %= parts[i].millis;
		if (!count)
			continue;
		size = snprintf(out + used, capacity - used, "%s%lld%s%s", used ? " " : "",
				(long long)count, parts[i].name,
				parts[i].has_plural && count > 1 ? "s" : "");
		if (size > 0)
			used += (size_t)size;
	}
}

void duration_format_compact(int64_t millis, char *out, size_t capacity)
{
	char fraction[16];
	size_t size;

	if (millis <= 0) {
		snprintf(out, capacity, "0ns");
		return;
	}
	if (millis < SECOND_MILLIS) {
		snprintf(out, capacity, "%dms", (int)millis);
		return;
	}
	snprintf(fraction, sizeof(fraction), ".%03d", (int)(millis % SECOND_MILLIS));
	for (size = strlen(fraction); size && strchr("0.", fraction[size - 1]); size--)
		if (fraction[size - 1] == '.') {
			size--;
			break;
		}
	fraction[size] = '\0';
	snprintf(out, capacity, "%lld%ss", (long long)(millis / SECOND_MILLIS), fraction);
}
