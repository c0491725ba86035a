/* test_mem.c -- the door to the allocator counts, closes on demand and refuses nonsense. */
#include "base/mem.h"

#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "base/vec.h"
#include "support/support.h"

START_TEST(counts_what_is_out)
{
	long before = atomic_load(&mem_live);
	char *a = mem_get(10);
	char *b = mem_strdup("word");
	int *c = mem_get_array(5, sizeof(*c));
	char *d = mem_resize(NULL, 3);

	ck_assert(a && b && c && d);
	ck_assert_int_eq(a[0] | a[9] | c[4], 0);
	ck_assert_str_eq(b, "word");
	ck_assert_int_eq(atomic_load(&mem_live), before + 4);
	d = mem_resize(d, 100000);
	ck_assert_ptr_nonnull(d);
	ck_assert_int_eq(atomic_load(&mem_live), before + 4);
	mem_give_back(a);
	mem_give_back(b);
	mem_give_back(c);
	mem_give_back(d);
	mem_give_back(NULL);
	ck_assert_int_eq(atomic_load(&mem_live), before);
}
END_TEST

START_TEST(nothing_is_something)
{
	void *a = mem_get(0);
	void *b = mem_get_array(0, 8);
	void *c = mem_resize(mem_get(8), 0);

	ck_assert(a && b && c);
	mem_give_back(a);
	mem_give_back(b);
	mem_give_back(c);
}
END_TEST

START_TEST(refuses_the_absurd)
{
	void *block = mem_get(8);

	ck_assert_ptr_null(mem_get(SIZE_MAX));
	ck_assert_ptr_null(mem_get((size_t)1 << 45));
	ck_assert_ptr_null(mem_get_array(SIZE_MAX / 2, 3));
	ck_assert_ptr_null(mem_get_array((size_t)1 << 32, (size_t)1 << 32));
	ck_assert_ptr_null(mem_resize(block, SIZE_MAX));
	mem_give_back(block);
}
END_TEST

START_TEST(closes_at_the_nth_knock_and_stays_closed)
{
	void *blocks[3];
	long before = atomic_load(&mem_live);

	for (long n = 0; n < 3; n++) {
		atomic_store(&mem_fail_after, n);
		for (long i = 0; i < 3; i++) {
			blocks[i] = i % 2 ? mem_resize(NULL, 4) : mem_get(4);
			ck_assert_int_eq(blocks[i] != NULL, i < n);
		}
		ck_assert_ptr_null(mem_strdup("x"));
		atomic_store(&mem_fail_after, -1);
		for (long i = 0; i < 3; i++)
			mem_give_back(blocks[i]);
		ck_assert_int_eq(atomic_load(&mem_live), before);
	}
}
END_TEST

static void *take_and_give(void *payload)
{
	(void)payload;
	for (int i = 0; i < 20000; i++)
		mem_give_back(mem_get(16));
	return NULL;
}

START_TEST(counts_from_many_threads)
{
	long before = atomic_load(&mem_live);
	pthread_t threads[4];

	for (size_t i = 0; i < 4; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, take_and_give, NULL), 0);
	for (size_t i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	ck_assert_int_eq(atomic_load(&mem_live), before);
}
END_TEST

START_TEST(vec_grows_and_keeps)
{
	uint32_t *items = NULL;
	size_t capacity = 0;

	for (uint32_t i = 0; i < 10000; i++) {
		ck_assert_int_eq(vec_reserve(&items, &capacity, (size_t)i + 1, sizeof(*items)), 0);
		ck_assert_uint_gt(capacity, i);
		items[i] = i * 7;
	}
	for (uint32_t i = 0; i < 10000; i++)
		ck_assert_uint_eq(items[i], i * 7);
	ck_assert_uint_lt(capacity, 20001);
	mem_give_back(items);
}
END_TEST

START_TEST(vec_stands_as_it_was_when_refused)
{
	uint32_t *items = NULL;
	size_t capacity = 0;

	ck_assert_int_eq(vec_reserve(&items, &capacity, 4, sizeof(*items)), 0);
	items[3] = 99;
	atomic_store(&mem_fail_after, 0);
	ck_assert_int_eq(vec_reserve(&items, &capacity, 4, sizeof(*items)), 0);
	ck_assert_int_eq(vec_reserve(&items, &capacity, capacity + 1, sizeof(*items)), -1);
	atomic_store(&mem_fail_after, -1);
	ck_assert_int_eq(vec_reserve(&items, &capacity, SIZE_MAX, sizeof(*items)), -1);
	ck_assert_int_eq(vec_reserve(&items, &capacity, SIZE_MAX / 2 + 2, sizeof(*items)), -1);
	ck_assert_uint_eq(items[3], 99);
	mem_give_back(items);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("base/mem");
	TCase *tcase = tcase_create("mem");

	tcase_add_test(tcase, counts_what_is_out);
	tcase_add_test(tcase, nothing_is_something);
	tcase_add_test(tcase, refuses_the_absurd);
	tcase_add_test(tcase, closes_at_the_nth_knock_and_stays_closed);
	tcase_add_test(tcase, counts_from_many_threads);
	tcase_add_test(tcase, vec_grows_and_keeps);
	tcase_add_test(tcase, vec_stands_as_it_was_when_refused);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
