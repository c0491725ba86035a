/*
 * front_internal -- the front's own: a request, a reply, a thread's tools, the parker.
 */
#ifndef FRONT_FRONT_INTERNAL_H
#define FRONT_FRONT_INTERNAL_H

#include <fcgiapp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/log.h"
#include "base/text.h"
#include "cache/cache.h"
#include "convert/demangler.h"
#include "front/form.h"
#include "front/lane.h"
#include "front/reply.h"
#include "front/route.h"
#include "front/ui_token.h"
#include "job/job.h"
#include "source/source.h"
#include "store/store.h"

struct answer_head;
struct config;
struct err;
struct front;
struct front_helpers;
struct parker;
struct plan_memo;
struct polled;
struct request_kind;
struct relief;
struct writer;

enum method { METHOD_OTHER, METHOD_GET, METHOD_HEAD, METHOD_POST, METHOD_OPTIONS };

struct request {
	FCGX_Request fcgi;
	struct request *next;                /* in the pool of free ones, a lane, or the parker */
	const struct route *route;           /* NULL: no method or path of ours */
	const struct request_kind *kind;     /* that those of its path are of, whatever the method; NULL: none */
	enum method method;
	struct text method_name, uri, script;
	struct text path;                    /* without the query, not decoded */
	struct text rest;                    /* what a route's "*" matched */
	struct text query;
	struct text content_type, content_length, content_encoding;
	struct text origin, preflight_method, given_id;
	char x_request_id[LOG_REQUEST_ID_BYTES];     /* as given, or made: in reply, job and log */
	bool has_timeout;
	bool asks_anew;                      /* `_refresh` */
	uint64_t timeout_seconds;
	struct text scope;                   /* decoded, in `words`; TEXT_NONE: global */
	struct buf words;                    /* decoded query values */
	struct buf body;
	unsigned endpoint;                   /* what it is counted as: a route's, or ROUTE_NONE */
	int64_t started_micros;
	int64_t body_started_micros;         /* when reading it began */
	int64_t wait_millis;                 /* how long its connection waits for more bytes */
	uint64_t received_bytes, promised_bytes;     /* of the body; promised by Content-Length, UINT64_MAX: none */
	bool is_body_read;
	struct upload *upload;               /* a file that came with it; NULL: none */

	/* while parked */
	char job_id[JOB_ID_BYTES];
	uint32_t job_generation;
	int64_t wake_millis;                 /* monotonic: answer `pending` then */
	bool wants_thread;                   /* the parker gives it back to a request thread instead of answering: */
	bool is_back;                        /* its job has ended, or it has waited long enough */
};

/* What one request thread works with. */
struct worker {
	struct front *front;
	pthread_t thread;
	atomic_bool accepting;               /* a signal interrupts nothing but accept() */
	bool is_started;
	bool is_relief;                      /* it reads no bodies (relief.c) */
	bool is_for_large;                   /* it alone reads bodies above pool.large_body */
	struct store *store;
	struct jobs jobs;
	struct reply reply;
	struct source_absences *absences;
};

struct front {
	const struct config *config;
	struct nursery *nursery;
	int listen_fd;
	struct board *board;
	struct cache *cache;
	struct store *store;                 /* the main thread's */
	struct demangler *demangler;
	uint8_t web_secret[UI_SECRET_BYTES]; /* what tokens of the page's forms are made with */
	struct arena arena;
	struct source_list default_sources;
	struct plan_memo *memo;              /* NULL: none */
	struct polled *polled;               /* NULL: none */
	struct writer *writer;
	struct parker *parker;
	struct relief *_Atomic relief;       /* NULL until all threads run */
	const struct front_helpers *helpers; /* NULL: a master keeps workshops running */
	size_t most_parked;
	struct lane small, large;            /* requests that wait for a thread, by their bodies */
	struct worker *workers;              /* pool.threads of them */
	atomic_uint free_workers;            /* those who wait for the next request */
	atomic_bool stopping;
	pthread_mutex_t pool_lock;
	struct request *pool;                /* free requests */
};

/* --- request.c: from CGI variables to a struct request --------------------------------- */
/* Reads a request of that connection as far as its body; the connection is the request's, or
 * closed (false). */
bool request_accept(struct request *request, int fd, const struct config *config)
	__attribute__((warn_unused_result));
/* ERR_BAD_REQUEST with the text to send. */
int  request_read(struct request *request, struct err *err) __attribute__((warn_unused_result));
/* The body, at most `max` bytes: ERR_TOO_LARGE, ERR_BAD_REQUEST when it ends early. */
int  request_read_body(struct request *request, const struct config *config, size_t max,
			struct err *err)
	__attribute__((warn_unused_result));
/* `timeout` and, where asked for, `scope` of the query: ERR_BAD_REQUEST. */
int  request_read_query(struct request *request, struct err *err)
	__attribute__((warn_unused_result));
/* The same of a form: its file goes to request->upload, its fields are the body. */
int  request_read_form(struct request *request, const struct jobs *jobs, const struct form_shape *shape,
			uint64_t max, struct err *err) __attribute__((warn_unused_result));
bool request_is_json(const struct request *request);
/* Undoes the body's Content-Encoding, one that can be undone, at most `max` bytes: ERR_TOO_LARGE (the
 * body is as it was), ERR_BAD_REQUEST. */
int  request_decode_body(struct request *request, size_t max, struct err *err)
	__attribute__((warn_unused_result));
bool request_is_encoded(const struct request *request);
bool request_can_decode(const struct request *request);

