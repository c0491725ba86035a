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
static void answer_no_route(struct request *request, struct reply *reply)
{
	for (size_t i = 0; i < ROUTES; i++) {
		if (!path_matches(&routes[i], request->path, &request->rest))
			continue;
		reply_empty(reply, 405);
		reply_header(reply, "Allow", strcmp(routes[i].method, "GET") == 0 ? "GET,HEAD"
										  : routes[i].method);
		return;
	}
	reply_empty(reply, 404);
}

/* False: the reply says why not. */
static bool take_body(const struct config *config, struct request *request, struct reply *reply)
{
	const struct route *route = request->route;
	uint64_t most;
	struct err err = ERR_INIT;

	if (route->is_json && !incoming_is_json(request)) {
		reply_text(reply, 415, "Expected request with `Content-Type: application/json`");
		return false;
	}
	memcpy(&most, (const char *)config + route->body_ceiling, sizeof(most));
	if (incoming_read_query(request, &err) == 0 &&
	    incoming_read_body(request, config, (size_t)most, &err) == 0)
		return true;
	reply_error(reply, &err);
	return false;
}

void route_answer(struct worker *worker, struct request *request, struct reply *reply)
{
	if (!request->route)
		answer_no_route(request, reply);
	else if (!route_takes_body(request) || take_body(worker->front->config, request, reply))
		request->route->answer(worker, request, reply);
}
