/* answer_kind.c -- requests of a kind: answered in place when everything is known, else a job. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/log.h"
#include "cache/cache_counters.h"
#include "config/config.h"
#include "front/front.h"
#include "front/front_counters.h"
#include "front/front_resolver.h"
#include "front/front_internal.h"
#include "front/polled.h"
#include "work/answer_head.h"
#include "work/work.h"

#define VARIABLE_BYTES 64u                   /* the longest a kind asks for */

static struct job_order order_of(const struct request *request, const struct request_kind *kind)
{
	return (struct job_order){
		.kind = kind->name, .scope = request->scope, .body = buf_text(&request->body),
		.body_path = request->upload ? request->upload->path : NULL,
		.x_request_id = text_of(request->x_request_id),
	};
}

void answer_note_submitted(const struct front *front, struct request *request)
{
	if (request->upload)
		request->upload->path[0] = '\0';     /* what was uploaded is the job's now */
	upload_free(request->upload);
	request->upload = NULL;
	answer_want_workshop(front);
}

void answer_want_workshop(const struct front *front)
{
	board_count(front->board, &front_jobs_submitted, 0, 1);
	if (front->helpers)
		front->helpers->want(front->helpers->payload);
}

static int submit(struct worker *worker, struct request *request, const struct request_kind *kind,
		  struct err *err)
{
	struct job_order order = order_of(request, kind);

	if (job_submit(&worker->jobs, &order, request->job_id, err) < 0)
		return -1;
	answer_note_submitted(worker->front, request);
	return 0;
}

/* The answer is there; a workshop makes what may be better, for the next one. */
static void submit_refresh(struct worker *worker, struct request *request,
			   const struct request_kind *kind)
{
	uint64_t most = worker->front->config->derived.max_lazy;
	struct job_order order = order_of(request, kind);
	struct err err = ERR_INIT;

	if (job_submit_refresh(&worker->jobs, &order, most > 0 ? most : 1, &err) == 0) {
		answer_note_submitted(worker->front, request);
	} else if (err.kind == ERR_BUSY) {
		board_count(worker->front->board, &cache_refreshes_refused, CACHE_DERIVED, 1);
	} else {
		log_message(LOG_WARN, "refresh", NULL, "%s", err.text);
	}
}

/* Of one who asks again every second: not while the job he started is under way. */
static int submit_once(struct worker *worker, struct request *request, const struct request_kind *kind,
		       struct err *err)
{
	uint8_t name[HASH_SHA256_BYTES];
	enum job_state state = JOB_UNKNOWN;

	hash_sha256(request->body.bytes, request->body.size, name);
	if (polled_find(worker->front->polled, name, request->job_id) &&
	    job_look(&worker->jobs, request->job_id, &state, err) < 0)
		return -1;
	if (state == JOB_QUEUED || state == JOB_RUNNING)
		return 0;
	if (submit(worker, request, kind, err) < 0)
		return -1;
	polled_remember(worker->front->polled, name, request->job_id);
	return 0;
}

static void record(struct worker *worker, struct request *request, struct reply *reply,
		   const struct request_kind *kind, int64_t millis)
{
	struct job_order order = order_of(request, kind);
	struct err err = ERR_INIT;

	if (job_record(&worker->jobs, &order, millis, &err) < 0)
		reply_error(reply, &err);
}

/* "X-Forwarded-For" is the variable HTTP_X_FORWARDED_FOR; "REMOTE_ADDR" is itself.  Its size. */
static size_t name_variable(const char *name, char variable[VARIABLE_BYTES])
{
	bool is_one = strchr(name, '_') != NULL;
	size_t size = (size_t)snprintf(variable, VARIABLE_BYTES, "%s%s", is_one ? "" : "HTTP_", name);

	for (size_t i = 0; !is_one && i < size && i < VARIABLE_BYTES; i++)
		variable[i] = variable[i] == '-' ? '_' : ascii_upper(variable[i]);
	return size < VARIABLE_BYTES ? size : VARIABLE_BYTES - 1;
}

/* All of that name: a web server may pass one that came twice as it came.  What would end its line is
 * no header. */
static void add_header(struct request *request, const char *name)
{
	char variable[VARIABLE_BYTES];
	size_t size = name_variable(name, variable);

	for (char **at = request->fcgi.envp; at && *at; at++) {
		if (strncmp(*at, variable, size) != 0 || (*at)[size] != '=' || strchr(*at, '\n'))
			continue;
		buf_printf(&request->body, "\n%s: ", name);
		buf_add_string(&request->body, *at + size + 1);
	}
}

static void add_headers(struct request *request, const char *const *names)
{
	for (; names && *names; names++)
		add_header(request, *names);
}

