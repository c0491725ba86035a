/* test_verbs -- the thread that writes: order, urgency, one answer each, and nothing left at the end. */
#include "support/support.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/mem.h"
#include "cache/bench.h"
#include "workshop/flight.h"
#include "workshop/task.h"
#include "workshop/verb_queue.h"

#define MANY 200u

/* A database that lets verbs through one by one: each waits for a number in an eventfd. */
struct bench_verb {
	struct queued_verb verb;
	struct verb_queue *queue;
	int gate;                    /* -1: it does not wait */
	unsigned number, times_again;
};

static unsigned done[MANY * 2], done_count;   /* the thread's, in the order they were done */
static unsigned told[MANY * 2], told_count;   /* the loop's */
static int entered;                           /* eventfd: one has begun */

static int run(struct queued_verb *verb, struct verb_means *means, struct err *err)
{
	struct bench_verb *mine = (struct bench_verb *)(void *)verb;
	uint64_t passes;

	ck_assert_ptr_eq(means->rows.config, NULL);
	(void)!write(entered, &(uint64_t){ 1 }, sizeof(uint64_t));
	if (mine->gate >= 0)
		ck_assert_int_eq(read(mine->gate, &passes, sizeof(passes)), sizeof(passes));
	done[done_count++] = mine->number;
	return mine->number % 3 == 2 ? err_set(err, ERR_BUSY, "verb %u", mine->number) : (int)mine->number;
}

static void hear(struct queued_verb *verb)
{
	struct bench_verb *mine = (struct bench_verb *)(void *)verb;
	char words[32];

	ck_assert(!verb->is_asked);
	if (mine->number % 3 == 2) {
		snprintf(words, sizeof(words), "verb %u", mine->number);
		ck_assert_int_eq(verb->rc, -1);
		ck_assert_int_eq(verb->err.kind, ERR_BUSY);
		ck_assert_str_eq(verb->err.text, words);
	} else {
		ck_assert_int_eq(verb->rc, (int)mine->number);
		ck_assert_int_eq(verb->err.kind, ERR_NONE);
	}
	told[told_count++] = mine->number;
	if (mine->times_again > 0) {
		mine->times_again--;
		verb_queue_ask(mine->queue, verb);
	}
}

static void open_queue(struct verb_queue *queue, struct bench_verb *verbs, unsigned count, int gate)
{
	const struct verb_means means = { .owner = "me" };
	struct err err = ERR_INIT;

	done_count = told_count = 0;
	entered = eventfd(0, EFD_SEMAPHORE);
	verb_queue_init(queue);
	ck_assert_msg(verb_queue_open(queue, &means, &err) == 0, "%s", err.text);
	memset(verbs, 0, count * sizeof(*verbs));
	for (unsigned i = 0; i < count; i++)
		verbs[i] = (struct bench_verb){ .verb = { .run = run, .told = hear }, .queue = queue,
						.gate = gate, .number = i };
}

static void let_through(int gate, unsigned count)
{
	ck_assert_int_eq(write(gate, &(uint64_t){ count }, sizeof(uint64_t)), sizeof(uint64_t));
}

static void wait_until_one_begins(void)
{
	uint64_t passes;

	ck_assert_int_eq(read(entered, &passes, sizeof(passes)), sizeof(passes));
}

static void collect_until(struct verb_queue *queue, unsigned count)
{
	struct pollfd answered = { .fd = queue->fd, .events = POLLIN };

	while (told_count < count) {
		ck_assert_int_eq(poll(&answered, 1, -1), 1);
		verb_queue_collect(queue);
	}
}

START_TEST(verbs_are_done_in_the_order_they_were_asked)
{
	struct bench_verb verbs[MANY];
	struct verb_queue queue;

	open_queue(&queue, verbs, MANY, -1);
	for (unsigned i = 0; i < MANY; i++)
		verb_queue_ask(&queue, &verbs[i].verb);
	collect_until(&queue, MANY);
	for (unsigned i = 0; i < MANY; i++)
		ck_assert_msg(done[i] == i && told[i] == i, "%u: %u, %u", i, done[i], told[i]);
	ck_assert_uint_eq(queue.count, 0);
	verb_queue_drain(&queue);
	ck_assert_uint_eq(told_count, MANY);
	verb_queue_close(&queue);
	close(entered);
}
END_TEST

