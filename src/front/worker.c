/* worker.c -- a request thread: accept, answer, end; and the pool of requests. */
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/mem.h"
#include "board/board.h"
#include "config/config.h"
#include "front/internal.h"

#define KEPT_BODY_BYTES ((size_t)1024 * 1024)   /* of memory a request may keep between uses */
#define STATUS_NONE 0
#define WORDS_BYTES_MAX ((size_t)128 * 1024)

struct request *front_request_take(struct front *front)
{
	struct request *request;

	pthread_mutex_lock(&front->pool_lock);
	request = front->pool;
	if (request)
		front->pool = request->next;
	pthread_mutex_unlock(&front->pool_lock);
	if (request)
		return request;
	request = mem_get(sizeof(*request));
	if (!request)
		return NULL;
	buf_init(&request->words, WORDS_BYTES_MAX);
	buf_init(&request->body, LIMIT_REPLY_BYTES);
	FCGX_InitRequest(&request->fcgi, front->listen_fd, FCGI_FAIL_ACCEPT_ON_INTR);
	return request;
}

void front_request_give_back(struct front *front, struct request *request)
{
	if (request->body.room > KEPT_BODY_BYTES)
		buf_release(&request->body);
	pthread_mutex_lock(&front->pool_lock);
	request->next = front->pool;
	front->pool = request;
	pthread_mutex_unlock(&front->pool_lock);
}

/*
 * A kept connection would pin this thread to one web server process that may have nothing
 * to say (nginx with fastcgi_keep_conn): connections are closed after every reply.
 */
void front_request_finish(struct front *front, struct request *request, struct reply *reply)
{
	int64_t micros = clock_monotonic_micros() - request->started_micros;

	reply_send(front->writer, request, reply);
	if (log_wants(LOG_DEBUG))            /* its words end with it */
		log_message(LOG_DEBUG, "request", request->job_id[0] ? request->job_id : NULL,
			    "%.*s %.*s %d %lld us", (int)request->method_name.size,
			    request->method_name.bytes, (int)request->path.size, request->path.bytes,
			    reply->status, (long long)micros);
	request_end(request);
	board_count(front->board, board_counter_of_request(request->endpoint, reply->status), 1);
	board_duration(front->board, micros / 1000);
	front_request_give_back(front, request);
}

void front_request_drop(struct front *front, struct request *request)
{
	log_message(LOG_DEBUG, "request", request->job_id, "nobody waits for it any more");
	request_end(request);
	board_count(front->board, board_counter_of_request(request->endpoint, STATUS_NONE), 1);
	front_request_give_back(front, request);
}

static void answer_one(struct worker *worker, struct request *request)
{
	struct err err = ERR_INIT;

	reply_reset(&worker->reply);
	request->endpoint = BOARD_ENDPOINT_OTHER;
	if (incoming_read(request, &err) < 0)
		reply_error(&worker->reply, &err);
	else
		route_answer(worker, request, &worker->reply);
	if (!worker->reply.parked)
		front_request_finish(worker->front, request, &worker->reply);
}

static void *work(void *payload)
{
	struct worker *worker = payload;
	struct front *front = worker->front;
	sigset_t wake;

	/* The one signal that gets a thread out of accept(). */
	sigemptyset(&wake);
	sigaddset(&wake, SIGUSR1);
	pthread_sigmask(SIG_UNBLOCK, &wake, NULL);
	while (!atomic_load(&front->stopping)) {
		struct request *request = front_request_take(front);
		bool accepted;

		if (!request) {
			log_message(LOG_ERROR, "front", NULL, "no room for a request");
			break;
		}
		atomic_store(&worker->accepting, true);
		accepted = FCGX_Accept_r(&request->fcgi) == 0;
		atomic_store(&worker->accepting, false);
		if (accepted)
			answer_one(worker, request);
		else
			front_request_give_back(front, request);
	}
	return NULL;
}

int worker_start(struct worker *worker, struct front *front, struct err *err)
{
	int rc;

	worker->front = front;
	reply_init(&worker->reply);
	if (store_open(&worker->store, front->config, err) < 0)
		return -1;
	worker->jobs = (struct jobs){ .config = front->config, .store = worker->store,
				      .board = front->board };
	rc = pthread_create(&worker->thread, NULL, work, worker);
	if (rc == 0)
		return 0;
	store_close(worker->store);
	worker->store = NULL;
	return err_os(err, rc, "starting a request thread");
}
