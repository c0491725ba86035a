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
#include "job/job_counters.h"
#include "job/job_internal.h"
#include "store/state.h"
#include "support/support.h"

static int64_t now_is = 1800000000;

static int64_t now(void)
{
	return now_is;
}

struct desk {
	struct state state;
	struct jobs jobs;
};

static void desk_open(struct desk *desk)
{
	memset(desk, 0, sizeof(*desk));
	state_open(&desk->state);
	desk->jobs = (struct jobs){ .config = &desk->state.config, .store = desk->state.store,
				    .board = desk->state.board, .now = now };
}

#define ORDER(scope_text, ...) (&(struct job_order){ \
	.kind = "symbolicate", .scope = scope_text, .body = __VA_ARGS__, .x_request_id = TEXT("mine") })

static void submit(struct desk *desk, char id[JOB_ID_BYTES])
{
	struct err err = ERR_INIT;

	ck_assert_msg(job_submit(&desk->jobs, ORDER(TEXT("tenant"), TEXT("{\"body\":1}")), id,
				 &err) == 0, "%s", err.text);
}

static int claim(struct desk *desk, const char *owner, struct job *job)
{
	struct err err = ERR_INIT;
	int rc = job_claim(&desk->jobs, owner, job, &err);

	ck_assert_msg(rc >= 0, "%s", err.text);
	return rc;
}

static void finish(struct desk *desk, const struct job *job, const char *owner, const char *reply)
{
	struct err err = ERR_INIT;

	ck_assert_msg(job_finish(&desk->jobs, job, owner, JOB_COMPLETED, text_of(reply), &err) == 0,
		      "%s", err.text);
}

static const char *state_of(struct desk *desk, const char *id)
{
	struct err err = ERR_INIT;
	enum job_state state;

	ck_assert_msg(job_look(&desk->jobs, id, &state, &err) == 0, "%s", err.text);
	return job_state_name(state);
}

/* The reply, or the words of the refusal. */
static const char *result_of(struct desk *desk, const char *id)
{
	static char words[1024];
	struct err err = ERR_INIT;
	struct buf reply;

	buf_init(&reply, 1 << 20);
	if (job_result(&desk->jobs, id, &reply, &err) < 0)
		snprintf(words, sizeof(words), "%s", err_kind_name(err.kind));
	else
		snprintf(words, sizeof(words), "%s", buf_string(&reply));
	buf_release(&reply);
	return words;
}

static uint64_t clean(struct desk *desk)
{
	struct err err = ERR_INIT;
	uint64_t removed;

	ck_assert_msg(job_clean(&desk->jobs, &removed, &err) == 0, "%s", err.text);
	return removed;
}

