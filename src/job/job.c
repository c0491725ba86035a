/* job.c -- see job.h: taking jobs in, looking where they stand, their results. */
#include "job/job.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/limits.h"
#include "board/board.h"
#include "config/config.h"
#include "job/job_counters.h"
#include "job/job_internal.h"
#include "store/statements.h"

#define REFRESH "refresh-"           /* job.sql knows it */

static const char *const state_names[JOB_STATES] = {
	[JOB_UNKNOWN] = "unknown",     [JOB_QUEUED] = "queued",   [JOB_RUNNING] = "running",
	[JOB_COMPLETED] = "completed", [JOB_FAILED] = "failed",   [JOB_TIMEOUT] = "timeout",
	[JOB_INTERNAL_ERROR] = "internal_error",
};

const char *job_state_name(enum job_state state)
{
	return (unsigned)state < JOB_STATES ? state_names[state] : state_names[JOB_UNKNOWN];
}

static bool state_named(struct text name, enum job_state *state)
{
	for (unsigned i = JOB_QUEUED; i < JOB_STATES; i++) {
		if (text_is(name, state_names[i])) {
			*state = (enum job_state)i;
			return true;
		}
	}
	return false;
}

int64_t job_now(const struct jobs *jobs)
{
	return jobs->now ? jobs->now() : clock_unix_seconds();
}

int64_t job_now_millis(const struct jobs *jobs)
{
	return jobs->now ? jobs->now() * 1000 : clock_unix_millis();
}

void job_tell_end(struct jobs *jobs, const char *id, enum job_state state)
{
	if (job_has_ended(state))
		board_count(jobs->board, &job_ended, (unsigned)state, 1);
	board_job_generation_bump(jobs->board, id);
	board_bump(jobs->board, BOARD_JOBS_DONE);
}

/* --- Taking in ------------------------------------------------------------------------- */

static int read_count(void *payload, const struct store_value *columns, unsigned count)
{
	(void)count;
	*(int64_t *)payload = columns[COLUMN_job_count_live_jobs].number;
	return 1;
}

int job_count_live(struct jobs *jobs, uint64_t *count, struct err *err)
{
	int64_t live = 0;

	if (store_run(jobs->store, STATEMENT_job_count_live, NULL, 0, read_count, &live, err) < 0)
		return -1;
	*count = (uint64_t)live;
	return 0;
}

/* How many may be under way of those the statement counts. */
struct ceiling { unsigned statement; uint64_t most; };

static int refuse_when_full(struct jobs *jobs, struct ceiling ceiling, struct err *err)
{
	int64_t live = 0;

	if (ceiling.most == CONFIG_UNLIMITED)
		return 0;
	if (store_run(jobs->store, ceiling.statement, NULL, 0, read_count, &live, err) < 0)
		return -1;
	if ((uint64_t)live < ceiling.most)
		return 0;
	return err_set(err, ERR_BUSY, "maximum number of concurrent requests reached");
}

static int add_row(struct jobs *jobs, struct ceiling ceiling, const struct job_order *order,
		   const char *id, int64_t body_bytes, struct err *err)
{
	int64_t now = job_now(jobs);
	struct store_value values[9] = {
		store_text(text_of(id)), store_text(text_of(order->kind)), store_text(order->scope),
		store_int(body_bytes), store_int(now),
		store_int(now + jobs->config->job_seconds), store_int(job_now_millis(jobs)),
		store_text(order->x_request_id), { .type = STORE_NULL },
	};

	if (order->is_kept)
		values[8] = store_int(now + jobs->config->web_keep_seconds);
	if (store_begin(jobs->store, STORE_TURN_QUEUE, TEXT_NONE, err) < 0)
		return -1;
	if (refuse_when_full(jobs, ceiling, err) < 0 ||
	    store_run(jobs->store, STATEMENT_job_add, values, 9, NULL, NULL, err) < 0) {
		store_rollback(jobs->store);
		return -1;
	}
	return store_commit(jobs->store, err);
}

int job_body_create(const struct jobs *jobs, char *path, size_t capacity, int *fd, struct err *err)
{
	return job_spool_create(jobs, path, capacity, fd, err);
}

static int spool_bytes(struct jobs *jobs, struct text bytes, const char *path, struct err *err)
{
	char temporary[JOB_PATH_BYTES];

	if (job_spool_write(jobs, bytes, temporary, sizeof(temporary), err) < 0)
		return -1;
	if (job_spool_place(temporary, path, err) == 0)
		return 0;
	unlink(temporary);
	return -1;
}

