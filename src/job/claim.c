/*
 * claim.c -- who carries a job: (owner, attempt, lease).
 *
 * 1. Only the claim that stands, of an unfinished job, can end it or give it back.
 * 2. A lease that ran out counts as a lapse of its holder; after JOB_LAPSES_MAX the job is
 *    what kills its holders, and ends.
 * 3. Attempts only grow: no two claims are alike.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "board/board.h"
#include "config/config.h"
#include "job/job_internal.h"
#include "store/statements.h"

struct found {
	bool any;
	int64_t seq, lapses;
	struct job job;
};

static void copy_text(char *out, size_t capacity, struct text text)
{
	size_t size = text.size < capacity ? text.size : capacity - 1;

	if (size)
		memcpy(out, text.bytes, size);
	out[size] = '\0';
}

static int read_found(void *payload, const struct store_value *columns, unsigned count)
{
	struct found *found = payload;

	(void)count;
	found->any = true;
	found->seq = columns[COLUMN_job_oldest_queued_seq].number;
	copy_text(found->job.id, sizeof(found->job.id), columns[COLUMN_job_oldest_queued_id].text);
	copy_text(found->job.kind, sizeof(found->job.kind), columns[COLUMN_job_oldest_queued_kind].text);
	found->job.has_scope = columns[COLUMN_job_oldest_queued_scope].type != STORE_NULL;
	copy_text(found->job.scope, sizeof(found->job.scope), columns[COLUMN_job_oldest_queued_scope].text);
	found->job.created_at = columns[COLUMN_job_oldest_queued_created_at].number;
	found->job.deadline_at = columns[COLUMN_job_oldest_queued_deadline_at].number;
	found->job.attempt = columns[COLUMN_job_oldest_queued_attempt].number;
	found->lapses = columns[COLUMN_job_oldest_queued_lapses].number;
	copy_text(found->job.x_request_id, sizeof(found->job.x_request_id), columns[COLUMN_job_oldest_queued_x_request_id].text);
	return 1;
}

static int find_lapsed(struct jobs *jobs, struct found *found, struct err *err)
{
	struct store_value values[2] = { store_int(job_now(jobs)), store_int(JOB_LEASE_SECONDS) };

	memset(found, 0, sizeof(*found));
	if (store_run(jobs->store, STATEMENT_job_oldest_lapsed, values, 2, read_found, found, err) < 0)
		return -1;
	found->lapses++;
	return 0;
}

static int find_queued(struct jobs *jobs, struct found *found, struct err *err)
{
	memset(found, 0, sizeof(*found));
	return store_run(jobs->store, STATEMENT_job_oldest_queued, NULL, 0, read_found, found, err) < 0
	       ? -1 : 0;
}

/* The older of the two. */
static int find_claimable(struct jobs *jobs, struct found *found, struct err *err)
{
	struct found queued;

	if (find_lapsed(jobs, found, err) < 0 || find_queued(jobs, &queued, err) < 0)
		return -1;
	if (queued.any && (!found->any || queued.seq < found->seq))
		*found = queued;
	return 0;
}

int job_end_row(struct jobs *jobs, const char *id, enum job_state state, struct err *err)
{
	struct store_value values[4] = { store_text(text_of(job_state_name(state))),
					 store_int(job_now(jobs)), store_int(job_now_millis(jobs)),
					 store_text(text_of(id)) };

	return store_run(jobs->store, STATEMENT_job_end, values, 4, NULL, NULL, err) < 0 ? -1 : 0;
}

static int take(struct jobs *jobs, struct found *found, const char *owner, struct err *err)
{
	struct store_value values[5] = { store_text(text_of(owner)), store_int(job_now(jobs)),
					 store_int(JOB_LEASE_SECONDS), store_int(found->lapses),
					 store_int(found->seq) };

	found->job.attempt++;
	return store_run(jobs->store, STATEMENT_job_take, values, 5, NULL, NULL, err) < 0 ? -1 : 0;
}

