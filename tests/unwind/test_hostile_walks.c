/*
 * test_hostile_walks.c -- walks that never should have been, each kind by its name; and walks that
 * stop for what is not there yet.
 */
#include <stdio.h>
#include <stdlib.h>

#include "support/support.h"
#include "walks.h"

#define X "11223344 "

static const struct walk_case cycles[] = {
	{ .what = "a frame pointer that points at itself", .arch = UNWIND_X86,
	  .registers = "eip=40001010 esp=80000000 ebp=80000008", .stack = X X "80000008 40001100 " X X,
	  .frames = "context 40001010/80000000, fp 40001100/80000010" },
	{ .what = "two that point at each other", .arch = UNWIND_X86,
	  .registers = "eip=40001010 esp=80000000 ebp=80000008",
	  .stack = X X "80000010 40001100 80000008 40001200 " X X,
	  .frames = "context 40001010/80000000, fp 40001100/80000010, fp 40001200/80000018" },
	{ .what = "a frame pointer of all ones", .arch = UNWIND_X86_64,
	  .registers = "rip=40001010 rsp=80000000 rbp=ffffffffffffffff", .stack = "50001100 " X,
	  .frames = "context 40001010/80000000, scan 50001100/80000008" },
	{ .what = "a stack pointer of all ones", .arch = UNWIND_X86_64,
	  .registers = "rip=40001010 rsp=ffffffffffffffff rbp=ffffffffffffffff", .stack = "0",
	  .cfi = "STACK CFI INIT 1000 100 .cfa: $rsp 8 + .ra: .cfa 8 - ^\n",
	  .frames = "context 40001010/ffffffffffffffff" },
	{ .what = "a frame address that wraps", .arch = UNWIND_X86_64,
	  .registers = "rip=40001010 rsp=80000000", .stack = "50001100 " X,
	  .cfi = "STACK CFI INIT 1000 100 .cfa: $rsp -1 * .ra: 1342177536\n",
	  .frames = "context 40001010/80000000, cfi 50000100/ffffffff80000000" },
	{ .what = "one that goes down", .arch = UNWIND_X86_64,
	  .registers = "rip=40001010 rsp=80000000", .stack = "50001100 " X,
	  .cfi = "STACK CFI INIT 1000 100 .cfa: $rsp 8 - .ra: 1342177536\n",
	  .frames = "context 40001010/80000000" },
};

START_TEST(ends)
{
	walk_check(&cycles[_i]);
}
END_TEST

/* Two functions that return into each other and need no stack. */
static const struct walk_case swap = {
	.what = "swap", .arch = UNWIND_ARM64, .stack = X,
	.registers = "pc=40001010 sp=80000000 x19=40002010 x20=40001010",
	.cfi = "STACK CFI INIT 1000 1100 .cfa: sp 0 + .ra: x19 x19: x20 x20: x19\n",
};

START_TEST(frames_without_stack_have_a_limit)
{
	static struct walk_world world;

	walk_prepare(&world, &swap);
	ck_assert_int_eq(unwind_walk(&world.walk), UNWIND_END);
	ck_assert_uint_eq(world.walk.frame_count, UNWIND_LIMIT_STACKLESS + 1);
	ck_assert_uint_eq(world.frames[1].resume_address, 0x40002010);
	ck_assert_uint_eq(world.frames[2].resume_address, 0x40001010);
}
END_TEST

/* Stack pointers that grow by a byte each, as far as one likes. */
static const struct walk_case creeping = {
	.what = "creeping", .arch = UNWIND_X86_64, .stack = X,
	.registers = "rip=40001010 rsp=80000000",
	.cfi = "STACK CFI INIT 1000 100 .cfa: $rsp 1 + .ra: 1073745936\n",
};

START_TEST(frames_have_a_limit)
{
	static struct walk_world world;

	walk_prepare(&world, &creeping);
	ck_assert_int_eq(unwind_walk(&world.walk), UNWIND_END);
	ck_assert_uint_eq(world.walk.frame_count, UNWIND_LIMIT_FRAMES);
	ck_assert_uint_eq(world.frames[WALKS_FRAMES_MAX - 1].stack_pointer,
			  WALKS_STACK + WALKS_FRAMES_MAX - 1);
}
END_TEST

/* A thousand threads may share one stack. */
START_TEST(frames_of_all_threads_have_a_limit)
{
	static struct walk_world world;

	walk_prepare(&world, &creeping);
	world.modules.frame_count = UNWIND_LIMIT_ALL_FRAMES - 10;
	ck_assert_int_eq(unwind_walk(&world.walk), UNWIND_END);
	ck_assert_uint_eq(world.walk.frame_count, 11);
	unwind_begin(&world.walk, &world.registers);
	ck_assert_int_eq(unwind_walk(&world.walk), UNWIND_END);
	ck_assert_uint_eq(world.walk.frame_count, 1);
}
END_TEST

