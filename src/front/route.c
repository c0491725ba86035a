/* route.c -- which function answers which request: the table is the API. */
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "config/config.h"
#include "front/form.h"
#include "front/front_internal.h"
#include "front/retell.h"
#include "front/ui.h"
#include "kinds/kinds.h"
#include "kinds/wpa_put.h"

#define BODY(member) offsetof(struct config, member)

/* Those that every file comes with, the rules for a minidump's first module, and the ids a core does not
 * tell of its modules. */
static const char *const crash_fields[] = { "sources", "scraping", "options", "platform", NULL };
static const char *const minidump_fields[] = {
	"sources", "scraping", "options", "platform", "rewrite_first_module", NULL
};
static const char *const coredump_fields[] = {
	"sources", "scraping", "options", "platform", "modules", NULL
};
static const struct form_shape minidump_form = {
	"upload_file_minidump", "missing minidump", minidump_fields, NULL
};
static const struct form_shape applecrash_form = {
	"apple_crash_report", "missing apple crash report", crash_fields, NULL
};
static const struct form_shape stacktext_form = { "stacktext", "missing stack", crash_fields, NULL };
static const struct form_shape coredump_form = { "coredump", "missing core dump", coredump_fields, NULL };

static const char *const symbfile_headers[] = {
	"HTTP_FILEID", "HTTP_FILEPART", "HTTP_FILEPARTS", "HTTP_BUILDID", NULL
};
static const char *const no_fields[] = { NULL };
static const struct form_shape plain_file = { NULL, NULL, no_fields, NULL };
static const struct form_shape symbfile_form = { NULL, NULL, symbfile_headers, NULL };

/* Every form of the web page; each reads what it has. */
static const char *const page_fields[] = { "token", "text", "platform", "release", "mapping", "source", "id",
					   "kind", "scope", "do", "query", NULL };
static const struct form_shape page_form = { "file", NULL, page_fields, "source" };

