/* test_retrace -- stack traces as text, in each dialect. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "proguard/mapping_cache.h"
#include "proguard/retrace.h"
#include "support/support.h"

#define OUT_BYTES ((size_t)1 << 20)

#define PLAIN "o.Main$In -> a.b:\n    1:1:void callee():54:54 -> t\n    1:1:void caller(int):40 -> t\n    7:9:int own(long,int) -> u\n" \
	"o.Boom -> a.c:\n    void <init>() -> <init>\n"
#define TWO "o.R8 -> a.a:\n    void foo(int) -> a\n    void bar(int, int) -> a\n"
#define BY_R8 "# compiler: R8\n"

static const struct { const char *what, *mapping, *regex, *input, *expected; enum retrace_dialect dialect; bool verbose; } traces[] = {
	{ "a frame", PLAIN, NULL, "\tat a.b.t(SourceFile:1)", "\tat o.Main$In.callee(Main.java:54)\n\tat o.Main$In.caller(Main.java:40)\n", RETRACE_PROGUARD, false },
	{ "verbose", PLAIN, NULL, "\tat a.b.u(SourceFile:8)", "\tat o.Main$In.int own(long,int)(Main.java:8)\n", RETRACE_PROGUARD, true },
	{ "verbose, unknown", PLAIN, NULL, "\tat a.b.x(SourceFile:8)", "\tat o.Main$In.null x(null)(Main.java:8)\n", RETRACE_PROGUARD, true },
	{ "a class nobody knows", PLAIN, NULL, "\tat x.Y.z(Native Method)", "\tat x.Y.z(Y.java)\n", RETRACE_PROGUARD, false },
	{ "no line", TWO, NULL, "    at a.a.a(Unknown Source)", "    at o.R8.foo(R8.java)\n            bar(R8.java)\n", RETRACE_PROGUARD, false },
	{ "causes", PLAIN, NULL, "Caused by: a.c: boom boom", "Caused by: o.Boom: boom boom\n", RETRACE_PROGUARD, false },
	{ "suppressed", PLAIN, NULL, "\tSuppressed: a.c: m", "\tSuppressed: o.Boom: m\n", RETRACE_PROGUARD, false },
	{ "a thread", PLAIN, NULL, "Exception in thread \"main\" a.c: m", "Exception in thread \"main\" o.Boom: m\n", RETRACE_PROGUARD, false },
	{ "one word behind the colon", PLAIN, NULL, "a.c: word", "a.c: word\n", RETRACE_PROGUARD, false },
	{ "circular", PLAIN, NULL, "[CIRCULAR REFERENCE: a.c: m]", "[CIRCULAR REFERENCE: o.Boom: m]\n", RETRACE_PROGUARD, false },
	{ "a jar behind", PLAIN, NULL, "  at a.b.t(X:1) ~[a.jar:1]", "  at o.Main$In.callee(Main.java:54) ~[a.jar:1]\n  at o.Main$In.caller(Main.java:40) ~[a.jar:1]\n", RETRACE_PROGUARD, false },
	{ "no frame", PLAIN, NULL, "\t... 13 more", "\t... 13 more\n", RETRACE_PROGUARD, false },
	{ "an expression", PLAIN, "%c#%m:%l", "a.b#u:8", "o.Main$In#own:8\n", RETRACE_PROGUARD, false },
	{ "slashes", PLAIN, "%C \\(%t\\)", "a/b (a.c[])", "o/Main$In (a.c[])\n", RETRACE_PROGUARD, false },

	{ "R8: alternatives", BY_R8 TWO, NULL, "    at a.a.a(Unknown Source)", "    at o.R8.bar(R8.java)\n    <OR> at o.R8.foo(R8.java)\n", RETRACE_OF_MAPPING, false },
	{ "R8: inlined", BY_R8 PLAIN, NULL, "\tat a.b.t(SourceFile:1)", "\tat o.Main$In.callee(Main.java:54)\n\tat o.Main$In.caller(Main.java:40)\n", RETRACE_OF_MAPPING, false },
	{ "R8: verbose", BY_R8 PLAIN, NULL, "\tat a.b.u(SourceFile:8)", "\tat o.Main$In.int own(long,int)(Main.java:8)\n", RETRACE_OF_MAPPING, true },
	{ "R8: one word", BY_R8 PLAIN, NULL, "a.c: word", "o.Boom: word\n", RETRACE_OF_MAPPING, false },
	{ "R8: suppressed", BY_R8 PLAIN, NULL, "\tSuppressed: a.c: word", "\tSuppressed: o.Boom: word\n", RETRACE_OF_MAPPING, false },
	{ "R8: circular", BY_R8 PLAIN, NULL, "\t[CIRCULAR REFERENCE: a.c]", "\t[CIRCULAR REFERENCE: o.Boom]\n", RETRACE_OF_MAPPING, false },
	{ "R8: circular, older", BY_R8 PLAIN, NULL, "\t[CIRCULAR REFERENCE:a.c]", "\t[CIRCULAR REFERENCE:o.Boom]\n", RETRACE_OF_MAPPING, false },
	{ "R8: a module", BY_R8 PLAIN, NULL, "\tat app//a.b.u(X.java:8)", "\tat app//o.Main$In.own(Main.java:8)\n", RETRACE_OF_MAPPING, false },
	{ "R8: unknown", BY_R8 PLAIN, NULL, "\tat x.Y.z(Y.kt:3)", "\tat x.Y.z(Y.kt:3)\n", RETRACE_OF_MAPPING, false },
	{ "R8: logcat", BY_R8 PLAIN, NULL, "E/AndroidRuntime( 12): \tat a.b.u(SourceFile:8)", "E/AndroidRuntime( 12): \tat o.Main$In.own(Main.java:8)\n", RETRACE_OF_MAPPING, false },
	{ "R8: logcat, exception", BY_R8 PLAIN, NULL, "E/AndroidRuntime( 12): a.c: m", "E/AndroidRuntime( 12): o.Boom: m\n", RETRACE_OF_MAPPING, false },
	{ "R8: more", BY_R8 PLAIN, NULL, "\t... 42 more", "\t... 42 more\n", RETRACE_OF_MAPPING, false },

	{ "library", PLAIN, NULL, "\tat a.b.t(SourceFile:1)", "    at o.Main$In.callee(Main.java:54)\n    at o.Main$In.caller(Main.java:40)\n", RETRACE_LIBRARY, false },
	{ "library: alternatives", TWO, NULL, "\tat a.a.a(X)", "    at o.R8.foo(R8.java:0)\n    at o.R8.bar(R8.java:0)\n", RETRACE_LIBRARY, false },
	{ "library: causes", PLAIN, NULL, "Caused by: a.c: m\r", "Caused by: o.Boom: m\n", RETRACE_LIBRARY, false },
};

START_TEST(lines_become_what_the_dialect_says)
{
	const struct retrace_options options = {
		traces[_i].dialect, traces[_i].verbose, traces[_i].regex, false,
	};
	struct proguard mapping;
	struct file_map map = mapping_cache_open(traces[_i].what, text_of(traces[_i].mapping), &mapping);
	struct retrace retrace;
	struct err err = ERR_INIT;
	struct buf out;

	buf_init(&out, OUT_BYTES);
	ck_assert_msg(retrace_open(&retrace, &mapping, &options, &err) == 0, "%s", err.text);
	ck_assert_int_eq(retrace_line(&retrace, text_of(traces[_i].input), &out, &err), 0);
	ck_assert_msg(strcmp(buf_string(&out), traces[_i].expected) == 0, "%s:\n%s", traces[_i].what, buf_string(&out));
	retrace_release(&retrace);
	buf_release(&out);
	file_unmap(&map);
}
END_TEST

/* Each comment R8 writes, and some that have no part in names and lines. */
static const char commented[] =
	"# compiler: R8\n# {\"id\":\"com.android.tools.r8.mapping\",\"version\":\"2.2\"}\n"
	"o.Main$In -> a.b:\n# {\"id\":\"sourceFile\",\"fileName\":\"Entry.kt\"}\n"
	"    1:1:void callee():54:54 -> t\n    1:1:void caller(int):40:40 -> t\n"
	"      # {\"id\":\"com.android.tools.r8.rewriteFrame\",\"conditions\":[\"throws(Lo/Boom;)\"],\"actions\":[\"removeInnerFrames(1)\"]}\n"
	"    2:2:void o.Lambda.bridge():3:3 -> t\n      # {\"id\":\"com.android.tools.r8.synthesized\"}\n"
	"    2:2:void real():60:60 -> t\n      # {\"id\":\"com.android.tools.r8.residualsignature\",\"signature\":\"()V\"}\n"
	"    4:4:int out():98:98 -> s\n    27:27:int out():0:0 -> s\n"
	"      # {\"id\":\"com.android.tools.r8.outlineCallsite\",\"positions\":{\"1\":4},\"outline\":\"La;a()I\"}\n"
	"o.Out -> a:\n# {\"id\":\"com.android.tools.r8.partial\",\"of\":[1]}\n    1:2:int outline():0 -> a\n"
	"      # {\"id\":\"com.android.tools.r8.outline\"}\no.Boom -> a.c:\n";

