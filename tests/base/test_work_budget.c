/* test_work_budget.c -- budgets: in proportion to bytes, exact, shared by threads, never left again. */
#include "base/work_budget.h"

#include <check.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/err.h"
#include "support/support.h"

#define FILE_BYTES 1000u
#define FILE_ALLOWED (WORK_FILE_STEPS + FILE_BYTES * WORK_STEPS_PER_BYTE)

START_TEST(a_part_has_its_own)
{
	struct err err = ERR_INIT;
	struct work_budget budget;
	struct work_allowance part, other;

	work_budget_init(&budget, FILE_BYTES);
	work_allowance_begin(&part, &budget, 10);
	ck_assert_int_eq(work_charge(&part, WORK_PART_STEPS, &err), 0);
	for (unsigned i = 0; i < 10 * WORK_STEPS_PER_BYTE; i++)
		ck_assert_int_eq(work_charge(&part, 1, &err), 0);
	ck_assert_int_eq(work_charge(&part, 1, &err), -1);
	ck_assert_int_eq(err.kind, ERR_LIMIT);
	ck_assert_str_eq(err.text, "it asks for more work than its 10 bytes may");
	ck_assert(!work_spend(&part, 1));
	ck_assert_int_eq(work_charge(&part, 1, &err), -1);
	work_allowance_end(&part);
	ck_assert_uint_eq(work_budget_steps(&budget), WORK_PART_STEPS + 10 * WORK_STEPS_PER_BYTE);
	ck_assert(!work_budget_is_over(&budget));
	work_allowance_begin(&other, &budget, 10);
	ck_assert_int_eq(work_charge(&other, 1, &err), 0);
	work_allowance_end(&other);
}
END_TEST

START_TEST(a_file_has_one_for_all)
{
	struct err err = ERR_INIT;
	struct work_budget budget;
	uint64_t made = 0;
	struct work_allowance work;
	int parts = 0;

	work_budget_init(&budget, FILE_BYTES);
	for (; parts < 100 && !work_budget_is_over(&budget); parts++) {
		work_allowance_begin(&work, &budget, 0);
		while (work_charge(&work, 1000, &err) == 0)
			made += 1000;
		work_allowance_end(&work);
	}
	ck_assert_int_eq(parts, 5);
	ck_assert_uint_le(made, FILE_ALLOWED);
	ck_assert_uint_ge(made, FILE_ALLOWED - 100000);
	ck_assert_str_eq(err.text, "it asks for more work than a file of 1000 bytes may");
}
END_TEST

START_TEST(companions_and_more_bytes_count)
{
	struct err err = ERR_INIT;
	struct work_budget budget;
	struct work_allowance work;

	work_budget_init(&budget, UINT64_MAX / 2);
	work_budget_add(&budget, 100);
	ck_assert(!work_budget_is_over(&budget));
	work_allowance_begin(&work, NULL, 0);
	work_allowance_add(&work, 100);
	ck_assert_int_eq(work_charge(&work, WORK_PART_STEPS + 100 * WORK_STEPS_PER_BYTE, &err), 0);
	ck_assert_int_eq(work_charge(&work, 1, &err), -1);
	work_allowance_end(&work);
	work_allowance_begin(&work, NULL, UINT64_MAX);
	work_allowance_add(&work, UINT64_MAX);
	ck_assert_int_eq(work_charge(&work, UINT64_MAX / 2, &err), 0);
	work_allowance_end(&work);
}
END_TEST

static void *work_on(void *payload)
{
	struct err err = ERR_INIT;
	struct work_allowance work;

	work_allowance_begin(&work, payload, FILE_BYTES);
	for (unsigned i = 0; i < 1000000; i++)
		if (work_charge(&work, 1, &err) < 0)
			abort();
	work_allowance_end(&work);
	return NULL;
}

START_TEST(threads_add_up)
{
	struct work_budget budget;
	pthread_t threads[4];

	work_budget_init(&budget, FILE_BYTES);
	for (int i = 0; i < 4; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, work_on, &budget), 0);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	ck_assert_uint_eq(work_budget_steps(&budget), 4000000);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("base/work");
	TCase *tcase = tcase_create("budgets");

	tcase_add_test(tcase, a_part_has_its_own);
	tcase_add_test(tcase, a_file_has_one_for_all);
	tcase_add_test(tcase, companions_and_more_bytes_count);
	tcase_add_test(tcase, threads_add_up);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
