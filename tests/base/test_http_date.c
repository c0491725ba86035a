/* test_http_date.c -- times as HTTP writes them. */
#include "base/http_date.h"

#include <time.h>

#include "support/support.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct { int64_t at; const char *text; } dates[] = {
	{ 784111777, "Sun, 06 Nov 1994 08:49:37 GMT" },
	{ 784111777, "Sunday, 06-Nov-94 08:49:37 GMT" },
	{ 784111777, "Sun Nov  6 08:49:37 1994" },
	{ 0, "Thu, 01 Jan 1970 00:00:00 GMT" },
	{ 951782400, "Tue, 29 Feb 2000 00:00:00 GMT" },
	{ 253402300799, "Fri, 31 Dec 9999 23:59:59 GMT" },
	{ 1767323045, "Friday, 02-Jan-26 03:04:05 GMT" },
};

START_TEST(reads_all_three_forms)
{
	for (size_t i = 0; i < COUNT(dates); i++) {
		int64_t at = -1;

		ck_assert_msg(http_date_parse(text_of(dates[i].text), &at), "%s", dates[i].text);
		ck_assert_int_eq(at, dates[i].at);
	}
}
END_TEST

static const char *const no_dates[] = {
	"", "0", "now", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC",
	"Sun, 06 Nov 1994 08:49:37 GMT and more", "Sun, 32 Nov 1994 08:49:37 GMT",
	"Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Nox 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT",
	"Sun, 06 Nov 1969 08:49:37 GMT", "Sun, -6 Nov 1994 08:49:37 GMT",
	"Sun, 06 Nov 1994 08:49:37 GMT                           ",
};

START_TEST(refuses_what_is_no_date)
{
	for (size_t i = 0; i < COUNT(no_dates); i++) {
		int64_t at;

		ck_assert_msg(!http_date_parse(text_of(no_dates[i]), &at), "%s", no_dates[i]);
	}
}
END_TEST

START_TEST(agrees_with_the_library_and_itself)
{
	for (int64_t at = 0; at < 8000000000; at += 999983) {
		char ours[HTTP_DATE_BYTES], theirs[HTTP_DATE_BYTES];
		time_t when = (time_t)at;
		int64_t again;
		struct tm tm;

		http_date_format(at, ours);
		ck_assert_uint_eq(strftime(theirs, sizeof(theirs), "%a, %d %b %Y %H:%M:%S GMT",
					   gmtime_r(&when, &tm)), 29);
		ck_assert_str_eq(ours, theirs);
		ck_assert(http_date_parse(text_of(ours), &again));
		ck_assert_int_eq(again, at);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("http_date");
	TCase *test = tcase_create("http_date");

	tcase_add_test(test, reads_all_three_forms);
	tcase_add_test(test, refuses_what_is_no_date);
	tcase_add_test(test, agrees_with_the_library_and_itself);
	suite_add_tcase(suite, test);
	return support_main(suite);
}
