/*
 * master -- the helpers' half of the master.  Private to front; the other half is in front.h.
 */
#ifndef FRONT_MASTER_H
#define FRONT_MASTER_H

struct config;
struct err;

/* Workshops and a keeper without fronts, until the workshops have been idle long enough, the
 * state folder is gone, or SIGTERM.  `lock` is not handed down to any of them. */
int master_run_on_demand(const struct config *config, int lock, struct err *err)
	__attribute__((warn_unused_result));

#endif
