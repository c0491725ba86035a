/* job_counters.c -- see job_counters.h. */
#include "job/job_counters.h"

#include "job/job.h"

static bool describe_ended(unsigned index, struct text values[COUNTER_LABELS])
{
	static const char *const outcomes[JOB_STATES] = {
		[JOB_COMPLETED] = "completed", [JOB_FAILED] = "failed", [JOB_TIMEOUT] = "timeout",
		[JOB_INTERNAL_ERROR] = "internal",
	};

	values[0] = text_of(outcomes[index]);
	return outcomes[index] != NULL;
}

struct counter_set job_ended = {
	.name = "symgate_jobs_ended_total", .help = "Jobs that ended, by outcome.",
	.labels = { "outcome" }, .count = JOB_STATES, .describe = describe_ended,
};

struct counter_set *const job_counters[] = { &job_ended, NULL };
