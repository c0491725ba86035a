/*
 * job -- accepted requests that need time: rows, leases, results, waiting, retention.
 *
 * A body is a spool file of its id until the job ends; the result is a spool file (the whole reply
 * body) until 90 s later.  A claim is (owner, attempt, lease); a late result of an old claim
 * is discarded.  May include: base, config, store, board.
 */
#ifndef JOB_JOB_H
#define JOB_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/text.h"

struct board;
struct config;
struct store;
struct buf;

#define JOB_ID_BYTES HASH_UUID_TEXT_BYTES
#define JOB_SCOPE_BYTES 1024u
#define JOB_KIND_BYTES 32u
#define JOB_PATH_BYTES 4096u

enum job_state { JOB_UNKNOWN, JOB_QUEUED, JOB_RUNNING, JOB_COMPLETED, JOB_FAILED, JOB_TIMEOUT,
		 JOB_INTERNAL_ERROR, JOB_STATES };
const char *job_state_name(enum job_state state);   /* "queued", ..., as in SQL and JSON */

/* One handle per thread. */
struct jobs {
	const struct config *config;
	struct store *store;
	struct board *board;
	int64_t (*now)(void);        /* unix seconds; NULL: the clock's (tests set their own) */
};

struct job_order {
	const char *kind;
	struct text scope;           /* TEXT_NONE: global */
	struct text body;            /* its bytes, or what was sent with: */
	const char *body_path;       /* a file of job_body_create(); NULL: `body` is all.  When the job
	                                is submitted the file is the job's, else still the caller's */
	struct text x_request_id;    /* what the client calls it, for logs; TEXT_NONE: nothing */
};

/* Inserts the job, its body spooled; `id` gets its UUID.  ERR_BUSY: "maximum number of
 * concurrent requests reached" (counted in the same transaction). */
int job_submit(struct jobs *jobs, const struct job_order *order, char id[JOB_ID_BYTES],
	       struct err *err) __attribute__((warn_unused_result));

/* The same request once more, for the sake of what it makes: a job of the kind "refresh-<kind>".
 * Nobody waits for its answer.  ERR_BUSY when `most` such jobs are under way; they do not count
 * as concurrent requests. */
int job_submit_refresh(struct jobs *jobs, const struct job_order *order, uint64_t most,
		       struct err *err) __attribute__((warn_unused_result));
/* The kind that was asked for; *is_refresh when it is asked for once more. */
const char *job_asked_kind(const char *kind, bool *is_refresh);

/* Where bodies and results lie: the folder is made with the first of them. */
int job_spool_folder(const struct jobs *jobs, char *path, size_t capacity, struct err *err)
	__attribute__((warn_unused_result));

/* A file to write a body into that is too large for memory; to be submitted, or unlinked. */
int job_body_create(const struct jobs *jobs, char *path, size_t capacity, int *fd, struct err *err)
	__attribute__((warn_unused_result));

struct job {
	char id[JOB_ID_BYTES];
	char kind[JOB_KIND_BYTES];
	bool has_scope;
	char scope[JOB_SCOPE_BYTES];
	int64_t created_at, deadline_at;     /* unix seconds */
	int64_t attempt;                     /* 1 for the first claim */
	char x_request_id[LOG_REQUEST_ID_BYTES];     /* empty: none */
};
/* The oldest job nobody holds: 1 and *job, 0 none, -1 error.  Leases are LIMIT-free: renew. */
int job_claim(struct jobs *jobs, const char *owner, struct job *job, struct err *err)
	__attribute__((warn_unused_result));
int job_body(struct jobs *jobs, const struct job *job, struct buf *body, struct err *err)
	__attribute__((warn_unused_result));
/* The same as an open file, for reading; *size gets its size. */
int job_body_open(struct jobs *jobs, const struct job *job, int *fd, uint64_t *size, struct err *err)
	__attribute__((warn_unused_result));
/* What was sent with a body that is a file, appended; nothing: nothing was. */
int job_fields(struct jobs *jobs, const struct job *job, struct buf *fields, struct err *err)
	__attribute__((warn_unused_result));
/* Renews all leases of this owner. */
int job_renew(struct jobs *jobs, const char *owner, struct err *err)
	__attribute__((warn_unused_result));
/* Gives the job back unfinished (shutdown): somebody else takes it at once. */
int job_release(struct jobs *jobs, const struct job *job, const char *owner, struct err *err)
	__attribute__((warn_unused_result));
/* This owner has died: its jobs are anyone's at once, not when its leases run out.  Died of its
 * own doing, that counts against them as a lease that ran out does; killed from outside, it does
 * not, unless that went on too often. */
int job_release_dead_owner(struct jobs *jobs, const char *owner, bool own_doing, struct err *err)
	__attribute__((warn_unused_result));
/* Ends it: `reply` is the whole JSON envelope.  0 also when the claim was no longer ours (the
 * result is then dropped). */
int job_finish(struct jobs *jobs, const struct job *job, const char *owner, enum job_state state,
	       struct text reply, struct err *err) __attribute__((warn_unused_result));

/* Where a job stands.  JOB_UNKNOWN for ids we do not know and results past retention. */
int job_look(struct jobs *jobs, const char *id, enum job_state *state, struct err *err)
	__attribute__((warn_unused_result));
/* The reply of an ended job, appended. */
int job_result(struct jobs *jobs, const char *id, struct buf *reply, struct err *err)
	__attribute__((warn_unused_result));
/* The same as an open file, at its beginning: *fd.  Where the service ended the job, in the name of
 * whoever carried it, there is none: *fd is -1 and the reply appended. */
int job_result_open(struct jobs *jobs, const char *id, int *fd, struct buf *reply, struct err *err)
	__attribute__((warn_unused_result));

/* How many are queued or running, refreshes included. */
int job_count_live(struct jobs *jobs, uint64_t *count, struct err *err)
	__attribute__((warn_unused_result));

/* A request that never was pending, when jobs.record is `all`. */
int job_record(struct jobs *jobs, const struct job_order *order, int64_t millis, struct err *err)
	__attribute__((warn_unused_result));

/* Keeper: overdue jobs end as timeout, old results and their files go. */
int job_clean(struct jobs *jobs, uint64_t *removed, struct err *err)
	__attribute__((warn_unused_result));

/* Keeper: spool files older than two minutes that no job wants (their writer died). */
int job_repair_spool(struct jobs *jobs, uint64_t *removed, struct err *err)
	__attribute__((warn_unused_result));

/* "why": what happened to each candidate of a job's modules, kept with the row. */
int job_note_candidates(struct jobs *jobs, const char *id, struct text json, struct err *err)
	__attribute__((warn_unused_result));

#endif