/* One transaction: takes the job (*ended JOB_RUNNING), or ends one that may not be taken. */
static int take_or_end(struct jobs *jobs, const char *owner, struct found *found,
		       enum job_state *ended, struct err *err)
{
	int rc;

	if (store_begin(jobs->store, STORE_TURN_QUEUE, TEXT_NONE, err) < 0)
		return -1;
	if (find_claimable(jobs, found, err) < 0)
		goto undo;
	*ended = JOB_RUNNING;
	if (found->any && found->job.deadline_at <= job_now(jobs))
		*ended = JOB_TIMEOUT;
	else if (found->any && found->lapses >= JOB_LAPSES_MAX)
		*ended = JOB_INTERNAL_ERROR;
	if (!found->any)
		rc = 0;
	else if (*ended == JOB_RUNNING)
		rc = take(jobs, found, owner, err);
	else
		rc = job_end_row(jobs, found->job.id, *ended, err);
	if (rc < 0)
		goto undo;
	return store_commit(jobs->store, err);
undo:
	store_rollback(jobs->store);
	return -1;
}

/* A look without the write lock, so that an idle workshop disturbs nobody. */
int job_is_any_claimable(struct jobs *jobs, struct err *err)
{
	struct found found;

	if (find_claimable(jobs, &found, err) < 0)
		return err_while(err, "claiming a job");
	return found.any;
}

int job_claim(struct jobs *jobs, const char *owner, struct job *job, struct err *err)
{
	enum job_state ended;
	struct found found;
	int any = job_is_any_claimable(jobs, err);

	if (any <= 0)
		return any;
	do {
		if (take_or_end(jobs, owner, &found, &ended, err) < 0)
			return err_while(err, "claiming a job");
		if (found.any && ended != JOB_RUNNING) {
			job_spool_remove_body(jobs, found.job.id);
			job_tell_end(jobs, found.job.id, ended);
		}
	} while (found.any && ended != JOB_RUNNING);
	if (!found.any)
		return 0;
	*job = found.job;
	return 1;
}

int job_body(struct jobs *jobs, const struct job *job, struct buf *body, struct err *err)
{
	return job_spool_read(jobs, job->id, JOB_SPOOL_BODY, body, err) == 0 ? 0
	       : err_while(err, "the body of job %s", job->id);
}

int job_fields(struct jobs *jobs, const struct job *job, struct buf *fields, struct err *err)
{
	if (job_spool_read(jobs, job->id, JOB_SPOOL_FIELDS, fields, err) == 0)
		return 0;
	if (!err_is_absent(err))
		return err_while(err, "the fields of job %s", job->id);
	err_clear(err);
	return 0;
}

int job_body_open(struct jobs *jobs, const struct job *job, int *fd, uint64_t *size, struct err *err)
{
	char path[JOB_PATH_BYTES];
	struct stat st;

	if (job_spool_path(jobs, job->id, JOB_SPOOL_BODY, path, sizeof(path), err) < 0)
		return -1;
	*fd = open(path, O_RDONLY | O_CLOEXEC);
	if (*fd >= 0 && fstat(*fd, &st) == 0) {
		*size = (uint64_t)st.st_size;
		return 0;
	}
	err_os(err, errno, "opening %s", path);
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
	return err_while(err, "the body of job %s", job->id);
}

int job_renew(struct jobs *jobs, const char *owner, struct err *err)
{
	struct store_value values[3] = { store_int(job_now(jobs)), store_int(JOB_LEASE_SECONDS),
					 store_text(text_of(owner)) };

	return store_run(jobs->store, STATEMENT_job_renew, values, 3, NULL, NULL, err) < 0
	       ? err_while(err, "renewing jobs") : 0;
}

static int read_held(void *payload, const struct store_value *columns, unsigned count)
{
	(void)count;
	*(bool *)payload = columns[COLUMN_job_of_claim_jobs].number > 0;
	return 1;
}