/* While the first waits for the database, who asks does not; leases go before the others then. */
START_TEST(urgent_ones_go_first_and_nobody_waits)
{
	static const unsigned order[] = { 0, 3, 4, 1, 2, 5 };
	int gate = eventfd(0, EFD_SEMAPHORE);
	struct bench_verb verbs[6];
	struct verb_queue queue;

	open_queue(&queue, verbs, 6, gate);
	verbs[3].verb.is_urgent = verbs[4].verb.is_urgent = true;
	verb_queue_ask(&queue, &verbs[0].verb);
	wait_until_one_begins();
	for (unsigned i = 1; i < 6; i++)
		verb_queue_ask(&queue, &verbs[i].verb);
	verb_queue_collect(&queue);
	ck_assert_uint_eq(told_count, 0);
	for (unsigned i = 0; i < 6; i++)
		ck_assert(verbs[i].verb.is_asked);
	let_through(gate, 1);
	collect_until(&queue, 1);
	ck_assert_uint_eq(told[0], 0);
	let_through(gate, 5);
	collect_until(&queue, 6);
	ck_assert_mem_eq(told, order, sizeof(order));
	ck_assert_mem_eq(done, order, sizeof(order));
	verb_queue_close(&queue);
	close(gate);
	close(entered);
}
END_TEST

/* A job that asks a lot at once holds up no other, and its own stay in order. */
START_TEST(jobs_take_turns)
{
	static const unsigned order[] = { 0, 5, 7, 1, 6, 2, 3, 4 };
	int gate = eventfd(0, EFD_SEMAPHORE);
	struct bench_verb verbs[8];
	struct verb_queue queue;

	open_queue(&queue, verbs, 8, gate);
	for (unsigned i = 0; i < 8; i++)
		verbs[i].verb.whose = &verbs[i < 5 ? 0 : i < 7 ? 5 : 7];
	verb_queue_ask(&queue, &verbs[0].verb);
	wait_until_one_begins();
	for (unsigned i = 1; i < 8; i++)
		verb_queue_ask(&queue, &verbs[i].verb);
	let_through(gate, 8);
	collect_until(&queue, 8);
	ck_assert_mem_eq(done, order, sizeof(order));
	verb_queue_close(&queue);
	close(gate);
	close(entered);
}
END_TEST

/* More jobs than turns are remembered: each comes to its end all the same. */
START_TEST(many_jobs_all_have_their_turn)
{
	unsigned next_of_job[VERB_QUEUE_RECENT + 36] = { 0 };
	struct bench_verb verbs[MANY];
	struct verb_queue queue;

	open_queue(&queue, verbs, MANY, -1);
	for (unsigned i = 0; i < MANY; i++) {
		verbs[i].verb.whose = &verbs[i % 100];
		verb_queue_ask(&queue, &verbs[i].verb);
	}
	verb_queue_drain(&queue);
	for (unsigned i = 0; i < MANY; i++)
		ck_assert_uint_eq(done[i] / 100, next_of_job[done[i] % 100]++);
	verb_queue_close(&queue);
	close(entered);
}
END_TEST

/* At the end everything asked is done and told, with what that asks. */
START_TEST(draining_leaves_nothing)
{
	struct bench_verb verbs[MANY];
	struct verb_queue queue;

	open_queue(&queue, verbs, MANY, -1);
	for (unsigned i = 0; i < MANY; i++) {
		verbs[i].times_again = i % 2;
		verb_queue_ask(&queue, &verbs[i].verb);
	}
	verb_queue_drain(&queue);
	ck_assert_uint_eq(told_count, MANY + MANY / 2);
	ck_assert_uint_eq(queue.count, 0);
	for (unsigned i = 0; i < MANY; i++)
		ck_assert(!verbs[i].verb.is_asked);
	verb_queue_close(&queue);
	verb_queue_close(&queue);                    /* fine again */
	close(entered);
}
END_TEST

/* --- Claims that are given up --------------------------------------------------------------- */

static struct verb_means means_of(const struct bench *bench)
{
	return (struct verb_means){ .cache = bench->cache, .store = bench->state.store, .owner = "me" };
}

static struct cache_key claimed(struct bench *bench, struct owed_claims *owed, const char *rest)
{
	struct cache_key key = bench_key(bench, CACHE_SYMCACHES, NULL, rest);
	struct err err = ERR_INIT;

	ck_assert_int_eq(flight_promise(owed, &err), 0);
	ck_assert_int_eq(cache_claim(bench->cache, bench->state.store, &key, "me", &err), 1);
	return key;
}