/* Rules of 150 KB for each of 131072 frames: from some frame on there is no CFI any more.  (A
 * sixteenth of the budget is enough to see, and does not take half a minute with sanitizers.) */
START_TEST(very_long_rules_have_a_budget)
{
	static char rules[160000];
	static struct walk_world world;
	size_t size = (size_t)snprintf(rules, sizeof(rules), "STACK CFI INIT 1000 100 .cfa: $rsp 1 + "
				       ".ra: 1073745936 $rbx: 1");
	struct walk_case longer = creeping;

	while (size + 5 < 150000) {
		memcpy(rules + size, " 1 +", 5);
		size += 4;
	}
	longer.cfi = rules;
	walk_prepare(&world, &longer);
	ck_assert_uint_eq(world.walk.rule_bytes_left, UNWIND_LIMIT_RULE_BYTES);
	world.walk.rule_bytes_left /= 16;
	ck_assert_int_eq(unwind_walk(&world.walk), UNWIND_END);
	ck_assert_uint_gt(world.walk.frame_count, 100);
	ck_assert_uint_lt(world.walk.frame_count, UNWIND_LIMIT_RULE_BYTES / 16 / 100000);
	/* Those of all threads together have one, too. */
	world.modules.rule_bytes = UNWIND_LIMIT_ALL_RULE_BYTES + 1;
	unwind_begin(&world.walk, &world.registers);
	ck_assert_int_eq(unwind_walk(&world.walk), UNWIND_END);
	ck_assert_uint_eq(world.walk.frame_count, 1);
}
END_TEST

/* Every word of a large stack is a return address: scanning ends at its limit. */
START_TEST(scanned_frames_have_a_limit)
{
	static struct walk_world world;
	static const struct walk_case few = { .what = "few", .arch = UNWIND_X86_64, .stack = X,
					      .registers = "rip=40001010 rsp=80000000" };
	size_t count = 3 * (size_t)UNWIND_LIMIT_SCANNED_FRAMES;
	uint64_t *words = calloc(count, sizeof(*words));

	ck_assert_ptr_nonnull(words);
	for (size_t i = 0; i < count; i++)
		words[i] = 0x40001234;
	walk_prepare(&world, &few);
	world.region = (struct unwind_region){ WALKS_STACK, (const uint8_t *)words, count * 8 };
	ck_assert_int_eq(unwind_walk(&world.walk), UNWIND_END);
	ck_assert_uint_eq(world.walk.frame_count, UNWIND_LIMIT_SCANNED_FRAMES + 1);
	free(words);
}
END_TEST

START_TEST(frames_beyond_the_capacity_are_counted)
{
	static struct walk_world world;
	static const struct walk_case scans = { .what = "scans", .arch = UNWIND_X86_64,
						.registers = "rip=40001010 rsp=80000000",
						.stack = "40001234*100 50001234*2 0" };
	struct unwind_frame untouched = { .resume_address = 99 };

	walk_prepare(&world, &scans);
	world.walk.capacity = 5;
	world.frames[5] = untouched;
	ck_assert_int_eq(unwind_walk(&world.walk), UNWIND_END);
	ck_assert_uint_eq(world.walk.frame_count, 103);
	ck_assert_uint_eq(world.frames[4].resume_address, 0x40001234);
	ck_assert_uint_eq(world.frames[5].resume_address, 99);
	/* ... and what they touch is known. */
	ck_assert(world.items[1].is_touched);
}
END_TEST

/* Modules above and inside of each other, and up to the end of the address space. */
START_TEST(modules_that_overlap)
{
	struct unwind_module items[] = {
		{ .address = 0, .size = UINT64_MAX }, { .address = 0x1000, .size = 0x2000 },
		{ .address = 0x2000, .size = 0x10 }, { .address = UINT64_MAX, .size = UINT64_MAX },
	};
	static struct unwind_modules modules;

	modules.items = items;
	modules.count = 4;
	ck_assert_uint_eq(unwind_module_at(&modules, 0xfff), 0);
	ck_assert_uint_eq(unwind_module_at(&modules, 0x1000), 1);
	ck_assert_uint_eq(unwind_module_at(&modules, 0x200f), 2);
	ck_assert_uint_eq(unwind_module_at(&modules, 0x2010), UNWIND_NO_MODULE);
	ck_assert_uint_eq(unwind_module_at(&modules, UINT64_MAX), 3);
	modules.count = 0;
	ck_assert_uint_eq(unwind_module_at(&modules, 0), UNWIND_NO_MODULE);
}
END_TEST

/* --- Waiting ---------------------------------------------------------------------------- */

static const struct walk_case chain = {
	.what = "chain", .arch = UNWIND_X86_64, .registers = "rip=40001010 rsp=80000000",
	.stack = "50001100 40002100 " X "40001100 0",
	.cfi = "STACK CFI INIT 1000 100 .cfa: $rsp 8 + .ra: .cfa 8 - ^\n",
};

