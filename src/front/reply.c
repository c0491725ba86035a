/* reply.c -- replies as HTTP, written to the web server. */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/json_writer.h"
#include "base/limits.h"
#include "base/log.h"
#include "front/internal.h"
#include "front/writer.h"

_Static_assert(REPLY_HEADER_BYTES + REPLY_HEADERS_MAX * 48u + 256u < OUTGOING_HEAD_BYTES,
	       "all headers a reply can have fit into its head");

#define TEXT_PLAIN "text/plain; charset=utf-8"
#define LOG_MILLIS 1000

void reply_init(struct reply *reply)
{
	memset(reply, 0, sizeof(*reply));
	buf_init(&reply->body, LIMIT_REPLY_BYTES);
}

/* A thread keeps its reply's memory, but not that of one huge answer for ever. */
void reply_reset(struct reply *reply)
{
	if (reply->body.capacity > (size_t)1024 * 1024)
		buf_release(&reply->body);
	buf_clear(&reply->body);
	reply->body.ceiling_bytes = LIMIT_REPLY_BYTES;
	reply->status = 500;
	reply->content_type = NULL;
	reply->header_count = 0;
	reply->header_bytes_used = 0;
	reply->parked = false;
}

void reply_release(struct reply *reply)
{
	buf_release(&reply->body);
}

static bool has_control_bytes(const char *value)
{
	for (; *value; value++)
		if ((unsigned char)*value < ' ' || *value == 0x7f)
			return true;
	return false;
}

void reply_header(struct reply *reply, const char *name, const char *value)
{
	size_t size = strlen(value) + 1, at = 0;

	while (at < reply->header_count && strcmp(reply->headers[at].name, name) != 0)
		at++;
	if (at == REPLY_HEADERS_MAX || size > REPLY_HEADER_BYTES - reply->header_bytes_used ||
	    has_control_bytes(value))
		return;
	memcpy(reply->header_bytes + reply->header_bytes_used, value, size);
	reply->headers[at] = (struct reply_header){ name, reply->header_bytes + reply->header_bytes_used };
	reply->header_bytes_used += size;
	if (at == reply->header_count)
		reply->header_count++;
}

void reply_empty(struct reply *reply, int status)
{
	buf_clear(&reply->body);
	reply->status = status;
	reply->content_type = NULL;
}

void reply_text(struct reply *reply, int status, const char *text)
{
	buf_clear(&reply->body);
	buf_add_string(&reply->body, text);
	reply->status = status;
	reply->content_type = TEXT_PLAIN;
}

void reply_detail(struct reply *reply, int status, const char *detail)
{
	struct json_writer json;

	buf_clear(&reply->body);
	json_writer_init(&json, &reply->body);
	json_object(&json);
	json_member_string(&json, "detail", detail);
	json_object_end(&json);
	reply->status = status;
	reply->content_type = "application/json";
}

void reply_busy(struct reply *reply, unsigned retry_after_seconds, const char *detail)
{
	char seconds[16];

	reply_detail(reply, 503, detail);
	snprintf(seconds, sizeof(seconds), "%u", retry_after_seconds);
	reply_header(reply, "Retry-After", seconds);
}

void reply_not_ready(struct reply *reply)
{
	char seconds[16];

	snprintf(seconds, sizeof(seconds), "%u", RETRY_BROKEN_SECONDS);
	reply->status = 503;
	reply->content_type = "application/json";
	reply_header(reply, "Retry-After", seconds);
}

/* At most one line a second from each process: under load all requests fail alike. */
static void log_failure(const struct err *err)
{
	static _Atomic int64_t logged_millis;
	int64_t now = clock_monotonic_millis(), last = atomic_load(&logged_millis);

	if ((last == 0 || now - last >= LOG_MILLIS) &&
	    atomic_compare_exchange_strong(&logged_millis, &last, now))
		log_message(err->kind == ERR_BUSY ? LOG_WARN : LOG_ERROR, "request_failed", NULL, "%s",
			    err->text);
}

