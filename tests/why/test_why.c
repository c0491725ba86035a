/* test_why.c -- every word an answer may hold has a meaning, and what is not good has one of its own. */
#include "why/why.h"

#include <string.h>

#include "kinds/stacktrace.h"
#include "lookup/module_lookup.h"
#include "support/support.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define UNKNOWN "it says no more than that"

START_TEST(every_status_of_a_module_is_known)
{
	for (unsigned i = 0; i < MODULE_STATUSES; i++) {
		struct why_words words = why_module(text_of(module_status_name((enum module_status)i)));

		ck_assert_str_ne(words.meaning, UNKNOWN);
		ck_assert_int_eq(words.is_good, i == MODULE_STATUS_FOUND || i == MODULE_STATUS_UNUSED);
		ck_assert_int_eq(words.is_good, !words.advice);
	}
}
END_TEST

START_TEST(every_trust_is_known)
{
	for (unsigned i = 0; i < TRUSTS; i++)
		ck_assert_str_ne(why_trust(text_of(trust_name((enum trust)i))).meaning, UNKNOWN);
}
END_TEST

typedef struct why_words why_fn(struct text word);

START_TEST(the_words_of_the_api_are_known)
{
	static const struct {
		why_fn *why;
		const char *word;
		bool is_good;
	} cases[] = {
		{ why_frame, "symbolicated", true }, { why_frame, "missing_symbol", false },
		{ why_frame, "unknown_image", false }, { why_frame, "missing", false },
		{ why_frame, "malformed", false }, { why_candidate, "ok", true },
		{ why_candidate, "notfound", false }, { why_candidate, "noperm", false },
		{ why_candidate, "error", false }, { why_candidate, "malformed", false },
		{ why_use, "ok", true }, { why_use, "malformed", false }, { why_use, "error", false },
		{ why_js_error, "invalid_location", false }, { why_js_error, "missing_source", false },
		{ why_js_error, "missing_sourcemap", false }, { why_js_error, "malformed_sourcemap", false },
		{ why_js_error, "missing_source_content", false }, { why_js_error, "scraping_disabled", false },
		{ why_scraping, "success", true }, { why_scraping, "not_attempted", true },
		{ why_scraping, "failure", false }, { why_scraping, "disabled", false },
		{ why_scraping, "invalid_host", false }, { why_scraping, "not_found", false },
		{ why_scraping, "permission_denied", false }, { why_scraping, "timeout", false },
		{ why_scraping, "download_error", false }, { why_scraping, "other", false },
		{ why_mapping, "missing", false }, { why_mapping, "invalid", false },
		{ why_answer, "completed", true }, { why_answer, "pending", true },
		{ why_answer, "failed", false }, { why_answer, "timeout", false },
		{ why_answer, "internal_error", false },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct why_words words = cases[i].why(text_of(cases[i].word));

		ck_assert_msg(strcmp(words.meaning, UNKNOWN) != 0, "%s", cases[i].word);
		ck_assert_msg(words.is_good == cases[i].is_good, "%s", cases[i].word);
	}
}
END_TEST

START_TEST(another_word_is_said_to_be_unknown)
{
	static why_fn *const all[] = { why_frame, why_module, why_candidate, why_use, why_js_error,
				       why_scraping, why_mapping, why_trust, why_answer };

	for (size_t i = 0; i < COUNT(all); i++) {
		ck_assert_str_eq(all[i](TEXT("no such word")).meaning, UNKNOWN);
		ck_assert_str_eq(all[i](TEXT_NONE).meaning, UNKNOWN);
		ck_assert(!all[i](TEXT("ok\0")).advice);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("why");
	TCase *tcase = tcase_create("why");

	tcase_add_test(tcase, every_status_of_a_module_is_known);
	tcase_add_test(tcase, every_trust_is_known);
	tcase_add_test(tcase, the_words_of_the_api_are_known);
	tcase_add_test(tcase, another_word_is_said_to_be_unknown);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
