/*
 * test_job_kept -- results that stay for longer, and jobs that are taken back.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/limits.h"
#include "base/mem.h"
#include "job/desk.h"
#include "job/job_list.h"
#include "job/job_internal.h"
#include "support/support.h"

#define KEEP_SECONDS 3600

static void submit_kept(struct desk *desk, char id[JOB_ID_BYTES])
{
	struct job_order order = { .kind = "symbolicate", .scope = TEXT("page"), .body = TEXT("{}"),
				   .is_kept = true };
	struct err err = ERR_INIT;

	desk->state.config.web_keep_seconds = KEEP_SECONDS;
	ck_assert_msg(job_submit(&desk->jobs, &order, id, &err) == 0, "%s", err.text);
}

static void finish_kept(struct desk *desk, char id[JOB_ID_BYTES], const char *reply)
{
	struct job job;

	submit_kept(desk, id);
	ck_assert_int_eq(desk_claim(desk, "w", &job), 1);
	desk_finish(desk, &job, "w", reply);
}

static uint64_t clean_kept(struct desk *desk)
{
	struct err err = ERR_INIT;
	uint64_t removed;

	ck_assert_msg(job_clean_kept(&desk->jobs, &removed, &err) == 0, "%s", err.text);
	return removed;
}

static enum err_kind delete_kind(struct desk *desk, const char *id)
{
	struct err err = ERR_INIT;

	return job_delete(&desk->jobs, id, &err) == 0 ? ERR_NONE : err.kind;
}

/* Others go after 90 s, and their rows after a day. */
START_TEST(a_result_stays_as_long_as_it_is_kept)
{
	char id[JOB_ID_BYTES], other[JOB_ID_BYTES];
	struct desk desk;
	struct job job;

	desk_open(&desk);
	finish_kept(&desk, id, "{\"kept\":1}");
	ck_assert(!desk_spooled(&desk, id, JOB_SPOOL_BODY));
	desk_submit(&desk, other);
	ck_assert_int_eq(desk_claim(&desk, "w", &job), 1);
	desk_finish(&desk, &job, "w", "{}");
	desk_now += LIMIT_RESULT_SECONDS;
	ck_assert_uint_eq(desk_clean(&desk), 1);
	ck_assert_str_eq(desk_state_of(&desk, other), "unknown");
	desk_now += KEEP_SECONDS - LIMIT_RESULT_SECONDS - 1;
	ck_assert_uint_eq(desk_clean(&desk), 0);
	ck_assert_str_eq(desk_state_of(&desk, id), "completed");
	ck_assert_str_eq(desk_result_of(&desk, id), "{\"kept\":1}");
	desk_now += 1;
	ck_assert_str_eq(desk_state_of(&desk, id), "unknown");
	ck_assert_str_eq(desk_result_of(&desk, id), "not_found");
	ck_assert_uint_eq(desk_clean(&desk), 1);
	ck_assert(!desk_spooled(&desk, id, JOB_SPOOL_RESULT));
	ck_assert_uint_eq(desk_clean(&desk), 0);
	state_remove(&desk.state);
}
END_TEST

/* web.keep counts from the arrival; but nobody's result goes sooner than that of others. */
START_TEST(a_slow_one_can_be_fetched_too)
{
	char id[JOB_ID_BYTES];
	struct desk desk;
	struct job job;

	desk_open(&desk);
	submit_kept(&desk, id);
	state_sql(&desk.state, "UPDATE job SET kept_until = created_at + 1");
	ck_assert_int_eq(desk_claim(&desk, "w", &job), 1);
	desk_now += 5;
	ck_assert_uint_eq(desk_clean(&desk), 0);
	desk_finish(&desk, &job, "w", "{}");
	desk_now += LIMIT_RESULT_SECONDS - 1;
	ck_assert_uint_eq(desk_clean(&desk), 0);
	ck_assert_str_eq(desk_result_of(&desk, id), "{}");
	desk_now += 1;
	ck_assert_uint_eq(desk_clean(&desk), 1);
	ck_assert_str_eq(desk_state_of(&desk, id), "unknown");
	state_remove(&desk.state);
}
END_TEST

START_TEST(rows_that_are_kept_outlast_the_history)
{
	char id[JOB_ID_BYTES];
	struct desk desk;

	desk_open(&desk);
	finish_kept(&desk, id, "{}");
	state_sql(&desk.state, "UPDATE job SET kept_until = kept_until + 10000000");
	desk_now += JOB_ROW_SECONDS;
	ck_assert_uint_eq(desk_clean(&desk), 0);
	state_sql(&desk.state, "UPDATE sqlite_sequence SET seq = seq + 20000 WHERE name = 'job'");
	desk_submit(&desk, (char[JOB_ID_BYTES]){ "" });
	ck_assert_uint_eq(desk_clean(&desk), 0);
	ck_assert_str_eq(desk_state_of(&desk, id), "completed");
	state_remove(&desk.state);
}
END_TEST

START_TEST(the_oldest_go_when_there_are_too_many_bytes)
{
	char ids[4][JOB_ID_BYTES];
	struct desk desk;

	desk_open(&desk);
	desk.state.config.web_keep_bytes = 25;
	for (int i = 0; i < 4; i++) {
		finish_kept(&desk, ids[i], "{\"a\":1234}");       /* 10 bytes */
		desk_now += 1;
	}
	/* None goes before any result would. */
	ck_assert_uint_eq(clean_kept(&desk), 0);
	desk_now += LIMIT_RESULT_SECONDS;
	ck_assert_uint_eq(clean_kept(&desk), 2);
	for (int i = 0; i < 4; i++) {
		ck_assert_str_eq(desk_state_of(&desk, ids[i]), i < 2 ? "unknown" : "completed");
		ck_assert_int_eq(desk_spooled(&desk, ids[i], JOB_SPOOL_RESULT), i >= 2);
	}
	ck_assert_uint_eq(clean_kept(&desk), 0);
	state_remove(&desk.state);
}
END_TEST

