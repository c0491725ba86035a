/* test_progress -- the line that tells what takes time fits the terminal. */
#include "support/support.h"

#include <string.h>

#include "cli/progress.h"
#include "cli/cli_table.h"

static const struct { const char *what; double seconds; size_t columns; const char *line; } lines[] = {
	{ "fetching", 0.5, 80, "fetching ... 0.5 s" },
	{ "fetching", 0.5, 19, "fetching ... 0.5 s" },
	{ "fetching", 0.5, 18, "...hing ... 0.5 s" },
	{ "fetching", 0.5, 15, "...g ... 0.5 s" },
	{ "fetching", 0.5, 14, "... ... 0.5 s" },
	{ "fetching", 0.5, 13, " ... 0.5 s" },
	{ "fetching", 0.5, 11, " ... 0.5 s" },
	{ "fetching", 0.5, 5, " ..." },
	{ "fetching", 0.5, 1, " ... 0.5 s" },
	{ "converting /a/b/\303\244\303\266\303\274", 12.25, 20, "...b/\303\244\303\266\303\274 ... 12.2 s" },
	{ "bytes \377\377\377\377\377\377\377\377\377\377", 1, 16, "...\377\377 ... 1.0 s" },
	{ "", 1, 80, " ... 1.0 s" },
};

START_TEST(lines_fit)
{
	char line[256];

	progress_line(lines[_i].what, lines[_i].seconds, lines[_i].columns, line, sizeof(line));
	ck_assert_str_eq(line, lines[_i].line);
}
END_TEST

START_TEST(no_line_reaches_the_last_column)
{
	char what[600], line[1024];

	for (size_t size = 0; size < sizeof(what); size += 7) {
		memset(what, 'x', size);
		what[size] = '\0';
		for (size_t columns = 2; columns < 300; columns++) {
			progress_line(what, 99999.94, columns, line, sizeof(line));
			ck_assert_uint_lt(table_width(text_of(line)), columns);
		}
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("progress");
	TCase *tcase = tcase_create("progress");

	tcase_add_loop_test(tcase, lines_fit, 0, (int)(sizeof(lines) / sizeof(lines[0])));
	tcase_add_test(tcase, no_line_reaches_the_last_column);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
