/*
 * job_list -- jobs under way and ended ones, for people.
 *
 * Texts of a row are valid until the callback returns; nonzero from it stops.  Each verb returns
 * 0, or -1 with what store_run() says.  May include: what job.h may.
 */
#ifndef JOB_JOB_LIST_H
#define JOB_JOB_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

struct err;
struct store;

struct job_state_sum {
	struct text state;
	uint64_t jobs;
	int64_t oldest_at;           /* of live ones: when the oldest came, unix seconds */
	int64_t slowest_millis;      /* of ended ones */
};
typedef int job_state_sum_fn(void *payload, const struct job_state_sum *sum);
int job_sum_live(struct store *store, job_state_sum_fn *fn, void *payload, struct err *err)
	__attribute__((warn_unused_result));
/* Those that ended at `since` (unix seconds) or later. */
int job_sum_ended(struct store *store, int64_t since, job_state_sum_fn *fn, void *payload,
		  struct err *err) __attribute__((warn_unused_result));

struct job_line {
	struct text id, kind, scope, state, owner;
	struct text candidates;      /* JSON; TEXT_NONE: it noted nothing */
	bool has_ended, has_millis;
	bool is_kept;                /* its result stays until kept_until, and may be deleted */
	int64_t created_at, millis, attempt, kept_until;
	int64_t result_bytes;        /* 0: there is none */
};
typedef int job_line_fn(void *payload, const struct job_line *job);
int job_find(struct store *store, struct text id, job_line_fn *fn, void *payload, struct err *err)
	__attribute__((warn_unused_result));
/* Queued and running ones, the oldest first. */
int job_list_under_way(struct store *store, int64_t most, job_line_fn *fn, void *payload,
		       struct err *err) __attribute__((warn_unused_result));
/* Those whose candidates hold `text`, the newest first. */
int job_list_mentioning(struct store *store, struct text text, int64_t most, job_line_fn *fn,
			void *payload, struct err *err) __attribute__((warn_unused_result));

#endif
