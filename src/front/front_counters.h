/*
 * front_counters -- what is counted by fronts; of requests, the table of routes says it (route.h).
 */
#ifndef FRONT_FRONT_COUNTERS_H
#define FRONT_FRONT_COUNTERS_H

#include "board/counters.h"

extern struct counter_set front_parked;
extern struct counter_set front_replies_cut;
extern struct counter_set front_jobs_submitted;

extern struct counter_set front_parked_now, front_waiting_now, front_writing_now;   /* gauges */
extern struct counter_set front_durations;

extern struct counter_set *const front_counters[];   /* all of them; ends with NULL */

#endif