/* What is asked for in the path is a body too: what follows the route's, the query, and headers. */
static int make_body(struct request *request, struct err *err)
{
	if (request->is_body_read)
		return 0;
	if (request_read_query(request, err) < 0)
		return -1;
	request->body.ceiling_bytes = LIMIT_REPLY_BYTES;
	buf_add_text(&request->body, request->rest);
	buf_add_char(&request->body, '?');
	buf_add_text(&request->body, request->query);
	add_headers(request, request->route->kind->headers);
	request->is_body_read = true;
	return buf_check(&request->body, err);
}

static struct work_body body_of(const struct request *request)
{
	struct work_body body = work_body_of(buf_text(&request->body));

	if (request->upload) {
		body.fd = request->upload->fd;
		body.size = request->upload->size;
	}
	return body;
}

/* Its work is done.  WAIT: but the file it answers with is gone, and has to be made again. */
static enum stepped write_answer(struct worker *worker, struct work *work, struct reply *reply,
				 struct err *err)
{
	struct answer_head head;

	if (!work->kind->head)
		return work_answer(work, reply_json(reply), err) < 0 ? STEP_ERROR : STEP_DONE;
	if (work_head(work, &head, err) < 0)
		return STEP_ERROR;
	if (head.is_entry || head.file.bytes)
		return answer_entry(worker->front, worker->store, &head, reply) ? STEP_DONE : STEP_WAIT;
	if (work_answer(work, reply_json(reply), err) < 0)
		return STEP_ERROR;
	reply_take_head(reply, &head);
	return STEP_DONE;
}

/* True: the reply says when to ask again. */
static bool tell_later(struct work *work, struct reply *reply)
{
	struct answer_head head;

	if (!work->kind->later)
		return false;
	answer_head_init(&head);
	if (!work->kind->later(work, &head))
		return false;
	reply_take_head(reply, &head);
	return true;
}

static enum stepped carry_out(struct worker *worker, struct request *request,
			      const struct request_kind *kind, struct reply *reply,
			      bool *wants_refresh, bool *is_told, struct err *err)
{
	const struct work_body body = body_of(request);
	struct front_resolver mine;
	struct work work;
	enum stepped stepped = STEP_ERROR;

	front_resolver_init(&mine, worker);
	source_absences_begin_request(worker->absences);
	if (work_init(&work, kind, worker->front->config,
		      &worker->front->default_sources, request->scope, err) < 0)
		return STEP_ERROR;
	work.board = worker->front->board;
	if (work_parse(&work, &body, err) == 0)
		stepped = work_step(&work, &mine.resolver, err);
	if (stepped == STEP_DONE)
		stepped = write_answer(worker, &work, reply, err);
	if (stepped == STEP_WAIT) {
		reply_reset(reply);
		*is_told = tell_later(&work, reply);
	}
	work_release(&work);
	*wants_refresh = mine.wants_refresh;
	return stepped;
}

static const struct request_kind *kind_of(const struct request *request)
{
	const struct request_kind *kind = request->route->kind;

	if (kind->with_figures && request_variable(request, "HTTP_DEBUG").size > 0)
		kind = kind->with_figures;
	return kind->anew && request->asks_anew ? kind->anew : kind;
}

/* Fields of a form are told of as the form is. */
static void refuse(const struct request *request, struct reply *reply, const struct err *err)
{
	if (request->route->takes == TAKES_FORM &&
	    (err->kind == ERR_BAD_REQUEST || err->kind == ERR_BAD_SHAPE))
		reply_detail(reply, 400, err->text);
	else
		reply_error(reply, err);
}

void answer_kind(struct worker *worker, struct request *request, struct reply *reply)
{
	const struct request_kind *kind = kind_of(request);
	int64_t started = clock_monotonic_millis();
	struct err err = ERR_INIT;
	bool wants_refresh = false, is_told = false;
	enum stepped stepped;

	if (make_body(request, &err) < 0) {
		reply_error(reply, &err);
		return;
	}
	stepped = carry_out(worker, request, kind, reply, &wants_refresh, &is_told, &err);
	if (stepped != STEP_ERROR)
		board_count(worker->front->board, &front_asked,
			    stepped == STEP_WAIT ? FRONT_COLD : FRONT_HOT, 1);
	if (stepped == STEP_DONE && wants_refresh)
		submit_refresh(worker, request, kind);
	if (stepped == STEP_WAIT &&
	    (is_told ? submit_once(worker, request, kind, &err) : submit(worker, request, kind, &err)) < 0)
		stepped = STEP_ERROR;
	if (stepped == STEP_ERROR)
		refuse(request, reply, &err);
	else if (stepped == STEP_WAIT && !is_told)
		answer_job(worker, request, reply);
	else if (stepped == STEP_DONE && worker->front->config->record_all_jobs)
		record(worker, request, reply, kind, clock_monotonic_millis() - started);
}
