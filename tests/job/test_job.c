/*
 * test_job -- jobs taken in, claimed, lost, ended, forgotten.
 */
#include <check.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/limits.h"
#include "base/mem.h"
#include "job/desk.h"
#include "job/job_counters.h"
#include "job/job_internal.h"
#include "store/state.h"
#include "support/support.h"

/* --- The plain way ------------------------------------------------------------------------- */

START_TEST(a_job_goes_its_way)
{
	char id[JOB_ID_BYTES];
	uint32_t seen[3];
	struct desk desk;
	struct job job;
	struct buf body;
	struct err err = ERR_INIT;

	desk_open(&desk);
	ck_assert_int_eq(desk_claim(&desk, "w1", &job), 0);
	seen[0] = board_read(desk.state.board, BOARD_JOBS_NEW);
	desk_submit(&desk, id);
	ck_assert_uint_ne(board_read(desk.state.board, BOARD_JOBS_NEW), seen[0]);
	ck_assert_str_eq(desk_state_of(&desk, id), "queued");
	ck_assert(desk_spooled(&desk, id, JOB_SPOOL_BODY));
	ck_assert_str_eq(desk_result_of(&desk, id), "not_found");

	ck_assert_int_eq(desk_claim(&desk, "w1", &job), 1);
	ck_assert_str_eq(job.id, id);
	ck_assert_str_eq(job.kind, "symbolicate");
	ck_assert(job.has_scope);
	ck_assert_str_eq(job.scope, "tenant");
	ck_assert_int_eq(job.attempt, 1);
	ck_assert_int_eq(job.created_at, desk_now);
	ck_assert_int_eq(job.deadline_at, desk_now + 900);
	ck_assert_str_eq(desk_state_of(&desk, id), "running");
	ck_assert_int_eq(desk_claim(&desk, "w2", &(struct job){ .attempt = 0 }), 0);
	buf_init(&body, 1 << 20);
	ck_assert_int_eq(job_body(&desk.jobs, &job, &body, &err), 0);
	ck_assert_str_eq(buf_string(&body), "{\"body\":1}");
	buf_release(&body);
	ck_assert_int_eq(job_note_candidates(&desk.jobs, id, TEXT("[]"), &err), 0);

	desk_now += 7;
	seen[1] = board_read(desk.state.board, BOARD_JOBS_DONE);
	seen[2] = board_job_generation(desk.state.board, id);
	desk_finish(&desk, &job, "w1", "{\"status\":\"completed\"}");
	ck_assert_uint_ne(board_read(desk.state.board, BOARD_JOBS_DONE), seen[1]);
	ck_assert_uint_ne(board_job_generation(desk.state.board, id), seen[2]);
	ck_assert_str_eq(desk_state_of(&desk, id), "completed");
	ck_assert(!desk_spooled(&desk, id, JOB_SPOOL_BODY));
	ck_assert(desk_spooled(&desk, id, JOB_SPOOL_RESULT));
	for (int i = 0; i < 3; i++)
		ck_assert_str_eq(desk_result_of(&desk, id), "{\"status\":\"completed\"}");
	ck_assert_int_eq(state_ask(&desk.state, "SELECT count(*) FROM v_jobs"), 1);
	ck_assert_int_eq(state_ask(&desk.state, "SELECT millis FROM job"), 7000);
	state_remove(&desk.state);
}
END_TEST

START_TEST(the_oldest_comes_first)
{
	char ids[20][JOB_ID_BYTES];
	struct desk desk;
	struct job job;

	desk_open(&desk);
	for (int i = 0; i < 20; i++)
		desk_submit(&desk, ids[i]);
	for (int i = 0; i < 20; i++) {
		ck_assert_int_eq(desk_claim(&desk, "w", &job), 1);
		ck_assert_str_eq(job.id, ids[i]);
	}
	state_remove(&desk.state);
}
END_TEST