START_TEST(claims_are_given_up_in_the_background)
{
	struct owed_claims owed = { .count = 0 };
	struct task_list tasks = { .first = NULL };
	struct verb_queue queue;
	struct verb_means means;
	struct bench bench;
	struct err err = ERR_INIT;
	char rest[32];

	bench_open(&bench);
	means = means_of(&bench);
	map_init(&tasks.by_key);
	verb_queue_init(&queue);
	ck_assert_int_eq(verb_queue_open(&queue, &means, &err), 0);
	for (unsigned i = 0; i < 2 * OWED_CLAIMS_AT_ONCE + 1; i++) {
		snprintf(rest, sizeof(rest), "location: %u\n", i);
		const struct cache_key key = claimed(&bench, &owed, rest);

		flight_give_up(&owed, &key);
		flight_fulfil(&owed);
	}
	ck_assert_int_eq(state_ask(&bench.state, "SELECT count(*) FROM flight"), 2 * OWED_CLAIMS_AT_ONCE + 1);
	for (unsigned round = 0; round < 3; round++) {
		ck_assert(flight_settle(&owed, &queue, &tasks));
		ck_assert(!flight_settle(&owed, &queue, &tasks));    /* one at a time */
		verb_queue_drain(&queue);
	}
	ck_assert(!flight_settle(&owed, &queue, &tasks));
	ck_assert_int_eq(state_ask(&bench.state, "SELECT count(*) FROM flight"), 0);
	ck_assert_uint_eq(owed.count + owed.promised, 0);
	verb_queue_close(&queue);
	flight_release_owed(&owed);
	map_release(&tasks.by_key);
	bench_remove(&bench);
}
END_TEST

/* A database that cannot be written: they stay on the list, and are given up later. */
START_TEST(a_claim_that_cannot_be_given_up_stays_owed)
{
	struct owed_claims owed = { .count = 0 };
	struct task_list tasks = { .first = NULL };
	struct verb_queue queue;
	struct verb_means means;
	struct cache_key key;
	struct bench bench;
	struct err err = ERR_INIT;

	bench_open(&bench);
	means = means_of(&bench);
	map_init(&tasks.by_key);
	verb_queue_init(&queue);
	ck_assert_int_eq(verb_queue_open(&queue, &means, &err), 0);
	key = claimed(&bench, &owed, "location: one\n");
	flight_give_up(&owed, &key);
	flight_fulfil(&owed);
	state_sql(&bench.state, "CREATE TRIGGER full BEFORE DELETE ON flight BEGIN SELECT raise(ABORT, 'full'); END");
	ck_assert(flight_settle(&owed, &queue, &tasks));
	verb_queue_drain(&queue);
	ck_assert_uint_eq(owed.count, 1);
	ck_assert(!flight_settle(&owed, &queue, &tasks));    /* not at once */
	state_sql(&bench.state, "DROP TRIGGER full");
	owed.again_millis = 0;
	ck_assert(flight_settle(&owed, &queue, &tasks));
	verb_queue_drain(&queue);
	ck_assert_uint_eq(owed.count, 0);
	ck_assert_int_eq(state_ask(&bench.state, "SELECT count(*) FROM flight"), 0);
	verb_queue_close(&queue);
	flight_release_owed(&owed);
	map_release(&tasks.by_key);
	bench_remove(&bench);
}
END_TEST

/* A task for the same key, whose claim comes out as it is told. */
struct claiming {
	struct task_steps steps;
	struct task_list tasks;
	struct task_waiter waiter;
	struct location location;
	struct derive derive;
};

static enum task_outcome claim_later(struct task *task, struct err *err)
{
	(void)task, (void)err;
	return OUTCOME_PENDING;
}

static enum task_outcome remember_nothing(struct task *task, struct err *err)
{
	(void)task, (void)err;
	return OUTCOME_NONE;
}

static void leave_alone(struct task *task)
{
	(void)task;
}

static void has_ended(struct task *task, bool made)
{
	(void)task, (void)made;
}

static struct task *begin_claiming(struct claiming *claiming, const struct cache_key *key)
{
	struct err err = ERR_INIT;
	struct task *task;

	*claiming = (struct claiming){
		.steps = { .begin = leave_alone, .stop = leave_alone, .unclaim = leave_alone, .ended = has_ended,
			   .run = { [TASK_CLAIM] = claim_later, [TASK_ASK_ENTRY] = claim_later,
				    [TASK_REMEMBER] = remember_nothing } },
		.derive = { .key = *key, .kind = &derived_symcache, .location = &claiming->location },
		.location = { .uri = TEXT("http://h/file") },
	};
	map_init(&claiming->tasks.by_key);
	claiming->tasks.steps = &claiming->steps;
	task = task_for(&claiming->tasks, &claiming->waiter, &claiming->derive, &err);
	ck_assert_msg(task != NULL, "%s", err.text);
	return task;
}

static void end_claiming(struct claiming *claiming)
{
	task_abandon_all(&claiming->tasks);
	map_release(&claiming->tasks.by_key);
}

