/*
 * front -- the FastCGI pool: request in, reply out, and nothing hostile touched.
 *
 * A front process has T request threads and one parker.  It never reaches the network, never
 * parses a debug file, never demangles: what is resolvable is answered in place, the rest
 * becomes a job and its request is parked until the board says the job has ended.
 *
 * The master forks fronts, workshops and the keeper and opens nothing itself.
 *
 * May include: everything below; not workshop's inside, not cli.
 */
#ifndef FRONT_FRONT_H
#define FRONT_FRONT_H

#include <stdbool.h>

struct config;
struct err;
struct nursery;
struct on_demand;

/* One front process on a listening socket, until SIGTERM, SIGINT or SIGUSR1.  The nursery was
 * started before anything else in this process.  `on_demand`: who starts workshops, NULL where
 * a master does. */
int front_run(const struct config *config, struct nursery *nursery, int listen_fd,
	      struct on_demand *on_demand, struct err *err) __attribute__((warn_unused_result));

/* A service without a master: one front, and helpers when there is work for them.  What a
 * process manager such as mod_fcgid starts and kills. */
int front_run_alone(const struct config *config, int listen_fd, struct err *err)
	__attribute__((warn_unused_result));

/* Reads the configuration afresh, beside the one in use; NULL with an error leaves everything
 * as it is. */
typedef const struct config *master_reload_fn(void *payload, const struct config *in_use,
					      struct err *err);

/* Starts and restarts all processes of the service on that socket; returns after SIGTERM or
 * SIGINT, when all of them have ended (at most MASTER_STOP_SECONDS later).  SIGUSR2 reloads:
 * new processes start, then the old ones are asked to leave.
 * `is_spawned`: our parent is the web server; should this process be killed another takes over
 * in its place, and all leave when the web server does. */
int master_run(const struct config *config, int listen_fd, bool is_spawned,
	       master_reload_fn *reload, void *payload, struct err *err) __attribute__((warn_unused_result));

/* A listening unix socket, mode 0600 (0660 with shared_group); an old one in its place is
 * removed when nobody listens on it. */
int front_listen(const char *path, int shared_group, int *fd, struct err *err)
	__attribute__((warn_unused_result));

/* A listening socket that was handed over, by whoever: as we want it.  Its queue is made as long as
 * the kernel allows, accept() on it waits, and not for ever. */
int front_prepare_socket(int fd, struct err *err) __attribute__((warn_unused_result));

#endif