START_TEST(a_walk_waits_for_cfi_and_goes_on)
{
	static struct walk_world world;

	walk_prepare(&world, &chain);
	world.items[0].state = world.items[1].state = UNWIND_CFI_WANTED;
	ck_assert_int_eq(unwind_walk(&world.walk), UNWIND_NEEDS_CFI);
	ck_assert_uint_eq(world.walk.needed, 0);
	ck_assert_uint_eq(world.walk.frame_count, 1);
	/* Asked again with nothing new it says the same. */
	ck_assert_int_eq(unwind_walk(&world.walk), UNWIND_NEEDS_CFI);
	ck_assert_uint_eq(world.walk.needed, 0);
	world.items[0].state = UNWIND_CFI_OPEN;
	ck_assert_int_eq(unwind_walk(&world.walk), UNWIND_NEEDS_CFI);
	ck_assert_uint_eq(world.walk.needed, 1);
	world.items[1].state = UNWIND_CFI_ABSENT;
	ck_assert_int_eq(unwind_walk(&world.walk), UNWIND_END);
	ck_assert_str_eq(walk_tell(&world, NULL),
			 "context 40001010/80000000, cfi 50001100/80000008, "
			 "scan 40002100/80000010, scan 40001100/80000020");
	ck_assert_uint_eq(world.walk.needed, UNWIND_NO_MODULE);
}
END_TEST

static enum unwind_answer not_yet(void *payload, uint32_t module, uint64_t address)
{
	(void)module;
	(void)address;
	return *(const enum unwind_answer *)payload;
}

START_TEST(a_walk_waits_for_symbols_and_goes_on)
{
	enum unwind_answer answer = UNWIND_NOT_YET;
	struct unwind_symbols symbols = { .has_function = not_yet, .payload = &answer };
	static struct walk_world world;

	walk_prepare(&world, &chain);
	world.walk.symbols = &symbols;
	/* 40002100 is in no record of the first module's CFI: that is what symbols are asked. */
	ck_assert_int_eq(unwind_walk(&world.walk), UNWIND_NEEDS_SYMBOLS);
	ck_assert_uint_eq(world.walk.needed, 0);
	ck_assert_uint_eq(world.walk.frame_count, 2);
	answer = UNWIND_NO;
	ck_assert_int_eq(unwind_walk(&world.walk), UNWIND_END);
	ck_assert_str_eq(walk_tell(&world, NULL), "context 40001010/80000000, "
			 "cfi 50001100/80000008, scan 40001100/80000020");
}
END_TEST

/* The CFI a scanned word's module has is needed, too. */
START_TEST(a_scan_waits_for_cfi)
{
	enum unwind_answer answer = UNWIND_NO;
	struct unwind_symbols symbols = { .has_function = not_yet, .payload = &answer };
	static struct walk_world world;
	struct walk_case scan = chain;

	scan.registers = "rip=66660000 rsp=80000008";
	walk_prepare(&world, &scan);
	world.walk.symbols = &symbols;
	world.items[0].state = UNWIND_CFI_WANTED;
	ck_assert_int_eq(unwind_walk(&world.walk), UNWIND_NEEDS_CFI);
	ck_assert_uint_eq(world.walk.needed, 0);
	ck_assert(world.items[0].is_touched);
	ck_assert(!world.items[1].is_touched);
	world.items[0].state = UNWIND_CFI_OPEN;
	ck_assert_int_eq(unwind_walk(&world.walk), UNWIND_END);
	ck_assert_str_eq(walk_tell(&world, NULL), "context 66660000/80000008, "
			 "scan 40001100/80000020");
}
END_TEST

START_TEST(trusts_have_names)
{
	ck_assert_str_eq(unwind_trust_name(UNWIND_TRUST_CFI_SCAN), "cfiscan");
	ck_assert_str_eq(unwind_trust_name(UNWIND_TRUST_PREWALKED), "prewalked");
	ck_assert_str_eq(unwind_trust_name(UNWIND_TRUSTS), "none");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("hostile_walks");
	TCase *tcase = tcase_create("hostile_walks");

	tcase_add_loop_test(tcase, ends, 0, sizeof(cycles) / sizeof(cycles[0]));
	tcase_add_test(tcase, frames_without_stack_have_a_limit);
	tcase_add_test(tcase, frames_have_a_limit);
	tcase_add_test(tcase, frames_of_all_threads_have_a_limit);
	tcase_add_test(tcase, very_long_rules_have_a_budget);
	tcase_add_test(tcase, scanned_frames_have_a_limit);
	tcase_add_test(tcase, frames_beyond_the_capacity_are_counted);
	tcase_add_test(tcase, modules_that_overlap);
	tcase_add_test(tcase, a_walk_waits_for_cfi_and_goes_on);
	tcase_add_test(tcase, a_walk_waits_for_symbols_and_goes_on);
	tcase_add_test(tcase, a_scan_waits_for_cfi);
	tcase_add_test(tcase, trusts_have_names);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
