/* job_internal.h -- what the job component's own files share; nobody else includes this but its tests. */
#ifndef JOB_JOB_INTERNAL_H
#define JOB_JOB_INTERNAL_H

#include "job/job.h"
#include "store/store.h"

#define JOB_LEASE_SECONDS   30
#define JOB_LAPSES_MAX      3            /* claims whose holder died; then we are the reason */
#define JOB_KILLS_MAX       10           /* claims in all before deaths from outside count too */
#define JOB_ROW_SECONDS     86400        /* history for people */
#define JOB_ROWS_MAX        10000        /* ... at most that many rows of it */
#define JOB_KEPT_MAX        10000        /* results that are kept for longer */
#define JOB_BATCH           500
#define JOB_CANDIDATES_BYTES ((size_t)256 * 1024)

enum job_spool { JOB_SPOOL_BODY, JOB_SPOOL_FIELDS, JOB_SPOOL_RESULT };

int64_t job_now(const struct jobs *jobs);
int64_t job_now_millis(const struct jobs *jobs);
static inline bool job_has_ended(enum job_state state)
{
	return state >= JOB_COMPLETED && state < JOB_STATES;
}
/* After the commit that ended it: counted, its waiters woken. */
void job_tell_end(struct jobs *jobs, const char *id, enum job_state state);

/* --- spool.c -------------------------------------------------------------------------- */

int job_spool_path(const struct jobs *jobs, const char *id, enum job_spool what, char *path,
		   size_t capacity, struct err *err) __attribute__((warn_unused_result));
/* A complete file under a name nobody looks at; then to its place, or away. */
int job_spool_write(const struct jobs *jobs, struct text bytes, char *temporary, size_t capacity,
		    struct err *err) __attribute__((warn_unused_result));
/* The same, still to be written. */
int job_spool_create(const struct jobs *jobs, char *temporary, size_t capacity, int *fd,
		     struct err *err) __attribute__((warn_unused_result));
int job_spool_place(const char *temporary, const char *path, struct err *err)
	__attribute__((warn_unused_result));
/* ERR_NOT_FOUND when it is gone. */
int job_spool_read(const struct jobs *jobs, const char *id, enum job_spool what, struct buf *out,
		   struct err *err) __attribute__((warn_unused_result));
void job_spool_remove(const struct jobs *jobs, const char *id, enum job_spool what);
/* Its body and what came with that. */
void job_spool_remove_body(const struct jobs *jobs, const char *id);

/* --- claim.c -------------------------------------------------------------------------- */

/* Ends a job nobody holds (any more), in the caller's transaction. */
int job_end_row(struct jobs *jobs, const char *id, enum job_state state, struct err *err)
	__attribute__((warn_unused_result));

#endif
