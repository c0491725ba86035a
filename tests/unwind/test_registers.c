/*
 * test_registers.c -- the register tables: names, roles, widths.
 */
#include "support/support.h"
#include "unwind/registers.h"

static const struct {
	const char *what;
	enum unwind_arch arch;
	const char *name;
	unsigned number;
} names[] = {
	{ "plain", UNWIND_X86, "eip", UNWIND_X86_EIP },
	{ "with a dollar sign", UNWIND_X86, "$eip", UNWIND_X86_EIP },
	{ "after something before the dollar", UNWIND_X86, "foo$eip", UNWIND_X86_EIP },
	{ "the last of a table", UNWIND_X86, "$eflags", UNWIND_X86_EFLAGS },
	{ "beginning of a name", UNWIND_X86, "ei", UNWIND_NO_REGISTER },
	{ "longer than a name", UNWIND_X86, "eipp", UNWIND_NO_REGISTER },
	{ "longer than any name", UNWIND_X86, "eflagseflags", UNWIND_NO_REGISTER },
	{ "empty", UNWIND_X86, "", UNWIND_NO_REGISTER },
	{ "a dollar alone", UNWIND_X86, "$", UNWIND_NO_REGISTER },
	{ "upper case is no name", UNWIND_X86, "EIP", UNWIND_NO_REGISTER },
	{ "of another architecture", UNWIND_X86, "rip", UNWIND_NO_REGISTER },
	{ "amd64", UNWIND_X86_64, "$r15", UNWIND_X86_64_R8 + 7 },
	{ "arm's r11", UNWIND_ARM, "r11", UNWIND_ARM_FP },
	{ "arm's r15", UNWIND_ARM, "r15", UNWIND_ARM_PC },
	{ "arm's r12", UNWIND_ARM, "r12", UNWIND_ARM_R12 },
	{ "arm64's x29", UNWIND_ARM64, "x29", UNWIND_ARM64_FP },
	{ "arm64's x30", UNWIND_ARM64, "x30", UNWIND_ARM64_LR },
	{ "arm64 has no r11", UNWIND_ARM64, "r11", UNWIND_NO_REGISTER },
	{ "mips", UNWIND_MIPS, "$s7", UNWIND_MIPS_S0 + 7 },
	{ "mips's s8", UNWIND_MIPS64, "s8", UNWIND_MIPS_FP },
	{ "ppc", UNWIND_PPC, "vrsave", UNWIND_PPC_VRSAVE },
	{ "ppc64 has no mq", UNWIND_PPC64, "mq", UNWIND_NO_REGISTER },
	{ "ppc64", UNWIND_PPC64, "vrsave", UNWIND_PPC64_VRSAVE },
	{ "sparc", UNWIND_SPARC, "g_r31", UNWIND_SPARC_I7 },
};

START_TEST(names_mean_registers)
{
	ck_assert_msg(unwind_register_named(names[_i].arch, text_of(names[_i].name)) ==
		      names[_i].number, "%s", names[_i].what);
}
END_TEST

START_TEST(tables_hold_together)
{
	const struct unwind_arch_facts *facts = unwind_arch_facts((enum unwind_arch)_i);
	struct unwind_registers registers;

	ck_assert_uint_le(facts->register_count, UNWIND_REGISTERS_MAX);
	ck_assert_uint_lt(facts->pc, facts->register_count);
	ck_assert_uint_lt(facts->sp, facts->register_count);
	ck_assert(facts->word_bytes == 4 || facts->word_bytes == 8);
	ck_assert(facts->saved >> facts->register_count == 0);
	for (unsigned i = 0; i < facts->register_count; i++) {
		ck_assert_str_ne(facts->names[i], "");
		ck_assert_uint_eq(unwind_register_named((enum unwind_arch)_i,
							text_of(facts->names[i])), i);
	}
	unwind_registers_init(&registers, (enum unwind_arch)_i);
	ck_assert(!unwind_registers_has(&registers, facts->pc));
	unwind_registers_set(&registers, facts->pc, UINT64_MAX);
	ck_assert(unwind_registers_has(&registers, facts->pc));
	ck_assert(registers.values[facts->pc] == (facts->word_bytes == 4 ? UINT32_MAX : UINT64_MAX));
	unwind_registers_set(&registers, UNWIND_NO_REGISTER, 1);
	unwind_registers_forget(&registers, UNWIND_NO_REGISTER);
	ck_assert(!unwind_registers_has(&registers, UNWIND_NO_REGISTER));
	unwind_registers_forget(&registers, facts->pc);
	ck_assert(!registers.valid && !registers.values[facts->pc]);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("registers");
	TCase *tcase = tcase_create("registers");

	tcase_add_loop_test(tcase, names_mean_registers, 0, sizeof(names) / sizeof(names[0]));
	tcase_add_loop_test(tcase, tables_hold_together, 0, UNWIND_ARCHES);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
