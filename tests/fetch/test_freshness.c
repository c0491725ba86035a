/* test_freshness -- how long an answer counts, by its head. */
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

#include "fetch/http_freshness.h"

#define NOW  784111777                   /* Sun, 06 Nov 1994 08:49:37 GMT */
#define DATE "Date: Sun, 06 Nov 1994 08:49:37 GMT\n"
#define LATER "Expires: Sun, 06 Nov 1994 08:51:37 GMT\n"

static const struct { const char *what, *head; int64_t seconds; } cases[] = {
	{ "nothing", "", -1 },
	{ "a date alone", DATE, -1 },
	{ "max-age", DATE "Cache-Control: max-age=600\n", 600 },
	{ "max-age without a date", "cache-control: public, MAX-AGE=600, immutable\n", 600 },
	{ "max-age of none", "Cache-Control: max-age=0\n", 0 },
	{ "quoted", "Cache-Control: max-age=\"600\"\n", 600 },
	{ "the shorter of two", "Cache-Control: max-age=600\nCache-Control: max-age=30, max-age=99\n", 30 },
	{ "larger than any", "Cache-Control: max-age=99999999999999999999999999\n", (int64_t)1 << 31 },
	{ "no number", "Cache-Control: max-age=soon\n", 0 },
	{ "a negative one", "Cache-Control: max-age=-1\n", 0 },
	{ "no number at all", "Cache-Control: max-age\n", 0 },
	{ "of shared caches alone", "Cache-Control: private, s-maxage=5, max-age=600\n", 600 },
	{ "only of shared caches", "Cache-Control: s-maxage=5\n", -1 },
	{ "no-store", "Cache-Control: max-age=600, no-store\n", 0 },
	{ "no-cache", "Cache-Control: No-Cache\n" LATER, 0 },
	{ "no-cache of some fields", "Cache-Control: no-cache=\"max-age=5, x\", max-age=600\n", 0 },
	{ "a comma in quotes", "Cache-Control: x=\"a, max-age=5\\\", max-age=6\", max-age=600\n", 600 },
	{ "a quote without end", "Cache-Control: max-age=600, x=\"a, max-age=5\\", 600 },
	{ "nothing between commas", "Cache-Control: ,, ,max-age=600,\n", 600 },
	{ "must-revalidate", "Cache-Control: must-revalidate, max-age=600\n", 600 },
	{ "must-revalidate alone", "Cache-Control: must-revalidate\n", -1 },
	{ "Age", DATE "Age: 100\nCache-Control: max-age=600\n", 500 },
	{ "older than its lifetime", "Age: 601\nCache-Control: max-age=600\n", 0 },
	{ "an Age that is none", "Age: x\nCache-Control: max-age=600\n", 600 },
	{ "Date of before", "Date: Sun, 06 Nov 1994 08:48:37 GMT\nCache-Control: max-age=600\n", 540 },
	{ "Date ahead of us", "Date: Sun, 06 Nov 1994 09:48:37 GMT\nCache-Control: max-age=600\n", 600 },
	{ "Expires", DATE LATER, 120 },
	{ "Expires without a date", LATER, 120 },
	{ "Expires by a clock that is late", "Date: Sun, 06 Nov 1994 08:48:37 GMT\n"
	  "Expires: Sun, 06 Nov 1994 08:50:37 GMT\n", 60 },
	{ "Expires long ago", DATE "Expires: Sun, 06 Nov 1994 08:49:36 GMT\n", 0 },
	{ "Expires that is no date", DATE "Expires: 0\n", 0 },
	{ "max-age before Expires", DATE LATER "Cache-Control: max-age=7\n", 7 },
	{ "headers of others", "Etag: \"max-age=5\"\nX-Cache-Control: max-age=5\n", -1 },
};

/* Out of memory of its very size: who reads behind it is caught. */
static void read_line(struct http_freshness *freshness, const char *line, size_t size)
{
	char *copy = malloc(size ? size : 1);
	const char *colon;

	ck_assert_ptr_nonnull(copy);
	memcpy(copy, line, size);
	colon = memchr(copy, ':', size);
	ck_assert_ptr_nonnull(colon);
	(void)http_freshness_header(freshness, (struct text){ copy, (size_t)(colon - copy) },
				    (struct text){ colon + 2, size - (size_t)(colon - copy) - 2 });
	free(copy);
}

START_TEST(heads)
{
	struct http_freshness freshness = { .is_stale = false };
	const char *head = cases[_i].head;

	while (*head) {
		size_t size = strcspn(head, "\n");

		read_line(&freshness, head, size);
		head += size + (head[size] == '\n');
	}
	ck_assert_msg(http_freshness_seconds(&freshness, NOW) == cases[_i].seconds, "%s: %lld", cases[_i].what,
		      (long long)http_freshness_seconds(&freshness, NOW));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("freshness");
	TCase *tcase = tcase_create("heads");

	tcase_add_loop_test(tcase, heads, 0, (int)(sizeof(cases) / sizeof(cases[0])));
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
