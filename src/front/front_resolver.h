/*
 * front_resolver -- the resolver that never blocks: what is not there has to wait for a workshop.
 *
 * Private to front.
 */
#ifndef FRONT_FRONT_RESOLVER_H
#define FRONT_FRONT_RESOLVER_H

#include <stdbool.h>

#include "work/work.h"

struct worker;

struct front_resolver {
	struct resolver resolver;    /* first: the functions get back here */
	struct worker *worker;
	bool wants_refresh;          /* something may be better when made again */
};

void front_resolver_init(struct front_resolver *resolver, struct worker *worker);

#endif
