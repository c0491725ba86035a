/* test_names -- paths put together, decorations taken off. */
#include "support/support.h"

#include "base/buf.h"
#include "base/mem.h"
#include "symcache/symcache.h"
#include "base/arch.h"
#include "object/object.h"
#include "symcache/undecorate.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))
#define PATH_CEILING_BYTES ((size_t)1 << 16)

static const struct {
	const char *comp_dir, *directory, *name, *path;
} paths[] = {
	{ "", "", "a.c", "a.c" },
	{ NULL, NULL, "a.c", "a.c" },
	{ "/src", "", "a.c", "/src/a.c" },
	{ "/src", "lib", "a.c", "/src/lib/a.c" },
	{ "/src", "/usr/include", "a.h", "/usr/include/a.h" },
	{ "/src", "lib", "/tmp/a.c", "/tmp/a.c" },
	{ "/src/", "lib//", "a.c", "/src/lib/a.c" },
	{ "/src/build", "../lib", "a.c", "/src/lib/a.c" },
	{ "/src/build", "..", "./a.c", "/src/a.c" },
	{ "/src", ".", "a.c", "/src/a.c" },
	{ "/src", "../../../lib", "a.c", "/../../lib/a.c" },
	{ "", "../../base", "a.c", "../../base/a.c" },
	{ "", "../x/..", "a.c", "../a.c" },
	{ "", "x/../..", "a.c", "../a.c" },
	{ "/src", "", "<built-in>", "<built-in>" },
	{ "/src", "<stdin>", "", "<stdin>" },
	{ "/src", "a//b", "c.c", "/src/a//b/c.c" },
	{ "/src", "a", "", "/src/a" },
	{ "/src", "a/", "", "/src/a" },
	{ "", "", "", "" },
	{ "/", "", "a.c", "/a.c" },
	{ "/src", "//host/share", "a.c", "\\\\host\\share\\a.c" },
	{ "C:\\src", "lib", "a.c", "C:\\src\\lib\\a.c" },
	{ "C:/src", "lib", "a.c", "C:\\src\\lib\\a.c" },
	{ "C:\\src\\", "..\\lib", "a.c", "C:\\lib\\a.c" },
	{ "C:\\src", "\\lib", "a.c", "C:\\lib\\a.c" },
	{ "C:\\src", "D:\\lib", "a.c", "D:\\lib\\a.c" },
	{ "C:\\src", "D:/lib", "a.c", "D:\\lib\\a.c" },
	{ "C:", "lib", "a.c", "C:\\lib\\a.c" },
	{ "C:\\src", "\\\\host\\share", "a.c", "\\\\host\\share\\a.c" },
	{ "C:\\src", "", "/usr/a.c", "/usr/a.c" },
	{ "", "d:\\a\\b", "..\\c.cpp", "d:\\a\\c.cpp" },
	{ "/src", "lib\\sub", "a.c", "\\src\\lib\\sub\\a.c" },
	{ "1:\\src", "", "a.c", "1:\\src\\a.c" },
};

START_TEST(paths_are_joined_and_cleaned)
{
	struct symcache_frame frame = {
		.has_file = true, .comp_dir = text_of(paths[_i].comp_dir),
		.directory = text_of(paths[_i].directory), .name = text_of(paths[_i].name),
	};
	struct buf out;

	buf_init(&out, PATH_CEILING_BYTES);
	buf_add_string(&out, "x/");
	symcache_frame_path(&frame, &out);
	ck_assert_msg(strcmp(buf_string(&out) + 2, paths[_i].path) == 0, "%s + %s + %s: %s",
		      paths[_i].comp_dir, paths[_i].directory, paths[_i].name, buf_string(&out));
	frame.has_file = false;
	buf_clear(&out);
	symcache_frame_path(&frame, &out);
	ck_assert_uint_eq(out.size, 0);
	buf_release(&out);
	ck_assert_int_eq(mem_live, 0);
}
END_TEST

static struct text any_text(char *bytes, uint32_t *seed)
{
	static const char *const pieces[] = {
		"/", "/", "/", ".", "..", "a", "bcd", ".x", "y.", "a-folder-with-a-long-name", "\\",
		"C:", "<b>", "./", "//",
	};
	size_t count, size = 0;

	*seed = *seed * 1664525u + 1013904223u;
	count = (*seed >> 24) % 8;
	for (size_t i = 0; i < count; i++) {
		const char *piece;

		*seed = *seed * 1664525u + 1013904223u;
		piece = pieces[(*seed >> 16) % (*seed % 4 ? 10 : COUNT(pieces))];
		memcpy(bytes + size, piece, strlen(piece));
		size += strlen(piece);
	}
	return (struct text){ bytes, size };
}

/* Most paths are put together quickly, where there is memory to spare; the rest with care. */
START_TEST(quick_paths_are_careful_paths)
{
	uint32_t seed = 11;

	for (unsigned round = 0; round < 200000; round++) {
		char bytes[3][256];
		struct symcache_frame frame = { .has_file = true };
		struct buf quick, careful;

		frame.comp_dir = any_text(bytes[0], &seed);
		frame.directory = any_text(bytes[1], &seed);
		frame.name = any_text(bytes[2], &seed);
		buf_init(&quick, PATH_CEILING_BYTES);
		symcache_frame_path(&frame, &quick);
		buf_init(&careful, frame.comp_dir.size + frame.directory.size + frame.name.size + 4);
		symcache_frame_path(&frame, &careful);
		if (quick.failed || careful.failed || !text_equal(buf_text(&quick), buf_text(&careful)))
			ck_abort_msg("%.*s + %.*s + %.*s: quick %s, careful %s",
				     (int)frame.comp_dir.size, bytes[0], (int)frame.directory.size,
				     bytes[1], (int)frame.name.size, bytes[2],
				     buf_string(&quick), buf_string(&careful));
		buf_release(&quick);
		buf_release(&careful);
	}
}
END_TEST

