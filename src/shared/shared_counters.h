/*
 * shared_counters -- what is counted of the shared cache.
 */
#ifndef SHARED_SHARED_COUNTERS_H
#define SHARED_SHARED_COUNTERS_H

#include "board/counters.h"

enum shared_lookup { SHARED_HIT, SHARED_MISS, SHARED_ERROR, SHARED_REFUSED, SHARED_BLOCKED, SHARED_LOOKUPS };
/* What became of an entry that was to be told. */
enum shared_result { SHARED_STORED, SHARED_EXISTS, SHARED_FAILED, SHARED_DROPPED, SHARED_RESULTS };

extern struct counter_set shared_lookups;            /* by enum shared_lookup */
extern struct counter_set shared_uploads;            /* by enum shared_reason * SHARED_RESULTS + enum shared_result */
extern struct counter_set shared_fetched_bytes, shared_stored_bytes;

extern struct counter_set shared_waiting_now;        /* a gauge */

extern struct counter_set *const shared_counters[];  /* all of them; ends with NULL */

#endif
