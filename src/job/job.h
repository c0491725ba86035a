/*
 * job -- accepted requests that need time: rows, leases, results, waiting, retention.
 *
 * A request's body is a spool file named after the job's id and is removed when the job ends; the result
 * (the whole reply body) is another, which is kept for 90 s, or for as long as who submitted it asked for.  A claim is an owner, an attempt number and
 * a lease.  A result that arrives for an older claim is discarded.  May include: base, config, store, board.
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
	int64_t (*now)(void);        /* unix seconds; NULL: the system clock (tests set their own) */
};

struct job_order {
	const char *kind;
	struct text scope;           /* TEXT_NONE: global */
	struct text body;            /* the request's body; with a body_path, the form fields sent beside
	                                the file */
	const char *body_path;       /* a file made by job_body_create(), or NULL.  A successful submit
	                                takes it over; otherwise it stays the caller's */
	struct text x_request_id;    /* the client's id of the request, for logs; TEXT_NONE: none */
	bool is_kept;                /* the page's: its result stays for web.keep, within web.keep_bytes,
	                                and whoever has the id may delete it (job_delete) */
};

/* Spools the body and inserts the job; `id` gets its UUID.  ERR_BUSY: "maximum number of
 * concurrent requests reached" (counted in the same transaction). */
int job_submit(struct jobs *jobs, const struct job_order *order, char id[JOB_ID_BYTES],
	       struct err *err) __attribute__((warn_unused_result));

/* Submits the request once more to refresh the cache entries it uses: a job of the kind
 * "refresh-<kind>", whose answer nobody reads.  ERR_BUSY when `most` such jobs are queued or running;
 * they do not count as concurrent requests. */
int job_submit_refresh(struct jobs *jobs, const struct job_order *order, uint64_t most,
		       struct err *err) __attribute__((warn_unused_result));
/* The kind of request without the "refresh-" prefix; *is_refresh says whether it had one. */
const char *job_asked_kind(const char *kind, bool *is_refresh);

/* The path of the folder of bodies and results; it is made when missing. */
int job_spool_folder(const struct jobs *jobs, char *path, size_t capacity, struct err *err)
	__attribute__((warn_unused_result));

/* A new spool file for a body that is too large for memory: the caller submits or unlinks it. */
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
/* Would job_claim() find one to take?  1, 0, -1.  Only reads. */
int job_is_any_claimable(struct jobs *jobs, struct err *err) __attribute__((warn_unused_result));
/* Claims the oldest job without a live lease: 1 and *job, 0 none, -1 error.  The lease runs out unless
 * it is renewed (job_renew), which may be done any number of times. */
int job_claim(struct jobs *jobs, const char *owner, struct job *job, struct err *err)
	__attribute__((warn_unused_result));
/* Appends the body. */
int job_body(struct jobs *jobs, const struct job *job, struct buf *body, struct err *err)
	__attribute__((warn_unused_result));
/* The body as a descriptor open for reading, the caller's to close; *size in bytes. */
int job_body_open(struct jobs *jobs, const struct job *job, int *fd, uint64_t *size, struct err *err)
	__attribute__((warn_unused_result));
/* Appends the form fields that were sent beside a file (a JSON object); appends nothing when there were
 * none. */
int job_fields(struct jobs *jobs, const struct job *job, struct buf *fields, struct err *err)
	__attribute__((warn_unused_result));
/* Renews all leases of this owner. */
int job_renew(struct jobs *jobs, const char *owner, struct err *err)
	__attribute__((warn_unused_result));
/* Does the claim still stand?  It does not once the job was deleted, or taken over by another. */
int job_is_held(struct jobs *jobs, const struct job *job, const char *owner, bool *held, struct err *err)
	__attribute__((warn_unused_result));
/* Gives up the claim on an unfinished job (shutdown): it can be claimed again at once. */
int job_release(struct jobs *jobs, const struct job *job, const char *owner, struct err *err)
	__attribute__((warn_unused_result));
/* Releases the claims of an owner that has died, without waiting for its leases to run out.  `own_doing`: it
 * crashed, so the job may be the reason and the attempt counts as failed, as when a lease runs out.  An
 * owner that was killed from outside costs its jobs no attempt, unless that happens too often. */
int job_release_dead_owner(struct jobs *jobs, const char *owner, bool own_doing, struct err *err)
	__attribute__((warn_unused_result));
/* Ends the job; `reply` is its whole result.  Also 0 when the claim was no longer ours: the result is then
 * dropped. */
int job_finish(struct jobs *jobs, const struct job *job, const char *owner, enum job_state state,
	       struct text reply, struct err *err) __attribute__((warn_unused_result));

/* The state of a job.  JOB_UNKNOWN for ids we do not know and results past retention. */
int job_look(struct jobs *jobs, const char *id, enum job_state *state, struct err *err)
	__attribute__((warn_unused_result));
/* The reply of an ended job, appended. */
int job_result(struct jobs *jobs, const char *id, struct buf *reply, struct err *err)
	__attribute__((warn_unused_result));
/* The reply of an ended job as a descriptor at its beginning, the caller's to close.  A job that the service
 * itself ended (timeout, crash) has no such file: *fd is -1 and the reply is appended. */
int job_result_open(struct jobs *jobs, const char *id, int *fd, struct buf *reply, struct err *err)
	__attribute__((warn_unused_result));

/* Of a job that is kept: its row, body and result are gone, and what still works on it does so in vain.
 * ERR_NOT_FOUND: there is none of that id, it was deleted, its time is over, or it is not kept. */
int job_delete(struct jobs *jobs, const char *id, struct err *err) __attribute__((warn_unused_result));

/* How many are queued or running, refreshes included. */
int job_count_live(struct jobs *jobs, uint64_t *count, struct err *err)
	__attribute__((warn_unused_result));

/* Records a request that was answered without a job, where the configuration's jobs.record is `all`. */
int job_record(struct jobs *jobs, const struct job_order *order, int64_t millis, struct err *err)
	__attribute__((warn_unused_result));

/* For the keeper: ends overdue jobs as JOB_TIMEOUT, removes results past retention with their files. */
int job_clean(struct jobs *jobs, uint64_t *removed, struct err *err)
	__attribute__((warn_unused_result));

/* For the keeper: of the results that are kept the oldest go where they are more than web.keep_bytes. */
int job_clean_kept(struct jobs *jobs, uint64_t *removed, struct err *err)
	__attribute__((warn_unused_result));

/* For the keeper: removes spool files older than two minutes that belong to no job (their writer died). */
int job_repair_spool(struct jobs *jobs, uint64_t *removed, struct err *err)
	__attribute__((warn_unused_result));

/* Before it is finished: keeps the body of a job that failed below state_dir/diagnostics, as long and as
 * far as the configuration says (caches.diagnostics). */
int job_keep_for_diagnosis(struct jobs *jobs, const struct job *job, struct err *err)
	__attribute__((warn_unused_result));
/* For the keeper: removes those that are too old or too many. */
int job_clean_diagnosis(struct jobs *jobs, uint64_t *removed, struct err *err)
	__attribute__((warn_unused_result));

/* Stores with the row what became of each candidate of the job's modules, for `symgate why`. */
int job_note_candidates(struct jobs *jobs, const char *id, struct text json, struct err *err)
	__attribute__((warn_unused_result));

#endif
