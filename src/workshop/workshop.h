/*
 * workshop -- one event loop that carries many jobs: downloads, cells, timers, wake-ups.
 *
 * A job is a request (work/work.h) stepped with a resolver that starts what is missing.  What is
 * missing becomes a task, one per key however many jobs want it, across processes too
 * (cache_claim).  No job code blocks.
 *
 * May include: everything below; not front, keeper, supervisor, cli.
 */
#ifndef WORKSHOP_WORKSHOP_H
#define WORKSHOP_WORKSHOP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct config;
struct err;
struct nursery;
struct buf;
struct request_kind;
struct work_body;

#define WORKSHOP_NAME_BYTES 64u

/* What rows call the workshop of that process: with a random mark no other ever had the name. */
void workshop_name(char name[WORKSHOP_NAME_BYTES], pid_t pid, uint64_t mark);

/* Runs until SIGTERM, SIGINT or BOARD_STOP; with `leaves_when_idle`, also after
 * config.workshop_idle_seconds without work or when the state folder is gone.  The nursery
 * was started before anything else in this process.  Unfinished jobs are given back. */
int workshop_run(const struct config *config, struct nursery *nursery, const char *name,
		 bool leaves_when_idle, struct err *err) __attribute__((warn_unused_result));

/* The workshop of that name has died: whatever it carried and made is anyone's at once.
 * `own_doing`: see job_release_dead_owner(). */
int workshop_release_dead_owner(const struct config *config, const char *name, bool own_doing, struct err *err)
	__attribute__((warn_unused_result));

/* One request carried to its end in this process, without a job row: the command line's way.
 * `reply` gets the whole envelope; the body stays the caller's. */
int workshop_answer(const struct config *config, struct nursery *nursery,
		    const struct request_kind *kind, const struct work_body *body,
		    struct buf *reply, struct buf *candidates, struct err *err) __attribute__((warn_unused_result));

#endif
