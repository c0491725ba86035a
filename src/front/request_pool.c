/* request_pool.c -- requests that are used again and again: taken, ended, given back. */
#include <stdio.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/mem.h"
#include "config/config.h"
#include "front/front_counters.h"
#include "front/front_internal.h"
#include "front/retell.h"

#define KEPT_BODY_BYTES ((size_t)1024 * 1024)   /* of memory a request may keep between uses */
#define STATUS_NONE 0
#define WORDS_BYTES_MAX ((size_t)128 * 1024)
#define NO_SOCKET (-1)                          /* for the library's own accept() */

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

	retell_failure(request, reply);
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
	board_duration(front->board, &front_durations, micros / 1000);
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
