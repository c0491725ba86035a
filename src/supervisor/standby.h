/*
 * standby -- the process that takes over when the master of a spawned pool is killed.
 *
 * lighttpd starts a pool by itself, and when its first process dies it looks whether somebody
 * still listens: 0.2 ms later our fronts do, so it takes the pool for someone else's and never
 * starts one again (seen with 1.4.69, test_lighttpd).  So another process takes over then.  It
 * also ends the pool when the web server has died without a word.
 *
 * Private to this component.
 */
#ifndef SUPERVISOR_STANDBY_H
#define SUPERVISOR_STANDBY_H

#include <stdbool.h>
#include <sys/types.h>

struct standby {
	pid_t web_server;            /* 0: nobody spawned us, no standby */
	int web_server_fd;           /* its pidfd; -1 where the kernel has none */
	pid_t pid;                   /* of the standby; 0: none is running */
	int leash;                   /* our end of a pipe: when we die it closes, which the standby sees */
};

void standby_init(struct standby *standby, bool is_spawned);
/* Forks a standby.  Returns 0 in the master; 1 in the standby once the master has died, to go on as master. */
int  standby_appoint(struct standby *standby, int listen_fd);
void standby_dismiss(struct standby *standby);
/* In a child of the master: closes its copy of the leash, which would hide the master's death. */
void standby_forget(struct standby *standby);

#endif
