/*
 * front_counters -- what is counted by fronts; of requests, the table of routes says it (route.h).
 */
#ifndef FRONT_FRONT_COUNTERS_H
#define FRONT_FRONT_COUNTERS_H

#include "board/counters.h"

extern struct counter_set front_parked;
extern struct counter_set front_replies_cut;
extern struct counter_set front_jobs_submitted;
enum front_asked { FRONT_HOT, FRONT_COLD, FRONT_ASKED };
extern struct counter_set front_asked;               /* by enum front_asked: requests of kinds */

extern struct counter_set front_parked_now, front_waiting_now, front_writing_now;   /* gauges */
extern struct counter_set front_durations;

/* Of route_requests: is it one of requests that failed by our own fault, or for lack of room (500, 503)? */
extern struct counter_set route_requests;
bool route_counts_failed(unsigned index);

extern struct counter_set *const front_counters[];   /* all of them; ends with NULL */

#endif
