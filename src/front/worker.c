/*
 * worker.c -- request threads: accept, answer, end; and the pool of requests.
 *
 *  1. A request thread accepts for itself: nobody hands it a small request while it is free.
 *     What waits for it in the lane of small ones (relief.c) comes before what it would accept.
 *  2. No request thread reads a large body; and the threads for large ones read nothing else.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/mem.h"
#include "board/board.h"
#include "config/config.h"
#include "front/front_internal.h"

#define KEPT_BODY_BYTES ((size_t)1024 * 1024)   /* of memory a request may keep between uses */
#define STATUS_NONE 0
#define WORDS_BYTES_MAX ((size_t)128 * 1024)
#define NO_SOCKET (-1)                          /* for the library's own accept() */
#define PAUSE_MICROS 10000

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
	FCGX_InitRequest(&request->fcgi, NO_SOCKET, FCGI_FAIL_ACCEPT_ON_INTR);
	return request;
}

void front_request_give_back(struct front *front, struct request *request)
{
	if (request->body.capacity > KEPT_BODY_BYTES)
		buf_release(&request->body);
	upload_free(request->upload);        /* no job took it */
	request->upload = NULL;
	pthread_mutex_lock(&front->pool_lock);
	request->next = front->pool;
	front->pool = request;
	pthread_mutex_unlock(&front->pool_lock);
}

/* One line for a request; a path longer than anybody's is cut. */
static void log_request(enum log_level level, const struct request *request, int status,
			uint64_t bytes, int64_t micros)
{
	char method[16], path[256], user[128], number[3][24];
	struct text name = request_variable(request, "REMOTE_USER");
	const struct log_field fields[] = {
		{ "request", request->job_id[0] ? request->job_id : NULL },
		{ "user", name.size ? user : NULL },
		{ "method", method }, { "path", path }, { "status", number[0] },
		{ "bytes", number[1] }, { "micros", number[2] },
	};

	snprintf(method, sizeof(method), "%.*s", (int)request->method_name.size,
		 request->method_name.bytes ? request->method_name.bytes : "");
	snprintf(path, sizeof(path), "%.*s", (int)request->path.size,
		 request->path.bytes ? request->path.bytes : "");
	snprintf(user, sizeof(user), "%.*s", (int)name.size, name.bytes ? name.bytes : "");
	snprintf(number[0], sizeof(number[0]), "%d", status);
	snprintf(number[1], sizeof(number[1]), "%llu", (unsigned long long)bytes);
	snprintf(number[2], sizeof(number[2]), "%lld", (long long)micros);
	log_event(level, "request", fields, sizeof(fields) / sizeof(fields[0]));
}

/*
 * A kept connection would pin this thread to one web server process that may have nothing
 * to say (nginx with fastcgi_keep_conn): connections are closed after every reply.
 */
void front_request_finish(struct front *front, struct request *request, struct reply *reply)
{
	int64_t micros = clock_monotonic_micros() - request->started_micros;
	uint64_t bytes;
	bool may_hand_over;
	char path[SENDFILE_PATH_BYTES];
	enum log_level level = front->config->log_requests ? LOG_INFO : LOG_DEBUG;

	may_hand_over = reply_may_hand_over(front->config, reply, path, sizeof(path));
	if (may_hand_over)
		reply->has_parts = false;
	reply_meet_conditions(reply, request);
	wording_apply(front->config, request, reply);
	reply_sign(front->config, request, reply);
	bytes = reply->content_type ? reply_body_size(&reply->body) : 0;     /* the writer may take it */
	if (may_hand_over && reply->status == 200)
		reply_hand_over(front->config, reply, path);
	reply_send(front->writer, request, reply);
	if (log_wants(level))                /* its words end with it */
		log_request(level, request, reply->status, bytes, micros);
	request_end(request);
	route_count(front->board, request, reply->status);
	board_duration(front->board, micros / 1000);
	front_request_give_back(front, request);
	log_set_request_id(NULL);
}

void front_request_drop(struct front *front, struct request *request)
{
	log_set_request_id(request->x_request_id);
	log_message(LOG_DEBUG, "request", request->job_id, "nobody waits for it any more");
	log_set_request_id(NULL);
	request_end(request);
	route_count(front->board, request, STATUS_NONE);
	front_request_give_back(front, request);
}

/* --- One request ------------------------------------------------------------------------- */

static void answer_here(struct worker *worker, struct request *request)
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

	if (!route_takes_body(request))
		return NULL;
	if (has_large_body(request, front->config))
		return &front->large;
	return worker->is_relief ? &front->small : NULL;
}