static const struct route routes[] = {
/*  method  path            answered by          kind                       takes         at most */
  { "POST", "/symbolicate", answer_kind,         &request_kind_symbolicate, TAKES_JSON,
    BODY(symbolicate_body_max_bytes), NULL },
  { "POST", "/symbolicate-jvm", answer_kind,     &request_kind_jvm,         TAKES_JSON,
    BODY(symbolicate_body_max_bytes), NULL },
  { "POST", "/minidump",    answer_kind,         &request_kind_minidump,    TAKES_FORM,
    BODY(crash_file_body_max_bytes), &minidump_form },
  { "POST", "/applecrashreport", answer_kind,    &request_kind_applecrash,  TAKES_FORM,
    BODY(crash_file_body_max_bytes), &applecrash_form },
  { "POST", "/coredump",    answer_kind,         &request_kind_coredump,    TAKES_FORM,
    BODY(crash_file_body_max_bytes), &coredump_form },
  { "POST", "/stacktext",   answer_kind,         &request_kind_stacktext,   TAKES_FORM,
    BODY(crash_file_body_max_bytes), &stacktext_form },
  { "POST", "/symbolicate-any", answer_kind,     &request_kind_any,         TAKES_JSON,
    BODY(symbolicate_body_max_bytes), NULL },
  { "POST", "/symbolicate-js", answer_kind,      &request_kind_js,          TAKES_JSON,
    BODY(symbolicate_body_max_bytes), NULL },
  { "GET",  "/v#*",         answer_kind,         &request_kind_wpa,   TAKES_NOTHING, 0, NULL },
  { "PUT",  "/v#*",         answer_symcache_put, &request_kind_wpa_put, TAKES_FILE,
    BODY(wpa_put_max_bytes), &plain_file },
  { "GET",  "/proxy/*",     answer_kind,         &request_kind_proxy, TAKES_NOTHING, 0, NULL },
  { "GET",  "/buildid/*",   answer_kind,         &request_kind_buildid,     TAKES_NOTHING, 0, NULL },
  { "POST", "/symbolicate/v5", answer_kind,      &request_kind_mozilla_v5, TAKES_ANY,
    BODY(symbolicate_body_max_bytes), NULL },
  { "POST", "/symbolicate/v4", answer_kind,      &request_kind_mozilla_v4, TAKES_ANY,
    BODY(symbolicate_body_max_bytes), NULL },
  { "POST", "/source/v1",   answer_kind,         &request_kind_mozilla_source, TAKES_ANY,
    BODY(symbolicate_body_max_bytes), NULL },
  { "POST", "/asm/v1",      answer_kind,         &request_kind_mozilla_asm, TAKES_ANY,
    BODY(symbolicate_body_max_bytes), NULL },
  { "POST", "/",            answer_kind,         &request_kind_mozilla_v4, TAKES_ANY,
    BODY(symbolicate_body_max_bytes), NULL },
  { "POST", "/api/symbols-ranges", answer_kind,  &request_kind_symbols_ranges, TAKES_FILE,
    BODY(symbfile_body_max_bytes), &symbfile_form },
  { "POST", "/api/symbols-returnpads", answer_kind, &request_kind_symbols_returnpads, TAKES_FILE,
    BODY(symbfile_body_max_bytes), &symbfile_form },
  { "PUT",  "/api/symbols-ranges", answer_kind,  &request_kind_symbols_ranges, TAKES_FILE,
    BODY(symbfile_body_max_bytes), &symbfile_form },
  { "PUT",  "/api/symbols-returnpads", answer_kind, &request_kind_symbols_returnpads, TAKES_FILE,
    BODY(symbfile_body_max_bytes), &symbfile_form },
  { "GET",  "/api/symbols-ranges/*", answer_kind, &request_kind_ranges_known, TAKES_NOTHING, 0, NULL },
  { "GET",  "/api/symbols-returnpads/*", answer_kind, &request_kind_returnpads_known, TAKES_NOTHING, 0, NULL },
  { "GET",  "/",            answer_ui_first,     NULL, TAKES_NOTHING, 0, NULL },
  { "POST", "/ui/submit",   answer_ui_submit,    NULL, TAKES_PAGE_FORM,
    BODY(crash_file_body_max_bytes), &page_form },
  { "GET",  "/ui/r/*",      answer_ui_report,    NULL, TAKES_NOTHING, 0, NULL },
  { "POST", "/ui/r/*",      answer_ui_delete,    NULL, TAKES_PAGE_FORM,
    BODY(symbolicate_body_max_bytes), &page_form },
  { "GET",  "/ui/op/",      answer_ui_operators, NULL, TAKES_NOTHING, 0, NULL },
  { "GET",  "/ui/op/*",     answer_ui_operators, NULL, TAKES_NOTHING, 0, NULL },
  { "POST", "/ui/op/*",     answer_ui_operators, NULL, TAKES_PAGE_FORM,
    BODY(crash_file_body_max_bytes), &page_form },
  { "GET",  "/ui/static/*", answer_ui_static,    NULL, TAKES_NOTHING, 0, NULL },
  { "GET",  "/requests/*",  answer_request_poll, NULL, TAKES_NOTHING, 0, NULL },
  { "GET",  "/healthcheck", answer_healthcheck,  NULL, TAKES_NOTHING, 0, NULL },
  { "GET",  "/readyz",      answer_readyz,       NULL, TAKES_NOTHING, 0, NULL },
  { "GET",  "/metrics",     answer_metrics,      NULL, TAKES_NOTHING, 0, NULL },
  { "GET",  "/__version__", answer_mozilla_version,         NULL, TAKES_NOTHING, 0, NULL },
  { "GET",  "/__heartbeat__", answer_mozilla_heartbeat,     NULL, TAKES_NOTHING, 0, NULL },
  { "GET",  "/__lbheartbeat__", answer_mozilla_heartbeat,   NULL, TAKES_NOTHING, 0, NULL },
/*  The last, since any name may be in it: whatever comes before keeps its paths. */
  { "GET",  "/*/#/*",       answer_kind,         &request_kind_mozilla_download, TAKES_NOTHING, 0, NULL },
};
#define ROUTES (sizeof(routes) / sizeof(routes[0]))

/* Three parts, the second of them an id. */
static bool has_id(struct text path)
{
	const char *first = memchr(path.bytes + 1, '/', path.size - 1);
	size_t at = first ? (size_t)(first - path.bytes) + 1 : path.size, start = at;

	while (at < path.size && ascii_hex_value(path.bytes[at]) >= 0)
		at++;
	return start > 2 && at > start && at + 1 < path.size && path.bytes[at] == '/' &&
	       !memchr(path.bytes + at + 1, '/', path.size - at - 1);
}