static const struct { const char *what, *input, *expected; } stacks[] = {
	{ "sourceFile", "\tat a.b.t(SourceFile:1)\n", "\tat o.Main$In.callee(Entry.kt:54)\n\tat o.Main$In.caller(Entry.kt:40)\n" },
	{ "rewriteFrame", "a.c: m\n\tat a.b.t(X:1)\n\tat a.b.t(X:1)\n", "o.Boom: m\n\tat o.Main$In.caller(Entry.kt:40)\n"
		"\tat o.Main$In.callee(Entry.kt:54)\n\tat o.Main$In.caller(Entry.kt:40)\n" },
	{ "rewriteFrame, another exception", "a.b: m\n\tat a.b.t(X:1)\n", "o.Main$In: m\n\tat o.Main$In.callee(Entry.kt:54)\n\tat o.Main$In.caller(Entry.kt:40)\n" },
	{ "rewriteFrame, behind an outline", "a.c: m\n\tat a.a(X:2)\n\tat a.b.t(X:1)\n", "o.Boom: m\n\tat o.Main$In.caller(Entry.kt:40)\n" },
	{ "synthesized", "\tat a.b.t(X:2)\n", "\tat o.Main$In.real(Entry.kt:60)\n" },
	{ "outline, outlineCallsite", "\tat a.a(X:1)\n\tat a.b.s(X:27)\n\tat a.b.s(X:27)\n", "\tat o.Main$In.out(Entry.kt:98)\n\tat o.Main$In.out(Entry.kt:0)\n" },
	{ "outlineCallsite, a line it does not have", "\tat a.a(X:2)\n\tat a.b.s(X:27)\n", "\tat o.Main$In.out(Entry.kt:0)\n" },
};

