/*
 * workshop_counters -- what is counted by workshops alone.
 */
#ifndef WORKSHOP_WORKSHOP_COUNTERS_H
#define WORKSHOP_WORKSHOP_COUNTERS_H

#include "base/err.h"
#include "board/counters.h"

extern struct counter_set workshop_flights_waited;
extern struct counter_set workshop_downloads;        /* by workshop_download_outcome() */
extern struct counter_set workshop_download_bytes;
extern struct counter_set workshop_jobs_now, workshop_cells_now, workshop_downloads_now;     /* gauges */

/* How a transfer ended: ERR_NONE is well. */
unsigned workshop_download_outcome(enum err_kind kind);

extern struct counter_set *const workshop_counters[];        /* all of them; ends with NULL */

#endif
