/*
 * children -- the processes a master keeps running, and when one that ended starts again.
 *
 *  1. A child that ends is started again after a pause, which grows while it keeps ending soon.
 *  2. The last front never pauses like that: whatever kills fronts, one is running or starting
 *     within CHILD_PAUSE_FIRST_MILLIS.  Only one that says it cannot start waits up to
 *     CHILD_PAUSE_UNABLE_MILLIS.
 *
 * No clock and no process of its own: the caller says what the time is and does the forking.
 * Private to this component.
 */
#ifndef SUPERVISOR_CHILDREN_H
#define SUPERVISOR_CHILDREN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define CHILD_PAUSE_FIRST_MILLIS 50
#define CHILD_PAUSE_UNABLE_MILLIS 1000
#define CHILD_PAUSE_MOST_MILLIS 10000
#define CHILD_STEADY_MILLIS 5000     /* a child that lived that long starts again at once */

enum duty { DUTY_FRONT, DUTY_WORKSHOP, DUTY_KEEPER };

struct child {
	enum duty duty;
	pid_t pid;                   /* 0: not running */
	uint64_t mark;               /* of a workshop's name */
	int64_t started_millis;
	int64_t pause_millis, start_at_millis;
	int64_t kill_at_millis;      /* it is of an older configuration; 0: it is not */
	bool is_unable;              /* the last time it ended saying that it cannot start */
	bool has_left;               /* of its own accord: not started again */
};

/* It has ended now.  `is_unable`: with a failure of its own, not by a signal. */
void child_note_end(struct child *child, bool is_unable, int64_t now);
/* Is this one to be started now? */
bool child_is_due(const struct child *child, int64_t now);
/* To be called after ends have been noted: a front that pauses starts earlier when no other
 * one runs. */
void children_hurry_front(struct child *children, size_t count, int64_t now);
/* Millis until the next one is due, at most `most`. */
int64_t children_next_due(const struct child *children, size_t count, int64_t now, int64_t most);

#endif
