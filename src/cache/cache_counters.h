/*
 * cache_counters -- what is counted of caches: look-ups, bytes written, entries made again.
 */
#ifndef CACHE_CACHE_COUNTERS_H
#define CACHE_CACHE_COUNTERS_H

#include "board/counters.h"

enum cache_lookup { CACHE_HIT_MEMORY, CACHE_HIT_ROW, CACHE_MISS, CACHE_LOOKUPS };

extern struct counter_set cache_lookups;             /* by kind * CACHE_LOOKUPS + enum cache_lookup */
extern struct counter_set cache_written_bytes;       /* by enum cache_kind */
extern struct counter_set cache_refreshes, cache_refreshes_refused;   /* by enum cache_category */

extern struct counter_set *const cache_counters[];   /* all of them; ends with NULL */

#endif
