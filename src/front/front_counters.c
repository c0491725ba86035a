/* front_counters.c -- see front_counters.h. */
#include "front/front_counters.h"

#include "front/route.h"

struct counter_set front_parked = {
	.name = "symgate_requests_parked_total",
	.help = "Requests handed to a parker because they had to wait for their job.", .count = 1,
};

struct counter_set front_replies_cut = {
	.name = "symgate_replies_cut_total",
	.help = "Replies given up because the web server did not read them.", .count = 1,
};

struct counter_set front_jobs_submitted = {
	.name = "symgate_jobs_submitted_total",
	.help = "Jobs written to the queue (hot requests are answered without one).", .count = 1,
};

struct counter_set *const front_counters[] = {
	&route_requests, &front_parked, &front_replies_cut, &front_jobs_submitted, NULL
};