/* To `path`: what was written already moves there, bytes are written. */
static int spool_body(struct jobs *jobs, const struct job_order *order, const char *id, const char *path,
		      int64_t *body_bytes, struct err *err)
{
	char fields[JOB_PATH_BYTES];
	struct stat st;

	*body_bytes = (int64_t)order->body.size;
	if (!order->body_path)
		return spool_bytes(jobs, order->body, path, err);
	if (stat(order->body_path, &st) < 0)
		return err_os(err, errno, "looking at %s", order->body_path);
	*body_bytes += st.st_size;
	if (order->body.size > 0 &&
	    (job_spool_path(jobs, id, JOB_SPOOL_FIELDS, fields, sizeof(fields), err) < 0 ||
	     spool_bytes(jobs, order->body, fields, err) < 0))
		return -1;
	if (job_spool_place(order->body_path, path, err) == 0)
		return 0;
	job_spool_remove(jobs, id, JOB_SPOOL_FIELDS);
	return -1;
}

/* No job came of it: the caller has its file back. */
static void unspool_body(struct jobs *jobs, const struct job_order *order, const char *id,
			 const char *path)
{
	if (!order->body_path || rename(path, order->body_path) < 0)
		unlink(path);
	if (order->body_path)
		job_spool_remove(jobs, id, JOB_SPOOL_FIELDS);
}

static int submit(struct jobs *jobs, struct ceiling ceiling, const struct job_order *order,
		  char id[JOB_ID_BYTES], struct err *err)
{
	char path[JOB_PATH_BYTES];
	int64_t body_bytes = 0;

	if (order->scope.size >= JOB_SCOPE_BYTES)
		return err_set(err, ERR_TOO_LARGE, "a scope of %zu bytes (at most %u)",
			       order->scope.size, JOB_SCOPE_BYTES - 1);
	/* Before the body is written; what counts is asked again below. */
	if (refuse_when_full(jobs, ceiling, err) < 0)
		return -1;
	random_uuid(id);
	if (job_spool_path(jobs, id, JOB_SPOOL_BODY, path, sizeof(path), err) < 0 ||
	    spool_body(jobs, order, id, path, &body_bytes, err) < 0)
		return -1;
	if (add_row(jobs, ceiling, order, id, body_bytes, err) < 0) {
		unspool_body(jobs, order, id, path);
		return -1;
	}
	board_bump(jobs->board, BOARD_JOBS_NEW);
	return 0;
}

int job_submit(struct jobs *jobs, const struct job_order *order, char id[JOB_ID_BYTES],
	       struct err *err)
{
	struct ceiling ceiling = { STATEMENT_job_count_asked, jobs->config->max_concurrent_requests };

	return submit(jobs, ceiling, order, id, err);
}

int job_submit_refresh(struct jobs *jobs, const struct job_order *order, uint64_t most,
		       struct err *err)
{
	struct ceiling ceiling = { STATEMENT_job_count_refreshes, most };
	struct job_order refresh = *order;
	char id[JOB_ID_BYTES], name[JOB_KIND_BYTES];

	if ((size_t)snprintf(name, sizeof(name), REFRESH "%s", order->kind) >= sizeof(name))
		return err_set(err, ERR_INTERNAL, "a kind of that name: %s", order->kind);
	refresh.kind = name;
	refresh.is_kept = false;
	return submit(jobs, ceiling, &refresh, id, err);
}

const char *job_asked_kind(const char *kind, bool *is_refresh)
{
	*is_refresh = strncmp(kind, REFRESH, sizeof(REFRESH) - 1) == 0;
	return *is_refresh ? kind + sizeof(REFRESH) - 1 : kind;
}

int job_record(struct jobs *jobs, const struct job_order *order, int64_t millis, struct err *err)
{
	char id[JOB_ID_BYTES];
	struct store_value values[6] = {
		{ .type = STORE_NULL }, store_text(text_of(order->kind)), store_text(order->scope),
		store_int(job_now(jobs)), store_int(millis), store_text(order->x_request_id),
	};

	random_uuid(id);
	values[0] = store_text(text_of(id));
	return store_run(jobs->store, STATEMENT_job_record, values, 6, NULL, NULL, err) < 0 ? -1 : 0;
}

/* --- Looking ---------------------------------------------------------------------------- */