static bool spooled(struct desk *desk, const char *id, enum job_spool what)
{
	struct err err = ERR_INIT;
	char path[JOB_PATH_BYTES];
	struct stat st;

	ck_assert_int_eq(job_spool_path(&desk->jobs, id, what, path, sizeof(path), &err), 0);
	if (stat(path, &st) < 0)
		return false;
	ck_assert_uint_eq(st.st_mode & 07777, 0600);
	return true;
}

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
	ck_assert_int_eq(claim(&desk, "w1", &job), 0);
	seen[0] = board_read(desk.state.board, BOARD_JOBS_NEW);
	submit(&desk, id);
	ck_assert_uint_ne(board_read(desk.state.board, BOARD_JOBS_NEW), seen[0]);
	ck_assert_str_eq(state_of(&desk, id), "queued");
	ck_assert(spooled(&desk, id, JOB_SPOOL_BODY));
	ck_assert_str_eq(result_of(&desk, id), "not_found");

	ck_assert_int_eq(claim(&desk, "w1", &job), 1);
	ck_assert_str_eq(job.id, id);
	ck_assert_str_eq(job.kind, "symbolicate");
	ck_assert(job.has_scope);
	ck_assert_str_eq(job.scope, "tenant");
	ck_assert_int_eq(job.attempt, 1);
	ck_assert_int_eq(job.created_at, now_is);
	ck_assert_int_eq(job.deadline_at, now_is + 900);
	ck_assert_str_eq(state_of(&desk, id), "running");
	ck_assert_int_eq(claim(&desk, "w2", &(struct job){ .attempt = 0 }), 0);
	buf_init(&body, 1 << 20);
	ck_assert_int_eq(job_body(&desk.jobs, &job, &body, &err), 0);
	ck_assert_str_eq(buf_string(&body), "{\"body\":1}");
	buf_release(&body);
	ck_assert_int_eq(job_note_candidates(&desk.jobs, id, TEXT("[]"), &err), 0);

	now_is += 7;
	seen[1] = board_read(desk.state.board, BOARD_JOBS_DONE);
	seen[2] = board_job_generation(desk.state.board, id);
	finish(&desk, &job, "w1", "{\"status\":\"completed\"}");
	ck_assert_uint_ne(board_read(desk.state.board, BOARD_JOBS_DONE), seen[1]);
	ck_assert_uint_ne(board_job_generation(desk.state.board, id), seen[2]);
	ck_assert_str_eq(state_of(&desk, id), "completed");
	ck_assert(!spooled(&desk, id, JOB_SPOOL_BODY));
	ck_assert(spooled(&desk, id, JOB_SPOOL_RESULT));
	for (int i = 0; i < 3; i++)
		ck_assert_str_eq(result_of(&desk, id), "{\"status\":\"completed\"}");
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
		submit(&desk, ids[i]);
	for (int i = 0; i < 20; i++) {
		ck_assert_int_eq(claim(&desk, "w", &job), 1);
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
		submit(&desk, ids[i]);
	ck_assert_int_eq(job_submit(&desk.jobs, ORDER(TEXT_NONE, TEXT("x")), more, &err), -1);
	ck_assert_int_eq(err.kind, ERR_BUSY);
	ck_assert_str_eq(err.text, "maximum number of concurrent requests reached");
	ck_assert_int_eq(claim(&desk, "w", &job), 1);
	ck_assert_int_eq(job_submit(&desk.jobs, ORDER(TEXT_NONE, TEXT("x")), more, &err), -1);
	finish(&desk, &job, "w", "{}");
	submit(&desk, more);
	/* What never was pending does not count. */
	ck_assert_int_eq(job_record(&desk.jobs, ORDER(TEXT_NONE, TEXT_NONE), 12, &err), 0);
	ck_assert_int_eq(job_submit(&desk.jobs, ORDER(TEXT_NONE, TEXT("x")), more, &err), -1);
	desk.state.config.max_concurrent_requests = CONFIG_UNLIMITED;
	submit(&desk, more);
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
	submit(&desk, more);
	ck_assert_int_eq(job_submit(&desk.jobs, ORDER(TEXT_NONE, TEXT("x")), more, &err), -1);
	ck_assert_int_eq(job_count_live(&desk.jobs, &live, &err), 0);
	ck_assert_uint_eq(live, 3);
	ck_assert_int_eq(claim(&desk, "w", &job), 1);
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
		ck_assert_str_eq(state_of(&desk, ids[i]), "unknown");
		ck_assert_str_eq(result_of(&desk, ids[i]), "not_found");
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
	submit(&desk, id);
	ck_assert_int_eq(claim(&desk, "w1", &first), 1);
	now_is += JOB_LEASE_SECONDS;
	ck_assert_int_eq(claim(&desk, "w2", &second), 1);
	ck_assert_int_eq(second.attempt, 2);
	finish(&desk, &first, "w1", "late");
	ck_assert_str_eq(state_of(&desk, id), "running");
	ck_assert(spooled(&desk, id, JOB_SPOOL_BODY));
	finish(&desk, &second, "w2", "right");
	finish(&desk, &first, "w1", "later");
	finish(&desk, &second, "w2", "twice");
	ck_assert_str_eq(result_of(&desk, id), "right");
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
	submit(&desk, id);
	ck_assert_int_eq(claim(&desk, "w1", &job), 1);
	for (int i = 0; i < 5; i++) {
		now_is += JOB_LEASE_SECONDS - 1;
		ck_assert_int_eq(job_renew(&desk.jobs, "w1", &err), 0);
		ck_assert_int_eq(claim(&desk, "w2", &other), 0);
	}
	/* Given back, it is taken at once, and that is nobody's fault. */
	ck_assert_int_eq(job_release(&desk.jobs, &job, "w2", &err), 0);
	ck_assert_int_eq(claim(&desk, "w2", &other), 0);
	for (int i = 0; i < 6; i++) {
		ck_assert_int_eq(job_release(&desk.jobs, &job, "w1", &err), 0);
		ck_assert_str_eq(state_of(&desk, id), "queued");
		ck_assert_int_eq(claim(&desk, "w1", &job), 1);
		ck_assert_int_eq(job.attempt, i + 2);
	}
	/* The clock was set back. */
	now_is -= 86400;
	ck_assert_int_eq(claim(&desk, "w2", &other), 1);
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
		submit(&desk, ids[by_keeper]);
		for (int i = 0; i < JOB_LAPSES_MAX; i++) {
			ck_assert_int_eq(claim(&desk, "w", &job), 1);
			clean(&desk);
			ck_assert_str_eq(state_of(&desk, ids[by_keeper]), "running");
			now_is += JOB_LEASE_SECONDS;
		}
		if (by_keeper)
			clean(&desk);
		else
			ck_assert_int_eq(claim(&desk, "w", &job), 0);
		ck_assert_str_eq(state_of(&desk, ids[by_keeper]), "internal_error");
		ck_assert_str_eq(result_of(&desk, ids[by_keeper]), "{\"status\":\"internal_error\"}");
		ck_assert(!spooled(&desk, ids[by_keeper], JOB_SPOOL_BODY));
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
	submit(&desk, id);
	while (claim(&desk, "dead", &job) == 1) {
		ck_assert_int_eq(job.attempt, ++claims);
		ck_assert_int_eq(number_of(&desk, "SELECT lapses FROM job"),
				 claims > JOB_KILLS_MAX ? claims - JOB_KILLS_MAX : 0);
		late = job;
		ck_assert_int_eq(job_release_dead_owner(&desk.jobs, "another", false, &err), 0);
		ck_assert_int_eq(claim(&desk, "alive", &job), 0);
		ck_assert_int_eq(job_release_dead_owner(&desk.jobs, "dead", false, &err), 0);
		if (claims < JOB_KILLS_MAX)
			finish(&desk, &late, "dead", "{}");  /* it only seemed dead: too late */
	}
	ck_assert_int_eq(claims, JOB_KILLS_MAX + JOB_LAPSES_MAX - 1);
	ck_assert_str_eq(state_of(&desk, id), "internal_error");
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
	submit(&desk, id);
	for (int i = 0; i < JOB_LAPSES_MAX; i++) {
		ck_assert_int_eq(claim(&desk, "dead", &job), 1);
		ck_assert_int_eq(number_of(&desk, "SELECT lapses FROM job"), i);
		ck_assert_int_eq(job_release_dead_owner(&desk.jobs, "dead", true, &err), 0);
	}
	ck_assert_int_eq(claim(&desk, "dead", &job), 0);
	ck_assert_str_eq(state_of(&desk, id), "internal_error");
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
		submit(&desk, ids[i]);
	ck_assert_int_eq(claim(&desk, "w", &job), 1);
	now_is += desk.state.config.job_seconds;
	/* One is not worth taking any more; the others the keeper ends. */
	ck_assert_int_eq(claim(&desk, "w2", &other), 0);
	clean(&desk);
	for (int i = 0; i < 3; i++) {
		ck_assert_str_eq(state_of(&desk, ids[i]), "timeout");
		ck_assert_str_eq(result_of(&desk, ids[i]), "{\"status\":\"timeout\"}");
	}
	finish(&desk, &job, "w", "late");
	ck_assert_str_eq(result_of(&desk, ids[0]), "{\"status\":\"timeout\"}");
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
	submit(&desk, id);
	ck_assert_int_eq(in_child(claim_and_die, &desk), -1);
	ck_assert_int_eq(claim(&desk, "w", &job), 0);
	now_is += JOB_LEASE_SECONDS;
	ck_assert_int_eq(claim(&desk, "w", &job), 1);
	ck_assert_int_eq(job.attempt, 2);
	finish(&desk, &job, "w", "done");
	ck_assert_str_eq(result_of(&desk, id), "done");
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
		submit(&desk, ids[i]);
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
		ck_assert_str_eq(state_of(&desk, ids[i]), "completed");
		ck_assert_int_eq(strncmp(result_of(&desk, ids[i]), "child ", 6), 0);
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
		submit(&desk, ids[i]);
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
	for (unsigned i = 0; i < WORKERS; i++) {
		if (pids[i] > 0 && kill(pids[i], SIGKILL) == 0)
			waitpid(pids[i], NULL, 0);
	}
	now_is += JOB_LEASE_SECONDS;
	for (; claim(&desk, "w", &job) == 1; left++)
		finish(&desk, &job, "w", job.id);
	ck_assert_int_lt(left, JOBS);
	for (int i = 0; i < JOBS; i++) {
		ck_assert_str_eq(state_of(&desk, ids[i]), "completed");
		ck_assert_str_eq(result_of(&desk, ids[i]), ids[i]);
		ck_assert(!spooled(&desk, ids[i], JOB_SPOOL_BODY) || left > 0);
	}
	state_remove(&desk.state);
}
END_TEST

