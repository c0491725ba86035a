/* test_lane.c -- requests that wait: in order, never too many, none left behind. */
#include "support/support.h"

#include <pthread.h>

#include "base/mem.h"
#include "front/front_internal.h"

#define MANY 20000u
#define THREADS 4u

START_TEST(first_come_first_served)
{
	struct request requests[3] = { 0 };
	struct lane lane;

	lane_init(&lane, 2);
	ck_assert_ptr_null(lane_take(&lane));
	ck_assert(lane_put(&lane, &requests[0]));
	ck_assert(lane_put(&lane, &requests[1]));
	ck_assert(!lane_put(&lane, &requests[2]));
	ck_assert_uint_eq(lane_count(&lane), 2);
	ck_assert_ptr_eq(lane_take(&lane), &requests[0]);
	ck_assert(lane_put(&lane, &requests[2]));
	ck_assert_ptr_eq(lane_wait(&lane), &requests[1]);
	ck_assert_ptr_eq(lane_take(&lane), &requests[2]);
	ck_assert_ptr_null(lane_take(&lane));
	ck_assert_uint_eq(lane_count(&lane), 0);
	lane_release(&lane);
}
END_TEST

START_TEST(a_closed_lane_empties)
{
	struct request requests[2] = { 0 };
	struct lane lane;

	lane_init(&lane, 2);
	ck_assert(lane_put(&lane, &requests[0]));
	lane_close(&lane);
	ck_assert(!lane_put(&lane, &requests[1]));
	ck_assert_ptr_eq(lane_wait(&lane), &requests[0]);
	ck_assert_ptr_null(lane_wait(&lane));
	lane_release(&lane);
}
END_TEST

static void *take_all(void *payload)
{
	size_t taken = 0;

	while (lane_wait(payload))
		taken++;
	return (void *)taken;
}

START_TEST(all_that_get_in_get_out)
{
	struct request *requests = support_keep(mem_get_array(MANY, sizeof(*requests)));
	size_t in = 0, out = 0;
	pthread_t threads[THREADS];
	struct lane lane;

	lane_init(&lane, 100);
	for (unsigned i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, take_all, &lane), 0);
	for (unsigned i = 0; i < MANY; i++)
		in += lane_put(&lane, &requests[i]);
	lane_close(&lane);
	for (unsigned i = 0; i < THREADS; i++) {
		void *taken;

		pthread_join(threads[i], &taken);
		out += (size_t)taken;
	}
	ck_assert_uint_ge(in, 100);
	ck_assert_uint_eq(out, in);
	lane_release(&lane);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("front lane");
	TCase *tests = tcase_create("lane");

	tcase_add_test(tests, first_come_first_served);
	tcase_add_test(tests, a_closed_lane_empties);
	tcase_add_test(tests, all_that_get_in_get_out);
	suite_add_tcase(suite, tests);
	return support_main(suite);
}
