/* parallel.c -- see parallel.h: jobs are taken from one counter. */
#include "symcache/parallel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/err.h"
#include "base/mem.h"

struct parallel {
	parallel_fn *fn;
	void *payload;
	atomic_uint next;
	unsigned jobs;
};

struct runner {
	struct parallel *parallel;
	unsigned number;
	pthread_t thread;
	bool started;
	struct err err;
	int rc;
};

static void *run(void *payload)
{
	struct runner *runner = payload;
	struct parallel *parallel = runner->parallel;
	unsigned job;

	while (runner->rc == 0 && (job = atomic_fetch_add(&parallel->next, 1)) < parallel->jobs)
		runner->rc = parallel->fn(parallel->payload, runner->number, job, &runner->err);
	if (runner->rc < 0)
		atomic_store(&parallel->next, parallel->jobs);
	return NULL;
}

static int run_all(struct runner *runners, unsigned count, struct err *err)
{
	int rc = 0;

	for (unsigned i = 1; i < count; i++)
		runners[i].started = pthread_create(&runners[i].thread, NULL, run, &runners[i]) == 0;
	run(&runners[0]);
	for (unsigned i = 0; i < count; i++) {
		if (runners[i].started)
			pthread_join(runners[i].thread, NULL);
		if (runners[i].rc < 0 && rc == 0) {
			*err = runners[i].err;
			rc = -1;
		}
	}
	return rc;
}

int parallel_run(unsigned threads, unsigned jobs, parallel_fn *fn, void *payload,
		 struct err *err)
{
	struct parallel parallel = { .fn = fn, .payload = payload, .jobs = jobs };
	unsigned count = threads < jobs ? threads : jobs;
	struct runner *runners;
	int rc;

	if (count == 0)
		return 0;
	runners = mem_get_array(count, sizeof(*runners));
	if (!runners)
		return err_set(err, ERR_NO_MEMORY, "no memory for %u threads", count);
	for (unsigned i = 0; i < count; i++) {
		runners[i].parallel = &parallel;
		runners[i].number = i;
	}
	rc = run_all(runners, count, err);
	mem_give_back(runners);
	return rc;
}
