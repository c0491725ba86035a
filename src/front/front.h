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

struct config;
struct err;
struct nursery;

/* One front process on a listening socket, until SIGTERM or SIGINT.  The nursery was started
 * before anything else in this process. */
int front_run(const struct config *config, struct nursery *nursery, int listen_fd,
	      struct err *err) __attribute__((warn_unused_result));

/* Starts and restarts all processes of the service on that socket; returns after SIGTERM or
 * SIGINT, when all of them have ended (at most MASTER_STOP_SECONDS later). */
int master_run(const struct config *config, int listen_fd, struct err *err)
	__attribute__((warn_unused_result));

/* A listening unix socket, mode 0600 (0660 with shared_group); an old one in its place is
 * removed when nobody listens on it. */
int front_listen(const char *path, int shared_group, int *fd, struct err *err)
	__attribute__((warn_unused_result));

#endif