/* "3.1.0/": any other name that begins so is a file's ("/v8.pdb/..."). */
static bool begins_with_version(struct text text)
{
	for (unsigned part = 0; part < 3; part++) {
		size_t digits = 0;

		while (digits < text.size && ascii_is_digit(text.bytes[digits]))
			digits++;
		if (digits == 0 || digits == text.size || text.bytes[digits] != (part < 2 ? '.' : '/'))
			return false;
		text = text_from(text, digits + 1);
	}
	return true;
}

/* "#*" is a version of three numbers and the rest; what is before it may be of any case. */
static bool version_matches(const struct route *route, struct text path, struct text *rest)
{
	size_t size = strlen(route->path) - 2;

	if (path.size <= size || !begins_with_version(text_from(path, size)) ||
	    !text_equal_ignoring_case((struct text){ path.bytes, size }, (struct text){ route->path, size }))
		return false;
	*rest = text_from(path, size);
	return true;
}

static bool path_matches(const struct route *route, struct text path, struct text *rest)
{
	size_t size = strlen(route->path);

	if (strcmp(route->path, "/*/#/*") == 0) {
		*rest = path.size > 1 ? text_from(path, 1) : TEXT_NONE;
		return path.size > 1 && path.bytes[0] == '/' && has_id(path);
	}
	if (text_ends_with(text_of(route->path), "#*"))
		return version_matches(route, path, rest);
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
	request->endpoint = ROUTE_NONE;
	request->route = NULL;
	request->kind = NULL;
	for (size_t i = 0; i < ROUTES; i++) {
		struct text rest = TEXT_NONE;

		if (!path_matches(&routes[i], request->path, &rest))
			continue;
		if (request->endpoint == ROUTE_NONE) {
			request->endpoint = (unsigned)i + 1;
			request->rest = rest;
		} else if (strcmp(routes[request->endpoint - 1].path, routes[i].path) != 0) {
			break;               /* the first path that fits is the one */
		}
		if (!request->kind)
			request->kind = routes[i].kind;
		if (method_matches(&routes[i], request))
			request->route = &routes[i];
	}
}

#define METHODS_BYTES 64u

/* Of the first path that fits, as the table has them: "GET,HEAD,PUT"; empty: there is none. */
static void list_methods(struct request *request, char methods[METHODS_BYTES])
{
	const char *path = NULL;
	size_t size = 0;

	methods[0] = '\0';
	for (size_t i = 0; i < ROUTES; i++) {
		const struct route *route = &routes[i];

		if (route->answer == answer_ui_first)
			continue;            /* of "/" clients of its API are told what they may send */
		if (path ? strcmp(path, route->path) != 0
			 : !path_matches(route, request->path, &request->rest))
			continue;
		size += (size_t)snprintf(methods + size, METHODS_BYTES - size, "%s%s", path ? "," : "",
					 strcmp(route->method, "GET") == 0 ? "GET,HEAD" : route->method);
		path = route->path;
	}
}

/* No such path, or the path has another method. */
static void answer_no_route(const struct config *config, struct request *request,
			    struct reply *reply)
{
	char methods[METHODS_BYTES] = "";

	/* The oldest clients post to "/"; where it is no page, it is for a reader like any path that is not
	 * known. */
	if (!ui_is_path(request) || ui_is_served(config, request))
		list_methods(request, methods);
	if (!methods[0]) {
		reply_empty(reply, 404);
	} else if (cors_is_for_all(request) && !ui_is_path(request)) {
		cors_answer_options(request, methods, reply);
	} else if (request->method == METHOD_OPTIONS && !ui_is_path(request) && config->cors_origin_count > 0 &&
		   request->origin.size > 0 && request->preflight_method.size > 0) {
		cors_answer_preflight(methods, reply);
	} else {
		reply_empty(reply, 405);
		reply_header(reply, "Allow", methods);
	}
}

/* --- What is counted --------------------------------------------------------------------- */

/* The last one is what all others are. */
static const struct { int status; const char *name; } statuses[] = {
	{ 200, "200" }, { 303, "303" }, { 304, "304" }, { 400, "400" }, { 403, "403" }, { 404, "404" }, { 405, "405" }, { 406, "406" }, { 413, "413" },
	{ 415, "415" }, { 422, "422" }, { 500, "500" }, { 503, "503" }, { 0, "other" },
};
#define STATUSES (sizeof(statuses) / sizeof(statuses[0]))

