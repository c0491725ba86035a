/*
 * health -- can this process do what it is asked?  /readyz says it, and so does the operators' page.
 *
 * Private to front.
 */
#ifndef FRONT_HEALTH_H
#define FRONT_HEALTH_H

#include <stdbool.h>

#include "base/err.h"

struct worker;

struct health_part {
	const char *what;            /* "database" */
	bool is_fine;
	struct err err;              /* why not */
};
enum { HEALTH_DATABASE, HEALTH_DISK, HEALTH_CACHE, HEALTH_CELLS, HEALTH_PARTS };

/* Writes a row: the proof that writing works.  True: all of it is fine. */
bool health_look(const struct worker *worker, struct health_part parts[HEALTH_PARTS]);

#endif