/* --- Retention ------------------------------------------------------------------------------ */

START_TEST(results_stay_their_time)
{
	char id[JOB_ID_BYTES];
	struct desk desk;
	struct job job;

	desk_open(&desk);
	submit(&desk, id);
	ck_assert_int_eq(claim(&desk, "w", &job), 1);
	finish(&desk, &job, "w", "{}");
	now_is += LIMIT_RESULT_SECONDS - 1;
	clean(&desk);
	ck_assert_str_eq(result_of(&desk, id), "{}");
	now_is += 1;
	ck_assert_str_eq(state_of(&desk, id), "unknown");
	ck_assert_str_eq(result_of(&desk, id), "not_found");
	ck_assert(spooled(&desk, id, JOB_SPOOL_RESULT));
	ck_assert_uint_eq(clean(&desk), 1);
	ck_assert(!spooled(&desk, id, JOB_SPOOL_RESULT));
	/* The row is history for people, for a day. */
	ck_assert_int_eq(state_ask(&desk.state, "SELECT count(*) FROM v_jobs"), 1);
	now_is += JOB_ROW_SECONDS;
	clean(&desk);
	ck_assert_int_eq(state_ask(&desk.state, "SELECT count(*) FROM v_jobs"), 0);
	state_remove(&desk.state);
}
END_TEST