START_TEST(only_so_many_at_once)
{
	char ids[3][JOB_ID_BYTES], more[JOB_ID_BYTES];
	struct desk desk;
	struct job job;
	struct err err = ERR_INIT;

	desk_open(&desk);
	desk.state.config.max_concurrent_requests = 3;
	for (int i = 0; i < 3; i++)
		desk_submit(&desk, ids[i]);
	ck_assert_int_eq(job_submit(&desk.jobs, ORDER(TEXT_NONE, TEXT("x")), more, &err), -1);
	ck_assert_int_eq(err.kind, ERR_BUSY);
	ck_assert_str_eq(err.text, "maximum number of concurrent requests reached");
	ck_assert_int_eq(desk_claim(&desk, "w", &job), 1);
	ck_assert_int_eq(job_submit(&desk.jobs, ORDER(TEXT_NONE, TEXT("x")), more, &err), -1);
	desk_finish(&desk, &job, "w", "{}");
	desk_submit(&desk, more);
	/* What never was pending does not count. */
	ck_assert_int_eq(job_record(&desk.jobs, ORDER(TEXT_NONE, TEXT_NONE), 12, &err), 0);
	ck_assert_int_eq(job_submit(&desk.jobs, ORDER(TEXT_NONE, TEXT("x")), more, &err), -1);
	desk.state.config.max_concurrent_requests = CONFIG_UNLIMITED;
	desk_submit(&desk, more);
	state_remove(&desk.state);
}
END_TEST

START_TEST(refreshes_are_counted_apart)
{
	char more[JOB_ID_BYTES];
	struct desk desk;
	struct job job;
	struct err err = ERR_INIT;
	uint64_t live;
	bool is_refresh;

	desk_open(&desk);
	desk.state.config.max_concurrent_requests = 1;
	for (int i = 0; i < 2; i++)
		ck_assert_int_eq(job_submit_refresh(&desk.jobs, ORDER(TEXT("s"), TEXT("x")), 2,
						    &err), 0);
	ck_assert_int_eq(job_submit_refresh(&desk.jobs, ORDER(TEXT("s"), TEXT("x")), 2, &err), -1);
	ck_assert_int_eq(err.kind, ERR_BUSY);
	desk_submit(&desk, more);
	ck_assert_int_eq(job_submit(&desk.jobs, ORDER(TEXT_NONE, TEXT("x")), more, &err), -1);
	ck_assert_int_eq(job_count_live(&desk.jobs, &live, &err), 0);
	ck_assert_uint_eq(live, 3);
	ck_assert_int_eq(desk_claim(&desk, "w", &job), 1);
	ck_assert_str_eq(job.kind, "refresh-symbolicate");
	ck_assert_str_eq(job_asked_kind(job.kind, &is_refresh), "symbolicate");
	ck_assert(is_refresh);
	ck_assert_str_eq(job_asked_kind("symbolicate", &is_refresh), "symbolicate");
	ck_assert(!is_refresh);
	state_remove(&desk.state);
}
END_TEST

START_TEST(unknown_ids_are_unknown)
{
	static const char *const ids[] = { "", "x", "../../../../etc/passwd",
		"00000000-0000-0000-0000-000000000000", "0000000000000000000000000000000000000000",
		"00000000-0000-0000-0000-00000000000/" };
	struct desk desk;

	desk_open(&desk);
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		ck_assert_str_eq(desk_state_of(&desk, ids[i]), "unknown");
		ck_assert_str_eq(desk_result_of(&desk, ids[i]), "not_found");
	}
	state_remove(&desk.state);
}
END_TEST

/* --- Lost holders -------------------------------------------------------------------------- */

START_TEST(a_late_result_is_dropped)
{
	char id[JOB_ID_BYTES];
	struct job first, second;
	struct desk desk;

	desk_open(&desk);
	desk_submit(&desk, id);
	ck_assert_int_eq(desk_claim(&desk, "w1", &first), 1);
	desk_now += JOB_LEASE_SECONDS;
	ck_assert_int_eq(desk_claim(&desk, "w2", &second), 1);
	ck_assert_int_eq(second.attempt, 2);
	desk_finish(&desk, &first, "w1", "late");
	ck_assert_str_eq(desk_state_of(&desk, id), "running");
	ck_assert(desk_spooled(&desk, id, JOB_SPOOL_BODY));
	desk_finish(&desk, &second, "w2", "right");
	desk_finish(&desk, &first, "w1", "later");
	desk_finish(&desk, &second, "w2", "twice");
	ck_assert_str_eq(desk_result_of(&desk, id), "right");
	/* No temporary file stays. */
	ck_assert_int_eq(setenv("STATE", desk.state.folder, 1), 0);
	ck_assert_int_eq(system("test $(ls \"$STATE/spool\" | wc -l) = 1"), 0);
	state_remove(&desk.state);
}
END_TEST

