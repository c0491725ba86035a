/* route.c -- which function answers which request: the table is the API. */
#include <string.h>

#include "base/err.h"
#include "config/config.h"
#include "front/internal.h"

#define BODY(member) offsetof(struct config, member)
#define JSON true

static const struct route routes[] = {
/*  method  path            answered by          counted as                  largest body, its type */
  { "POST", "/symbolicate", answer_symbolicate,  BOARD_ENDPOINT_SYMBOLICATE, BODY(symbolicate_body_max_bytes), JSON },
  { "GET",  "/requests/*",  answer_request_poll, BOARD_ENDPOINT_REQUESTS,    0, false },
  { "GET",  "/healthcheck", answer_healthcheck,  BOARD_ENDPOINT_HEALTHCHECK, 0, false },
  { "GET",  "/readyz",      answer_readyz,       BOARD_ENDPOINT_READYZ,      0, false },
  { "GET",  "/metrics",     answer_metrics,      BOARD_ENDPOINT_METRICS,     0, false },
};
#define ROUTES (sizeof(routes) / sizeof(routes[0]))

static bool path_matches(const struct route *route, struct text path, struct text *rest)
{
	size_t size = strlen(route->path);

	if (route->path[size - 1] != '*')
		return text_is(path, route->path);
	if (path.size < size || memcmp(path.bytes, route->path, size - 1) != 0)
		return false;
	*rest = (struct text){ path.bytes + size - 1, path.size - size + 1 };
	return true;
}

static bool method_matches(const struct route *route, const struct request *request)
{
	return text_is(request->method_name, route->method) ||
	       (request->method == METHOD_HEAD && strcmp(route->method, "GET") == 0);
}

void route_find(struct request *request)
{
	request->endpoint = BOARD_ENDPOINT_OTHER;
	request->route = NULL;
	for (size_t i = 0; i < ROUTES; i++) {
		if (!path_matches(&routes[i], request->path, &request->rest))
			continue;
		request->endpoint = routes[i].endpoint;
		if (method_matches(&routes[i], request))
			request->route = &routes[i];
	}
}

/* No such path, or the path has another method. */
static void answer_no_route(const struct config *config, struct request *request,
			    struct reply *reply)
{
	const char *methods = NULL;

	for (size_t i = 0; i < ROUTES && !methods; i++)
		if (path_matches(&routes[i], request->path, &request->rest))
			methods = strcmp(routes[i].method, "GET") == 0 ? "GET,HEAD" : routes[i].method;
	if (!methods) {
		reply_empty(reply, 404);
	} else if (request->method == METHOD_OPTIONS && config->cors_origin_count > 0 &&
		   request->origin.size > 0 && request->preflight_method.size > 0) {
		cors_answer_preflight(methods, reply);
	} else {
		reply_empty(reply, 405);
		reply_header(reply, "Allow", methods);
	}
}

/* --- Bodies ------------------------------------------------------------------------------ */

/* False: the reply says what would be. */
static bool is_acceptable(const struct request *request, struct reply *reply)
{
	if (request->route->is_json && !incoming_is_json(request)) {
		reply_text(reply, 415, "Expected request with `Content-Type: application/json`");
		return false;
	}
	if (incoming_is_encoded(request) && !incoming_can_decode(request)) {
		reply_text(reply, 415, "Expected a body without Content-Encoding, or gzip or zstd");
		reply_header(reply, "Accept-Encoding", "gzip, zstd");
		return false;
	}
	return true;
}

/* What a few bytes unpack to may be large: that is found out up to where it would be. */
static bool decode(struct worker *worker, struct request *request, struct reply *reply, size_t most)
{
	uint64_t large = worker->front->config->pool_large_body_bytes;
	size_t most_here = worker->is_for_large || large > most ? most : (size_t)large;
	struct err err = ERR_INIT;

	if (incoming_decode_body(request, most_here, &err) == 0)
		return true;
	if (err.kind == ERR_TOO_LARGE && most_here < most)
		worker_hand_over(worker, request, reply);
	else
		reply_error(reply, &err);
	return false;
}

/* False: the reply says why not, or the request is somebody else's now. */
static bool take_body(struct worker *worker, struct request *request, struct reply *reply)
{
	const struct config *config = worker->front->config;
	struct err err = ERR_INIT;
	uint64_t most;

	if (!is_acceptable(request, reply))
		return false;
	memcpy(&most, (const char *)config + request->route->body_ceiling, sizeof(most));
	if (!request->is_body_read && (incoming_read_query(request, &err) < 0 ||
				       incoming_read_body(request, config, (size_t)most, &err) < 0)) {
		reply_error(reply, &err);
		return false;
	}
	return !incoming_is_encoded(request) || decode(worker, request, reply, (size_t)most);
}

void route_answer(struct worker *worker, struct request *request, struct reply *reply)
{
	if (!request->route)
		answer_no_route(worker->front->config, request, reply);
	else if (!route_takes_body(request) || take_body(worker, request, reply))
		request->route->answer(worker, request, reply);
}
