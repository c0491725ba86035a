/*
 * boot -- which life of the service this is.
 *
 * A boot lasts from the service's first process to its last.  Each process that works on the
 * cache joins when it opens it (cache_open) and so holds STATE_DIR/service.lock, shared, as
 * long as that store is open.  Who finds nobody holding it, or joins with another build than
 * the newest boot's, writes the next boot row.  Who finds nobody also frees what the dead
 * held: running jobs are queued again, flights end.
 *
 * May include: base, config, store.
 */
#ifndef STORE_BOOT_H
#define STORE_BOOT_H

#include <stdint.h>

struct config;
struct err;
struct store;

struct store_boot {
	int64_t number;          /* 0: there was none yet */
	int64_t started_at;      /* unix seconds */
	char build_id[64];       /* of the program that wrote it */
};

/* Joins and says which boot it is.  Again on the same store: only says. */
int store_boot_join(struct store *store, struct store_boot *boot, struct err *err)
	__attribute__((warn_unused_result));
/* The newest boot, without joining. */
int store_boot(struct store *store, struct store_boot *boot, struct err *err)
	__attribute__((warn_unused_result));

/* Version and sum of the sources: differs whenever the program does. */
const char *store_build_id(void);

/* The key of the keyed hashes that stand for credentials (cache_key.credentials): random,
 * made once, in STATE_DIR/credentials.key, mode 0600. */
int store_credentials_key(const struct config *config, uint8_t key[32], struct err *err)
	__attribute__((warn_unused_result));

#endif