START_TEST(a_lease_lasts_while_renewed)
{
	char id[JOB_ID_BYTES];
	struct job job, other;
	struct desk desk;
	struct err err = ERR_INIT;

	desk_open(&desk);
	desk_submit(&desk, id);
	ck_assert_int_eq(desk_claim(&desk, "w1", &job), 1);
	for (int i = 0; i < 5; i++) {
		desk_now += JOB_LEASE_SECONDS - 1;
		ck_assert_int_eq(job_renew(&desk.jobs, "w1", &err), 0);
		ck_assert_int_eq(desk_claim(&desk, "w2", &other), 0);
	}
	/* Given back, it is taken at once, and that is nobody's fault. */
	ck_assert_int_eq(job_release(&desk.jobs, &job, "w2", &err), 0);
	ck_assert_int_eq(desk_claim(&desk, "w2", &other), 0);
	for (int i = 0; i < 6; i++) {
		ck_assert_int_eq(job_release(&desk.jobs, &job, "w1", &err), 0);
		ck_assert_str_eq(desk_state_of(&desk, id), "queued");
		ck_assert_int_eq(desk_claim(&desk, "w1", &job), 1);
		ck_assert_int_eq(job.attempt, i + 2);
	}
	/* The clock was set back. */
	desk_now -= 86400;
	ck_assert_int_eq(desk_claim(&desk, "w2", &other), 1);
	state_remove(&desk.state);
}
END_TEST

START_TEST(what_kills_three_holders_ends)
{
	char ids[2][JOB_ID_BYTES];
	struct desk desk;
	struct job job;

	desk_open(&desk);
	for (int by_keeper = 0; by_keeper < 2; by_keeper++) {
		desk_submit(&desk, ids[by_keeper]);
		for (int i = 0; i < JOB_LAPSES_MAX; i++) {
			ck_assert_int_eq(desk_claim(&desk, "w", &job), 1);
			desk_clean(&desk);
			ck_assert_str_eq(desk_state_of(&desk, ids[by_keeper]), "running");
			desk_now += JOB_LEASE_SECONDS;
		}
		if (by_keeper)
			desk_clean(&desk);
		else
			ck_assert_int_eq(desk_claim(&desk, "w", &job), 0);
		ck_assert_str_eq(desk_state_of(&desk, ids[by_keeper]), "internal_error");
		ck_assert_str_eq(desk_result_of(&desk, ids[by_keeper]), "{\"status\":\"internal_error\"}");
		ck_assert(!desk_spooled(&desk, ids[by_keeper], JOB_SPOOL_BODY));
	}
	ck_assert_uint_eq(board_counter(desk.state.board, &job_ended, JOB_INTERNAL_ERROR), 2);
	state_remove(&desk.state);
}
END_TEST

static int64_t number_of(struct desk *desk, const char *question)
{
	return state_ask(&desk->state, question);
}

/* Killed from outside: the next one has it at once, and it is not the job's fault, up to a point. */
START_TEST(jobs_of_the_killed_are_free_at_once)
{
	struct err err = ERR_INIT;
	char id[JOB_ID_BYTES];
	struct desk desk;
	struct job job, late;
	int claims = 0;

	desk_open(&desk);
	desk_submit(&desk, id);
	while (desk_claim(&desk, "dead", &job) == 1) {
		ck_assert_int_eq(job.attempt, ++claims);
		ck_assert_int_eq(number_of(&desk, "SELECT lapses FROM job"),
				 claims > JOB_KILLS_MAX ? claims - JOB_KILLS_MAX : 0);
		late = job;
		ck_assert_int_eq(job_release_dead_owner(&desk.jobs, "another", false, &err), 0);
		ck_assert_int_eq(desk_claim(&desk, "alive", &job), 0);
		ck_assert_int_eq(job_release_dead_owner(&desk.jobs, "dead", false, &err), 0);
		if (claims < JOB_KILLS_MAX)
			desk_finish(&desk, &late, "dead", "{}");  /* it only seemed dead: too late */
	}
	ck_assert_int_eq(claims, JOB_KILLS_MAX + JOB_LAPSES_MAX - 1);
	ck_assert_str_eq(desk_state_of(&desk, id), "internal_error");
	state_remove(&desk.state);
}
END_TEST

