/* test_guard.c -- a mapping that is cut short ends the look-up, not the process. */
#include "base/guard.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "support/support.h"

#define FILE_BYTES 65536

static struct file_map map;
static int file;

/* A mapped file of 64 KiB, then cut to one byte. */
static void cut_short_mapping(void)
{
	char path[] = "test-guard-XXXXXX";
	struct err err = ERR_INIT;

	file = mkstemp(path);
	ck_assert_int_ge(file, 0);
	unlink(path);
	ck_assert_int_eq(ftruncate(file, FILE_BYTES), 0);
	ck_assert_int_eq(file_map_fd(&map, file, &err), 0);
	ck_assert_int_eq(ftruncate(file, 1), 0);
	ck_assert_int_eq(guard_install(), 0);
}

static void unmap(void)
{
	file_unmap(&map);
	close(file);
}

static int touch(void *payload)
{
	const volatile uint8_t *bytes = map.bytes;

	return bytes[*(size_t *)payload] + 7;
}

static int guarded(size_t at, int *cut_short)
{
	return guard_run(touch, &at, cut_short);
}

START_TEST(ends_the_call_again_and_again)
{
	int cut_short;

	for (int i = 0; i < 1000; i++) {
		ck_assert_int_eq(guarded(FILE_BYTES - 1, &cut_short), -1);
		ck_assert_int_eq(cut_short, 1);
		ck_assert_int_eq(guarded(0, &cut_short), 7);
		ck_assert_int_eq(cut_short, 0);
	}
}
END_TEST

static int fails_by_itself(void *payload)
{
	(void)payload;
	return -1;
}

static int nests(void *payload)
{
	int cut_short;

	ck_assert_int_eq(guarded(FILE_BYTES - 1, &cut_short), -1);
	ck_assert_int_eq(cut_short, 1);
	return touch(payload);
}

START_TEST(nests_and_passes_results)
{
	size_t inside = 0, outside = FILE_BYTES - 1;
	int cut_short = 9;

	ck_assert_int_eq(guard_run(fails_by_itself, NULL, &cut_short), -1);
	ck_assert_int_eq(cut_short, 0);
	ck_assert_int_eq(guard_run(nests, &inside, &cut_short), 7);
	ck_assert_int_eq(cut_short, 0);
	ck_assert_int_eq(guard_run(nests, &outside, &cut_short), -1);
	ck_assert_int_eq(cut_short, 1);
}
END_TEST

static void *many_calls(void *payload)
{
	int cut_short;

	for (int i = 0; i < 2000; i++)
		if (guarded(FILE_BYTES - 1, &cut_short) != -1 || !cut_short ||
		    guarded(0, &cut_short) != 7 || cut_short)
			*(int *)payload = 1;
	return NULL;
}

START_TEST(each_thread_finds_its_own_way_out)
{
	pthread_t threads[4];
	int wrong[4] = { 0 };

	for (size_t i = 0; i < 4; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, many_calls, &wrong[i]), 0);
	for (size_t i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		ck_assert_int_eq(wrong[i], 0);
	}
}
END_TEST

START_TEST(outside_of_a_guard_the_process_dies)
{
	size_t at = FILE_BYTES - 1;
	int cut_short;

	guarded(at, &cut_short);
	touch(&at);
}
END_TEST

static int sends_the_signal(void *payload)
{
	(void)payload;
	return raise(SIGBUS);
}

START_TEST(a_signal_sent_is_no_cut)
{
	int cut_short;

	guard_run(sends_the_signal, NULL, &cut_short);
}
END_TEST

/* No system call in the way: a guarded look-up costs nanoseconds, not microseconds. */
START_TEST(costs_little)
{
	int64_t start = clock_monotonic_micros();
	int cut_short, sum = 0;

	for (int i = 0; i < 1000000; i++)
		sum += guarded(0, &cut_short);
	printf("guard_run: %lld ns\n", (long long)(clock_monotonic_micros() - start) / 1000);
	ck_assert_int_eq(sum, 7000000);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("base/guard");
	TCase *tcase = tcase_create("guard");

	tcase_add_checked_fixture(tcase, cut_short_mapping, unmap);
	tcase_add_test(tcase, ends_the_call_again_and_again);
	tcase_add_test(tcase, nests_and_passes_results);
	tcase_add_test(tcase, each_thread_finds_its_own_way_out);
	tcase_add_test(tcase, costs_little);
	/* Without a fork these would end the whole program. */
	if (!getenv("CK_FORK") || strcmp(getenv("CK_FORK"), "no") != 0) {
		tcase_add_test_raise_signal(tcase, outside_of_a_guard_the_process_dies, SIGBUS);
		tcase_add_test_raise_signal(tcase, a_signal_sent_is_no_cut, SIGBUS);
	}
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