/* --- cors.c: web pages of other origins -------------------------------------------------- */
/* Answers a browser's preflight request. */
void cors_answer_preflight(const char *methods, struct reply *reply);
/* Is it of a kind any page may ask?  Those answer OPTIONS to everybody, and 405 to what is not
 * `methods`. */
bool cors_is_for_all(const struct request *request);
void cors_answer_options(const struct request *request, const char *methods, struct reply *reply);

/* --- wording.c: refusals in the words of a protocol ----------------------------------------- */
void wording_apply(const struct config *config, const struct request *request, struct reply *reply);

/* Any other CGI variable ("HTTP_RANGE"), TEXT_NONE when absent.  A linear search among all of them. */
struct text request_variable(const struct request *request, const char *name);
/* The web server has closed the connection: nobody would read a reply. */
bool request_has_gone(const struct request *request);

static inline bool route_takes_body(const struct request *request)
{
	return request->route && request->route->takes != TAKES_NOTHING;
}
/* Frees what the library holds for it; a connection that got no reply is closed. */
void request_end(struct request *request);

/* --- request_pool.c ----------------------------------------------------------------------- */
struct request *front_request_take(struct front *front);        /* NULL out of memory */
void front_request_give_back(struct front *front, struct request *request);
/* Sends, counts, ends and recycles. */
void front_request_finish(struct front *front, struct request *request, struct reply *reply);
/* The client has gone: counted without a status, ended, recycled. */
void front_request_drop(struct front *front, struct request *request);

/* --- waiting.c ---------------------------------------------------------------------------- */
/* How many wait, on the board, for people. */
void worker_show_waiting(struct front *front);
/* That lane is full. */
void worker_refuse(const struct front *front, const struct lane *lane, struct reply *reply);
/* Moves a request whose body turned out to be large to the lane for such, or refuses it. */
void worker_hand_over(struct worker *worker, struct request *request, struct reply *reply);

/* --- dispatch.c --------------------------------------------------------------------------- */
typedef void *worker_fn(void *worker);
int  worker_start(struct worker *worker, struct front *front, worker_fn *run, struct err *err)
	__attribute__((warn_unused_result));
/* After its thread has ended. */
void worker_release(struct worker *worker);
/* A request whose route is found: answers it, and ends it unless it is parked. */
void worker_answer(struct worker *worker, struct request *request);
/* A request whose variables are to be read: answers it, puts it into the lane for it, or answers 503 when
 * that is full. */
void worker_dispatch(struct worker *worker, struct request *request);

/* --- worker.c ----------------------------------------------------------------------------- */
worker_fn worker_accepts;            /* takes small requests, and accepts others */
worker_fn worker_takes_large;

/* --- relief.c ------------------------------------------------------------------------------ */
/* The thread that accepts while all request threads are busy: it answers what needs no body (health, polls,
 * ...) and puts the rest into the lanes. */
int  relief_start(struct front *front, struct err *err) __attribute__((warn_unused_result));
/* Ends it when everything it accepted is answered or in a lane.  Fine when it was not started. */
void relief_stop(struct front *front);
/* To be called when no request thread is left that might call relief_call(). */
void relief_free(struct front *front);
/* Tells it that the last request thread has become busy.  Cheap. */
void relief_call(struct front *front);

/* --- parker.c ------------------------------------------------------------------------------ */
int  parker_start(struct parker **parker, struct front *front, struct err *err)
	__attribute__((warn_unused_result));
/* All parked requests are answered `pending` first. */
void parker_stop(struct parker *parker);
/* Hands the request over; false when there is no room (the caller answers `pending`). */
bool parker_park(struct parker *parker, struct request *request);

/* --- answer_kind.c: requests of a kind, whatever it is ------------------------------------------ */

/* Parses and steps the request; answers it, or submits it as a job and waits for that. */
route_fn answer_kind;
/* A job was submitted with what came: an upload is the job's now, and somebody is wanted to carry it out. */
void answer_note_submitted(const struct front *front, struct request *request);
/* The same of a job with a body of its own. */
void answer_want_workshop(const struct front *front);

/* --- answer_job.c: waiting for a job, and what came of it --------------------------------------- */

/* Waits for request->job_id as long as the request's timeout allows: replies, parks, or replies `pending`. */
void answer_job(struct worker *worker, struct request *request, struct reply *reply);
/* The reply of an ended job, or 404 when the id is not known (any more): true; false: not yet. */
bool answer_job_if_ended(const struct front *front, struct jobs *jobs, const char *id,
			 struct reply *reply);
/* The reply when the job takes longer than the request's timeout. */
void answer_not_yet(const struct request *request, struct reply *reply);
/* --- answer_entry.c: files as answers ------------------------------------------------------------ */

/* Replies with that head and the blob of its entry, or the file it names; 503 with Retry-After when
 * neither is there any more (false: what is known of it is forgotten, and it can be made again).  Parts of
 * it may be asked for, and whether it has changed. */
bool answer_entry(const struct front *front, struct store *store, const struct answer_head *head,
		  struct reply *reply);

/* --- endpoints ------------------------------------------------------------------------------ */
route_fn answer_request_poll, answer_healthcheck, answer_readyz, answer_metrics,
	answer_symcache_put, answer_mozilla_version, answer_mozilla_heartbeat;
/* The web page's. */
route_fn answer_ui_first, answer_ui_submit, answer_ui_report, answer_ui_delete, answer_ui_operators,
	answer_ui_static;

#endif
