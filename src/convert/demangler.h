/*
 * demangler -- a resident cell that demangles, and what it answered so far.
 *
 * One per process.  All unknown names of an answer go over in one message; answers are
 * remembered, bounded.  A name that kills the cell is found by asking one by one, and stands
 * for itself from then on.  Thread-safe.
 */
#ifndef CONVERT_DEMANGLER_H
#define CONVERT_DEMANGLER_H

#include <stddef.h>

#include "convert/convert.h"

struct arena;
struct board;
struct demangler;
struct err;
struct nursery;

/* The cell is spawned when names are first asked for.  board may be NULL. */
int  demangler_open(struct demangler **demangler, struct nursery *nursery, struct board *board,
		    struct err *err) __attribute__((warn_unused_result));
void demangler_close(struct demangler *demangler);

/* Fills `readable` of every name.  Names the cell could not do in time stand for themselves.
 * -1 only out of memory or when no cell can be had. */
int  demangler_ask(struct demangler *demangler, struct convert_name *names, size_t count,
		   struct arena *arena, struct err *err) __attribute__((warn_unused_result));

/* For threads that must not wait long, whatever the names are: 1 filled, 0 not in time (ask
 * again with demangler_ask()), -1 as above. */
int  demangler_ask_briefly(struct demangler *demangler, struct convert_name *names, size_t count,
			   struct arena *arena, struct err *err)
	__attribute__((warn_unused_result));

/* From another thread: makes the call under way return soon, its names left as they are. */
void demangler_hurry(struct demangler *demangler);

#endif