START_TEST(jobs_of_the_crashed_are_counted)
{
	struct err err = ERR_INIT;
	char id[JOB_ID_BYTES];
	struct desk desk;
	struct job job;

	desk_open(&desk);
	desk_submit(&desk, id);
	for (int i = 0; i < JOB_LAPSES_MAX; i++) {
		ck_assert_int_eq(desk_claim(&desk, "dead", &job), 1);
		ck_assert_int_eq(number_of(&desk, "SELECT lapses FROM job"), i);
		ck_assert_int_eq(job_release_dead_owner(&desk.jobs, "dead", true, &err), 0);
	}
	ck_assert_int_eq(desk_claim(&desk, "dead", &job), 0);
	ck_assert_str_eq(desk_state_of(&desk, id), "internal_error");
	state_remove(&desk.state);
}
END_TEST

START_TEST(a_job_ends_in_time)
{
	char ids[3][JOB_ID_BYTES];
	struct desk desk;
	struct job job, other;

	desk_open(&desk);
	for (int i = 0; i < 3; i++)
		desk_submit(&desk, ids[i]);
	ck_assert_int_eq(desk_claim(&desk, "w", &job), 1);
	desk_now += desk.state.config.job_seconds;
	/* One is not worth taking any more; the others the keeper ends. */
	ck_assert_int_eq(desk_claim(&desk, "w2", &other), 0);
	desk_clean(&desk);
	for (int i = 0; i < 3; i++) {
		ck_assert_str_eq(desk_state_of(&desk, ids[i]), "timeout");
		ck_assert_str_eq(desk_result_of(&desk, ids[i]), "{\"status\":\"timeout\"}");
	}
	desk_finish(&desk, &job, "w", "late");
	ck_assert_str_eq(desk_result_of(&desk, ids[0]), "{\"status\":\"timeout\"}");
	ck_assert_uint_eq(board_counter(desk.state.board, &job_ended, JOB_TIMEOUT), 3);
	state_remove(&desk.state);
}
END_TEST

static void claim_and_die(void *payload)
{
	struct desk *desk = payload;
	struct err err = ERR_INIT;
	struct job job;

	if (store_open(&desk->jobs.store, &desk->state.config, &err) < 0 ||
	    job_claim(&desk->jobs, "child", &job, &err) != 1)
		_exit(EXIT_FAILURE);
	kill(getpid(), SIGKILL);
}

START_TEST(the_killed_are_followed)
{
	char id[JOB_ID_BYTES];
	struct desk desk;
	struct job job;

	desk_open(&desk);
	desk_submit(&desk, id);
	ck_assert_int_eq(in_child(claim_and_die, &desk), -1);
	ck_assert_int_eq(desk_claim(&desk, "w", &job), 0);
	desk_now += JOB_LEASE_SECONDS;
	ck_assert_int_eq(desk_claim(&desk, "w", &job), 1);
	ck_assert_int_eq(job.attempt, 2);
	desk_finish(&desk, &job, "w", "done");
	ck_assert_str_eq(desk_result_of(&desk, id), "done");
	state_remove(&desk.state);
}
END_TEST

/* Several workers, some of whom die at any moment: each job is answered once. */
static void work_until_empty(struct desk *desk, unsigned number)
{
	struct err err = ERR_INIT;
	char owner[32];
	struct job job;

	snprintf(owner, sizeof(owner), "child %u", number);
	if (store_open(&desk->jobs.store, &desk->state.config, &err) < 0)
		_exit(100);
	for (;;) {
		int rc = job_claim(&desk->jobs, owner, &job, &err);

		if (rc < 0) {
			fprintf(stderr, "%s\n", err.text);
			_exit(101);
		}
		if (rc == 0)
			_exit(0);
		if (job_finish(&desk->jobs, &job, owner, JOB_COMPLETED, text_of(owner), &err) < 0)
			_exit(102);
	}
}