/* One that is queued, one that somebody works on, one that is over. */
START_TEST(whoever_has_the_id_may_delete)
{
	struct err err = ERR_INIT;
	bool is_held;
	char id[JOB_ID_BYTES];
	uint32_t done;
	struct desk desk;
	struct job job;

	desk_open(&desk);
	for (int i = 0; i < 3; i++) {
		submit_kept(&desk, id);
		if (i > 0)
			ck_assert_int_eq(desk_claim(&desk, "w", &job), 1);
		if (i == 2)
			desk_finish(&desk, &job, "w", "{}");
		if (i == 1) {
			ck_assert_int_eq(job_is_held(&desk.jobs, &job, "w", &is_held, &err), 0);
			ck_assert(is_held);
			ck_assert_int_eq(job_is_held(&desk.jobs, &job, "v", &is_held, &err), 0);
			ck_assert(!is_held);
		}
		done = board_read(desk.state.board, BOARD_JOBS_DONE);
		ck_assert_int_eq(delete_kind(&desk, id), ERR_NONE);
		ck_assert_uint_ne(board_read(desk.state.board, BOARD_JOBS_DONE), done);
		ck_assert_str_eq(desk_state_of(&desk, id), "unknown");
		if (i == 1) {
			ck_assert_int_eq(job_is_held(&desk.jobs, &job, "w", &is_held, &err), 0);
			ck_assert(!is_held);
			desk_finish(&desk, &job, "w", "{}");
		}
		ck_assert_str_eq(desk_state_of(&desk, id), "unknown");
		ck_assert_str_eq(desk_result_of(&desk, id), "not_found");
		ck_assert(!desk_spooled(&desk, id, JOB_SPOOL_BODY));
		ck_assert(!desk_spooled(&desk, id, JOB_SPOOL_RESULT));
		ck_assert_int_eq(delete_kind(&desk, id), ERR_NOT_FOUND);
		ck_assert_int_eq(desk_claim(&desk, "w", &job), 0);
	}
	ck_assert_int_eq(state_ask(&desk.state, "SELECT count(*) FROM job"), 0);
	state_remove(&desk.state);
}
END_TEST

/* In the same words, so that nobody learns which it was. */
START_TEST(nobody_else_s_job_can_be_deleted)
{
	static const char *const odd[] = { "", "x", "../../../../etc/passwd",
		"00000000-0000-4000-8000-000000000000", "%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s" };
	char id[JOB_ID_BYTES], over[JOB_ID_BYTES];
	struct desk desk;

	desk_open(&desk);
	desk_submit(&desk, id);
	ck_assert_int_eq(delete_kind(&desk, id), ERR_NOT_FOUND);
	ck_assert_str_eq(desk_state_of(&desk, id), "queued");
	ck_assert(desk_spooled(&desk, id, JOB_SPOOL_BODY));
	state_sql(&desk.state, "DELETE FROM job");
	finish_kept(&desk, over, "{}");
	desk_now += KEEP_SECONDS;
	ck_assert_int_eq(delete_kind(&desk, over), ERR_NOT_FOUND);
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++)
		ck_assert_int_eq(delete_kind(&desk, odd[i]), ERR_NOT_FOUND);
	state_remove(&desk.state);
}
END_TEST

static int note_line(void *payload, const struct job_line *line)
{
	*(struct job_line *)payload = *line;
	return 1;
}

START_TEST(how_long_it_is_kept_is_told)
{
	struct err err = ERR_INIT;
	struct job_line line = { .is_kept = false };
	char id[JOB_ID_BYTES];
	struct desk desk;

	desk_open(&desk);
	finish_kept(&desk, id, "{\"a\":1}");
	ck_assert_int_eq(job_find(desk.state.store, text_of(id), note_line, &line, &err), 0);
	ck_assert(line.is_kept);
	ck_assert_int_eq(line.kept_until, desk_now + KEEP_SECONDS);
	ck_assert_int_eq(line.result_bytes, 7);
	state_remove(&desk.state);
}
END_TEST

static int delete_for_torment(void *payload, struct err *err)
{
	struct desk *desk = payload;
	char id[JOB_ID_BYTES];
	uint64_t removed;

	if (job_submit(&desk->jobs, &(struct job_order){ .kind = "symbolicate", .body = TEXT("{}"),
							 .is_kept = true }, id, err) < 0)
		return -1;
	if (job_clean_kept(&desk->jobs, &removed, err) < 0)
		return -1;
	return job_delete(&desk->jobs, id, err);
}

START_TEST(survives_every_allocation_failure)
{
	struct desk desk;

	desk_open(&desk);
	desk.state.config.web_keep_seconds = KEEP_SECONDS;
	support_every_allocation_failure(delete_for_torment, &desk, 100);
	state_remove(&desk.state);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("job_kept");
	TCase *tcase = tcase_create("job_kept");

	tcase_add_test(tcase, a_result_stays_as_long_as_it_is_kept);
	tcase_add_test(tcase, a_slow_one_can_be_fetched_too);
	tcase_add_test(tcase, rows_that_are_kept_outlast_the_history);
	tcase_add_test(tcase, the_oldest_go_when_there_are_too_many_bytes);
	tcase_add_test(tcase, whoever_has_the_id_may_delete);
	tcase_add_test(tcase, nobody_else_s_job_can_be_deleted);
	tcase_add_test(tcase, how_long_it_is_kept_is_told);
	tcase_add_test(tcase, survives_every_allocation_failure);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
