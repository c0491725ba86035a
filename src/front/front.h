/*
 * front -- the FastCGI pool: request in, reply out, and nothing hostile touched.
 *
 * A front process has T request threads and one parker.  It never reaches the network, never
 * parses a debug file, never demangles: what is resolvable is answered in place, the rest
 * becomes a job and its request is parked until the board says the job has ended.
 *
 * Who carries jobs out, and who starts those, is not the front's to know (supervisor).
 *
 * May include: everything below layer 6.
 */
#ifndef FRONT_FRONT_H
#define FRONT_FRONT_H

struct config;
struct err;
struct jobs;
struct nursery;

/* Who starts processes for jobs where no master keeps them running. */
struct front_helpers {
	/* A job was submitted.  Any thread; never blocks. */
	void (*want)(void *payload);
	/* Every second or so, to see for itself whether there is something to do. */
	void (*look)(void *payload, struct jobs *jobs);
	void *payload;
};

/* One front process on a listening socket, until SIGTERM, SIGINT or SIGUSR1.  The nursery was
 * started before anything else in this process.  `helpers`: NULL where a master does that. */
int front_run(const struct config *config, struct nursery *nursery, int listen_fd,
	      const struct front_helpers *helpers, struct err *err)
	__attribute__((warn_unused_result));

#endif
