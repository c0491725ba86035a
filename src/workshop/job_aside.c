/* job_aside.c -- see job_aside.h. */
#include "workshop/job_aside.h"

#include "base/mem.h"

struct aside_verb {
	struct queued_verb verb;     /* first: it gets back here */
	struct running_job *running;
	struct work_aside *aside;
};

static int run_aside(struct queued_verb *verb, struct verb_means *means, struct err *err)
{
	struct work_aside *aside = ((struct aside_verb *)(void *)verb)->aside;

	(void)means;                         /* it is about files */
	return aside->run(aside, err);
}

static void aside_told(struct queued_verb *verb)
{
	struct aside_verb *mine = (struct aside_verb *)(void *)verb;
	struct running_job *running = mine->running;

	mine->aside->rc = verb->rc;
	mine->aside->err = verb->err;
	mine->aside->state = WORK_ASIDE_DONE;
	running->waiter.references--;
	running->ready |= !running->waiter.has_left;
	mem_give_back(mine);
}

int job_aside_ask(struct running_job *running, struct work_aside *aside, struct err *err)
{
	struct aside_verb *mine = mem_get(sizeof(*mine));

	if (!mine)
		return err_set(err, ERR_NO_MEMORY, "no room for what is done aside");
	*mine = (struct aside_verb){
		.verb = { .run = run_aside, .told = aside_told, .whose = &running->waiter },
		.running = running, .aside = aside,
	};
	running->waiter.references++;
	verb_queue_ask(running->list->means->asides, &mine->verb);
	return 0;
}
