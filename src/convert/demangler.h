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

/* The cell is hatched at the first question.  board may be NULL. */
int  demangler_open(struct demangler **demangler, struct nursery *nursery, struct board *board,
		    struct err *err) __attribute__((warn_unused_result));
void demangler_close(struct demangler *demangler);

/* Fills `readable` of every name.  Names the cell could not do in time stand for themselves.
 * -1 only out of memory or when no cell can be had. */
int  demangler_ask(struct demangler *demangler, struct convert_name *names, size_t count,
		   struct arena *arena, struct err *err) __attribute__((warn_unused_result));

#endif
