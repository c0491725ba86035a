/*
 * repair -- a database that cannot be read any more, or is to be replaced by a copy: looked at,
 * put aside, and what can still be read of it carried over into a new one.
 *
 * May include: base, config, store.
 */
#ifndef STORE_REPAIR_H
#define STORE_REPAIR_H

#include <stdbool.h>
#include <stdint.h>

struct config;
struct err;

struct store_repair {
	bool is_sound;               /* as it was found */
	char words[256];             /* what is wrong with it; "": nothing, or there was none */
	char aside[4096];            /* the folder it lies in now; "": where it was */
	uint64_t entries, jobs, samples; /* rows carried over; of a copy nothing is */
};

/* Looks at every page, while a service runs or not. */
int store_examine(const struct config *config, struct store_repair *repair, struct err *err)
	__attribute__((warn_unused_result));

/* Puts a damaged database aside, into STATE_DIR/damaged-TIME, and carries over what can be read.
 * With `copy`, a file store_backup() made, any database is put aside for that instead.  A sound
 * one is left alone otherwise.  ERR_BUSY while a service runs. */
int store_repair(const struct config *config, const char *copy, struct store_repair *repair,
		 struct err *err) __attribute__((warn_unused_result));

#endif