/* A short one needs memory where it goes, a long one also to be put together. */
START_TEST(a_path_without_memory_is_a_failed_buffer)
{
	static char name[2000];
	struct symcache_frame frame = { .has_file = true, .comp_dir = TEXT("/a"),
					.directory = TEXT("b") };

	memset(name, 'c', sizeof(name));
	for (long n = 0; n < 3; n++) {
		struct buf out;

		frame.name = (struct text){ name, n == 0 ? 1 : sizeof(name) };
		buf_init(&out, PATH_CEILING_BYTES);
		mem_fail_after = n ? n - 1 : 0;
		symcache_frame_path(&frame, &out);
		mem_fail_after = -1;
		ck_assert(out.failed && out.no_memory);
		buf_release(&out);
		ck_assert_int_eq(mem_live, 0);
	}
}
END_TEST

static const struct {
	const char *decorated, *name;
} names[] = {
	{ "", "" }, { "main", "main" }, { "_main", "main" }, { "__main", "_main" },
	{ "_f@8", "f" }, { "@f@8", "f" }, { "f@@8", "f" }, { "_f@@8", "_f" }, { "f@8", "f@8" },
	{ "_f@x", "f@x" }, { "_f@99999999999", "f@99999999999" }, { "_f@", "f@" }, { "@f", "@f" },
	{ "?f@@YAXXZ", "?f@@YAXXZ" }, { "_a::b", "_a::b" }, { "_f(int)", "_f(int)" },
	{ "_f<int>", "_f<int>" }, { "_@8", "" }, { "@8", "@8" }, { "@@8", "" }, { "8", "8" },
	{ "_", "" },
	/* MinGW for x86_64 and rustc: no underscore was added to these */
	{ "_ZN2ns1fEv", "_ZN2ns1fEv" }, { "_Z1fv", "_Z1fv" }, { "_RNvCs1_1a1f", "_RNvCs1_1a1f" },
	{ "__ZN2ns1fEv", "_ZN2ns1fEv" }, { "_Zoo", "Zoo" }, { "_Room", "Room" },
	{ "_ZZ5startENKUliE_clEi", "_ZZ5startENKUliE_clEi" }, { "_ZZtop", "ZZtop" },
	{ "_ZZZ1fvENKUlvE_clEvENKUliE_clEi", "_ZZZ1fvENKUlvE_clEvENKUliE_clEi" }, { "_ZZ", "ZZ" },
	{ "_ZdlPv", "_ZdlPv" }, { "_Znwy", "_Znwy" }, { "__Znwj", "_Znwj" },
	{ "_ZplRK3FooS1_", "_ZplRK3FooS1_" }, { "_ZpLR3FooS1_", "_ZpLR3FooS1_" },
	{ "_Zplain", "Zplain" }, { "_Zoo9x", "Zoo9x" }, { "_Zls", "Zls" },
	{ "_RINvCs1_1a1flE", "_RINvCs1_1a1flE" }, { "_RMCs1_1aNtB2_1S", "_RMCs1_1aNtB2_1S" },
	{ "_RXboxed", "RXboxed" },
};

START_TEST(decorations_are_taken_off)
{
	struct text name = undecorate(text_of(names[_i].decorated), UNDECORATE_X86);

	ck_assert_msg(text_is(name, names[_i].name), "%s: %.*s", names[_i].decorated,
		      (int)name.size, name.bytes);
}
END_TEST

/* Against the reference, which takes the underscore off whatever the processor. */
static const struct {
	const char *decorated, *name;
} kept[] = {
	{ "_CxxThrowException", "_CxxThrowException" },
	{ "__local_stdio_printf_options", "__local_stdio_printf_options" },
	{ "_f@8", "_f@8" }, { "@f@8", "@f@8" }, { "_", "_" }, { "f@@16", "f" }, { "_f@@16", "_f" },
	{ "?f@@YAXXZ", "?f@@YAXXZ" },
};

START_TEST(underscores_stay_but_on_32_bit_x86)
{
	static const uint32_t others[] = { ARCH_X86_64, ARCH_ARM64, ARCH_ARM, ARCH_UNKNOWN };
	struct text decorated = text_of(kept[_i].decorated);
	struct object object = { .arch = ARCH_X86, .undecorates = true };

	ck_assert_int_eq(undecoration_of(&object), UNDECORATE_X86);
	for (size_t i = 0; i < COUNT(others); i++) {
		struct text name;

		object.arch = others[i];
		name = undecorate(decorated, undecoration_of(&object));
		ck_assert_msg(text_is(name, kept[_i].name), "%s: %.*s", kept[_i].decorated,
			      (int)name.size, name.bytes);
	}
	object.undecorates = false;
	ck_assert(text_equal(undecorate(decorated, undecoration_of(&object)), decorated));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("symcache names");
	TCase *tcase = tcase_create("names");

	tcase_add_loop_test(tcase, paths_are_joined_and_cleaned, 0, COUNT(paths));
	tcase_add_test(tcase, quick_paths_are_careful_paths);
	tcase_add_test(tcase, a_path_without_memory_is_a_failed_buffer);
	tcase_add_loop_test(tcase, decorations_are_taken_off, 0, COUNT(names));
	tcase_add_loop_test(tcase, underscores_stay_but_on_32_bit_x86, 0, COUNT(kept));
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
