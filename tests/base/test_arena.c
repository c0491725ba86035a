/* test_arena.c -- ceilings hold, marks return, and memory is zero when it must be. */
#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "support/support.h"

#define MIB ((size_t)1 << 20)

static bool is_zero(const unsigned char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (bytes[i])
			return false;
	return true;
}

START_TEST(aligns_zeroes_and_gives_everything_back)
{
	long before = atomic_load(&mem_live);
	struct arena arena;

	arena_init(&arena, 64 * MIB);
	for (size_t size = 0; size < 3000; size++) {
		unsigned char *bytes = arena_alloc(&arena, size, 1);

		ck_assert_ptr_nonnull(bytes);
		ck_assert_uint_eq((uintptr_t)bytes % _Alignof(max_align_t), 0);
		ck_assert(is_zero(bytes, size));
		if (size)
			memset(bytes, 0xaa, size);
	}
	arena_release(&arena);
	ck_assert_int_eq(atomic_load(&mem_live), before);
	ck_assert_uint_eq(arena.held_bytes, 0);
	arena_release(&arena);
}
END_TEST

START_TEST(few_blocks_hold_much)
{
	long before = atomic_load(&mem_live);
	struct arena arena;

	arena_init(&arena, 512 * MIB);
	for (size_t i = 0; i < 1000000; i++)
		ck_assert_ptr_nonnull(arena_alloc_raw(&arena, 64, 1));
	ck_assert_int_lt(atomic_load(&mem_live) - before, 40);
	arena_release(&arena);
}
END_TEST

START_TEST(keeps_the_ceiling)
{
	static const struct {
		const char *what;
		size_t ceiling, count, size;
		bool fits;
	} cases[] = {
		{ "nothing allowed",      0,        1,            1, false },
		{ "under a block",        100,      1,            32, true },
		{ "over a small ceiling", 100,      1,            200, false },
		{ "a large one",          64 * MIB, 1,            63 * MIB, true },
		{ "just too large",       64 * MIB, 1,            64 * MIB + 1, false },
		{ "product wraps round",  64 * MIB, SIZE_MAX / 8, 16, false },
		{ "sum wraps round",      SIZE_MAX, SIZE_MAX,     1, false },
		{ "largest of all",       SIZE_MAX, SIZE_MAX - 20, 1, false },
		{ "count of nothings",    MIB,      SIZE_MAX,     0, true },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena arena;

		arena_init(&arena, cases[i].ceiling);
		ck_assert_msg((arena_alloc(&arena, cases[i].count, cases[i].size) != NULL) ==
			      cases[i].fits, "%s", cases[i].what);
		ck_assert_msg(arena.held_bytes <= cases[i].ceiling, "%s", cases[i].what);
		arena_release(&arena);
	}
}
END_TEST

START_TEST(fills_to_the_ceiling_and_no_further)
{
	long before = atomic_load(&mem_live);
	struct arena arena;
	size_t got = 0;

	arena_init(&arena, 10 * MIB);
	while (arena_alloc(&arena, 1000, 1))
		got += 1000;
	ck_assert_uint_gt(got, 9 * MIB);
	ck_assert_uint_le(arena.held_bytes, 10 * MIB);
	ck_assert_int_lt(atomic_load(&mem_live) - before, 20);
	ck_assert_ptr_null(arena_alloc(&arena, 1000, 1));
	arena_release(&arena);
}
END_TEST

START_TEST(rewinds_and_zeroes_again)
{
	struct arena arena;
	struct arena_mark mark;
	char *first, *again;

	arena_init(&arena, 64 * MIB);
	first = arena_strdup(&arena, "stays");
	mark = arena_mark(&arena);
	again = arena_alloc(&arena, 100, 1);
	memset(again, 0xff, 100);
	arena_rewind(&arena, mark);
	again = arena_alloc(&arena, 100, 1);
	ck_assert(is_zero((unsigned char *)again, 100));
	ck_assert_str_eq(first, "stays");
	arena_release(&arena);
}
END_TEST