START_TEST(many_workers_take_each_job_once)
{
	enum { JOBS = 60, WORKERS = 4 };
	char ids[JOBS][JOB_ID_BYTES];
	pid_t pids[WORKERS];
	struct desk desk;

	desk_open(&desk);
	for (int i = 0; i < JOBS; i++)
		desk_submit(&desk, ids[i]);
	for (unsigned i = 0; i < WORKERS; i++) {
		pids[i] = fork();
		if (pids[i] == 0)
			work_until_empty(&desk, i);
	}
	for (unsigned i = 0; i < WORKERS; i++) {
		int status;

		ck_assert_int_eq(waitpid(pids[i], &status, 0), pids[i]);
		ck_assert_int_eq(status, 0);
	}
	for (int i = 0; i < JOBS; i++) {
		ck_assert_str_eq(desk_state_of(&desk, ids[i]), "completed");
		ck_assert_int_eq(strncmp(desk_result_of(&desk, ids[i]), "child ", 6), 0);
	}
	ck_assert_int_eq(state_ask(&desk.state, "SELECT max(attempt) FROM job"), 1);
	ck_assert_uint_eq(board_counter(desk.state.board, &job_ended, JOB_COMPLETED), JOBS);
	state_remove(&desk.state);
}
END_TEST

/* As above, but they are killed at random moments: what they held is done again, and what
 * they had finished is not. */
static void work_slowly(struct desk *desk, unsigned number)
{
	struct err err = ERR_INIT;
	char owner[32];
	struct job job;

	snprintf(owner, sizeof(owner), "child %u", number);
	if (store_open(&desk->jobs.store, &desk->state.config, &err) < 0)
		_exit(100);
	for (;;) {
		int rc = job_claim(&desk->jobs, owner, &job, &err);

		usleep(500);
		if (rc == 0)
			continue;
		if (rc < 0 || job_finish(&desk->jobs, &job, owner, JOB_COMPLETED, text_of(job.id), &err) < 0)
			break;
	}
	fprintf(stderr, "%s\n", err.text);
	_exit(102);
}

START_TEST(no_job_is_lost_with_its_holder)
{
	enum { JOBS = 80, WORKERS = 3, KILLS = 25 };
	char ids[JOBS][JOB_ID_BYTES];
	pid_t pids[WORKERS] = { 0 };
	struct desk desk;
	struct job job;
	int left = 0;

	desk_open(&desk);
	for (int i = 0; i < JOBS; i++)
		desk_submit(&desk, ids[i]);
	for (unsigned kills = 0; kills < KILLS; kills++) {
		unsigned victim = kills % WORKERS;
		int status;

		for (unsigned i = 0; i < WORKERS; i++)
			if (pids[i] == 0 && (pids[i] = fork()) == 0)
				work_slowly(&desk, i);
		usleep(3000 + 700 * (kills % 5));
		ck_assert_int_eq(kill(pids[victim], SIGKILL), 0);
		ck_assert_int_eq(waitpid(pids[victim], &status, 0), pids[victim]);
		ck_assert_msg(WIFSIGNALED(status), "a worker failed by itself (%d)", status);
		pids[victim] = 0;
	}
	/* Those that are left: on a busy machine nobody may have got far. */
	while (state_ask(&desk.state, "SELECT count(*) FROM job WHERE state = 'completed'") == 0)
		usleep(1000);
	for (unsigned i = 0; i < WORKERS; i++) {
		if (pids[i] > 0 && kill(pids[i], SIGKILL) == 0)
			waitpid(pids[i], NULL, 0);
	}
	desk_now += JOB_LEASE_SECONDS;
	for (; desk_claim(&desk, "w", &job) == 1; left++)
		desk_finish(&desk, &job, "w", job.id);
	ck_assert_int_lt(left, JOBS);
	for (int i = 0; i < JOBS; i++) {
		ck_assert_str_eq(desk_state_of(&desk, ids[i]), "completed");
		ck_assert_str_eq(desk_result_of(&desk, ids[i]), ids[i]);
		ck_assert(!desk_spooled(&desk, ids[i], JOB_SPOOL_BODY) || left > 0);
	}
	state_remove(&desk.state);
}
END_TEST

/* --- Trouble -------------------------------------------------------------------------------- */