void reply_error(struct reply *reply, const struct err *err)
{
	switch (err->kind) {
	case ERR_BAD_REQUEST:
		reply_text(reply, 400, err->text);
		break;
	case ERR_BAD_SHAPE:
		reply_text(reply, 422, err->text);
		break;
	case ERR_TOO_LARGE:
	case ERR_LIMIT:                      /* of its memory: read, but too much to answer */
		reply_text(reply, 413, err->text);
		break;
	case ERR_TIMEOUT:                    /* of the request itself: nothing else takes time here */
		reply_text(reply, 408, err->text);
		break;
	case ERR_BUSY:
	case ERR_NO_MEMORY:
	case ERR_IO:                         /* as while the state cannot be opened at all */
		log_failure(err);
		reply_busy(reply, err->kind == ERR_BUSY ? RETRY_BUSY_SECONDS : RETRY_BROKEN_SECONDS,
			   err->text);
		break;
	default:
		log_failure(err);
		reply_detail(reply, 500, err->text);
		break;
	}
}

static const char *reason(int status)
{
	switch (status) {
	case 200: return "OK";
	case 204: return "No Content";
	case 400: return "Bad Request";
	case 404: return "Not Found";
	case 405: return "Method Not Allowed";
	case 408: return "Request Timeout";
	case 413: return "Payload Too Large";
	case 415: return "Unsupported Media Type";
	case 422: return "Unprocessable Entity";
	case 503: return "Service Unavailable";
	default:  return "Internal Server Error";
	}
}

/* An HTTP header, as far as it fits; reply_header() keeps its parts small enough. */
struct head { char *bytes; size_t size, used; };

static void head_add(struct head *head, const char *text)
{
	size_t size = strlen(text);

	if (size > head->size - head->used)
		return;
	memcpy(head->bytes + head->used, text, size);
	head->used += size;
}

static void head_add_header(struct head *head, const char *name, const char *value)
{
	head_add(head, name);
	head_add(head, ": ");
	head_add(head, value);
	head_add(head, "\r\n");
}

static size_t head_of(const struct reply *reply, bool has_body, char *bytes, size_t size)
{
	struct head head = { bytes, size, 0 };
	char line[64];

	snprintf(line, sizeof(line), "Status: %d ", reply->status);
	head_add(&head, line);
	head_add(&head, reason(reply->status));
	head_add(&head, "\r\n");
	if (has_body)
		head_add_header(&head, "Content-Type", reply->content_type);
	for (size_t i = 0; i < reply->header_count; i++)
		head_add_header(&head, reply->headers[i].name, reply->headers[i].value);
	snprintf(line, sizeof(line), "Content-Length: %zu\r\n", has_body ? reply->body.size : 0);
	if (reply->status != 204)
		head_add(&head, line);
	head_add(&head, "\r\n");
	return head.used;
}

void reply_sign(const struct config *config, const struct request *request, struct reply *reply)
{
	reply_header(reply, "X-Request-Id", request->x_request_id);
	cors_allow(config, request, reply);
}

void reply_send(struct writer *writer, struct request *request, struct reply *reply)
{
	bool has_body = reply->content_type != NULL;
	struct outgoing out = { .fd = request->fcgi.ipcFd, .request_id = request->fcgi.requestId };

	out.head_size = head_of(reply, has_body, out.head, sizeof(out.head));
	if (has_body && request->method != METHOD_HEAD)
		out.body = buf_text(&reply->body);
	writer_send(writer, &out, &reply->body, FCGX_HasSeenEOF(request->fcgi.in) != 0);
	request->fcgi.ipcFd = -1;            /* closed, or the writer's */
}

void request_end(struct request *request)
{
	FCGX_Free(&request->fcgi, request->fcgi.ipcFd >= 0);
	request->fcgi.keepConnection = 0;
}
