/* answer_job.c -- waiting for a job. */
#include "base/clock.h"
#include "board/board.h"
#include "config/config.h"
#include "front/front_internal.h"

#define FOR_EVER_MILLIS ((int64_t)24 * 3600 * 1000)
/* How long this request may wait: its own timeout, never more than pool.max_wait. */
static int64_t patience_millis(const struct worker *worker, const struct request *request)
{
	int64_t millis = FOR_EVER_MILLIS;
	int64_t most = worker->front->config->pool_max_wait_millis;

	if (request->has_timeout && request->timeout_seconds < (uint64_t)FOR_EVER_MILLIS / 1000)
		millis = (int64_t)request->timeout_seconds * 1000;
	return most != CONFIG_NEVER && most < millis ? most : millis;
}

void answer_job(struct worker *worker, struct request *request, struct reply *reply)
{
	struct front *front = worker->front;
	int64_t patience = patience_millis(worker, request);

	/* Read before the look: an end in between shows as a change to the parker. */
	request->job_generation = board_job_generation(front->board, request->job_id);
	if (answer_job_if_ended(front, &worker->jobs, request->job_id, reply))
		return;
	request->wake_millis = clock_monotonic_millis() + patience;
	if (patience > 0 && parker_park(front->parker, request))
		reply->parked = true;
	else
		answer_not_yet(request, reply);
}
