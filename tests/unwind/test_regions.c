/*
 * test_regions.c -- memory: order, overlaps, words.
 */
#include "support/support.h"
#include "unwind/regions.h"

static const uint8_t bytes[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 };

START_TEST(reads_words_in_both_orders)
{
	const struct unwind_region region = { 0x1000, bytes, sizeof(bytes) };
	struct unwind_memory memory = { &region, 1, false };
	uint64_t value = 0;

	ck_assert(unwind_memory_read(&memory, 0x1000, 1, &value) && value == 1);
	ck_assert(unwind_memory_read(&memory, 0x1001, 2, &value) && value == 0x0302);
	ck_assert(unwind_memory_read(&memory, 0x1002, 4, &value) && value == 0x06050403);
	ck_assert(unwind_memory_read(&memory, 0x1008, 8, &value) &&
		  value == UINT64_C(0x100f0e0d0c0b0a09));
	memory.big_endian = true;
	ck_assert(unwind_memory_read(&memory, 0x1001, 2, &value) && value == 0x0203);
	ck_assert(unwind_memory_read(&memory, 0x1002, 4, &value) && value == 0x03040506);
	ck_assert(unwind_memory_read(&memory, 0x1008, 8, &value) &&
		  value == UINT64_C(0x090a0b0c0d0e0f10));
}
END_TEST

START_TEST(reads_nothing_outside)
{
	const struct unwind_region regions[] = {
		{ 0x1000, bytes, 8 }, { 0x1008, bytes, 8 }, { UINT64_MAX - 16, bytes, 16 }
	};
	const struct unwind_memory memory = { regions, 3, false }, none = { NULL, 0, false };
	uint64_t value = 99;

	ck_assert(!unwind_memory_read(&memory, 0xfff, 1, &value));
	ck_assert(!unwind_memory_read(&memory, 0xfff, 2, &value));
	ck_assert(!unwind_memory_read(&memory, 0x1010, 1, &value));
	/* A word lies in one region, or nowhere. */
	ck_assert(!unwind_memory_read(&memory, 0x1004, 8, &value));
	ck_assert(!unwind_memory_read(&memory, UINT64_MAX - 3, 8, &value));
	ck_assert(!unwind_memory_read(&memory, UINT64_MAX, 1, &value));
	ck_assert(!unwind_memory_read(&none, 0, 1, &value));
	ck_assert_uint_eq(value, 99);
	ck_assert(unwind_memory_read(&memory, UINT64_MAX - 8, 8, &value));
}
END_TEST

START_TEST(overlaps_lose_their_beginning)
{
	struct unwind_region regions[] = {
		{ 0x1004, bytes, 8 },                /* its first four bytes belong to the next */
		{ 0x1000, bytes, 8 },
		{ 0x1002, bytes, 4 },                /* inside */
		{ 0x1000, bytes, 4 },                /* the same beginning, shorter: goes first */
		{ 0x2000, bytes, 0 },
		{ UINT64_MAX - 3, bytes, 8 },        /* ends behind the address space */
		{ 0x100c, bytes, 4 },                /* adjacent */
	};
	const struct unwind_memory memory = {
		regions, unwind_memory_sort(regions, 7), false
	};
	uint64_t value;

	ck_assert_uint_eq(memory.count, 4);
	for (size_t i = 1; i < memory.count; i++)
		ck_assert(regions[i].address >= regions[i - 1].address + regions[i - 1].size);
	ck_assert(unwind_memory_read(&memory, 0x1000, 4, &value) && value == 0x04030201);
	ck_assert(unwind_memory_read(&memory, 0x1004, 4, &value) && value == 0x08070605);
	ck_assert(unwind_memory_read(&memory, 0x1008, 4, &value) && value == 0x08070605);
	ck_assert(unwind_memory_read(&memory, 0x100c, 4, &value) && value == 0x04030201);
	ck_assert_uint_eq(unwind_memory_sort(regions, 0), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("regions");
	TCase *tcase = tcase_create("regions");

	tcase_add_test(tcase, reads_words_in_both_orders);
	tcase_add_test(tcase, reads_nothing_outside);
	tcase_add_test(tcase, overlaps_lose_their_beginning);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
