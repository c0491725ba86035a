/* test_aside -- what a kind does itself and takes time: at once, or beside the loop, each time it is asked once. */
#include "support/support.h"

#include "work/work.h"

struct counting {
	struct work_aside aside;     /* first */
	unsigned times;
	int rc;
};

static int count(struct work_aside *aside, struct err *err)
{
	struct counting *counting = (struct counting *)(void *)aside;

	counting->times++;
	return counting->rc < 0 ? err_set(err, ERR_IO, "the disk is full") : counting->rc;
}

static int other(struct work_aside *aside, struct err *err)
{
	(void)aside, (void)err;
	return 7;
}

static struct work_aside *asked;             /* what a loop would have done */

static int keep(struct resolver *resolver, struct work_aside *aside, struct err *err)
{
	(void)resolver, (void)err;
	ck_assert_ptr_null(asked);
	asked = aside;
	return 0;
}

static int refuse(struct resolver *resolver, struct work_aside *aside, struct err *err)
{
	(void)resolver, (void)aside;
	return err_set(err, ERR_NO_MEMORY, "no room");
}

static void do_what_was_asked(void)
{
	asked->rc = asked->run(asked, &asked->err);
	asked->state = WORK_ASIDE_DONE;
	asked = NULL;
}

START_TEST(without_a_loop_it_is_done_at_once)
{
	struct counting counting = { .rc = 3 };
	struct resolver resolver = { .aside = NULL };
	struct err err = ERR_INIT;

	ck_assert_int_eq(work_aside(&counting.aside, count, &resolver, &err), RESOLVED_READY);
	ck_assert_int_eq(counting.aside.rc, 3);
	counting.rc = -1;
	ck_assert_int_eq(work_aside(&counting.aside, count, &resolver, &err), RESOLVED_READY);
	ck_assert_int_eq(counting.aside.rc, -1);
	ck_assert_int_eq(counting.aside.err.kind, ERR_IO);
	ck_assert_int_eq(err.kind, ERR_NONE);
	ck_assert_uint_eq(counting.times, 2);
}
END_TEST

START_TEST(it_is_waited_for)
{
	struct counting counting = { .rc = 0 };
	struct resolver resolver = { .aside = keep };
	struct err err = ERR_INIT;

	for (unsigned time = 1; time <= 2; time++) {
		ck_assert_int_eq(work_aside(&counting.aside, count, &resolver, &err), RESOLVED_WAIT);
		/* Stepped meanwhile, it is not asked again. */
		ck_assert_int_eq(work_aside(&counting.aside, count, &resolver, &err), RESOLVED_WAIT);
		ck_assert_uint_eq(counting.times, time - 1);
		do_what_was_asked();
		ck_assert_int_eq(work_aside(&counting.aside, count, &resolver, &err), RESOLVED_READY);
		ck_assert_uint_eq(counting.times, time);
	}
	ck_assert_int_eq(counting.aside.state, WORK_ASIDE_NONE);
}
END_TEST

/* The answer to one question is none to another. */
START_TEST(what_was_done_for_another_is_not_taken)
{
	struct counting counting = { .rc = 0 };
	struct resolver resolver = { .aside = keep };
	struct err err = ERR_INIT;

	ck_assert_int_eq(work_aside(&counting.aside, count, &resolver, &err), RESOLVED_WAIT);
	ck_assert_int_eq(work_aside(&counting.aside, other, &resolver, &err), RESOLVED_WAIT);
	do_what_was_asked();
	ck_assert_uint_eq(counting.times, 1);
	ck_assert_int_eq(work_aside(&counting.aside, other, &resolver, &err), RESOLVED_WAIT);
	do_what_was_asked();
	ck_assert_int_eq(work_aside(&counting.aside, other, &resolver, &err), RESOLVED_READY);
	ck_assert_int_eq(counting.aside.rc, 7);
}
END_TEST

START_TEST(what_could_not_be_asked_may_be_asked_again)
{
	struct counting counting = { .rc = 0 };
	struct resolver resolver = { .aside = refuse };
	struct err err = ERR_INIT;

	ck_assert_int_eq(work_aside(&counting.aside, count, &resolver, &err), RESOLVED_ERROR);
	ck_assert_int_eq(err.kind, ERR_NO_MEMORY);
	resolver.aside = keep;
	ck_assert_int_eq(work_aside(&counting.aside, count, &resolver, &err), RESOLVED_WAIT);
	do_what_was_asked();
	ck_assert_int_eq(work_aside(&counting.aside, count, &resolver, &err), RESOLVED_READY);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("aside");
	TCase *tcase = tcase_create("aside");

	tcase_add_test(tcase, without_a_loop_it_is_done_at_once);
	tcase_add_test(tcase, it_is_waited_for);
	tcase_add_test(tcase, what_was_done_for_another_is_not_taken);
	tcase_add_test(tcase, what_could_not_be_asked_may_be_asked_again);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
