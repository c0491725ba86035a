/*
 * test_expression.c -- the postfix language: every operator, every way to have no value.
 */
#include <stdlib.h>

#include "support/support.h"
#include "unwind/expression.h"

static const struct {
	const char *what;
	enum unwind_arch arch;
	const char *expression;
	bool has_value;
	uint64_t value;
} expressions[] = {
	{ "a number", UNWIND_X86_64, "12", true, 12 },
	{ "a negative number", UNWIND_X86_64, "-8", true, UINT64_MAX - 7 },
	{ "a negative number of 32 bits", UNWIND_X86, "-8", true, 0xfffffff8 },
	{ "the lowest number", UNWIND_X86_64, "-9223372036854775808", true,
	  UINT64_C(0x8000000000000000) },
	{ "below the lowest number", UNWIND_X86_64, "-9223372036854775809", false, 0 },
	{ "the highest number", UNWIND_X86_64, "9223372036854775807", true, INT64_MAX },
	{ "above the highest number", UNWIND_X86_64, "9223372036854775808", false, 0 },
	{ "a number of a hundred digits", UNWIND_X86_64,
	  "1111111111222222222233333333334444444444555555555566666666667777777777888888888899999",
	  false, 0 },
	{ "hex is no number", UNWIND_X86_64, "0x10", false, 0 },
	{ "sum", UNWIND_X86_64, "1 2 +", true, 3 },
	{ "difference", UNWIND_X86_64, "1 2 -", true, UINT64_MAX },
	{ "difference in 32 bits", UNWIND_X86, "1 2 -", true, UINT32_MAX },
	{ "product", UNWIND_X86_64, "3 4 *", true, 12 },
	{ "a product that wraps", UNWIND_X86_64, "9223372036854775807 4 *", true, UINT64_MAX - 3 },
	{ "a product that wraps in 32 bits", UNWIND_X86, "65536 65536 *", true, 0 },
	{ "a sum that wraps", UNWIND_X86, "-1 2 +", true, 1 },
	{ "quotient", UNWIND_X86_64, "7 2 /", true, 3 },
	{ "quotients are unsigned", UNWIND_X86_64, "-2 2 /", true, INT64_MAX },
	{ "remainder", UNWIND_X86_64, "7 4 %", true, 3 },
	{ "division by zero", UNWIND_X86_64, "7 0 /", false, 0 },
	{ "remainder of division by zero", UNWIND_X86_64, "7 0 %", false, 0 },
	{ "lowest by minus one", UNWIND_X86_64, "-9223372036854775808 -1 /", true, 0 },
	{ "aligned", UNWIND_X86_64, "4103 16 @", true, 4096 },
	{ "aligned to 0", UNWIND_X86_64, "4103 0 @", false, 0 },
	{ "aligned to no power of two", UNWIND_X86_64, "4103 12 @", false, 0 },
	{ "aligned to 1", UNWIND_X86_64, "4103 1 @", true, 4103 },
	{ "left before right", UNWIND_X86_64, "100 10 5 - /", true, 20 },
	{ "memory", UNWIND_X86_64, "4096 ^", true, UINT64_C(0x0807060504030201) },
	{ "memory in 32 bits", UNWIND_X86, "4100 ^", true, 0x08070605 },
	{ "memory twice", UNWIND_X86, "4104 ^ ^", true, 0x04030201 },
	{ "memory that is not there", UNWIND_X86_64, "8192 ^", false, 0 },
	{ "memory at the end of the address space", UNWIND_X86_64, "-4 ^", false, 0 },
	{ "memory half there", UNWIND_X86_64, "4105 ^", false, 0 },
	{ "a register", UNWIND_X86_64, "$rbx", true, 7 },
	{ "a register without dollar", UNWIND_X86_64, "rbx", true, 7 },
	{ "an unknown register", UNWIND_X86_64, "$r12", false, 0 },
	{ "a register of another processor", UNWIND_X86_64, "$eax", false, 0 },
	{ "one that may not be read", UNWIND_X86_64, "$rdi", false, 0 },
	{ ".cfa", UNWIND_X86_64, ".cfa 8 -", true, 4096 },
	{ ".undef", UNWIND_X86_64, ".undef", false, 0 },
	{ ".ra", UNWIND_X86_64, ".ra", false, 0 },
	{ "nothing", UNWIND_X86_64, "", false, 0 },
	{ "blanks", UNWIND_X86_64, "  \t ", false, 0 },
	{ "blanks between tokens", UNWIND_X86_64, " 1 \t  2   + ", true, 3 },
	{ "two values left", UNWIND_X86_64, "1 2", false, 0 },
	{ "an operator on one value", UNWIND_X86_64, "1 +", false, 0 },
	{ "an operator on none", UNWIND_X86_64, "+", false, 0 },
	{ "memory at nothing", UNWIND_X86_64, "^", false, 0 },
	{ "assignments are for STACK WIN", UNWIND_X86_64, "$rbx 1 =", false, 0 },
	{ "an unknown word", UNWIND_X86_64, "1 frob +", false, 0 },
	{ "operators that touch", UNWIND_X86_64, "1 2 ++", false, 0 },
	{ "64 values", UNWIND_X86_64,
	  "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 "
	  "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 "
	  "+ + + + + + + + + + + + + + + + + + + + + + + + + + + + + + + + "
	  "+ + + + + + + + + + + + + + + + + + + + + + + + + + + + + + +", true, 64 },
	{ "65 values", UNWIND_X86_64,
	  "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 "
	  "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 "
	  "+ + + + + + + + + + + + + + + + + + + + + + + + + + + + + + + + + "
	  "+ + + + + + + + + + + + + + + + + + + + + + + + + + + + + + +", false, 0 },
};

