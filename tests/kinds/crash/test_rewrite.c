/* test_rewrite.c -- rules for the name of a module's debug file: what matches, what replaces it. */
#include "kinds/crash/rewrite.h"

#include "base/arena.h"
#include "support/support.h"

#define ARENA_BYTES ((size_t)1 << 20)

static struct arena arena;

static void setup(void)
{
	arena_init(&arena, ARENA_BYTES);
}

static void teardown(void)
{
	arena_release(&arena);
}

static struct text rewritten(const char *from, const char *to, const char *name)
{
	const struct rewrite_rule rule = { text_of(from), text_of(to) };
	struct text result = text_of(name);
	unsigned tries = REWRITE_TRIES;
	struct err err = ERR_INIT;

	ck_assert_msg(rewrite_check(&rule, 1, &err) == 0, "%s", err.text);
	ck_assert_msg(rewrite_apply(&rule, 1, &tries, &result, &arena, &err) == 0, "%s", err.text);
	return result;
}

START_TEST(replaces_as_the_reference_does)
{
	static const struct { const char *from, *to, *name, *expected; } cases[] = {
		{ "a", "b", "xaxa", "xbxa" },
		{ "(\\w+)\\.exe", "$1.pdb", "C:\\app.exe", "C:\\app.pdb" },
		{ "(?<n>app)", "${n}2-$n", "app", "app2-app" },
		{ "app", "$$1", "app", "$1" },
		{ "(a)|(b)", "[$2]", "a", "[]" },
		{ "a", "$9$none${none}x", "a", "x" },
		{ "a", "$", "a", "$" },
		{ "a", "${1", "a", "${1" },
		{ "(a)", "$1b", "a", "" },
		{ "z", "y", "abc", "abc" },
		{ "^", "pre-", "abc", "pre-abc" },
		{ "\xc3\xa4", "ae", "b\xc3\xa4r", "baer" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct text got = rewritten(cases[i].from, cases[i].to, cases[i].name);

		ck_assert_msg(text_is(got, cases[i].expected), "%s: \"%.*s\"", cases[i].from, (int)got.size,
			      got.bytes);
	}
}
END_TEST

START_TEST(the_first_rule_that_matches_is_the_last)
{
	const struct rewrite_rule rules[] = {
		{ TEXT("z"), TEXT("1") }, { TEXT("a"), TEXT("a") }, { TEXT("a"), TEXT("3") },
	};
	struct text name = TEXT("a");
	unsigned tries = REWRITE_TRIES;
	struct err err = ERR_INIT;

	ck_assert_int_eq(rewrite_apply(rules, 3, &tries, &name, &arena, &err), 0);
	ck_assert(text_is(name, "a"));
	name = TEXT("a");
	tries = 1;
	ck_assert_int_eq(rewrite_apply(rules + 2, 1, &tries, &name, &arena, &err), 0);
	ck_assert(text_is(name, "3"));
	name = TEXT("a");
	ck_assert_int_eq(rewrite_apply(rules + 2, 1, &tries, &name, &arena, &err), 0);
	ck_assert_msg(text_is(name, "a"), "nothing is left to try with");
}
END_TEST

START_TEST(what_is_no_expression_is_refused)
{
	static struct rewrite_rule many[REWRITE_RULES_MAX + 1];
	const struct rewrite_rule bad = { TEXT("(a"), TEXT("") };
	struct err err = ERR_INIT;

	ck_assert_int_eq(rewrite_check(&bad, 1, &err), -1);
	ck_assert_int_eq(err.kind, ERR_BAD_REQUEST);
	ck_assert_msg(strstr(err.text, "`(a` is no regular expression"), "%s", err.text);
	for (size_t i = 0; i <= REWRITE_RULES_MAX; i++)
		many[i] = (struct rewrite_rule){ TEXT("a"), TEXT("") };
	ck_assert_int_eq(rewrite_check(many, REWRITE_RULES_MAX + 1, &err), -1);
	ck_assert_msg(strstr(err.text, "257 rules"), "%s", err.text);
}
END_TEST

/* One that would try for ever does not match. */
START_TEST(catastrophes_end)
{
	ck_assert(text_is(rewritten("^(a+)+$", "x", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"),
			  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("rewrite");
	TCase *tests = tcase_create("rewrite");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, replaces_as_the_reference_does);
	tcase_add_test(tests, the_first_rule_that_matches_is_the_last);
	tcase_add_test(tests, what_is_no_expression_is_refused);
	tcase_add_test(tests, catastrophes_end);
	suite_add_tcase(suite, tests);
	return support_main(suite);
}
