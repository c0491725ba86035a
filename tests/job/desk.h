/*
 * desk -- a store with jobs, on a clock of its own, for the tests of jobs.
 */
#ifndef TESTS_JOB_DESK_H
#define TESTS_JOB_DESK_H

#include <stdbool.h>
#include <stdint.h>

#include "job/job_internal.h"
#include "store/state.h"

struct desk {
	struct state state;
	struct jobs jobs;
};

/* What the clock of all desks says. */
extern int64_t desk_now;

#define ORDER(scope_text, ...) (&(struct job_order){ \
	.kind = "symbolicate", .scope = scope_text, .body = __VA_ARGS__, .x_request_id = TEXT("mine") })

void desk_open(struct desk *desk);
void desk_submit(struct desk *desk, char id[JOB_ID_BYTES]);
int desk_claim(struct desk *desk, const char *owner, struct job *job);
void desk_finish(struct desk *desk, const struct job *job, const char *owner, const char *reply);
const char *desk_state_of(struct desk *desk, const char *id);
const char *desk_result_of(struct desk *desk, const char *id);
uint64_t desk_clean(struct desk *desk);
bool desk_spooled(struct desk *desk, const char *id, enum job_spool what);

#endif