START_TEST(history_is_bounded)
{
	char id[JOB_ID_BYTES];
	struct desk desk;

	desk_open(&desk);
	submit(&desk, id);
	state_sql(&desk.state, "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
		"WHERE i < 12000) INSERT INTO job (id, kind, state, body_bytes, created_at, deadline_at, "
		"finished_at) SELECT printf('%036d', i), 'symbolicate', 'completed', 0, 1800000000, "
		"1800000000, 1800000000 FROM n");
	now_is = 1800000000 + 300;
	for (int i = 0; i < 5; i++)
		clean(&desk);
	ck_assert_int_le(state_ask(&desk.state, "SELECT count(*) FROM job"), 11001);
	ck_assert_str_eq(state_of(&desk, id), "queued");
	state_remove(&desk.state);
}
END_TEST

static void age(const char *path)
{
	struct timespec times[2] = { { .tv_sec = now_is - 7200 }, { .tv_sec = now_is - 7200 } };

	ck_assert_int_eq(utimensat(AT_FDCWD, path, times, 0), 0);
}

START_TEST(lost_files_are_removed)
{
	char ids[2][JOB_ID_BYTES], path[JOB_PATH_BYTES];
	struct err err = ERR_INIT;
	uint64_t removed;
	struct desk desk;

	desk_open(&desk);
	now_is = clock_unix_seconds();
	for (int i = 0; i < 2; i++) {
		submit(&desk, ids[i]);
		ck_assert_int_eq(job_spool_path(&desk.jobs, ids[i], JOB_SPOOL_BODY, path, sizeof(path),
						&err), 0);
		age(path);
	}
	snprintf(path, sizeof(path), "DELETE FROM job WHERE id = '%s'", ids[1]);
	state_sql(&desk.state, path);
	write_file(state_path(&desk.state, "spool/tmp-0123"), "x", 1);
	age(state_path(&desk.state, "spool/tmp-0123"));
	write_file(state_path(&desk.state, "spool/tmp-4567"), "x", 1);
	ck_assert_int_eq(job_repair_spool(&desk.jobs, &removed, &err), 0);
	ck_assert_uint_eq(removed, 2);
	ck_assert(spooled(&desk, ids[0], JOB_SPOOL_BODY));
	ck_assert(!spooled(&desk, ids[1], JOB_SPOOL_BODY));
	ck_assert_int_eq(access(state_path(&desk.state, "spool/tmp-4567"), F_OK), 0);
	state_remove(&desk.state);
}
END_TEST

