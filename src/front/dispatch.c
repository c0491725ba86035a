/* dispatch.c -- a request whose variables are to be read: answered here, or put into its lane. */
#include "base/err.h"
#include "base/log.h"
#include "config/config.h"
#include "front/front_internal.h"
#include "front/ui.h"

void worker_answer(struct worker *worker, struct request *request)
{
	route_answer(worker, request, &worker->reply);
	if (!worker->reply.parked)
		front_request_finish(worker->front, request, &worker->reply);
}

/* A body of unknown length may be of any. */
static bool has_large_body(const struct request *request, const struct config *config)
{
	uint64_t size;

	return !text_to_u64(request->content_length, 10, &size) ||
	       size > config->pool_large_body_bytes;
}

/* Where it has to wait; NULL: it can be answered by whoever has it. */
static struct lane *lane_of(const struct worker *worker, const struct request *request)
{
	struct front *front = worker->front;

	/* Pages take longer to write than who relieves all others may be held up. */
	if (!route_takes_body(request))
		return worker->is_relief && request->route && ui_is_path(request) ? &front->small : NULL;
	if (has_large_body(request, front->config))
		return &front->large;
	return worker->is_relief ? &front->small : NULL;
}

void worker_dispatch(struct worker *worker, struct request *request)
{
	struct err err = ERR_INIT;
	struct lane *lane;

	reply_reset(&worker->reply);
	request->endpoint = ROUTE_NONE;
	if (request_read(request, &err) < 0) {
		reply_error(&worker->reply, &err);
		front_request_finish(worker->front, request, &worker->reply);
		return;
	}
	route_find(request);
	lane = lane_of(worker, request);
	if (!lane) {
		worker_answer(worker, request);
	} else if (lane_put(lane, request)) {
		worker_show_waiting(worker->front);
	} else {
		worker_refuse(worker->front, lane, &worker->reply);
		front_request_finish(worker->front, request, &worker->reply);
	}
	log_set_request_id(NULL);
}

int worker_start(struct worker *worker, struct front *front, worker_fn *run, struct err *err)
{
	int rc;

	worker->front = front;
	reply_init(&worker->reply);
	worker->absences = source_absences_new();
	if (!worker->absences)
		return err_set(err, ERR_NO_MEMORY, "no memory for a request thread");
	if (store_open(&worker->store, front->config, err) < 0)
		return -1;
	if (worker->is_relief || worker->is_for_large)
		store_rest(worker->store);
	worker->jobs = (struct jobs){ .config = front->config, .store = worker->store,
				      .board = front->board };
	rc = pthread_create(&worker->thread, NULL, run, worker);
	worker->is_started = rc == 0;
	if (rc == 0)
		return 0;
	worker_release(worker);
	return err_os(err, rc, "starting a request thread");
}

void worker_release(struct worker *worker)
{
	if (worker->store)
		store_close(worker->store);
	worker->store = NULL;
	source_absences_free(worker->absences);
	worker->absences = NULL;
	reply_release(&worker->reply);
}
