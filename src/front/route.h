/*
 * route -- the table that is the API: which function answers which request, and what may be sent.
 *
 * Private to front.
 */
#ifndef FRONT_ROUTE_H
#define FRONT_ROUTE_H

#include <stddef.h>

#include "front/front_counters.h"

struct board;
struct form_shape;
struct reply;
struct request;
struct request_kind;
struct worker;

typedef void route_fn(struct worker *worker, struct request *request, struct reply *reply);

enum route_takes { TAKES_NOTHING, TAKES_JSON, TAKES_FORM, TAKES_ANY, TAKES_FILE,
		   TAKES_PAGE_FORM /* of the web page, from the page itself */ };

struct route {
	const char *method;          /* "GET" answers HEAD too */
	const char *path;            /* a trailing "*" takes the rest, of at least one byte; a "*" and a "#"
				      * before it one part each, of any bytes and of hex digits;
				      * "#*" at the end a digit, which is of the rest, in a path of any case */
	route_fn *answer;
	const struct request_kind *kind;     /* whose requests these are (answer_kind); else NULL */
	enum route_takes takes;      /* the body's type: others are refused */
	size_t body_ceiling;         /* offset in struct config of a uint64_t: the largest body */
	const struct form_shape *form;       /* TAKES_FORM, TAKES_PAGE_FORM: its parts; TAKES_FILE: its headers */
};

/* Which one it is, and what is counted: an endpoint of the path's even when its method is another. */
void route_find(struct request *request);

/* Requests by endpoint and status (route_requests, in front_counters.h).  An endpoint is a route's path; routes of
 * one path are one. */
#define ROUTE_NONE 0u                /* the endpoint of what is no route's */
/* A status without a counter of its own is counted as "other". */
void route_count(struct board *board, const struct request *request, int status);

/* Reads the query and the body and answers; says 404, 405, 415 where there is no route. */
void route_answer(struct worker *worker, struct request *request, struct reply *reply);

#endif
