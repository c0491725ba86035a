/*
 * task_verbs.h -- the steps of a task that write to the database: each asks for a verb and waits for it.
 */
#ifndef WORKSHOP_TASK_VERBS_H
#define WORKSHOP_TASK_VERBS_H

#include "workshop/task.h"

task_step_fn task_verb_claim, task_verb_keep_object, task_verb_renew, task_verb_publish, task_verb_keep_old,
	task_verb_remember;
void task_verb_unclaim(struct task *task);

/* What these find out is reported. */

/* Publishes what was shared, when it is what the kind says. */
void task_verb_take_shared(struct task *task);
/* The object could not be had: everything made of it shall hear that.  Then FAILED. */
void task_verb_note_object(struct task *task, const struct err *failure);
/* What the cell was given and is not what was kept goes.  Then DAMAGED. */
void task_verb_drop_damaged(struct task *task, const struct err *why);

/* A file that was shared and is not what it should be is no failure of the entry's: REFUSED; else FAILED. */
enum task_outcome task_verb_refuse(struct task *task, const struct err *why);

#endif