/* Many rounds over several blocks: what is held does not grow, nor do the knocks. */
START_TEST(rewinds_over_blocks_without_growing)
{
	struct arena arena;
	struct arena_mark mark;
	size_t held = 0;

	arena_init(&arena, 64 * MIB);
	for (int from_empty = 0; from_empty < 2; from_empty++) {
		if (from_empty)
			ck_assert_ptr_nonnull(arena_alloc(&arena, 10, 1));
		mark = arena_mark(&arena);
		for (int round = 0; round < 100; round++) {
			for (int i = 0; i < 200; i++) {
				unsigned char *bytes = arena_alloc(&arena, 5000, 1);

				ck_assert(bytes && is_zero(bytes, 5000));
				memset(bytes, 0x55, 5000);
			}
			ck_assert(round < 2 || arena.held_bytes <= held);
			held = arena.held_bytes;
			arena_rewind(&arena, mark);
		}
	}
	arena_release(&arena);
}
END_TEST

START_TEST(a_block_kept_does_not_stand_in_the_way)
{
	struct arena arena;
	struct arena_mark start, inner;

	arena_init(&arena, 10 * MIB);
	start = arena_mark(&arena);
	ck_assert_ptr_nonnull(arena_alloc(&arena, 6 * MIB, 1));
	arena_rewind(&arena, start);
	inner = arena_mark(&arena);
	ck_assert_ptr_nonnull(arena_alloc(&arena, 9 * MIB, 1));
	arena_rewind(&arena, inner);
	ck_assert_ptr_nonnull(arena_alloc(&arena, 9 * MIB, 1));
	arena_rewind(&arena, start);
	arena_release(&arena);
	ck_assert_uint_eq(arena.held_bytes, 0);
}
END_TEST

START_TEST(nested_marks_return_in_turn)
{
	struct arena arena;
	struct arena_mark marks[50];
	unsigned char *kept[50];

	arena_init(&arena, 64 * MIB);
	for (int i = 0; i < 50; i++) {
		kept[i] = arena_alloc(&arena, 30000, 1);
		memset(kept[i], i, 30000);
		marks[i] = arena_mark(&arena);
	}
	for (int i = 49; i >= 0; i--) {
		arena_rewind(&arena, marks[i]);
		memset(arena_alloc_raw(&arena, 70000, 1), 0xee, 70000);
		for (int j = 0; j <= i; j++)
			ck_assert(kept[j][0] == j && kept[j][29999] == j);
	}
	arena_release(&arena);
}
END_TEST

START_TEST(writes_words)
{
	struct arena arena;
	char longer[5000];
	char *words;

	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	arena_init(&arena, MIB);
	ck_assert_str_eq(arena_strndup(&arena, "abcdef", 3), "abc");
	ck_assert_str_eq(arena_strndup(&arena, NULL, 0), "");
	ck_assert_ptr_null(arena_strndup(&arena, "a", SIZE_MAX));
	ck_assert_str_eq(arena_printf(&arena, "%d-%s", 5, "five"), "5-five");
	words = arena_printf(&arena, "%s!", longer);
	ck_assert_uint_eq(strlen(words), sizeof(longer));
	arena_release(&arena);
	arena_init(&arena, 100);
	ck_assert_ptr_null(arena_printf(&arena, "%s", longer));
	arena_release(&arena);
}
END_TEST

static int some_work(void *payload, struct err *err)
{
	struct arena arena;
	int result = 0;

	(void)payload;
	arena_init(&arena, 64 * MIB);
	for (int i = 0; i < 100 && result == 0; i++)
		if (!arena_alloc(&arena, 50000, 1))
			result = err_set(err, ERR_NO_MEMORY, "no");
	arena_release(&arena);
	return result;
}

START_TEST(survives_every_allocation_failure)
{
	support_every_allocation_failure(some_work, NULL, 1000);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("base/arena");
	TCase *tcase = tcase_create("arena");

	tcase_add_test(tcase, aligns_zeroes_and_gives_everything_back);
	tcase_add_test(tcase, few_blocks_hold_much);
	tcase_add_test(tcase, keeps_the_ceiling);
	tcase_add_test(tcase, fills_to_the_ceiling_and_no_further);
	tcase_add_test(tcase, rewinds_and_zeroes_again);
	tcase_add_test(tcase, rewinds_over_blocks_without_growing);
	tcase_add_test(tcase, a_block_kept_does_not_stand_in_the_way);
	tcase_add_test(tcase, nested_marks_return_in_turn);
	tcase_add_test(tcase, writes_words);
	tcase_add_test(tcase, survives_every_allocation_failure);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