int job_is_held(struct jobs *jobs, const struct job *job, const char *owner, bool *held, struct err *err)
{
	struct store_value values[3] = { store_text(text_of(job->id)), store_text(text_of(owner)),
					 store_int(job->attempt) };

	return store_run(jobs->store, STATEMENT_job_of_claim, values, 3, read_held, held, err) < 0
	       ? err_while(err, "looking at job %s", job->id) : 0;
}

int job_release(struct jobs *jobs, const struct job *job, const char *owner, struct err *err)
{
	struct store_value values[3] = { store_text(text_of(job->id)), store_text(text_of(owner)),
					 store_int(job->attempt) };

	if (store_run(jobs->store, STATEMENT_job_give_back, values, 3, NULL, NULL, err) < 0)
		return err_while(err, "giving a job back");
	board_bump(jobs->board, BOARD_JOBS_NEW);
	return 0;
}

int job_release_dead_owner(struct jobs *jobs, const char *owner, bool own_doing, struct err *err)
{
	struct store_value queue[2] = { store_text(text_of(owner)), store_int(JOB_KILLS_MAX) };
	struct store_value lapse[2] = { store_int(job_now(jobs)), store_text(text_of(owner)) };

	if ((!own_doing &&
	     store_run(jobs->store, STATEMENT_job_of_the_dead, queue, 2, NULL, NULL, err) < 0) ||
	    store_run(jobs->store, STATEMENT_job_lapse, lapse, 2, NULL, NULL, err) < 0)
		return err_while(err, "giving the jobs of %s back", owner);
	board_bump(jobs->board, BOARD_JOBS_NEW);
	return 0;
}

/* --- Ending ----------------------------------------------------------------------------- */

/* The row and the result's place in one transaction: 1 when the claim stood, 0, -1. */
static int end_claimed(struct jobs *jobs, const struct job *job, const char *owner,
		       enum job_state state, size_t result_bytes, const char *temporary,
		       const char *path, struct err *err)
{
	struct store_value values[7] = {
		store_text(text_of(job_state_name(state))), store_int(job_now(jobs)),
		store_int(job_now_millis(jobs)), store_int((int64_t)result_bytes),
		store_text(text_of(job->id)), store_text(text_of(owner)), store_int(job->attempt),
	};
	int64_t rows;

	if (store_begin(jobs->store, STORE_TURN_JOB, text_of(job->id), err) < 0)
		return -1;
	rows = store_run(jobs->store, STATEMENT_job_end_claimed, values, 7, NULL, NULL, err);
	if (rows < 0 || (rows > 0 && job_spool_place(temporary, path, err) < 0)) {
		store_rollback(jobs->store);
		return -1;
	}
	if (store_commit(jobs->store, err) < 0)
		return -1;
	return rows > 0;
}

int job_finish(struct jobs *jobs, const struct job *job, const char *owner, enum job_state state,
	       struct text reply, struct err *err)
{
	char temporary[JOB_PATH_BYTES], path[JOB_PATH_BYTES];
	int ended;

	if (!job_has_ended(state))
		return err_set(err, ERR_INTERNAL, "a job does not end as %s", job_state_name(state));
	if (job_spool_path(jobs, job->id, JOB_SPOOL_RESULT, path, sizeof(path), err) < 0 ||
	    job_spool_write(jobs, reply, temporary, sizeof(temporary), err) < 0)
		return err_while(err, "ending job %s", job->id);
	ended = end_claimed(jobs, job, owner, state, reply.size, temporary, path, err);
	if (ended <= 0)
		unlink(temporary);
	if (ended < 0)
		return err_while(err, "ending job %s", job->id);
	if (ended == 0)
		return 0;
	job_spool_remove_body(jobs, job->id);
	job_tell_end(jobs, job->id, state);
	return 0;
}
