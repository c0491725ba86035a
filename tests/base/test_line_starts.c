/* test_line_starts -- lines by a table of where they begin, right and wrong ones. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/line_starts.h"
#include "support/support.h"

static const char words[] = "one\r\n\ntwo\rmore\nlast\r";

static const struct { const char *slice, *line; } lines_of_words[] = {
	{ "one\r\n", "one" }, { "\n", "" }, { "two\rmore\n", "two\rmore" }, { "last\r", "last" },
};

START_TEST(tells_lines)
{
	const uint32_t starts[] = { 0, 5, 6, 15 };
	const struct line_starts lines = { TEXT(words), (const uint8_t *)starts, 4 };
	struct text line;

	for (uint32_t i = 0; i < 4; i++) {
		ck_assert(line_starts_slice(&lines, i, &line) && text_is(line, lines_of_words[i].slice));
		ck_assert(line_starts_line(&lines, i, &line) && text_is(line, lines_of_words[i].line));
	}
	ck_assert(!line_starts_line(&lines, 4, &line));
	ck_assert(!line_starts_line(&lines, UINT32_MAX, &line));
	ck_assert(!line_starts_line(&(struct line_starts){ TEXT_NONE, NULL, 0 }, 0, &line));
}
END_TEST

START_TEST(believes_no_table)
{
	const uint32_t starts[] = { 6, 5, 21, UINT32_MAX, 0 };
	const struct line_starts lines = { TEXT(words), (const uint8_t *)starts, 5 };
	struct text line;

	/* Back to before its start, to behind the text, from there. */
	for (uint32_t i = 0; i < 4; i++)
		ck_assert_msg(!line_starts_slice(&lines, i, &line), "%u", i);
	ck_assert(line_starts_slice(&lines, 4, &line) && text_is(line, words));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("base/line_starts");
	TCase *tcase = tcase_create("base/line_starts");

	tcase_add_test(tcase, tells_lines);
	tcase_add_test(tcase, believes_no_table);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
