/* test_semver.c -- versions found, read and compared. */
#include "base/semver.h"

#include "support/support.h"

START_TEST(finds_the_first)
{
	static const struct { const char *text, *found; const char *pre; } cases[] = {
		{ "3.1.0", "3.1.0", "" }, { "v3.1.0", "3.1.0", "" }, { "3.0.0, 9.9.9", "3.0.0", "" },
		{ "3.2.0-rc1", "3.2.0", "rc1" }, { "3.2.0-", "3.2.0", "" }, { "3.2.0-a_b", "3.2.0", "a" },
		{ "1.2 3.4.5", "3.4.5", "" }, { "1.2.3.4", "1.2.3", "" }, { "01.002.3", "1.2.3", "" },
		{ "65535.255.255", "65535.255.255", "" }, { "x1.2.3y", "1.2.3", "" },
		{ "3", NULL, NULL }, { "", NULL, NULL }, { "3.1", NULL, NULL }, { "3.300.0", NULL, NULL },
		{ "65536.0.0", NULL, NULL }, { "3.1.256", NULL, NULL }, { "3..1", NULL, NULL },
		{ "99999999999999999999.1.1", NULL, NULL }, { "junk", NULL, NULL }, { "3.1.", NULL, NULL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[SEMVER_TEXT_BYTES];
		struct semver version;
		bool found = semver_find(text_of(cases[i].text), &version);

		ck_assert_msg(found == (cases[i].found != NULL), "\"%s\"", cases[i].text);
		if (!found)
			continue;
		semver_format(&version, text);
		ck_assert_str_eq(text, cases[i].found);
		ck_assert_msg(text_is(version.pre, cases[i].pre), "\"%s\"", cases[i].text);
	}
}
END_TEST

START_TEST(reads_nothing_else)
{
	static const struct { const char *text; bool is_one; } cases[] = {
		{ "3.1.0", true }, { "v3.1.0", true }, { "V3.1.0", true }, { "3.1.0-rc1", false }, { " 3.1.0", false },
		{ "3.1.0 ", false }, { "v", false }, { "", false }, { "vv3.1.0", false }, { "3.1.0.0", false },
		{ "3.256.0", false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct semver version;

		ck_assert_msg(semver_read(text_of(cases[i].text), &version) == cases[i].is_one, "\"%s\"",
			      cases[i].text);
	}
}
END_TEST

START_TEST(compares)
{
	static const char *const rising[] = {
		"0.0.1", "1.0.0-a", "1.0.0-a1", "1.0.0-b", "1.0.0", "1.0.1", "1.1.0", "3.0.0", "3.0.10", "10.0.0",
	};

	for (size_t i = 0; i < sizeof(rising) / sizeof(rising[0]); i++) {
		for (size_t j = 0; j < sizeof(rising) / sizeof(rising[0]); j++) {
			struct semver a, b;
			int order;

			ck_assert(semver_find(text_of(rising[i]), &a) && semver_find(text_of(rising[j]), &b));
			order = semver_compare(&a, &b);
			ck_assert_msg(i < j ? order < 0 : i > j ? order > 0 : order == 0, "%s, %s", rising[i],
				      rising[j]);
		}
	}
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("semver");
	Suite *suite = suite_create("semver");

	tcase_add_test(tests, finds_the_first);
	tcase_add_test(tests, reads_nothing_else);
	tcase_add_test(tests, compares);
	suite_add_tcase(suite, tests);
	return support_main(suite);
}
