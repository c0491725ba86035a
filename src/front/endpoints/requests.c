/* requests.c -- GET /requests/ID, and waiting for a job in general. */
#include <string.h>

#include "base/clock.h"
#include "base/debugid.h"
#include "base/err.h"
#include "base/log.h"
#include "board/board.h"
#include "config/config.h"
#include "front/internal.h"
#include "work/envelope.h"

#define FOR_EVER_MILLIS ((int64_t)24 * 3600 * 1000)

void answer_pending(struct reply *reply, const char *id)
{
	envelope_pending(reply_json(reply), id);
}

bool answer_job_if_ended(struct jobs *jobs, const char *id, struct reply *reply)
{
	struct err err = ERR_INIT;
	enum job_state state;

	if (job_look(jobs, id, &state, &err) < 0) {
		reply_error(reply, &err);
		return true;
	}
	if (state == JOB_QUEUED || state == JOB_RUNNING)
		return false;
	if (state == JOB_UNKNOWN) {
		reply_empty(reply, 404);
		return true;
	}
	if (job_result(jobs, id, reply_json(reply), &err) == 0)
		return true;
	if (err.kind == ERR_NOT_FOUND) {
		reply_empty(reply, 404);     /* its time ended between the look and the read */
	} else {
		log_message(LOG_ERROR, "job_result", id, "%s", err.text);
		reply_error(reply, &err);
	}
	return true;
}

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
	if (answer_job_if_ended(&worker->jobs, request->job_id, reply))
		return;
	request->wake_millis = clock_monotonic_millis() + patience;
	if (patience > 0 && parker_park(front->parker, request))
		reply->parked = true;
	else
		answer_pending(reply, request->job_id);
}

void answer_request_poll(struct worker *worker, struct request *request, struct reply *reply)
{
	struct err err = ERR_INIT;
	struct debugid id;

	if (incoming_read_query(request, &err) < 0) {
		reply_error(reply, &err);
		return;
	}
	/* Job ids are UUIDs: anything else is known to nobody. */
	if (request->rest.size != JOB_ID_BYTES - 1 || !debugid_parse(request->rest, &id)) {
		reply_empty(reply, 404);
		return;
	}
	for (size_t i = 0; i < request->rest.size; i++)
		request->job_id[i] = ascii_lower(request->rest.bytes[i]);
	request->job_id[request->rest.size] = '\0';
	answer_job(worker, request, reply);
}
