/* requests.c -- GET /requests/ID: what has become of a job. */
#include "base/debugid.h"
#include "base/err.h"
#include "front/front_internal.h"

void answer_request_poll(struct worker *worker, struct request *request, struct reply *reply)
{
	struct err err = ERR_INIT;
	struct debugid id;

	if (request_read_query(request, &err) < 0) {
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
