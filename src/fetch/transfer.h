/*
 * transfer -- one order while it is carried out.
 *
 * An order is up to three attempts.  An attempt is a chain of requests: one request each, the
 * next one because of a redirect, an unusable range, or a rest that is fetched in parts.
 * Knowledge flows one way: fetcher (queue, timers, callbacks) -> attempt (what follows
 * what) -> request (one curl handle) -> body (bytes into the file).  Private to fetch.
 */
#ifndef FETCH_TRANSFER_H
#define FETCH_TRANSFER_H

#include <poll.h>

#include "base/buf.h"
#include "base/err.h"
#include "fetch/breaker.h"
#include "fetch/curl_library.h"
#include "fetch/decode.h"
#include "fetch/fetch.h"
#include "fetch/http_reply.h"
#include "fetch/sending.h"

#define FETCH_ATTEMPTS           3u
#define FETCH_PAUSE_MILLIS       20          /* between attempts */
#define FETCH_REDIRECTS          10u
#define FETCH_PARTS              4u          /* of one file, at once */
#define FETCH_PART_BYTES         ((uint64_t)128 << 20)
#define FETCH_DISCARD_BYTES      ((uint64_t)64 * 1024)   /* of a body nobody wants */
#define FETCH_DISCARD_MILLIS     1000
#define FETCH_IDLE_SECONDS       30L         /* unused connections go after that */
#define FETCH_NEVER              INT64_MAX

/* place.c: addresses taken apart by curl's own reader, so that we check what it will use. */
struct fetch_place {
	char *scheme, *host, *port;
	char *user, *password;               /* decoded; NULL: none */
	char *plain;                         /* the address without them, and without fragment */
};
/* `location` NULL: `url` itself, else where it leads from there. */
int  fetch_place_of(const char *url, const char *location, struct fetch_place *place, struct err *err)
	__attribute__((warn_unused_result));
void place_release(struct fetch_place *place);
/* The same scheme, host and port? */
bool place_is_at(const struct fetch_place *place, const struct fetch_place *other);

/* Whose fault a failure is: the host's own, which its breaker counts and another attempt may
 * mend; something another attempt may mend; something it cannot. */
enum fetch_blame { BLAME_HOST, BLAME_CHANCE, BLAME_FINAL };

struct http_request {
	struct fetch *fetch;                 /* NULL: this place is free */
	CURL *easy;
	struct curl_slist *headers;
	char error[CURL_ERROR_SIZE];

	bool guarded, proxied;
	unsigned restricted;                 /* addresses refused, */
	char refused[64];                    /* the last of them, cut */
	bool admitted;                       /* some address was tried */
	int os_errno;                        /* why there was no socket for one; 0: there was */

	enum reply_asked asked;
	bool is_conditional;                 /* asked for unless it is what is known */
	uint64_t first, last;                /* asked for, inclusive; unless REPLY_ASKED_ALL */
	uint64_t sent_last;                  /* what the server says it sends, at most `last` */
	uint64_t at;                         /* where the next byte goes */
	uint64_t received_bytes;
	size_t head_bytes;                   /* trailers included */
	struct buf story;                    /* of a failure, for fetch->judge */

	struct http_reply reply;
	bool judged;
	enum reply_verdict verdict;
	struct err failure;                  /* kind ERR_NONE: none of ours */
};

struct fetch {
	struct fetcher *fetcher;
	struct fetch *next, *previous;
	fetch_done_fn *done;
	void *payload;

	/* the order */
	char *source_id;
	char *proxy;                         /* NULL: as the environment says */
	struct fetch_header *headers;
	size_t header_count;
	struct fetch_place home;             /* of the address */
	uint64_t host_hash;
	bool accept_invalid_certs, trusted, trusted_everywhere, breaker, is_whole, is_once;
	uint64_t max_bytes;
	struct fetch_validators known;
	char *method, *sent;                 /* NULL: a plain GET */
	size_t sent_bytes;
	struct sending sending;              /* fd -1: no file is sent */
	int64_t total_millis, connect_millis, head_millis;   /* 0: without end */
	fetch_judge_fn *judge;
	int fd;

	/* as it goes */
	struct fetch_list *list;             /* where it is linked */
	bool has_waited, is_probe;
	unsigned attempt;                    /* from 1 */
	int64_t due_at, deadline_at, head_deadline_at;   /* monotonic milliseconds */
	int64_t attempt_head_at;
	struct fetch_place hop;              /* where redirects led; plain NULL: nowhere */
	bool away;                           /* has left the origin: no credentials any more */
	unsigned redirects;
	bool no_range;                       /* ranges are of no use there */
	struct http_request requests[FETCH_PARTS];
	unsigned requests_running;
	struct fetch_validators validators;  /* by the head of the first answer */
	uint64_t total_bytes;                /* of a file that comes in parts */
	uint64_t wire_bytes, body_bytes;     /* as sent; as they lie in fd */
	struct decode decode;
	bool is_decoding;                    /* decode is begun */
	char *source_map;                    /* what its head says of it; NULL: nothing */
	struct http_freshness freshness;     /* by its head */
	bool is_unchanged;                   /* it is what the order knows */

	bool ended;
	enum fetch_blame blame;
	struct err result;
};

struct fetch_list { struct fetch *first, *last; size_t count; };

struct fetcher {
	const struct config *config;
	CURLM *multi;                        /* NULL: nothing was fetched yet */
	struct breaker breakers[2];          /* by fetch->trusted: what requests name says nothing
	                                      * about what the operator named, on whatever host */
	const struct fetch *turning;         /* who asks or reports just now */
	fetch_host_fn *turned;               /* whoever watches hosts; NULL */
	void *turned_payload;
	struct fetch_list waiting, running, over;
	size_t most_running;
	bool look;                           /* something may have become ready to start */
	uint64_t part_bytes;                 /* FETCH_PART_BYTES but in tests */
	struct curl_waitfd *waits;           /* for the descriptors of others */
	struct pollfd *polls;
	size_t waits_capacity, polls_capacity;
};

/* http_request.c */
int  http_request_start(struct fetch *fetch, struct http_request *request, enum reply_asked asked, uint64_t first,
	       uint64_t last, struct err *err) __attribute__((warn_unused_result));
void http_request_stop(struct http_request *request);
/* How curl's result reads. */
enum fetch_blame http_request_explain(const struct http_request *request, CURLcode code, struct err *err);

/* attempt.c: each may end the fetch (fetch->ended). */
void attempt_begin(struct fetch *fetch, int64_t now_millis);
void attempt_http_request_over(struct fetch *fetch, struct http_request *request, CURLcode code, int64_t now_millis);
void attempt_time(struct fetch *fetch, int64_t now_millis);
int64_t attempt_next_time(const struct fetch *fetch);
void attempt_stop(struct fetch *fetch);

/* fetch_body.c: once a head is complete, and for each piece of a body that is wanted. */
int  fetch_body_begins(struct fetch *fetch, struct http_request *request, struct err *err);
int  fetch_body(struct fetch *fetch, struct http_request *request, const void *bytes, size_t size,
		struct err *err);

#endif
