/*
 * cors.c -- browsers let a web page of another origin ask us, and see the reply, where we say so
 * (the Fetch standard, 3.2).  We have no cookies and take no credentials.
 */
#include <stdio.h>
#include <string.h>

#include "config/config.h"
#include "front/front_internal.h"
#include "front/ui.h"
#include "work/work.h"

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

/* --- Kinds any page may ask ---------------------------------------------------------------- */

#define PREFLIGHT_SECONDS_FOR_ALL "86400"
#define HEADERS_BYTES 1024u

bool cors_is_for_all(const struct request *request)
{
	return request->kind && request->kind->is_for_all_origins;
}

static void allow_all(const struct request *request, struct reply *reply)
{
	if (request->origin.size == 0)
		return;
	reply_header(reply, "Access-Control-Allow-Origin", "*");
	reply_header(reply, "Access-Control-Expose-Headers", "accept, accept-encoding, authorization, "
		     "content-type, dnt, origin, user-agent, x-csrftoken, x-requested-with");
}

/* The headers it asks for are those it may send. */
static void answer_open_preflight(const struct request *request, const char *methods,
				  struct reply *reply)
{
	struct text asked = request_variable(request, "HTTP_ACCESS_CONTROL_REQUEST_HEADERS");
	char headers[HEADERS_BYTES] = "*";

	if (asked.size > 0 && asked.size < sizeof(headers)) {
		memcpy(headers, asked.bytes, asked.size);
		headers[asked.size] = '\0';
	}
	reply_header(reply, "Access-Control-Allow-Methods", methods);
	reply_header(reply, "Access-Control-Allow-Headers", headers);
	reply_header(reply, "Access-Control-Max-Age", PREFLIGHT_SECONDS_FOR_ALL);
}

void cors_answer_options(const struct request *request, const char *methods, struct reply *reply)
{
	char allowed[64];

	if (request->method != METHOD_OPTIONS) {
		reply_empty(reply, 405);
		snprintf(allowed, sizeof(allowed), "%s, OPTIONS", methods);
		reply_header(reply, "Allow", allowed);
		return;
	}
	reply_empty(reply, 200);
	if (request->origin.size > 0 && request->preflight_method.size > 0)
		answer_open_preflight(request, methods, reply);
	else
		reply_header(reply, "Allow", methods);
}

/* --- All others ------------------------------------------------------------------------------ */

/* Lets the page that asks see the reply, where the configuration does. */
static void allow(const struct config *config, const struct request *request, struct reply *reply)
{
	char origin[ORIGIN_BYTES];
	bool is_any;

	if (cors_is_for_all(request)) {
		allow_all(request, reply);
		return;
	}
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

void reply_sign(const struct config *config, const struct request *request, struct reply *reply)
{
	reply_header(reply, "X-Request-Id", request->x_request_id);
	if (!ui_is_path(request))            /* what people read is for no other origin's scripts */
		allow(config, request, reply);
}
