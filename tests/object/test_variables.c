/* test_variables -- what functions hold, as several compilers and containers say it. */
#include <string.h>

#include "object/look.h"
#include "support/support.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

#define PROGRAM \
	"cd $DIR; cat > p.c <<'EOF'\n" \
	"struct pair { int x; }; typedef unsigned long size;\n" \
	"extern int sink;\n" \
	"static inline __attribute__((always_inline)) int inner(int value, const char *text) {\n" \
	"	double half = value * .5; return (int)half * sink + (text != 0); }\n" \
	"int outer(int value, char **list, void *any, struct pair *pair, size count) {\n" \
	"	int local = value + 1; extern int sink;\n" \
	"	{ unsigned char *deep = any; float local = 2; sink += *deep + (int)local; }\n" \
	"	return inner(local, list[0]) + pair->x + (int)count; }\n" \
	"int bare(void) { return sink; }\n" \
	"EOF\n"
#define OUTER "holds outer value int, list char**, any void*, pair <not implemented>*, " \
	"count <not implemented>, local int, deep unsigned char*\n"
#define INNER "holds inner value int, text <not implemented>*, half double\n"
#define LIB " -shared -fPIC -nostdlib -Wl,--unresolved-symbols=ignore-all "

static const struct { const char *name, *recipe; } programs[] = {
	{ "vars-gcc3", PROGRAM "gcc -O1 -gdwarf-3 -gstrict-dwarf -c p.c -o $OUT" },
	{ "vars-gcc5", PROGRAM "gcc -O1 -gdwarf-5" LIB "p.c -o $OUT" },
	{ "vars-gcc5-bare", PROGRAM "gcc -O0 -gdwarf-5 -c p.c -o $OUT" },
	{ "vars-clang4", PROGRAM "clang-19 -O1 -gdwarf-4 -c p.c -o $OUT" },
	{ "vars-clang5", PROGRAM "clang-19 -O1 -gdwarf-5 -fPIC -shared -nostdlib p.c -o $OUT" },
	{ "vars-split", PROGRAM "clang-19 -O1 -gdwarf-5 -gsplit-dwarf=single -c p.c -o $OUT" },
	{ "vars-wasm", PROGRAM "clang-19 --target=wasm32 -O1 -g -c p.c -o p.o;"
	  "wasm-ld-19 --no-entry --export-all --allow-undefined p.o -o $OUT" },
	{ "vars-pe", PROGRAM "echo 'int sink;' > s.c;"
	  "clang-19 --target=x86_64-w64-mingw32 -O1 -gdwarf-4 -c p.c -o p.o;"
	  "clang-19 --target=x86_64-w64-mingw32 -c s.c -o s.o;"
	  "ld.lld-19 -m i386pep -shared --entry=outer --export-all-symbols p.o s.o -o $OUT" },
	{ "vars-macho", PROGRAM "clang-19 --target=x86_64-apple-macos11 -O1 -g -c p.c -o $OUT" },
};

static const char *look_for_variables(const char *path)
{
	look_wants_variables = true;
	return look_path(path);
}

START_TEST(lists_what_functions_hold)
{
	const char *text = look_for_variables(support_fixture(programs[_i].name,
							      programs[_i].recipe));

	ck_assert_msg(strstr(text, OUTER), "%s: %.3000s", programs[_i].name, text);
	ck_assert_msg(strstr(text, INNER), "%s: %.3000s", programs[_i].name, text);
	ck_assert_msg(!look_has(text, "holds bare", ""), "%s: %.3000s", programs[_i].name, text);
}
END_TEST

START_TEST(nothing_is_listed_unasked)
{
	const char *text = look_path(support_fixture(programs[_i].name, programs[_i].recipe));

	ck_assert_msg(!look_has(text, "holds", "") && look_has(text, "function", ""), "%s",
		      programs[_i].name);
}
END_TEST

#define DWZ PROGRAM "gcc -O1 -g -ffile-prefix-map=$DIR=." LIB "p.c -o x1; cp x1 x2; dwz -m common x1 x2;"

START_TEST(follows_into_a_dwz_file)
{
	const char *main_file = support_fixture("vars-dwz", DWZ "cp x1 $OUT");
	const char *common = support_fixture("vars-dwz-common", DWZ "cp common $OUT");
	const char *text;

	look_wants_variables = true;
	text = look_with(main_file, OBJECT_ROLE_DWZ, common);
	ck_assert_msg(strstr(text, OUTER) && strstr(text, INNER), "%.3000s", text);
}
END_TEST

/* More than are listed, longer than are listed, and pointers without end. */
START_TEST(lists_have_an_end)
{
	const char *path = support_fixture("vars-many", "cd $DIR;"
		"awk 'BEGIN { printf \"void use(int); void many(void) {\";"
		"for (i = 0; i < 400; i++) printf \"int v%d = %d; use(v%d);\", i, i, i;"
		"printf \"} void deep(int \"; for (i = 0; i < 20; i++) printf \"*\";"
		"printf \"p) { (void)p; } void wide(int a\";"
		"for (i = 0; i < 300; i++) printf \"a\"; print \", int b) { (void)b; }\" }' > p.c;"
		"gcc -O0 -g -c p.c -o $OUT");
	const char *text = look_for_variables(path), *many = strstr(text, "holds many v0 int, ");

	ck_assert_msg(many && look_has(text, "holds many", "v255 int") &&
		      !look_has(text, "holds many", "v256 int"), "%.3000s", many ? many : text);
	ck_assert_msg(look_has(text, "holds deep p <unknown>", ""), "%.3000s", text);
	ck_assert_msg(look_has(text, "holds wide b int", ""), "%.3000s", text);
}
END_TEST

START_TEST(survives_every_byte_change)
{
	struct file_map map = support_read(support_fixture("vars-gcc5-bare", programs[2].recipe));

	look_wants_variables = true;
	support_every_byte_change(map.bytes, map.size, look_survive, NULL);
}
END_TEST

START_TEST(survives_every_allocation_failure)
{
	struct file_map map = support_read(support_fixture("vars-gcc5-bare", programs[2].recipe));
	struct look_input input = { .bytes = map.bytes, .size = map.size };

	look_wants_variables = true;
	support_every_allocation_failure(look_work, &input, 5000);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("variables");
	TCase *tests = tcase_create("variables");

	tcase_add_loop_test(tests, lists_what_functions_hold, 0, (int)COUNT(programs));
	tcase_add_loop_test(tests, nothing_is_listed_unasked, 0, (int)COUNT(programs));
	tcase_add_test(tests, follows_into_a_dwz_file);
	tcase_add_test(tests, lists_have_an_end);
	tcase_add_test(tests, survives_every_byte_change);
	tcase_add_test(tests, survives_every_allocation_failure);
	suite_add_tcase(suite, tests);
	return support_main(suite);
}
