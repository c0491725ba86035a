/*
 * host_notes -- the rows of hosts that turned, for people: see history/hosts.h.
 *
 * A row that cannot be written is said in the log: whether a host is asked does not depend on it.
 */
#ifndef WORKSHOP_HOST_NOTES_H
#define WORKSHOP_HOST_NOTES_H

struct store;
struct workshop_means;

/* The means stay where they are as long as their fetcher is open. */
void host_notes_begin(struct workshop_means *means);
/* Whatever this workshop knew of hosts it knows no longer.  All verbs are done: their store is given. */
void host_notes_end(struct workshop_means *means, struct store *store);

#endif