static int write_body(struct desk *desk, char *path, size_t capacity)
{
	struct err err = ERR_INIT;
	int fd;

	ck_assert_msg(job_body_create(&desk->jobs, path, capacity, &fd, &err) == 0, "%s", err.text);
	ck_assert_int_eq(write(fd, "MDMP....", 8), 8);
	close(fd);
	return access(path, F_OK);
}

/* The file is the job's with its row, and the caller's without. */
START_TEST(takes_bodies_that_are_files)
{
	char id[JOB_ID_BYTES], path[JOB_PATH_BYTES], bytes[16] = "";
	struct job_order order = { .kind = "minidump", .scope = TEXT_NONE, .body_path = path };
	struct err err = ERR_INIT;
	struct desk desk;
	struct job job;
	uint64_t size = 0;
	int fd = -1;

	desk_open(&desk);
	ck_assert_int_eq(write_body(&desk, path, sizeof(path)), 0);
	ck_assert_msg(job_submit(&desk.jobs, &order, id, &err) == 0, "%s", err.text);
	ck_assert_int_ne(access(path, F_OK), 0);
	ck_assert(spooled(&desk, id, JOB_SPOOL_BODY));
	ck_assert_int_eq(state_ask(&desk.state, "SELECT body_bytes FROM job"), 8);
	ck_assert_int_eq(claim(&desk, "w", &job), 1);
	ck_assert_msg(job_body_open(&desk.jobs, &job, &fd, &size, &err) == 0, "%s", err.text);
	ck_assert_uint_eq(size, 8);
	ck_assert_int_eq(read(fd, bytes, sizeof(bytes)), 8);
	ck_assert_str_eq(bytes, "MDMP....");
	ck_assert_int_lt(write(fd, "x", 1), 0);
	close(fd);
	finish(&desk, &job, "w", "{}");
	ck_assert(!spooled(&desk, id, JOB_SPOOL_BODY));
	ck_assert_int_eq(job_body_open(&desk.jobs, &job, &fd, &size, &err), -1);
	ck_assert_int_eq(fd, -1);

	desk.state.config.max_concurrent_requests = 0;
	ck_assert_int_eq(write_body(&desk, path, sizeof(path)), 0);
	ck_assert_int_eq(job_submit(&desk.jobs, &order, id, &err), -1);
	ck_assert_int_eq(access(path, F_OK), 0);
	state_remove(&desk.state);
}
END_TEST

/* --- Diagnosis ------------------------------------------------------------------------------ */

/* A failed one of eight bytes, that old. */
static void fail_one(struct desk *desk, char path[JOB_PATH_BYTES], int64_t age)
{
	struct job_order order = { .kind = "minidump", .scope = TEXT_NONE };
	struct timespec times[2] = { { .tv_sec = time(NULL) - age }, { .tv_sec = time(NULL) - age } };
	char id[JOB_ID_BYTES], body[JOB_PATH_BYTES];
	struct err err = ERR_INIT;
	struct job job;

	order.body_path = body;
	ck_assert_int_eq(write_body(desk, body, sizeof(body)), 0);
	ck_assert_msg(job_submit(&desk->jobs, &order, id, &err) == 0, "%s", err.text);
	ck_assert_int_eq(claim(desk, "w", &job), 1);
	ck_assert_msg(job_keep_for_diagnosis(&desk->jobs, &job, &err) == 0, "%s", err.text);
	finish(desk, &job, "w", "{}");
	snprintf(path, JOB_PATH_BYTES, "%s/diagnostics/%s.minidump", desk->state.config.state_dir, id);
	(void)utimensat(AT_FDCWD, path, times, 0);
}

static void clean_diagnosis(struct desk *desk, uint64_t expected)
{
	struct err err = ERR_INIT;
	uint64_t removed;

	ck_assert_msg(job_clean_diagnosis(&desk->jobs, &removed, &err) == 0, "%s", err.text);
	ck_assert_uint_eq(removed, expected);
}