static const uint8_t bytes[] = { 1, 2, 3, 4, 5, 6, 7, 8, 0, 0x10, 0, 0 };
static const struct unwind_region region = { 4096, bytes, sizeof(bytes) };
static const struct unwind_memory memory = { &region, 1, false };

static struct unwind_scope scope_of(struct unwind_registers *registers, enum unwind_arch arch)
{
	unwind_registers_init(registers, arch);
	unwind_registers_set(registers, unwind_register_named(arch, TEXT("rbx")), 7);
	unwind_registers_set(registers, unwind_register_named(arch, TEXT("rdi")), 7);
	return (struct unwind_scope){ .memory = &memory, .registers = registers,
				      .hidden = UINT64_C(1) << UNWIND_X86_64_RDI,
				      .has_cfa = true, .cfa = 4104 };
}

START_TEST(values)
{
	struct unwind_registers registers;
	struct unwind_scope scope = scope_of(&registers, expressions[_i].arch);
	uint64_t value = 0;
	bool has_value = unwind_expression_value(&scope, text_of(expressions[_i].expression),
						 &value);

	ck_assert_msg(has_value == expressions[_i].has_value, "%s", expressions[_i].what);
	ck_assert_msg(!has_value || value == expressions[_i].value, "%s: %llu",
		      expressions[_i].what, (unsigned long long)value);
}
END_TEST

START_TEST(cfa_is_no_value_of_its_own_rule)
{
	struct unwind_registers registers;
	struct unwind_scope scope = scope_of(&registers, UNWIND_X86_64);
	uint64_t value;

	scope.has_cfa = false;
	ck_assert(!unwind_expression_value(&scope, TEXT(".cfa 8 +"), &value));
}
END_TEST

/* A rule of a megabyte costs what it is long, no more. */
START_TEST(very_long_expressions)
{
	size_t size = (size_t)1 << 20;
	char *text = malloc(size);
	struct unwind_registers registers;
	struct unwind_scope scope = scope_of(&registers, UNWIND_X86_64);
	uint64_t value = 0;

	ck_assert_ptr_nonnull(text);
	text[0] = '1';
	for (size_t i = 1; i + 4 <= size; i += 4)
		memcpy(text + i, " 1 +", 4);
	ck_assert(unwind_expression_value(&scope, (struct text){ text, size - 3 }, &value));
	ck_assert_uint_eq(value, size / 4);
	memset(text, '1', size);
	ck_assert(!unwind_expression_value(&scope, (struct text){ text, size }, &value));
	memset(text, '$', size);
	ck_assert(!unwind_expression_value(&scope, (struct text){ text, size }, &value));
	free(text);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("expression");
	TCase *tcase = tcase_create("expression");

	tcase_add_loop_test(tcase, values, 0, sizeof(expressions) / sizeof(expressions[0]));
	tcase_add_test(tcase, cfa_is_no_value_of_its_own_rule);
	tcase_add_test(tcase, very_long_expressions);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
