/* means.h -- what everything in a workshop works with; private to this component. */
#ifndef WORKSHOP_MEANS_H
#define WORKSHOP_MEANS_H

#include "credentials/credentials.h"
#include "workshop/workshop.h"

struct board;
struct cache;
struct config;
struct fetcher;
struct nursery;
struct shared;
struct store;
struct verb_queue;

struct workshop_means {
	const struct config *config;
	struct nursery *nursery;
	struct board *board;
	struct store *store;         /* the loop's: it only reads; what writes is a verb */
	struct verb_queue *verbs;    /* for the database */
	struct verb_queue *asides;   /* for what kinds do to files (work_aside), and the shared cache; */
	struct store *aside_store;   /* that thread's: it only reads.  NULL: nothing there needs one */
	struct cache *cache;
	struct fetcher *fetcher;
	struct credentials credentials;
	struct shared *shared;       /* NULL: there is none */
	bool has_host_notes;         /* it wrote rows of hosts: they go with it */
	char owner[WORKSHOP_NAME_BYTES];
};

/* How long what our own failure stopped waits before its next try. */
int64_t workshop_pause_millis(unsigned tries);

#endif
