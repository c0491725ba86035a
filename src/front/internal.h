/*
 * internal -- the front's own: a request, a reply, a thread's tools, the parker.
 */
#ifndef FRONT_INTERNAL_H
#define FRONT_INTERNAL_H

#include <fcgiapp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/text.h"
#include "board/metrics.h"
#include "cache/cache.h"
#include "convert/demangler.h"
#include "job/job.h"
#include "source/source.h"
#include "store/store.h"

struct config;
struct err;
struct front;
struct parker;
struct plan_memo;
struct request_kind;
struct writer;

enum method { METHOD_OTHER, METHOD_GET, METHOD_HEAD, METHOD_POST };

struct request {
	FCGX_Request fcgi;
	struct request *next;                /* in the pool of free ones, or in the parker */
	enum method method;
	struct text method_name, uri, script;
	struct text path;                    /* without the query, not decoded */
	struct text rest;                    /* what a route's "*" matched */
	struct text query;
	struct text content_type, content_length;
	bool has_timeout;
	uint64_t timeout_seconds;
	struct text scope;                   /* decoded, in `words`; TEXT_NONE: global */
	struct buf words;                    /* decoded query values */
	struct buf body;
	enum board_endpoint endpoint;
	int64_t started_micros;

	/* while parked */
	char job_id[JOB_ID_BYTES];
	uint32_t job_generation;
	int64_t wake_millis;                 /* monotonic: answer `pending` then */
};

struct reply {
	int status;                          /* HTTP */
	const char *content_type;            /* NULL: no body */
	const char *allow;                   /* of a 405 */
	struct buf body;
	bool parked;                         /* the request belongs to the parker now */
};

/* What one request thread works with. */
struct worker {
	struct front *front;
	pthread_t thread;
	atomic_bool accepting;               /* a signal interrupts nothing but accept() */
	struct store *store;
	struct jobs jobs;
	struct reply reply;
};

struct front {
	const struct config *config;
	struct nursery *nursery;
	int listen_fd;
	struct board *board;
	struct cache *cache;
	struct store *store;                 /* the main thread's and the parker's */
	struct demangler *demangler;
	struct arena arena;
	struct source_list default_sources;
	struct plan_memo *memo;              /* NULL: none */
	struct writer *writer;
	struct parker *parker;
	struct on_demand *on_demand;         /* NULL: a master keeps workshops running */
	atomic_bool stopping;
	pthread_mutex_t pool_lock;
	struct request *pool;                /* free requests */
};

/* --- request.c: from CGI variables to a struct request --------------------------------- */
/* ERR_BAD_REQUEST with the text to send. */
int  incoming_read(struct request *request, struct err *err) __attribute__((warn_unused_result));
/* The body, at most `max` bytes: ERR_TOO_LARGE, ERR_BAD_REQUEST when it ends early. */
int  incoming_read_body(struct request *request, const struct config *config, size_t max,
			struct err *err)
	__attribute__((warn_unused_result));
/* `timeout` and, where asked for, `scope` of the query: ERR_BAD_REQUEST. */
int  incoming_read_query(struct request *request, struct err *err)
	__attribute__((warn_unused_result));
bool incoming_is_json(const struct request *request);

/* --- reply.c ---------------------------------------------------------------------------- */
void reply_init(struct reply *reply);
void reply_reset(struct reply *reply);
void reply_release(struct reply *reply);
void reply_empty(struct reply *reply, int status);
void reply_text(struct reply *reply, int status, const char *text);
/* {"detail": "..."} */
void reply_detail(struct reply *reply, int status, const char *detail);
/* As its kind says: 400 422 plain, 413 415 plain, 503 (busy, our disk or database) and 500 JSON. */
void reply_error(struct reply *reply, const struct err *err);
/* Sends and closes, or hands both to the writer; of the reply's body it may take the memory.
 * The request's words stay until request_end(). */
void reply_send(struct writer *writer, struct request *request, struct reply *reply);
/* Frees what the library holds for it; a connection that got no reply is closed. */
void request_end(struct request *request);

/* --- route.c: the table that is the API --------------------------------------------------- */
typedef void route_fn(struct worker *worker, struct request *request, struct reply *reply);
struct route {
	const char *method;          /* "GET" answers HEAD too */
	const char *path;            /* a trailing "*" takes the rest */
	route_fn *answer;
	enum board_endpoint endpoint;
};
void route_answer(struct worker *worker, struct request *request, struct reply *reply);

/* --- worker.c ----------------------------------------------------------------------------- */
int  worker_start(struct worker *worker, struct front *front, struct err *err)
	__attribute__((warn_unused_result));
struct request *front_request_take(struct front *front);        /* NULL out of memory */
void front_request_give_back(struct front *front, struct request *request);
/* Sends, counts, ends and recycles. */
void front_request_finish(struct front *front, struct request *request, struct reply *reply);
/* Nobody is there any more to send anything to: counted (as no status of ours), ended, recycled. */
void front_request_drop(struct front *front, struct request *request);

/* --- parker.c ------------------------------------------------------------------------------ */
int  parker_start(struct parker **parker, struct front *front, struct err *err)
	__attribute__((warn_unused_result));
/* All parked requests are answered `pending` first. */
void parker_stop(struct parker *parker);
/* Hands the request over; false when there is no room (the caller answers `pending`). */
bool parker_park(struct parker *parker, struct request *request);

/* --- endpoints ------------------------------------------------------------------------------ */
route_fn answer_symbolicate, answer_request_poll, answer_healthcheck, answer_readyz, answer_metrics;
/* Waits for the job: done, parked or pending, as the request's timeout says. */
void answer_job(struct worker *worker, struct request *request, struct reply *reply);
/* The reply of an ended job, or 404 when the id is not known (any more): true; false: not yet. */
bool answer_job_if_ended(struct jobs *jobs, const char *id, struct reply *reply);
void answer_pending(struct reply *reply, const char *id);

#endif
