/* symbolicate.c -- POST /symbolicate: answered in place when everything is known, else a job. */
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/log.h"
#include "board/board.h"
#include "config/config.h"
#include "front/front.h"
#include "front/internal.h"
#include "kinds/kinds.h"
#include "work/work.h"

/* The resolver that never blocks: what is not there has to wait for a workshop. */
struct front_resolver {
	struct resolver resolver;    /* first: the functions get back here */
	struct worker *worker;
	bool wants_refresh;          /* something may be better when made again */
};

static struct worker *worker_of(struct resolver *resolver)
{
	return ((struct front_resolver *)(void *)resolver)->worker;
}

static void resolve_refresh(struct resolver *resolver, const struct derive *derive)
{
	struct front_resolver *mine = (struct front_resolver *)(void *)resolver;
	const struct front *front = mine->worker->front;

	if (!front->config->offline && cache_claim_refresh(front->cache, &derive->key))
		mine->wants_refresh = true;
}

static enum resolved resolve_entry(struct resolver *resolver, const struct derive *derive,
				   struct cache_found *found, struct err *err)
{
	struct worker *worker = worker_of(resolver);

	if (cache_find(worker->front->cache, worker->store, &derive->key, found, err) < 0)
		return RESOLVED_ERROR;
	if (found->is_outdated)
		resolve_refresh(resolver, derive);
	if (found->state != CACHE_ABSENT && !derive_is_stale(derive, found))
		return RESOLVED_READY;
	cache_found_release(found);
	*found = (struct cache_found){ .state = CACHE_ABSENT };
	return RESOLVED_WAIT;
}

static enum resolved resolve_names(struct resolver *resolver, struct convert_name *names,
				   size_t count, struct arena *arena, struct err *err)
{
	struct worker *worker = worker_of(resolver);

	int rc = demangler_ask_briefly(worker->front->demangler, names, count, arena, err);

	/* A request thread has no time for hostile names, nor for what our own demangler lacks: a
	 * workshop has. */
	return rc > 0 ? RESOLVED_READY
	       : rc == 0 || err_kind_is_ours(err->kind) ? RESOLVED_WAIT : RESOLVED_ERROR;
}

static void resolve_invalidate(struct resolver *resolver, const struct derive *derive,
			  const struct cache_found *found, const char *why)
{
	struct worker *worker = worker_of(resolver);

	cache_invalidate(worker->front->cache, worker->store, &derive->key, found, why);
}

static struct job_order order_of(const struct request *request, const struct request_kind *kind)
{
	return (struct job_order){
		.kind = kind->name, .scope = request->scope, .body = buf_text(&request->body),
		.x_request_id = text_of(request->x_request_id),
	};
}

static void note_submitted(const struct front *front)
{
	board_count(front->board, BOARD_JOBS_SUBMITTED, 1);
	if (front->helpers)
		front->helpers->want(front->helpers->payload);
}

static int submit(struct worker *worker, struct request *request, const struct request_kind *kind,
		  struct err *err)
{
	struct job_order order = order_of(request, kind);

	if (job_submit(&worker->jobs, &order, request->job_id, err) < 0)
		return -1;
	note_submitted(worker->front);
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
		note_submitted(worker->front);
	} else if (err.kind == ERR_BUSY) {
		board_count(worker->front->board, BOARD_REFUSED_DERIVED, 1);
	} else {
		log_message(LOG_WARN, "refresh", NULL, "%s", err.text);
	}
}

static void record(struct worker *worker, struct request *request, struct reply *reply,
		   const struct request_kind *kind, int64_t millis)
{
	struct job_order order = order_of(request, kind);
	struct err err = ERR_INIT;

	if (job_record(&worker->jobs, &order, millis, &err) < 0)
		reply_error(reply, &err);
}

/* Parses, steps, and either answers or becomes a job. */
static void carry_out(struct worker *worker, struct request *request, struct reply *reply,
		      const struct request_kind *kind)
{
	struct front_resolver mine = {
		.resolver = { .entry = resolve_entry, .names = resolve_names, .invalidate = resolve_invalidate,
			      .refresh = resolve_refresh,
			      .memo = worker->front->memo, .stops_at_wait = true },
		.worker = worker,
	};
	int64_t started = clock_monotonic_millis();
	const struct work_body body = work_body_of(buf_text(&request->body));
	struct err err = ERR_INIT;
	struct work work;
	enum stepped stepped = STEP_ERROR;

	if (work_init(&work, kind, worker->front->config, &worker->front->default_sources,
		      request->scope, &err) < 0) {
		reply_error(reply, &err);
		return;
	}
	if (work_parse(&work, &body, &err) == 0)
		stepped = work_step(&work, &mine.resolver, &err);
	if (stepped == STEP_DONE && work_answer(&work, reply_json(reply), &err) < 0)
		stepped = STEP_ERROR;
	work_release(&work);
	if (stepped == STEP_DONE && mine.wants_refresh)
		submit_refresh(worker, request, kind);
	if (stepped == STEP_WAIT && submit(worker, request, kind, &err) < 0)
		stepped = STEP_ERROR;
	if (stepped == STEP_ERROR) {
		reply_error(reply, &err);
	} else if (stepped == STEP_WAIT) {
		answer_job(worker, request, reply);
	} else if (worker->front->config->record_all_jobs) {
		record(worker, request, reply, kind, clock_monotonic_millis() - started);
	}
}

void answer_symbolicate(struct worker *worker, struct request *request, struct reply *reply)
{
	carry_out(worker, request, reply, &request_kind_symbolicate);
}
