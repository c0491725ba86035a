/* test_search.c -- the binary search, against walks from one end to the other. */
#include "base/search.h"

#include <check.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "support/support.h"

#define ITEMS_MAX 40u
#define STEPS_MAX 6u             /* of ITEMS_MAX halved until nothing is left */

static size_t walk(const uint32_t *items, size_t from, size_t to, uint32_t wanted)
{
	while (from < to && items[from] < wanted)
		from++;
	return from;
}

/* Every size, every stretch of it, each item there is and those between them, twice the same too. */
START_TEST(finds_what_a_walk_finds)
{
	uint32_t items[ITEMS_MAX];

	for (size_t i = 0; i < ITEMS_MAX; i++)
		items[i] = (uint32_t)(i / 2 * 2 + 1);
	for (size_t from = 0; from <= ITEMS_MAX; from++)
		for (size_t to = from; to <= ITEMS_MAX; to++)
			for (uint32_t wanted = 0; wanted < ITEMS_MAX + 3; wanted++) {
				size_t at;

				SEARCH_PARTITION_POINT(at, from, to, items[at] < wanted);
				ck_assert_uint_eq(at, walk(items, from, to, wanted));
			}
}
END_TEST

static bool answer(unsigned answers, size_t step, size_t at, size_t count)
{
	ck_assert_uint_lt(at, count);
	return answers >> step & 1;
}

START_TEST(takes_few_steps_and_stays_inside)
{
	for (size_t count = 0; count <= ITEMS_MAX; count++)
		for (unsigned answers = 0; answers < 256; answers++) {
			size_t at, steps = 0;

			/* any answers at all, as from an array that is in no order */
			SEARCH_PARTITION_POINT(at, 0, count, answer(answers, steps++, at, count));
			ck_assert_uint_le(at, count);
			ck_assert_uint_le(steps, STEPS_MAX);
		}
}
END_TEST

START_TEST(does_not_overflow)
{
	uint32_t at;

	SEARCH_PARTITION_POINT(at, 0, UINT32_MAX, at < UINT32_MAX - 1);
	ck_assert_uint_eq(at, UINT32_MAX - 1);
	SEARCH_PARTITION_POINT(at, UINT32_MAX - 2, UINT32_MAX, true);
	ck_assert_uint_eq(at, UINT32_MAX);
	SEARCH_PARTITION_POINT(at, 7, 7, true);
	ck_assert_uint_eq(at, 7);
}
END_TEST

START_TEST(evaluates_its_bounds_once)
{
	size_t at, from = 0, to = 10;

	SEARCH_PARTITION_POINT(at, from++, to--, at < 5);
	ck_assert_uint_eq(at, 5);
	ck_assert_uint_eq(from, 1);
	ck_assert_uint_eq(to, 9);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("search");
	TCase *tcase = tcase_create("search");

	tcase_add_test(tcase, finds_what_a_walk_finds);
	tcase_add_test(tcase, takes_few_steps_and_stays_inside);
	tcase_add_test(tcase, does_not_overflow);
	tcase_add_test(tcase, evaluates_its_bounds_once);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