/* On the board, for people. */
static void show_waiting(struct front *front)
{
	board_gauge_set(front->board, BOARD_GAUGE_WAITING,
			(int64_t)(lane_count(&front->small) + lane_count(&front->large)));
}

static void refuse(const struct front *front, const struct lane *lane, struct reply *reply)
{
	reply_busy(reply, RETRY_BUSY_SECONDS, lane == &front->large ?
		   "too many large requests are waiting (pool.large_waiting)" :
		   "too many requests are waiting (pool.waiting)");
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
		answer_here(worker, request);
	} else if (lane_put(lane, request)) {
		show_waiting(worker->front);
	} else {
		refuse(worker->front, lane, &worker->reply);
		front_request_finish(worker->front, request, &worker->reply);
	}
	log_set_request_id(NULL);
}

void worker_hand_over(struct worker *worker, struct request *request, struct reply *reply)
{
	struct front *front = worker->front;

	if (lane_put(&front->large, request)) {
		reply->parked = true;
		show_waiting(front);
	} else {
		refuse(front, &front->large, reply);
	}
}

/* From a lane: its variables are read. */
static void answer_waiting(struct worker *worker, struct request *request)
{
	show_waiting(worker->front);
	log_set_request_id(request->x_request_id);
	reply_reset(&worker->reply);
	if (request_has_gone(request))
		front_request_drop(worker->front, request);
	else
		answer_here(worker, request);
	log_set_request_id(NULL);
}

/* --- Small ones -------------------------------------------------------------------------- */

/* The one signal that gets a thread out of accept().  It gets through nowhere else: it would cut
 * short what the library reads of a request, and the request would be lost. */
static void hear_signal(bool is_heard)
{
	sigset_t wake;

	sigemptyset(&wake);
	sigaddset(&wake, SIGUSR1);
	pthread_sigmask(is_heard ? SIG_UNBLOCK : SIG_BLOCK, &wake, NULL);
}

/* The next connection; -1: a signal, or time to look into the lane. */
static int accept_next(struct worker *worker)
{
	struct front *front = worker->front;
	int fd = -1;

	atomic_store(&worker->accepting, true);
	atomic_fetch_add(&front->free_workers, 1);
	/* Asked once more: from now on whoever puts one there sees that somebody is free. */
	if (lane_count(&front->small) == 0 && !atomic_load(&front->stopping)) {
		hear_signal(true);
		fd = accept4(front->listen_fd, NULL, NULL, SOCK_CLOEXEC);
		hear_signal(false);
		if (fd < 0 && errno != EINTR && errno != EAGAIN && errno != ECONNABORTED)
			usleep(PAUSE_MICROS);        /* no descriptors, no memory, shut down */
	}
	if (atomic_fetch_sub(&front->free_workers, 1) == 1)
		relief_call(front);
	atomic_store(&worker->accepting, false);
	return fd;
}

static bool take_connection(struct worker *worker)
{
	struct front *front = worker->front;
	int fd = accept_next(worker);
	struct request *request;

	if (fd < 0)
		return true;
	request = front_request_take(front);
	if (!request) {
		log_message(LOG_ERROR, "front", NULL, "no room for a request");
		close(fd);
		return false;
	}
	if (request_accept(request, fd, front->config))
		worker_dispatch(worker, request);
	else
		front_request_give_back(front, request);
	return true;
}

void *worker_accepts(void *payload)
{
	struct worker *worker = payload;
	struct front *front = worker->front;
	struct request *waiting;

	while (!atomic_load(&front->stopping)) {
		waiting = lane_take(&front->small);
		if (waiting)
			answer_waiting(worker, waiting);
		else if (!take_connection(worker))
			return NULL;
	}
	/* Until the relief has left, too: what it accepts is for us. */
	while ((waiting = lane_wait(&front->small)) != NULL)
		answer_waiting(worker, waiting);
	return NULL;
}

/* --- Large ones -------------------------------------------------------------------------- */

void *worker_takes_large(void *payload)
{
	struct worker *worker = payload;
	struct front *front = worker->front;
	struct request *request;

	while ((request = lane_wait(&front->large)) != NULL) {
		if (!atomic_load(&front->stopping)) {
			answer_waiting(worker, request);
			continue;
		}
		/* It would not end in time. */
		reply_reset(&worker->reply);
		reply_busy(&worker->reply, RETRY_BUSY_SECONDS, "this process is about to end");
		front_request_finish(front, request, &worker->reply);
	}
	return NULL;
}

/* --- Starting ---------------------------------------------------------------------------- */

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