void route_count(struct board *board, const struct request *request, int status)
{
	unsigned at = 0;

	while (at < STATUSES - 1 && statuses[at].status != status)
		at++;
	board_count(board, &route_requests, request->endpoint * (unsigned)STATUSES + at, 1);
}

bool route_counts_failed(unsigned index)
{
	int status = statuses[index % STATUSES].status;

	return status == 500 || status == 503;
}

/* A path without its first slash and its "*"; what has a path that came before is counted there. */
static bool describe_request(unsigned index, struct text values[COUNTER_LABELS])
{
	unsigned endpoint = index / (unsigned)STATUSES;
	struct text name = TEXT("/other");

	if (endpoint != ROUTE_NONE)
		name = text_of(routes[endpoint - 1].path);
	for (unsigned i = 1; i < endpoint; i++)
		if (text_is(name, routes[i - 1].path))
			return false;
	if (text_ends_with(name, "/*") || text_ends_with(name, "#*"))
		name.size -= 2;
	values[0] = text_from(name, 1);
	values[1] = text_of(statuses[index % STATUSES].name);
	return true;
}

struct counter_set route_requests = {
	.name = "symgate_requests_total", .help = "Requests answered, by endpoint and HTTP status.",
	.labels = { "endpoint", "status" }, .count = (ROUTES + 1) * STATUSES,
	.describe = describe_request,
};

/* --- Bodies ------------------------------------------------------------------------------ */

/* False: the reply says what would be. */
static bool is_acceptable(const struct request *request, struct reply *reply)
{
	if (request->route->takes == TAKES_JSON && !request_is_json(request)) {
		reply_text(reply, 415, "Expected request with `Content-Type: application/json`");
		return false;
	}
	if (request_is_encoded(request) && !request_can_decode(request)) {
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

	if (request_decode_body(request, most_here, &err) == 0)
		return true;
	if (err.kind == ERR_TOO_LARGE && most_here < most)
		worker_hand_over(worker, request, reply);
	else
		reply_error(reply, &err);
	return false;
}

static uint64_t ceiling_of(const struct route *route, const struct config *config)
{
	uint64_t most;

	memcpy(&most, (const char *)config + route->body_ceiling, sizeof(most));
	return most;
}

static void refuse_form(const struct request *request, struct reply *reply, const struct err *err)
{
	const struct route *route = request->route;

	if (route->takes == TAKES_PAGE_FORM)
		ui_error(request, reply, err);
	else if (route->takes == TAKES_FILE)
		reply_error(reply, err);
	else if (err->kind == ERR_BAD_REQUEST)
		reply_detail_cause(reply, 400, "Error parsing `multipart/form-data` request", err->text);
	else if (err->kind == ERR_NOT_FOUND)
		reply_detail(reply, 400, err->text);
	else if (err->kind == ERR_TOO_LARGE)
		reply_detail(reply, 413, err->text);
	else
		reply_error(reply, err);
}

/* Not to be read twice: whoever takes it over because it is large has all of it. */
static bool take_form(struct worker *worker, struct request *request, struct reply *reply)
{
	const struct route *route = request->route;
	struct err err = ERR_INIT;

	if (request->is_body_read)
		return true;
	if (request_read_query(request, &err) < 0) {
		reply_error(reply, &err);
		return false;
	}
	if (request_read_form(request, &worker->jobs, route->form,
			       ceiling_of(route, worker->front->config), &err) == 0)
		return true;
	refuse_form(request, reply, &err);
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
	if (request->route->takes == TAKES_PAGE_FORM && !ui_admits(config, request, reply))
		return false;
	if (request->route->form)
		return take_form(worker, request, reply);
	most = ceiling_of(request->route, config);
	if (!request->is_body_read && (request_read_query(request, &err) < 0 ||
				       request_read_body(request, config, (size_t)most, &err) < 0)) {
		reply_error(reply, &err);
		return false;
	}
	return !request_is_encoded(request) || decode(worker, request, reply, (size_t)most);
}

void route_answer(struct worker *worker, struct request *request, struct reply *reply)
{
	if (!request->route || (ui_is_path(request) && !ui_is_served(worker->front->config, request)))
		answer_no_route(worker->front->config, request, reply);
	else if (retell_admits(worker, request, reply) &&
		 (!route_takes_body(request) || take_body(worker, request, reply)))
		request->route->answer(worker, request, reply);
}
