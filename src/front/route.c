/* route.c -- which function answers which request: the table is the API. */
#include <string.h>

#include "front/internal.h"

static const struct route routes[] = {
/*  method  path              answered by           counted as                     */
  { "POST", "/symbolicate",   answer_symbolicate,   BOARD_ENDPOINT_SYMBOLICATE },
  { "GET",  "/requests/*",    answer_request_poll,  BOARD_ENDPOINT_REQUESTS },
  { "GET",  "/healthcheck",   answer_healthcheck,   BOARD_ENDPOINT_HEALTHCHECK },
  { "GET",  "/readyz",        answer_readyz,        BOARD_ENDPOINT_READYZ },
  { "GET",  "/metrics",       answer_metrics,       BOARD_ENDPOINT_METRICS },
};

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

void route_answer(struct worker *worker, struct request *request, struct reply *reply)
{
	const struct route *other = NULL;

	request->endpoint = BOARD_ENDPOINT_OTHER;
	for (size_t i = 0; i < sizeof(routes) / sizeof(routes[0]); i++) {
		if (!path_matches(&routes[i], request->path, &request->rest))
			continue;
		request->endpoint = routes[i].endpoint;
		if (method_matches(&routes[i], request)) {
			routes[i].answer(worker, request, reply);
			return;
		}
		other = &routes[i];
	}
	reply_empty(reply, other ? 405 : 404);
	if (other)
		reply->allow = strcmp(other->method, "GET") == 0 ? "GET,HEAD" : other->method;
}
