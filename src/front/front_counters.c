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

static bool describe_asked(unsigned index, struct text values[COUNTER_LABELS])
{
	static const char *const names[FRONT_ASKED] = { [FRONT_HOT] = "hot", [FRONT_COLD] = "cold" };

	values[0] = text_of(names[index]);
	return true;
}

struct counter_set front_asked = {
	.name = "symgate_requests_asked_total",
	.help = "Requests that may need a job: hot, answered at once, or cold, which had to wait for one.",
	.labels = { "answer" }, .count = FRONT_ASKED, .describe = describe_asked,
};

struct counter_set front_parked_now = {
	.name = "symgate_requests_parked", .help = "Requests waiting in parkers now.",
	.kind = COUNTER_GAUGE, .count = 1,
};

struct counter_set front_waiting_now = {
	.name = "symgate_requests_waiting", .help = "Requests waiting for a request thread now.",
	.kind = COUNTER_GAUGE, .count = 1,
};

struct counter_set front_writing_now = {
	.name = "symgate_replies_writing",
	.help = "Replies being written to web servers that are slow to read.",
	.kind = COUNTER_GAUGE, .count = 1,
};

struct counter_set front_durations = {
	.name = "symgate_request_duration_seconds",
	.help = "Time from a request's arrival to its answer.",
	.kind = COUNTER_DURATIONS, .count = COUNTER_DURATIONS_COUNT,
};

struct counter_set *const front_counters[] = {
	&route_requests, &front_parked, &front_replies_cut, &front_jobs_submitted, &front_asked,
	&front_parked_now, &front_waiting_now, &front_writing_now, &front_durations, NULL
};