struct looking {
	enum job_state state;
	int64_t finished_at;
	int64_t kept_until;          /* 0: no longer than others */
	bool has_result;
};

static int read_look(void *payload, const struct store_value *columns, unsigned count)
{
	struct looking *looking = payload;

	(void)count;
	if (!state_named(columns[COLUMN_job_look_state].text, &looking->state))
		looking->state = JOB_UNKNOWN;
	looking->finished_at = columns[COLUMN_job_look_finished_at].number;
	looking->kept_until = columns[COLUMN_job_look_kept_until].number;
	looking->has_result = columns[COLUMN_job_look_result_bytes].type != STORE_NULL;
	return 1;
}

/* Past retention, or ended in a future the clock has left. */
static bool is_over(const struct looking *looking, int64_t now)
{
	return (now - looking->finished_at >= LIMIT_RESULT_SECONDS && now >= looking->kept_until) ||
	       looking->finished_at - now > LIMIT_RESULT_SECONDS;
}

static int look(struct jobs *jobs, const char *id, struct looking *looking, struct err *err)
{
	struct store_value value = store_text(text_of(id));

	memset(looking, 0, sizeof(*looking));
	if (store_run(jobs->store, STATEMENT_job_look, &value, 1, read_look, looking, err) < 0)
		return -1;
	if (job_has_ended(looking->state) && is_over(looking, job_now(jobs)))
		looking->state = JOB_UNKNOWN;
	return 0;
}

int job_look(struct jobs *jobs, const char *id, enum job_state *state, struct err *err)
{
	struct looking looking;

	*state = JOB_UNKNOWN;
	if (look(jobs, id, &looking, err) < 0)
		return -1;
	*state = looking.state;
	return 0;
}

/* Of a job that has ended.  Its result's path; or, where the service ended it, the whole reply. */
static int find_result(struct jobs *jobs, const char *id, char *path, size_t capacity, struct buf *reply,
		       struct err *err)
{
	struct looking looking;

	if (look(jobs, id, &looking, err) < 0)
		return -1;
	if (!job_has_ended(looking.state))
		return err_set(err, ERR_NOT_FOUND, "job %s has no result", id);
	path[0] = '\0';
	if (looking.has_result)
		return job_spool_path(jobs, id, JOB_SPOOL_RESULT, path, capacity, err);
	/* Ended by the service, not by who carried it: those replies have nothing to say. */
	if (looking.state != JOB_TIMEOUT && looking.state != JOB_INTERNAL_ERROR)
		return err_set(err, ERR_NOT_FOUND, "the result of job %s is gone", id);
	buf_printf(reply, "{\"status\":\"%s\"}", job_state_name(looking.state));
	return buf_check(reply, err);
}

int job_result_open(struct jobs *jobs, const char *id, int *fd, struct buf *reply, struct err *err)
{
	char path[JOB_PATH_BYTES];

	*fd = -1;
	if (find_result(jobs, id, path, sizeof(path), reply, err) < 0)
		return -1;
	if (!path[0])
		return 0;
	*fd = open(path, O_RDONLY | O_CLOEXEC);
	if (*fd >= 0)
		return 0;
	return errno == ENOENT ? err_set(err, ERR_NOT_FOUND, "the result of job %s is gone", id)
			       : err_os(err, errno, "opening %s", path);
}

int job_result(struct jobs *jobs, const char *id, struct buf *reply, struct err *err)
{
	char path[JOB_PATH_BYTES];

	if (find_result(jobs, id, path, sizeof(path), reply, err) < 0)
		return -1;
	if (!path[0] || file_read_all(path, LIMIT_REPLY_BYTES, reply, err) == 0)
		return 0;
	return err_is_absent(err) ? err_set(err, ERR_NOT_FOUND, "the result of job %s is gone", id) : -1;
}

/* --- Candidates ------------------------------------------------------------------------- */

int job_note_candidates(struct jobs *jobs, const char *id, struct text json, struct err *err)
{
	struct store_value values[2] = { store_text(json), store_text(text_of(id)) };

	if (json.size > JOB_CANDIDATES_BYTES)
		return err_set(err, ERR_TOO_LARGE, "%zu bytes of candidates (at most %zu are kept)",
			       json.size, JOB_CANDIDATES_BYTES);
	return store_run(jobs->store, STATEMENT_job_note_candidates, values, 2, NULL, NULL, err) < 0
	       ? -1 : 0;
}
