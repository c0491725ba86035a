/*
 * parallel -- numbered jobs, done by several threads.
 */
#ifndef SYMCACHE_PARALLEL_H
#define SYMCACHE_PARALLEL_H

struct err;

/* One job; `thread` is below the number of threads, and no two at a time have the same. */
typedef int parallel_fn(void *payload, unsigned thread, unsigned job, struct err *err);

/* The calling thread is one of them; those that cannot be started are not missed.  After the first
 * that fails no more are begun. */
int parallel_run(unsigned threads, unsigned jobs, parallel_fn *fn, void *payload,
		 struct err *err) __attribute__((warn_unused_result));

#endif
