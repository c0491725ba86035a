/*
 * supervisor -- the processes of a service: which run, and what happens when one ends.
 *
 * Three ways to run: a master that keeps fronts, workshops and a keeper running on a socket; the
 * same spawned by a web server, with a standby that takes over when the master is killed; a front
 * alone, whose helpers are started when there is work.  The master opens nothing itself.
 *
 * May include: everything below; of layer 6 front, workshop and keeper.
 */
#ifndef SUPERVISOR_SUPERVISOR_H
#define SUPERVISOR_SUPERVISOR_H

#include <stdbool.h>

#include "history/history.h"

struct config;
struct err;

/* What any component counts, for the board: at the start of every process that opens one. */
void supervisor_register_counters(void);

/* What of it is sampled over time. */
struct history_meters supervisor_meters(void);

/* Reads the configuration afresh, beside the one in use; NULL with an error leaves everything
 * as it is. */
typedef const struct config *supervisor_reload_fn(void *payload, const struct config *in_use,
						  struct err *err);

/* Starts and restarts all processes of the service on that socket; returns after SIGTERM or
 * SIGINT, when all of them have ended (killed where they take too long).  SIGUSR2 reloads:
 * new processes start, then the old ones are asked to leave.
 * `is_spawned`: our parent is the web server; should this process be killed another takes over
 * in its place, and all leave when the web server does. */
int supervisor_run(const struct config *config, int listen_fd, bool is_spawned,
		   supervisor_reload_fn *reload, void *payload, struct err *err)
	__attribute__((warn_unused_result));

/* A service without a master: one front, and helpers when there is work for them.  What a
 * process manager such as mod_fcgid starts and kills. */
int supervisor_run_alone(const struct config *config, int listen_fd, struct err *err)
	__attribute__((warn_unused_result));

/* A listening unix socket, mode 0600 (0660 with shared_group); an old one in its place is
 * removed when nobody listens on it. */
int supervisor_listen(const char *path, bool shared_group, int *fd, struct err *err)
	__attribute__((warn_unused_result));

#endif
