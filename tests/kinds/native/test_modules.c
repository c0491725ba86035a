/* test_modules.c -- the module table, and the addresses of frames. */
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arch.h"
#include "base/arena.h"
#include "base/limits.h"
#include "kinds/native/native.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* --- Modules ----------------------------------------------------------------------------- */

/* A table of modules nobody wrote as JSON. */
static const struct module_table *begin(struct arena *arena, struct raw_module *modules,
					size_t count)
{
	const struct symbolication_request request = {
		.report = { .modules = modules, .module_count = count },
	};
	struct module_table *table;
	struct err err = ERR_INIT;

	arena_init(arena, LIMIT_REQUEST_ARENA_BYTES);
	table = arena_alloc(arena, 1, sizeof(*table));
	ck_assert_ptr_nonnull(table);
	ck_assert_int_eq(module_table_make(table, &request, arena, &err), 0);
	return table;
}

static const struct { const char *what; bool rel; uint64_t mode, address; int index; } finds[] = {
	{ "first byte of a", false, 0, 0x1000, 1 },
	{ "inside a, whose size is inferred", false, 0, 0x1234, 1 },
	{ "before all", false, 0, 0xfff, -1 },
	{ "start of b", false, 0, 0x2000, 0 },
	{ "one past b's end", false, 0, 0x3000, 0 },
	{ "behind b's end", false, 0, 0x3001, -1 },
	{ "between b and c", false, 0, 0x3456, -1 },
	{ "inside c", false, 0, 0x4567, 2 },
	{ "far behind c, which is open", false, 0, UINT64_MAX, 2 },
	{ "relative to b", true, 0, 0x3456, 0 },
	{ "relative to c, out of range", true, 2, UINT64_MAX, 2 },
	{ "relative to none", true, 3, 0, -1 },
	{ "relative to none at all", true, UINT64_MAX, 0, -1 },
};

START_TEST(finds_modules)
{
	struct raw_module modules[] = {
		{ .image_addr = { true, 0x2000 }, .image_size = { true, 4096 } },
		{ .image_addr = { true, 0x1000 } }, { .image_addr = { true, 0x4000 } },
	};
	struct arena arena;
	const struct module_table *table = begin(&arena, modules, COUNT(modules));
	struct addr_mode mode = { finds[_i].rel, finds[_i].mode };
	struct native_module *found = module_table_find(table, mode, finds[_i].address);
	int index = found ? (int)(found - table->modules) : -1;

	ck_assert_msg(index == finds[_i].index, "%s: %d", finds[_i].what, index);
	ck_assert(table->modules[1].has_size);
	ck_assert_uint_eq(table->modules[1].image_size, 0x1000);
	ck_assert(!table->modules[2].has_size);
	arena_release(&arena);
}
END_TEST

START_TEST(two_modules_at_one_address)
{
	struct raw_module modules[] = {
		{ .image_addr = { true, 0x1000 } },
		{ .image_addr = { true, 0x1000 }, .image_size = { true, 16 } },
	};
	struct arena arena;
	const struct module_table *table = begin(&arena, modules, COUNT(modules));

	ck_assert(table->modules[0].has_size);
	ck_assert_uint_eq(table->modules[0].image_size, 0);
	ck_assert_uint_eq(table->modules[1].image_size, 16);
	arena_release(&arena);
}
END_TEST

/* --- Addresses --------------------------------------------------------------------------- */

