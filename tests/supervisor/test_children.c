/* test_children.c -- when processes that ended start again: some front always runs. */
#include "support/support.h"

#include "supervisor/children.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static pid_t next_pid = 1000;

static void start_due(struct child *children, size_t count, int64_t now)
{
	for (size_t i = 0; i < count; i++) {
		if (!child_is_due(&children[i], now))
			continue;
		children[i].pid = next_pid++;
		children[i].started_millis = now;
	}
}

static size_t fronts_running(const struct child *children, size_t count)
{
	size_t running = 0;

	for (size_t i = 0; i < count; i++)
		running += children[i].duty == DUTY_FRONT && children[i].pid != 0 &&
			   children[i].kill_at_millis == 0;
	return running;
}

static const struct {
	const char *what;
	int64_t lives_millis;        /* of every front, each time */
	bool is_unable;              /* and how it ends */
	int64_t most_millis;         /* without any front */
} storms[] = {
	{ "killed as soon as they start", 0, false, CHILD_PAUSE_FIRST_MILLIS },
	{ "killed after a moment", 20, false, CHILD_PAUSE_FIRST_MILLIS },
	{ "killed just before they count as steady", CHILD_STEADY_MILLIS - 1, false,
	  CHILD_PAUSE_FIRST_MILLIS },
	{ "killed when they are steady", CHILD_STEADY_MILLIS, false, 0 },
	{ "unable to start", 0, true, CHILD_PAUSE_UNABLE_MILLIS },
};

/* All fronts die together, over and over: the clock moves in steps of a millisecond. */
START_TEST(some_front_runs_or_is_about_to)
{
	struct child children[] = {
		{ .duty = DUTY_FRONT }, { .duty = DUTY_FRONT }, { .duty = DUTY_FRONT },
		{ .duty = DUTY_WORKSHOP }, { .duty = DUTY_KEEPER },
		/* of the configuration before, on its way out */
		{ .duty = DUTY_FRONT, .pid = 7, .kill_at_millis = INT64_MAX },
	};
	size_t count = COUNT(children);
	int64_t without_since = 0;

	for (int64_t now = 0; now < 120000; now++) {
		start_due(children, count, now);
		if (fronts_running(children, count) > 0)
			without_since = now;
		ck_assert_msg(now - without_since <= storms[_i].most_millis,
			      "%s: no front for more than %lld ms", storms[_i].what,
			      (long long)storms[_i].most_millis);
		for (size_t i = 0; i < 3; i++)
			if (children[i].pid && now - children[i].started_millis >= storms[_i].lives_millis)
				child_note_end(&children[i], storms[_i].is_unable, now);
		children_hurry_front(children, count, now);
	}
	ck_assert_int_eq(children[5].pid, 7);
}
END_TEST

START_TEST(others_pause_longer_while_they_keep_ending)
{
	struct child children[] = { { .duty = DUTY_FRONT, .pid = 1 }, { .duty = DUTY_FRONT } };
	int64_t now = 0, pauses = 0;

	for (int i = 0; i < 20; i++) {
		start_due(children, COUNT(children), now);
		ck_assert_int_ne(children[1].pid, 0);
		child_note_end(&children[1], false, now);
		children_hurry_front(children, COUNT(children), now);
		ck_assert_int_ge(children[1].pause_millis, pauses);
		ck_assert_int_eq(children_next_due(children, COUNT(children), now, INT64_MAX),
				 children[1].pause_millis);
		pauses = children[1].pause_millis;
		now += pauses;
	}
	ck_assert_int_eq(pauses, CHILD_PAUSE_MOST_MILLIS);
}
END_TEST

START_TEST(who_has_left_or_is_of_before_is_not_started)
{
	struct child children[] = {
		{ .duty = DUTY_WORKSHOP, .has_left = true },
		{ .duty = DUTY_FRONT, .kill_at_millis = 5 },
	};

	children_hurry_front(children, COUNT(children), 100);
	ck_assert(!child_is_due(&children[0], 100));
	ck_assert(!child_is_due(&children[1], 100));
	ck_assert_int_eq(children_next_due(children, COUNT(children), 100, 200), 200);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("front children");
	TCase *tests = tcase_create("children");

	tcase_add_loop_test(tests, some_front_runs_or_is_about_to, 0, (int)COUNT(storms));
	tcase_add_test(tests, others_pause_longer_while_they_keep_ending);
	tcase_add_test(tests, who_has_left_or_is_of_before_is_not_started);
	suite_add_tcase(suite, tests);
	return support_main(suite);
}
