/*
 * cors.c -- browsers let a web page of another origin ask us, and see the reply, where we say so
 * (the Fetch standard, 3.2).  We have no cookies and take no credentials.
 */
#include <string.h>

#include "config/config.h"
#include "front/front_internal.h"

#define ORIGIN_BYTES 256u
#define PREFLIGHT_SECONDS "600"

static bool is_allowed(const struct config *config, const struct request *request, bool *is_any)
{
	*is_any = false;
	if (request->origin.size == 0 || request->origin.size >= ORIGIN_BYTES)
		return false;
	for (size_t i = 0; i < config->cors_origin_count; i++) {
		*is_any = strcmp(config->cors_origins[i], "*") == 0;
		if (*is_any || text_is(request->origin, config->cors_origins[i]))
			return true;
	}
	return false;
}

void cors_allow(const struct config *config, const struct request *request, struct reply *reply)
{
	char origin[ORIGIN_BYTES];
	bool is_any;

	if (config->cors_origin_count == 0)
		return;
	/* Told even to those who are not allowed: caches keep replies apart by it. */
	reply_header(reply, "Vary", "Origin");
	if (!is_allowed(config, request, &is_any))
		return;
	memcpy(origin, request->origin.bytes, request->origin.size);
	origin[request->origin.size] = '\0';
	reply_header(reply, "Access-Control-Allow-Origin", is_any ? "*" : origin);
	reply_header(reply, "Access-Control-Expose-Headers", "Retry-After, X-Request-Id");
}

void cors_answer_preflight(const char *methods, struct reply *reply)
{
	reply_empty(reply, 204);
	reply_header(reply, "Access-Control-Allow-Methods", methods);
	reply_header(reply, "Access-Control-Allow-Headers",
		     "Content-Type, Content-Encoding, X-Request-Id");
	reply_header(reply, "Access-Control-Max-Age", PREFLIGHT_SECONDS);
}