START_TEST(says_when_files_are_gone)
{
	char id[JOB_ID_BYTES], command[JOB_PATH_BYTES];
	struct err err = ERR_INIT;
	struct desk desk;
	struct job job;
	struct buf body;

	desk_open(&desk);
	desk_submit(&desk, id);
	ck_assert_int_eq(desk_claim(&desk, "w", &job), 1);
	snprintf(command, sizeof(command), "rm -rf '%s/spool'", desk.state.folder);
	ck_assert_int_eq(system(command), 0);
	buf_init(&body, 1 << 20);
	ck_assert_int_eq(job_body(&desk.jobs, &job, &body, &err), -1);
	ck_assert_int_eq(err.kind, ERR_IO);
	buf_release(&body);
	desk_finish(&desk, &job, "w", "{}");
	ck_assert_str_eq(desk_result_of(&desk, id), "{}");
	ck_assert_int_eq(system(command), 0);
	ck_assert_str_eq(desk_result_of(&desk, id), "not_found");
	state_remove(&desk.state);
}
END_TEST

static void submit_without_capacity(void *payload)
{
	struct desk *desk = payload;
	struct rlimit limit = { 4096, 4096 };
	char id[JOB_ID_BYTES], *body = mem_get(100000);
	struct err err = ERR_INIT;

	signal(SIGXFSZ, SIG_IGN);
	if (!body || store_open(&desk->jobs.store, &desk->state.config, &err) < 0 ||
	    setrlimit(RLIMIT_FSIZE, &limit) < 0)
		_exit(EXIT_FAILURE);
	if (job_submit(&desk->jobs, ORDER(TEXT_NONE, (struct text){ body, 100000 }), id,
		       &err) == 0 || err.kind != ERR_IO || !strstr(err.text, "spool")) {
		fprintf(stderr, "said (%s): %s\n", err_kind_name(err.kind), err.text);
		_exit(EXIT_FAILURE);
	}
}

START_TEST(says_when_there_is_no_capacity)
{
	struct desk desk;

	desk_open(&desk);
	ck_assert_int_eq(in_child(submit_without_capacity, &desk), 0);
	ck_assert_int_eq(state_ask(&desk.state, "SELECT count(*) FROM job"), 0);
	ck_assert_int_eq(setenv("STATE", desk.state.folder, 1), 0);
	ck_assert_int_eq(system("test $(ls \"$STATE/spool\" | wc -l) = 0"), 0);
	state_remove(&desk.state);
}
END_TEST

static int whole_life(void *payload, struct err *err)
{
	struct desk *desk = payload;
	char id[JOB_ID_BYTES];
	struct job job;
	struct buf bytes;
	uint64_t removed;
	int rc;

	buf_init(&bytes, 1 << 20);
	rc = job_submit(&desk->jobs, ORDER(TEXT_NONE, TEXT("x")), id, err);
	if (rc == 0)
		rc = job_claim(&desk->jobs, "w", &job, err) < 0 ? -1 : 0;
	if (rc == 0)
		rc = job_body(&desk->jobs, &job, &bytes, err);
	if (rc == 0)
		rc = job_finish(&desk->jobs, &job, "w", JOB_COMPLETED, TEXT("{}"), err);
	if (rc == 0)
		rc = job_result(&desk->jobs, job.id, &bytes, err);
	if (rc == 0)
		rc = job_clean(&desk->jobs, &removed, err);
	buf_release(&bytes);
	return rc;
}

START_TEST(survives_every_allocation_failure)
{
	struct desk desk;

	desk_open(&desk);
	support_every_allocation_failure(whole_life, &desk, 100);
	state_remove(&desk.state);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("job");
	TCase *tcase = tcase_create("job");

	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, a_job_goes_its_way);
	tcase_add_test(tcase, the_oldest_comes_first);
	tcase_add_test(tcase, only_so_many_at_once);
	tcase_add_test(tcase, refreshes_are_counted_apart);
	tcase_add_test(tcase, unknown_ids_are_unknown);
	tcase_add_test(tcase, a_late_result_is_dropped);
	tcase_add_test(tcase, a_lease_lasts_while_renewed);
	tcase_add_test(tcase, what_kills_three_holders_ends);
	tcase_add_test(tcase, jobs_of_the_killed_are_free_at_once);
	tcase_add_test(tcase, jobs_of_the_crashed_are_counted);
	tcase_add_test(tcase, a_job_ends_in_time);
	tcase_add_test(tcase, the_killed_are_followed);
	tcase_add_test(tcase, many_workers_take_each_job_once);
	tcase_add_test(tcase, no_job_is_lost_with_its_holder);
	tcase_add_test(tcase, says_when_files_are_gone);
	tcase_add_test(tcase, says_when_there_is_no_capacity);
	tcase_add_test(tcase, survives_every_allocation_failure);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
