/* test_arch.c -- codes, names, families and alignments of processors; languages. */
#include "base/arch.h"

#include <string.h>

#include "support/support.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct {
	const char *name;
	enum arch arch;
	enum cpu_family family;
	unsigned alignment;
} cases[] = {
	{ "unknown", ARCH_UNKNOWN, CPU_UNKNOWN, 1 },
	{ "x86", ARCH_X86, CPU_X86, 1 },
	{ "x86_unknown", ARCH_X86_UNKNOWN, CPU_X86, 1 },
	{ "x86_64", ARCH_X86_64, CPU_X86_64, 1 },
	{ "x86_64h", ARCH_X86_64H, CPU_X86_64, 1 },
	{ "armv7em", ARCH_ARMV7EM, CPU_ARM, 2 },
	{ "arm_unknown", ARCH_ARM_UNKNOWN, CPU_ARM, 2 },
	{ "arm64", ARCH_ARM64, CPU_ARM64, 4 },
	{ "arm64v8", ARCH_ARM64_V8, CPU_ARM64, 4 },
	{ "arm64e", ARCH_ARM64E, CPU_ARM64, 4 },
	{ "ppc", ARCH_PPC, CPU_PPC, 4 },
	{ "ppc64", ARCH_PPC64, CPU_PPC64, 8 },
	{ "mips", ARCH_MIPS, CPU_MIPS, 4 },
	{ "mips64", ARCH_MIPS64, CPU_MIPS64, 4 },
	{ "arm64_32", ARCH_ARM64_32, CPU_ARM64_32, 4 },
	{ "wasm32", ARCH_WASM32, CPU_WASM32, 4 },
};

START_TEST(knows_processors)
{
	for (size_t i = 0; i < COUNT(cases); i++) {
		enum arch arch = ARCH_WASM32;

		ck_assert_str_eq(arch_name(cases[i].arch), cases[i].name);
		ck_assert(arch_named(text_of(cases[i].name), &arch));
		ck_assert_int_eq(arch, cases[i].arch);
		ck_assert_int_eq(arch_family(cases[i].arch), cases[i].family);
		ck_assert_msg(arch_alignment(cases[i].arch) == cases[i].alignment, "%s",
			      cases[i].name);
	}
	ck_assert_str_eq(arch_name(12345), "unknown");
	ck_assert_int_eq(arch_family(12345), CPU_UNKNOWN);
	ck_assert_uint_eq(arch_alignment(12345), 1);
}
END_TEST

START_TEST(knows_other_words)
{
	static const struct {
		const char *name;
		enum arch arch;
	} words[] = {
		{ "i386", ARCH_X86 }, { "amd64", ARCH_X86_64 }, { "x86-64", ARCH_X86_64 },
		{ "AMD64", ARCH_X86_64 }, { "X86_64", ARCH_X86_64 }, { "arm-64", ARCH_ARM64 },
		{ "ArmV7", ARCH_ARMV7 },
	};
	enum arch arch = ARCH_PPC;

	for (size_t i = 0; i < COUNT(words); i++) {
		ck_assert(arch_named(text_of(words[i].name), &arch));
		ck_assert_int_eq(arch, words[i].arch);
	}
	arch = ARCH_PPC;
	ck_assert(!arch_named(TEXT("sparc"), &arch));
	ck_assert(!arch_named(TEXT(""), &arch));
	ck_assert(!arch_named(TEXT_NONE, &arch));
	ck_assert_int_eq(arch, ARCH_PPC);
}
END_TEST

START_TEST(translates_old_codes)
{
	static const uint32_t modern[] = {
		0, 101, 201, 202, 301, 302, 303, 304, 305, 306, 307, 308, 309, 310,
		401, 402, 403, 501, 601,
	};

	for (uint32_t i = 0; i < COUNT(modern); i++)
		ck_assert_uint_eq(arch_modern_code(i), modern[i]);
	ck_assert_uint_eq(arch_modern_code(19), 19);
	ck_assert_uint_eq(arch_modern_code(201), 201);
	ck_assert_uint_eq(arch_modern_code(UINT32_MAX), UINT32_MAX);
}
END_TEST

START_TEST(knows_languages)
{
	for (unsigned i = 0; i < LANGUAGES; i++) {
		enum language language = LANGUAGE_UNKNOWN;

		ck_assert(language_named(text_of(language_name(i)), &language));
		ck_assert_uint_eq(language, i);
	}
	ck_assert_str_eq(language_name(LANGUAGE_OBJCPP), "objcpp");
	ck_assert_str_eq(language_name(LANGUAGES), "unknown");
	ck_assert(!language_named(TEXT("cobol"), &(enum language){ LANGUAGE_C }));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("base/arch");
	TCase *tcase = tcase_create("arch");

	tcase_add_test(tcase, knows_processors);
	tcase_add_test(tcase, knows_other_words);
	tcase_add_test(tcase, translates_old_codes);
	tcase_add_test(tcase, knows_languages);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
