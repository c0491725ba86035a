/* desk.c -- see desk.h. */
#include "job/desk.h"

#include <check.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/err.h"
#include "support/support.h"

int64_t desk_now = 1800000000;

static int64_t now(void)
{
	return desk_now;
}

void desk_open(struct desk *desk)
{
	memset(desk, 0, sizeof(*desk));
	state_open(&desk->state);
	desk->jobs = (struct jobs){ .config = &desk->state.config, .store = desk->state.store,
				    .board = desk->state.board, .now = now };
}

void desk_submit(struct desk *desk, char id[JOB_ID_BYTES])
{
	struct err err = ERR_INIT;

	ck_assert_msg(job_submit(&desk->jobs, ORDER(TEXT("tenant"), TEXT("{\"body\":1}")), id,
				 &err) == 0, "%s", err.text);
}

int desk_claim(struct desk *desk, const char *owner, struct job *job)
{
	struct err err = ERR_INIT;
	int rc = job_claim(&desk->jobs, owner, job, &err);

	ck_assert_msg(rc >= 0, "%s", err.text);
	return rc;
}

void desk_finish(struct desk *desk, const struct job *job, const char *owner, const char *reply)
{
	struct err err = ERR_INIT;

	ck_assert_msg(job_finish(&desk->jobs, job, owner, JOB_COMPLETED, text_of(reply), &err) == 0,
		      "%s", err.text);
}

const char *desk_state_of(struct desk *desk, const char *id)
{
	struct err err = ERR_INIT;
	enum job_state state;

	ck_assert_msg(job_look(&desk->jobs, id, &state, &err) == 0, "%s", err.text);
	return job_state_name(state);
}

/* The reply, or the words of the refusal. */
const char *desk_result_of(struct desk *desk, const char *id)
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

uint64_t desk_clean(struct desk *desk)
{
	struct err err = ERR_INIT;
	uint64_t removed;

	ck_assert_msg(job_clean(&desk->jobs, &removed, &err) == 0, "%s", err.text);
	return removed;
}

bool desk_spooled(struct desk *desk, const char *id, enum job_spool what)
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
