/*
 * task.h -- one entry being made, however many jobs want it: the sequence of its steps.
 *
 *	claim -> ask for the entry -> open the object -> ask for the object -> obtain
 *	      -> inspect (a cell) -> keep the object -> derive (a cell) -> publish
 *
 * in place of all that follows "obtain", where its server says that the entry is what it has: renew;
 * and where one of them fails: believe what is there once more, or else remember the failure.
 *
 * Only the sequence knows what follows what.  A step does its part and reports how it came out:
 * at once, by what it returns, or later, by task_report().  It calls no other step, and has
 * its own part of the task, which this file does not look into.
 *
 * A task ends when there is a fact: the entry is published, or a failure that says something
 * about the file or its source.  Our own failure is none: the task rests, and begins again as
 * long as somebody waits for it.
 */
#ifndef WORKSHOP_TASK_H
#define WORKSHOP_TASK_H

#include "base/err.h"
#include "base/map.h"
#include "work/work.h"

struct task;
struct task_list;

enum task_step {
	TASK_CLAIM,                  /* the key is ours to make */
	TASK_ASK_ENTRY,              /* others may have made it */
	TASK_OPEN,                   /* the object is kept here */
	TASK_ASK_OBJECT,             /* others may have it */
	TASK_OBTAIN,                 /* from where it lies */
	TASK_RENEW,                  /* it is there what is here, past its time */
	TASK_INSPECT,                /* a cell looks whether it is an object */
	TASK_KEEP_OBJECT,
	TASK_DERIVE,                 /* a cell makes the entry */
	TASK_PUBLISH,
	TASK_KEEP_OLD,               /* it failed: what is there is believed once more */
	TASK_REMEMBER,               /* it failed: that is a fact to be remembered, perhaps */
	TASK_STEPS
};

enum task_outcome {
	OUTCOME_FAILED,              /* with an error */
	OUTCOME_PENDING,             /* it will report */
	OUTCOME_DONE,
	OUTCOME_NONE,                /* not there, not ours: the next best */
	OUTCOME_COPY,                /* done, with a file that nobody has looked at */
	OUTCOME_UNCHANGED,           /* what is here is the file */
	OUTCOME_REFUSED,             /* what others gave is not what it should be */
	OUTCOME_DAMAGED,             /* with an error: what the cache gave is not what was kept */
	OUTCOME_LOST,                /* with an error that says nothing about the file */
	OUTCOME_UNUSABLE,            /* with an error: a file its key promises is gone */
};

typedef enum task_outcome task_step_fn(struct task *task, struct err *err);

struct task_steps {
	size_t part_bytes;           /* of what the steps keep with a task */
	task_step_fn *run[TASK_STEPS];
	void (*begin)(struct task *task);            /* its part is zeroed */
	void (*stop)(struct task *task);             /* nothing of this try is left */
	/* Has another process made it?  DONE, NONE (it is to be claimed), PENDING or FAILED. */
	task_step_fn *look;
	void (*unclaim)(struct task *task);          /* soon; it does not wait */
	void (*ended)(struct task *task, bool made);
};

/* Who waits for tasks, as they see it. */
struct task_waiter {
	/* `passing`: a fact that is not remembered; NULL: look again.  `has_failed`: what a look gives
	 * then is a failure, a fact of now.  `anew`: what the entry was to be made of is gone. */
	void (*told)(struct task_waiter *waiter, const struct derive *derive, const struct err *passing,
		     bool has_failed, const struct err *anew);
	struct work *work;           /* whose arena holds the derives */
	unsigned references;         /* tasks that know it: it has to stay */
	bool has_left;               /* it waits for nothing any more */
};

struct task_list {
	const struct task_steps *steps;
	void *means;                 /* the steps' */
	struct task *first;
	struct map by_key;
	bool is_leaving;             /* no step follows: whatever is not made yet fails and ends */
	int64_t worked_millis;       /* when one ended or rested */
};

enum task_state { TASK_RUNS, TASK_WAITS_FOR_ANOTHER, TASK_RESTS, TASK_ENDED };

struct task {
	struct task_list *list;
	struct task *next;
	uint8_t map_key[HASH_SHA256_BYTES + 1];
	const struct derive *derive; /* in maker's arena */
	struct task_waiter *maker;
	struct task_waiter **waiting;
	size_t waiting_count, waiting_capacity;
	enum task_state state;
	enum task_step step;
	bool is_claimed;
	bool is_refresh;             /* what is there answers until this has ended */
	bool is_unusable;            /* see OUTCOME_UNUSABLE */
	struct err failure;          /* KEEP_OLD, REMEMBER: what it ends with */
	struct err trouble;          /* of the last try; ERR_NONE: there was none before */
	int64_t failing_since_millis, again_millis;
	unsigned tries;              /* that our own failures ended */
	unsigned lost_cells, damaged_inputs;         /* in this try */
	max_align_t part[];          /* the steps' */
};

/* The task of that entry, begun when there is none yet; NULL: no memory. */
struct task *task_for(struct task_list *list, struct task_waiter *maker, const struct derive *derive,
		      struct err *err);
/* The same for an entry that answers but is made again: NULL too when that is under way. */
struct task *task_again(struct task_list *list, struct task_waiter *maker,
			const struct derive *derive, struct err *err);
/* Told when it ends; at once when it has. */
int  task_wait(struct task *task, struct task_waiter *waiter, struct err *err)
	__attribute__((warn_unused_result));

/* The step under way has come out so; `err` where the outcome has one.  When the list is_leaving, what was not made
 * by that step ends. */
void task_report(struct task *task, enum task_outcome outcome, const struct err *err);

/* Those that rested long enough begin again; those others make are looked at. */
void task_look_again(struct task_list *list);
int64_t task_next_millis(const struct task_list *list);      /* when one begins again; INT64_MAX: none */
/* What keeps what it waits for from being done, and since when; NULL: nothing. */
const struct err *task_trouble(const struct task_list *list, const struct task_waiter *waiter,
			       int64_t *since_millis);
void task_drop_ended(struct task_list *list);
/* At the end of the process: nothing is remembered.  No step is under way that will report. */
void task_abandon_all(struct task_list *list);
/* Is a task making this key, or about to?  And has it the claim? */
bool task_is_known(const struct task_list *list, const struct cache_key *key);
bool task_has_claim(const struct task_list *list, const struct cache_key *key);

#endif
