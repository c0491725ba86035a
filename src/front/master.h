/*
 * master -- the helpers' half of the master, and its standby.  Private to front; the other half
 * is in front.h.
 */
#ifndef FRONT_MASTER_H
#define FRONT_MASTER_H

#include <sys/types.h>

struct config;
struct err;

/*
 * lighttpd starts a pool by itself, and when its first process dies it looks whether somebody
 * still listens: 0.2 ms later our fronts do, so it takes the pool for someone else's and never
 * starts one again (seen with 1.4.69, test_lighttpd).  So another process takes over then.  It
 * also ends the pool when the web server has died without a word.
 */
struct standby {
	pid_t web_server;            /* 0: nobody spawned us, no standby */
	int web_server_fd;           /* its pidfd; -1 where the kernel has none */
	pid_t pid;                   /* 0: to be appointed */
	int leash;                   /* closed by our death */
};
void standby_init(struct standby *standby, int is_spawned);
/* Forks one.  1: we are the standby and the master is dead: be it.  0: we are the master. */
int  standby_appoint(struct standby *standby, int listen_fd);
void standby_dismiss(struct standby *standby);
/* In a child of the master: its hand on the leash must not count as ours. */
void standby_forget(struct standby *standby);

/* Workshops and a keeper without fronts, until the workshops have been idle long enough, the
 * state folder is gone, or SIGTERM.  `lock` is not handed down to any of them. */
int master_run_on_demand(const struct config *config, int lock, struct err *err)
	__attribute__((warn_unused_result));

#endif