START_TEST(failed_files_stay_their_time_and_within_bounds)
{
	static char old[JOB_PATH_BYTES], middle[JOB_PATH_BYTES], fresh[JOB_PATH_BYTES];
	struct desk desk;
	struct stat st;

	desk_open(&desk);
	desk.jobs.now = NULL;
	desk.state.config.diagnostics_seconds = 100;
	desk.state.config.diagnostics_max_bytes = 20;
	clean_diagnosis(&desk, 0);
	fail_one(&desk, old, 99);
	fail_one(&desk, middle, 50);
	ck_assert_int_eq(stat(old, &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0600);
	ck_assert_int_eq(st.st_size, 8);
	fail_one(&desk, fresh, 0);           /* three have no room */
	ck_assert_int_ne(access(old, F_OK), 0);
	ck_assert_int_eq(access(middle, F_OK), 0);
	desk.state.config.diagnostics_seconds = 50;
	clean_diagnosis(&desk, 1);
	ck_assert_int_ne(access(middle, F_OK), 0);
	desk.state.config.diagnostics_seconds = CONFIG_NEVER;
	clean_diagnosis(&desk, 0);
	desk.state.config.diagnostics_seconds = 0;
	fail_one(&desk, old, 0);
	ck_assert_int_ne(access(old, F_OK), 0);
	clean_diagnosis(&desk, 1);
	ck_assert_int_ne(access(fresh, F_OK), 0);
	state_remove(&desk.state);
}
END_TEST

struct keeping { struct desk *desk; struct job job; };

static int keep_and_clean(void *payload, struct err *err)
{
	struct keeping *keeping = payload;
	uint64_t removed;

	if (job_keep_for_diagnosis(&keeping->desk->jobs, &keeping->job, err) < 0)
		return -1;
	return job_clean_diagnosis(&keeping->desk->jobs, &removed, err);
}

/* Whatever fails, the body stays where it is, and what was kept is whole or not there. */
START_TEST(keeping_survives_every_allocation_failure)
{
	struct job_order order = { .kind = "minidump", .scope = TEXT_NONE };
	char id[JOB_ID_BYTES], body[JOB_PATH_BYTES];
	static char other[JOB_PATH_BYTES];
	struct err err = ERR_INIT;
	struct keeping keeping;
	struct desk desk;

	desk_open(&desk);
	desk.jobs.now = NULL;
	desk.state.config.diagnostics_seconds = 100;
	desk.state.config.diagnostics_max_bytes = 1000;
	fail_one(&desk, other, 10);
	order.body_path = body;
	ck_assert_int_eq(write_body(&desk, body, sizeof(body)), 0);
	ck_assert_msg(job_submit(&desk.jobs, &order, id, &err) == 0, "%s", err.text);
	ck_assert_int_eq(claim(&desk, "w", &keeping.job), 1);
	keeping.desk = &desk;
	support_every_allocation_failure(keep_and_clean, &keeping, 20);
	ck_assert(spooled(&desk, id, JOB_SPOOL_BODY));
	ck_assert_int_eq(access(other, F_OK), 0);
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
	submit(&desk, id);
	ck_assert_int_eq(claim(&desk, "w", &job), 1);
	snprintf(command, sizeof(command), "rm -rf '%s/spool'", desk.state.folder);
	ck_assert_int_eq(system(command), 0);
	buf_init(&body, 1 << 20);
	ck_assert_int_eq(job_body(&desk.jobs, &job, &body, &err), -1);
	ck_assert_int_eq(err.kind, ERR_IO);
	buf_release(&body);
	finish(&desk, &job, "w", "{}");
	ck_assert_str_eq(result_of(&desk, id), "{}");
	ck_assert_int_eq(system(command), 0);
	ck_assert_str_eq(result_of(&desk, id), "not_found");
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
	tcase_add_test(tcase, results_stay_their_time);
	tcase_add_test(tcase, history_is_bounded);
	tcase_add_test(tcase, lost_files_are_removed);
	tcase_add_test(tcase, takes_bodies_that_are_files);
	tcase_add_test(tcase, failed_files_stay_their_time_and_within_bounds);
	tcase_add_test(tcase, keeping_survives_every_allocation_failure);
	tcase_add_test(tcase, says_when_files_are_gone);
	tcase_add_test(tcase, says_when_there_is_no_capacity);
	tcase_add_test(tcase, survives_every_allocation_failure);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