static const struct {
	const char *what;
	uint32_t arch;
	enum maybe_bool says;        /* the frame itself */
	bool any_says;
	size_t index;
	const char *ip; uint64_t ip_value;   /* a register, if any */
	uint64_t signal;             /* 0: none */
	uint64_t address, adjusted;  /* adjusted 0: below the module (at 0x1000) */
} adjusts[] = {
	{ "x86_64, innermost", ARCH_X86_64, 0, false, 0, NULL, 0, 0, 0x1235, 0x1235 },
	{ "x86_64, caller", ARCH_X86_64, 0, false, 1, NULL, 0, 0, 0x1235, 0x1234 },
	{ "x86, caller", ARCH_X86, 0, false, 1, NULL, 0, 0, 0x1235, 0x1234 },
	{ "unknown arch, caller", ARCH_UNKNOWN, 0, false, 1, NULL, 0, 0, 0x1235, 0x1234 },
	{ "arm, innermost", ARCH_ARMV7, 0, false, 0, NULL, 0, 0, 0x1235, 0x1234 },
	{ "arm, caller", ARCH_ARMV7, 0, false, 1, NULL, 0, 0, 0x1235, 0x1232 },
	{ "arm64, innermost", ARCH_ARM64, 0, false, 0, NULL, 0, 0, 0x1237, 0x1234 },
	{ "arm64, caller", ARCH_ARM64, 0, false, 1, NULL, 0, 0, 0x1234, 0x1230 },
	{ "arm64_32, caller", ARCH_ARM64_32, 0, false, 1, NULL, 0, 0, 0x1234, 0x1230 },
	{ "ppc, caller", ARCH_PPC, 0, false, 1, NULL, 0, 0, 0x1234, 0x1230 },
	{ "ppc64, caller", ARCH_PPC64, 0, false, 1, NULL, 0, 0, 0x1234, 0x1228 },
	{ "mips, caller", ARCH_MIPS, 0, false, 1, NULL, 0, 0, 0x1238, 0x1230 },
	{ "mips, innermost", ARCH_MIPS, 0, false, 0, NULL, 0, 0, 0x1239, 0x1238 },
	{ "told to, innermost", ARCH_X86_64, MAYBE_TRUE, true, 0, NULL, 0, 0, 0x1235, 0x1234 },
	{ "told not to, caller", ARCH_X86_64, MAYBE_FALSE, true, 1, NULL, 0, 0, 0x1235, 0x1235 },
	{ "another frame says", ARCH_X86_64, 0, true, 0, NULL, 0, 0, 0x1235, 0x1234 },
	{ "a signal elsewhere", ARCH_X86_64, 0, false, 0, "rip", 0x9, 11, 0x1235, 0x1234 },
	{ "a signal right here", ARCH_X86_64, 0, false, 0, "rip", 0x1235, 11, 0x1235, 0x1235 },
	{ "a signal that does not count", ARCH_X86_64, 0, false, 0, "rip", 0x9, 6, 0x1235, 0x1235 },
	{ "the register of another CPU", ARCH_X86_64, 0, false, 0, "pc", 0x9, 11, 0x1235, 0x1235 },
	{ "arm64's register", ARCH_ARM64, 0, false, 0, "pc", 0x9, 4, 0x1234, 0x1230 },
	{ "ppc's register", ARCH_PPC, 0, false, 0, "srr0", 0x9, 10, 0x1234, 0x1230 },
	{ "x86's register", ARCH_X86, 0, false, 0, "eip", 0x9, 11, 0x1234, 0x1233 },
	{ "registers but no signal", ARCH_X86_64, 0, false, 0, "rip", 0x9, 0, 0x1235, 0x1235 },
	{ "below the module", ARCH_X86_64, 0, false, 1, NULL, 0, 0, 0x1000, 0 },
	{ "aligned below the module", ARCH_ARM64, 0, false, 1, NULL, 0, 0, 0x1003, 0 },
	{ "below zero", ARCH_X86_64, 0, false, 1, NULL, 0, 0, 0, 0 },
};

START_TEST(adjusts_addresses)
{
	struct raw_frame frames[2] = { { .adjust = MAYBE_UNSET } };
	struct cpu_register ip = { text_of(adjusts[_i].ip), adjusts[_i].ip_value };
	struct raw_trace trace = {
		.frames = frames, .frame_count = 2, .registers = &ip,
		.register_count = adjusts[_i].ip ? 1 : 0,
	};
	struct adjustment adjustment = {
		.arch = adjusts[_i].arch, .any_frame_says = adjusts[_i].any_says, .trace = &trace,
		.signal = { adjusts[_i].signal != 0, adjusts[_i].signal },
	};
	uint64_t adjusted = 0;
	bool inside;

	frames[adjusts[_i].index].adjust = adjusts[_i].says;
	inside = adjust_address(&adjustment, adjusts[_i].index, 0x1000, adjusts[_i].address,
				&adjusted);
	ck_assert_msg(inside == (adjusts[_i].adjusted != 0), "%s", adjusts[_i].what);
	if (inside)
		ck_assert_msg(adjusted == adjusts[_i].adjusted, "%s: 0x%llx", adjusts[_i].what,
			      (unsigned long long)adjusted);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("modules");
	TCase *tests = tcase_create("modules");

	tcase_add_loop_test(tests, finds_modules, 0, COUNT(finds));
	tcase_add_test(tests, two_modules_at_one_address);
	tcase_add_loop_test(tests, adjusts_addresses, 0, COUNT(adjusts));
	suite_add_tcase(suite, tests);
	return support_main(suite);
}
