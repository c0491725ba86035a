/* test_clock.c -- dates without a library, durations as people write them. */
#include "base/clock.h"

#include <string.h>
#include <time.h>

#include "support/support.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

START_TEST(writes_dates)
{
	static const struct {
		int64_t at;
		const char *text;
	} dates[] = {
		{ 0, "1970-01-01T00:00:00Z" },
		{ -1, "1969-12-31T23:59:59Z" },
		{ 951782400, "2000-02-29T00:00:00Z" },
		{ 951868799, "2000-02-29T23:59:59Z" },
		{ 1767323045, "2026-01-02T03:04:05Z" },
		{ 4107542400, "2100-03-01T00:00:00Z" },
		{ 253402300799, "9999-12-31T23:59:59Z" },
		{ INT64_MAX, "9999-12-31T23:59:59Z" },
		{ INT64_MIN, "0001-01-01T00:00:00Z" },
	};
	char text[CLOCK_TEXT_BYTES];

	for (size_t i = 0; i < COUNT(dates); i++) {
		clock_format_utc(dates[i].at, text);
		ck_assert_str_eq(text, dates[i].text);
	}
}
END_TEST

/* The C library agrees, every 11 days and some over four centuries. */
START_TEST(agrees_with_the_library)
{
	for (int64_t at = -6000000000; at < 8000000000; at += 999983) {
		char ours[CLOCK_TEXT_BYTES], theirs[CLOCK_TEXT_BYTES];
		time_t when = (time_t)at;
		struct tm tm;

		clock_format_utc(at, ours);
		ck_assert_uint_eq(strftime(theirs, sizeof(theirs), "%Y-%m-%dT%H:%M:%SZ",
					   gmtime_r(&when, &tm)), 20);
		ck_assert_str_eq(ours, theirs);
	}
}
END_TEST

START_TEST(clocks_go_forward)
{
	int64_t micros = clock_monotonic_micros();
	int64_t millis = clock_monotonic_millis();

	ck_assert_int_ge(clock_monotonic_micros(), micros);
	ck_assert_int_ge(millis, micros / 1000);
	ck_assert_int_lt(millis, micros / 1000 + 10000);
	ck_assert_int_gt(clock_unix_seconds(), 1700000000);
}
END_TEST

START_TEST(reads_durations)
{
	static const struct {
		const char *text;
		int64_t millis;          /* -1: not a duration */
	} cases[] = {
		{ "0", 0 }, { "0s", 0 }, { "1s", 1000 }, { "200ms", 200 }, { "1h", 3600000 },
		{ "15m", 900000 }, { "10s", 10000 }, { "7d", 604800000 },
		{ "24h 30m", 88200000 }, { "24h30m", 88200000 }, { " 1h  30m ", 5400000 },
		{ "5 min", 300000 }, { "2 hours", 7200000 }, { "1day", 86400000 },
		{ "3weeks", 1814400000 }, { "1w", 604800000 }, { "1M", 2630016000 },
		{ "2months", 5260032000 }, { "1y", 31557600000 }, { "1 year", 31557600000 },
		{ "1500us", 1 }, { "1ms 600us 400us", 2 }, { "999999ns", 0 },
		{ "600000ns 400us", 1 }, { "90sec", 90000 },
		{ "", -1 }, { " ", -1 }, { "5", -1 }, { "h", -1 }, { "1x", -1 }, { "1H", -1 },
		{ "-1s", -1 }, { "1.5s", -1 }, { "1s,2s", -1 }, { "1s 2", -1 }, { "one s", -1 },
		{ "9999999999999999999s", -1 }, { "99999999999999999999s", -1 },
		{ "9223372036854775807s", -1 }, { "9223372036854775807ms 1ms", -1 },
		{ "9223372036854775807ms", INT64_MAX },
		{ "9223372036854775807ns", 9223372036854 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		int64_t millis = -1;

		ck_assert_msg(duration_parse(text_of(cases[i].text), &millis) ==
			      (cases[i].millis >= 0), "%s", cases[i].text);
		ck_assert_int_eq(millis, cases[i].millis);
	}
}
END_TEST

START_TEST(writes_durations)
{
	static const struct {
		int64_t millis;
		const char *human, *compact;
	} cases[] = {
		{ 0, "0s", "0ns" }, { -5, "0s", "0ns" },
		{ 1, "1ms", "1ms" }, { 200, "200ms", "200ms" }, { 1000, "1s", "1s" },
		{ 1500, "1s 500ms", "1.5s" }, { 1050, "1s 50ms", "1.05s" },
		{ 1005, "1s 5ms", "1.005s" }, { 300000, "5m", "300s" },
		{ 5400000, "1h 30m", "5400s" }, { 86400000, "1day", "86400s" },
		{ 604800000, "7days", "604800s" }, { 31557600000, "1year", "31557600s" },
		{ 10000, "10s", "10s" },
	};
	char text[64];

	for (size_t i = 0; i < COUNT(cases); i++) {
		duration_format(cases[i].millis, text, sizeof(text));
		ck_assert_str_eq(text, cases[i].human);
		duration_format_compact(cases[i].millis, text, sizeof(text));
		ck_assert_str_eq(text, cases[i].compact);
	}
	duration_format(INT64_MAX, text, 8);
	ck_assert_uint_lt(strlen(text), 8);
	duration_format_compact(INT64_MAX, text, sizeof(text));
	ck_assert_str_eq(text, "9223372036854775.807s");
}
END_TEST

START_TEST(reads_what_it_writes)
{
	for (int64_t millis = 1; millis < INT64_MAX / 3; millis = millis * 2 + 7) {
		char text[96];
		int64_t again;

		duration_format(millis, text, sizeof(text));
		ck_assert_msg(duration_parse(text_of(text), &again), "%s", text);
		ck_assert_int_eq(again, millis);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("base/clock");
	TCase *tcase = tcase_create("clock");

	tcase_add_test(tcase, writes_dates);
	tcase_add_test(tcase, agrees_with_the_library);
	tcase_add_test(tcase, clocks_go_forward);
	tcase_add_test(tcase, reads_durations);
	tcase_add_test(tcase, writes_durations);
	tcase_add_test(tcase, reads_what_it_writes);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
