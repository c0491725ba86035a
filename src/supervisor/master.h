/* master -- the master of helpers without fronts; supervisor_run() is that of a whole service.  Private to this
 * component. */
#ifndef SUPERVISOR_MASTER_H
#define SUPERVISOR_MASTER_H

struct config;
struct err;

/* Workshops and a keeper without fronts, until the workshops have been idle long enough, the
 * state folder is gone, or SIGTERM.  `lock` is not handed down to any of them. */
int master_run_helpers(const struct config *config, int lock, struct err *err)
	__attribute__((warn_unused_result));

#endif