/* Nobody waits for the task that would have had the claim anew, and it does not get it: the row is still ours. */
START_TEST(a_claim_that_fails_leaves_the_old_one_owed)
{
	struct owed_claims owed = { .count = 0 };
	struct claiming claiming;
	struct verb_queue queue;
	struct verb_means means;
	struct cache_key keys[2];
	struct task *task;
	struct bench bench;
	struct err err = ERR_INIT;

	bench_open(&bench);
	means = means_of(&bench);
	verb_queue_init(&queue);
	ck_assert_int_eq(verb_queue_open(&queue, &means, &err), 0);
	keys[0] = claimed(&bench, &owed, "location: wanted\n");
	keys[1] = claimed(&bench, &owed, "location: unwanted\n");
	for (unsigned i = 0; i < 2; i++) {
		flight_give_up(&owed, &keys[i]);
		flight_fulfil(&owed);
	}
	task = begin_claiming(&claiming, &keys[0]);
	ck_assert(flight_settle(&owed, &queue, &claiming.tasks));    /* the other one */
	verb_queue_drain(&queue);
	ck_assert_int_eq(state_ask(&bench.state, "SELECT count(*) FROM flight"), 1);
	ck_assert(!flight_settle(&owed, &queue, &claiming.tasks));
	ck_assert_uint_eq(owed.count, 1);
	err_set(&err, ERR_BUSY, "the database is busy");
	task_report(task, OUTCOME_FAILED, &err);
	ck_assert_int_eq(task->state, TASK_RESTS);
	ck_assert(!flight_settle(&owed, &queue, &claiming.tasks));
	task->again_millis = 0;
	task_look_again(&claiming.tasks);
	ck_assert_int_eq(task->state, TASK_ENDED);
	ck_assert(flight_settle(&owed, &queue, &claiming.tasks));
	verb_queue_drain(&queue);
	ck_assert_uint_eq(owed.count, 0);
	ck_assert_int_eq(state_ask(&bench.state, "SELECT count(*) FROM flight"), 0);
	verb_queue_close(&queue);
	end_claiming(&claiming);
	flight_release_owed(&owed);
	bench_remove(&bench);
}
END_TEST

START_TEST(a_task_that_claims_anew_takes_the_debt_over)
{
	struct owed_claims owed = { .count = 0 };
	struct claiming claiming;
	struct verb_queue queue;
	struct verb_means means;
	struct cache_key key;
	struct task *task;
	struct bench bench;
	struct err err = ERR_INIT;

	bench_open(&bench);
	means = means_of(&bench);
	verb_queue_init(&queue);
	ck_assert_int_eq(verb_queue_open(&queue, &means, &err), 0);
	key = claimed(&bench, &owed, "location: one\n");
	flight_give_up(&owed, &key);
	flight_fulfil(&owed);
	task = begin_claiming(&claiming, &key);
	task_report(task, OUTCOME_DONE, NULL);
	ck_assert(!flight_settle(&owed, &queue, &claiming.tasks));
	ck_assert_uint_eq(owed.count, 0);
	ck_assert_int_eq(state_ask(&bench.state, "SELECT count(*) FROM flight"), 1);
	verb_queue_close(&queue);
	end_claiming(&claiming);
	flight_release_owed(&owed);
	bench_remove(&bench);
}
END_TEST

START_TEST(a_promise_needs_memory_before_the_claim)
{
	struct owed_claims owed = { .count = 0 };
	struct err err = ERR_INIT;

	atomic_store(&mem_fail_after, 0L);
	ck_assert_int_eq(flight_promise(&owed, &err), -1);
	atomic_store(&mem_fail_after, -1L);
	ck_assert_int_eq(err.kind, ERR_NO_MEMORY);
	ck_assert_uint_eq(owed.promised, 0);
	flight_release_owed(&owed);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("verbs");
	TCase *tcase = tcase_create("verbs");

	tcase_add_test(tcase, verbs_are_done_in_the_order_they_were_asked);
	tcase_add_test(tcase, urgent_ones_go_first_and_nobody_waits);
	tcase_add_test(tcase, jobs_take_turns);
	tcase_add_test(tcase, many_jobs_all_have_their_turn);
	tcase_add_test(tcase, draining_leaves_nothing);
	tcase_add_test(tcase, claims_are_given_up_in_the_background);
	tcase_add_test(tcase, a_claim_that_cannot_be_given_up_stays_owed);
	tcase_add_test(tcase, a_claim_that_fails_leaves_the_old_one_owed);
	tcase_add_test(tcase, a_task_that_claims_anew_takes_the_debt_over);
	tcase_add_test(tcase, a_promise_needs_memory_before_the_claim);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
