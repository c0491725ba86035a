/* delete.c -- jobs that are taken back by who has their id. */
#include "base/err.h"
#include "board/board.h"
#include "job/job_internal.h"
#include "store/statements.h"

static int not_there(const char *id, struct err *err)
{
	return err_set(err, ERR_NOT_FOUND, "there is no job %.*s that may be deleted", JOB_ID_BYTES - 1, id);
}

/* The row goes first: from then on it is unknown to all.  Who carries it finds that its claim no longer
 * stands when it ends, and a file that is left over belongs to no job (job_repair_spool). */
static int delete_row(struct jobs *jobs, const char *id, struct err *err)
{
	const struct store_value value = store_text(text_of(id));
	int64_t rows;

	if (store_begin(jobs->store, STORE_TURN_JOB, text_of(id), err) < 0)
		return -1;
	rows = store_run(jobs->store, STATEMENT_job_delete, &value, 1, NULL, NULL, err);
	if (rows < 0) {
		store_rollback(jobs->store);
		return -1;
	}
	if (store_commit(jobs->store, err) < 0)
		return -1;
	return rows > 0 ? 0 : not_there(id, err);
}

int job_delete(struct jobs *jobs, const char *id, struct err *err)
{
	enum job_state state;

	if (job_look(jobs, id, &state, err) < 0)
		return -1;
	if (state == JOB_UNKNOWN)
		return not_there(id, err);
	if (delete_row(jobs, id, err) < 0)
		return -1;
	job_spool_remove_body(jobs, id);
	job_spool_remove(jobs, id, JOB_SPOOL_RESULT);
	board_job_generation_bump(jobs->board, id);
	board_bump(jobs->board, BOARD_JOBS_DONE);
	return 0;
}
