/* test_ui_drop_packed -- what is in a packed file that was dropped. */
#include <check.h>
#include <fcntl.h>
#include <unistd.h>

#include "front/ui_drop_packed.h"
#include "support/support.h"

#define DUMP "{ printf 'MDMP\\223\\247\\000\\000'; head -c 9000 /dev/zero; }"
#define CORE "{ printf '\\177ELF\\002\\001\\001'; head -c 9 /dev/zero; printf '\\004\\000'; head -c 9000 /dev/zero; }"
#define NOISE "awk 'BEGIN { srand(1); for (i = 0; i < 400000; i++) printf \"%c\", 1 + int(rand() * 120) }'"

static const struct {
	const char *what, *recipe;
	enum stacktext_kind kind;
	bool is_packed;
} cases[] = {
	{ "gzip-dump", DUMP " | gzip -c > $OUT", STACKTEXT_MINIDUMP, false },
	{ "zstd-dump", DUMP " | zstd -q -c > $OUT", STACKTEXT_MINIDUMP, false },
	{ "gzip-core", CORE " | gzip -c > $OUT", STACKTEXT_CORE, false },
	{ "zstd-core", CORE " | zstd -q -c > $OUT", STACKTEXT_CORE, false },
	{ "zstd-long-blocks", "{ printf 'MDMP\\223\\247'; " NOISE "; } | zstd -q -c > $OUT", STACKTEXT_MINIDUMP, false },
	{ "short-dump", "printf 'MDMP\\223\\247' | gzip -c > $OUT", STACKTEXT_MINIDUMP, false },
	{ "text", "printf '#0 0x1 in main ()\\n' | gzip -c > $OUT", STACKTEXT_UNKNOWN, false },
	{ "packed-twice", DUMP " | gzip -c | gzip -c > $OUT", STACKTEXT_UNKNOWN, false },
	{ "zeros", "head -c 40000000 /dev/zero | zstd -q -19 -c > $OUT", STACKTEXT_UNKNOWN, false },
	/* Left to the cell that reads it. */
	{ "cut-dump", DUMP " | gzip -c | head -c 25 > $OUT", STACKTEXT_CORE, true },
	{ "lz4-dump", DUMP " | lz4 -q -c > $OUT", STACKTEXT_CORE, true },
	{ "xz-dump", DUMP " | xz -c > $OUT", STACKTEXT_CORE, true },
	{ "empty", "printf '' | gzip -c > $OUT", STACKTEXT_CORE, true },
	{ "broken", "printf '\\037\\213\\010no stream of gzip' > $OUT", STACKTEXT_CORE, true },
	{ "three-bytes", "printf '\\037\\213\\010' > $OUT", STACKTEXT_CORE, true },
};

START_TEST(says_what_is_in_it)
{
	const struct stacktext_detected guessed = { .kind = STACKTEXT_CORE, .is_packed = true };
	const char *path = support_fixture(cases[_i].what, cases[_i].recipe);
	struct stacktext_detected inside;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	inside = ui_drop_look_inside(fd, guessed);
	ck_assert_msg(inside.kind == cases[_i].kind && inside.is_packed == cases[_i].is_packed, "%s: it is %s, %s",
		      cases[_i].what, stacktext_kind_name(inside.kind), inside.is_packed ? "packed" : "plain");
	ck_assert_int_eq(inside.reason != NULL, inside.kind == STACKTEXT_UNKNOWN);
	close(fd);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("ui_drop_packed");
	TCase *tcase = tcase_create("ui_drop_packed");

	tcase_add_loop_test(tcase, says_what_is_in_it, 0, sizeof(cases) / sizeof(cases[0]));
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
