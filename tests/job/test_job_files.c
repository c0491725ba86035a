/*
 * test_job_files -- what jobs leave in folders: results, bodies, files kept for diagnosis.
 */
#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/limits.h"
#include "job/desk.h"
#include "support/support.h"

/* --- Retention ------------------------------------------------------------------------------ */

START_TEST(results_stay_their_time)
{
	char id[JOB_ID_BYTES];
	struct desk desk;
	struct job job;

	desk_open(&desk);
	desk_submit(&desk, id);
	ck_assert_int_eq(desk_claim(&desk, "w", &job), 1);
	desk_finish(&desk, &job, "w", "{}");
	desk_now += LIMIT_RESULT_SECONDS - 1;
	desk_clean(&desk);
	ck_assert_str_eq(desk_result_of(&desk, id), "{}");
	desk_now += 1;
	ck_assert_str_eq(desk_state_of(&desk, id), "unknown");
	ck_assert_str_eq(desk_result_of(&desk, id), "not_found");
	ck_assert(desk_spooled(&desk, id, JOB_SPOOL_RESULT));
	ck_assert_uint_eq(desk_clean(&desk), 1);
	ck_assert(!desk_spooled(&desk, id, JOB_SPOOL_RESULT));
	/* The row is history for people, for a day. */
	ck_assert_int_eq(state_ask(&desk.state, "SELECT count(*) FROM v_jobs"), 1);
	desk_now += JOB_ROW_SECONDS;
	desk_clean(&desk);
	ck_assert_int_eq(state_ask(&desk.state, "SELECT count(*) FROM v_jobs"), 0);
	state_remove(&desk.state);
}
END_TEST

START_TEST(history_is_bounded)
{
	char id[JOB_ID_BYTES];
	struct desk desk;

	desk_open(&desk);
	desk_submit(&desk, id);
	state_sql(&desk.state, "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
		"WHERE i < 12000) INSERT INTO job (id, kind, state, body_bytes, created_at, deadline_at, "
		"finished_at) SELECT printf('%036d', i), 'symbolicate', 'completed', 0, 1800000000, "
		"1800000000, 1800000000 FROM n");
	desk_now = 1800000000 + 300;
	for (int i = 0; i < 5; i++)
		desk_clean(&desk);
	ck_assert_int_le(state_ask(&desk.state, "SELECT count(*) FROM job"), 11001);
	ck_assert_str_eq(desk_state_of(&desk, id), "queued");
	state_remove(&desk.state);
}
END_TEST

static void age(const char *path)
{
	struct timespec times[2] = { { .tv_sec = desk_now - 7200 }, { .tv_sec = desk_now - 7200 } };

	ck_assert_int_eq(utimensat(AT_FDCWD, path, times, 0), 0);
}

START_TEST(lost_files_are_removed)
{
	char ids[2][JOB_ID_BYTES], path[JOB_PATH_BYTES];
	struct err err = ERR_INIT;
	uint64_t removed;
	struct desk desk;

	desk_open(&desk);
	desk_now = clock_unix_seconds();
	for (int i = 0; i < 2; i++) {
		desk_submit(&desk, ids[i]);
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
	ck_assert(desk_spooled(&desk, ids[0], JOB_SPOOL_BODY));
	ck_assert(!desk_spooled(&desk, ids[1], JOB_SPOOL_BODY));
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
	ck_assert(desk_spooled(&desk, id, JOB_SPOOL_BODY));
	ck_assert_int_eq(state_ask(&desk.state, "SELECT body_bytes FROM job"), 8);
	ck_assert_int_eq(desk_claim(&desk, "w", &job), 1);
	ck_assert_msg(job_body_open(&desk.jobs, &job, &fd, &size, &err) == 0, "%s", err.text);
	ck_assert_uint_eq(size, 8);
	ck_assert_int_eq(read(fd, bytes, sizeof(bytes)), 8);
	ck_assert_str_eq(bytes, "MDMP....");
	ck_assert_int_lt(write(fd, "x", 1), 0);
	close(fd);
	desk_finish(&desk, &job, "w", "{}");
	ck_assert(!desk_spooled(&desk, id, JOB_SPOOL_BODY));
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
	ck_assert_int_eq(desk_claim(desk, "w", &job), 1);
	ck_assert_msg(job_keep_for_diagnosis(&desk->jobs, &job, &err) == 0, "%s", err.text);
	desk_finish(desk, &job, "w", "{}");
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
	ck_assert_int_eq(desk_claim(&desk, "w", &keeping.job), 1);
	keeping.desk = &desk;
	support_every_allocation_failure(keep_and_clean, &keeping, 20);
	ck_assert(desk_spooled(&desk, id, JOB_SPOOL_BODY));
	ck_assert_int_eq(access(other, F_OK), 0);
	state_remove(&desk.state);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("job files");
	TCase *tcase = tcase_create("job files");

	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, results_stay_their_time);
	tcase_add_test(tcase, history_is_bounded);
	tcase_add_test(tcase, lost_files_are_removed);
	tcase_add_test(tcase, takes_bodies_that_are_files);
	tcase_add_test(tcase, failed_files_stay_their_time_and_within_bounds);
	tcase_add_test(tcase, keeping_survives_every_allocation_failure);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