START_TEST(comments_of_r8_take_part)
{
	const struct retrace_options options = { .dialect = RETRACE_OF_MAPPING };
	struct proguard mapping;
	struct file_map map = mapping_cache_open("comments", TEXT(commented), &mapping);
	struct text rest = text_of(stacks[_i].input), line;
	struct retrace retrace;
	struct err err = ERR_INIT;
	struct buf out;

	buf_init(&out, OUT_BYTES);
	ck_assert_msg(retrace_open(&retrace, &mapping, &options, &err) == 0, "%s", err.text);
	while (text_take_line(&rest, &line))
		ck_assert_int_eq(retrace_line(&retrace, line, &out, &err), 0);
	ck_assert_msg(strcmp(buf_string(&out), stacks[_i].expected) == 0, "%s:\n%s", stacks[_i].what, buf_string(&out));
	retrace_release(&retrace);
	buf_release(&out);
	file_unmap(&map);
}
END_TEST

#define MANY 16384u

/* A trace that looks at a method of many entries with each line. */
START_TEST(methods_of_very_many_entries_are_left_alone)
{
	const struct retrace_options options = { .dialect = (enum retrace_dialect)_i, .is_bounded = true };
	const struct text line = TEXT("\tat a.b.h(SourceFile:1)");
	uint64_t looked = RETRACE_ENTRIES / (MANY - RETRACE_LINE_ENTRIES);
	struct proguard mapping;
	struct file_map map;
	struct retrace retrace;
	struct err err = ERR_INIT;
	struct buf text, out;

	buf_init(&text, OUT_BYTES);
	buf_add_string(&text, "o.Main -> a.b:\n");
	for (unsigned i = 0; i < MANY; i++)
		buf_add_string(&text, "    2:2:void deep():1:1 -> h\n");
	map = mapping_cache_open("many entries", buf_text(&text), &mapping);
	buf_init(&out, OUT_BYTES);
	ck_assert_msg(retrace_open(&retrace, &mapping, &options, &err) == 0, "%s", err.text);
	for (uint64_t i = 0; i < looked + 100; i++) {
		uint64_t before = retrace.left_alone;

		buf_clear(&out);
		ck_assert_int_eq(retrace_line(&retrace, line, &out, &err), 0);
		ck_assert_int_eq(strstr(buf_string(&out), "o.Main") != NULL, retrace.left_alone == before);
		ck_assert(i >= looked - 2 || retrace.left_alone == 0);
	}
	ck_assert_uint_gt(retrace.left_alone, 80);
	retrace_release(&retrace);
	buf_release(&out);
	buf_release(&text);
	file_unmap(&map);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("retrace");
	TCase *all = tcase_create("all");

	tcase_add_loop_test(all, lines_become_what_the_dialect_says, 0, sizeof(traces) / sizeof(traces[0]));
	tcase_add_loop_test(all, comments_of_r8_take_part, 0, sizeof(stacks) / sizeof(stacks[0]));
	tcase_add_loop_test(all, methods_of_very_many_entries_are_left_alone, RETRACE_PROGUARD, RETRACE_DIALECTS);
	tcase_set_timeout(all, 60);
	suite_add_tcase(suite, all);
	return support_main(suite);
}
