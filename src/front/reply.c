/* reply.c -- replies as HTTP, written to the web server. */
#include <stdatomic.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/json_writer.h"
#include "base/limits.h"
#include "base/log.h"
#include "front/internal.h"

#define TEXT_PLAIN "text/plain; charset=utf-8"
#define LOG_MILLIS 1000
#define HEAD_BYTES 256

void reply_init(struct reply *reply)
{
	memset(reply, 0, sizeof(*reply));
	buf_init(&reply->body, LIMIT_REPLY_BYTES);
}

/* A thread keeps its reply's memory, but not that of one huge answer for ever. */
void reply_reset(struct reply *reply)
{
	if (reply->body.room > (size_t)1024 * 1024)
		buf_release(&reply->body);
	buf_clear(&reply->body);
	reply->body.ceiling_bytes = LIMIT_REPLY_BYTES;
	reply->status = 500;
	reply->content_type = NULL;
	reply->allow = NULL;
	reply->parked = false;
}

void reply_release(struct reply *reply)
{
	buf_release(&reply->body);
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
		reply_text(reply, 413, err->text);
		break;
	case ERR_BUSY:
	case ERR_IO:                         /* as while the state cannot be opened at all */
		log_failure(err);
		reply_detail(reply, 503, err->text);
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
	case 400: return "Bad Request";
	case 404: return "Not Found";
	case 405: return "Method Not Allowed";
	case 413: return "Payload Too Large";
	case 415: return "Unsupported Media Type";
	case 422: return "Unprocessable Entity";
	case 503: return "Service Unavailable";
	default:  return "Internal Server Error";
	}
}

void reply_send(struct request *request, const struct reply *reply)
{
	FCGX_Stream *out = request->fcgi.out;
	bool has_body = reply->content_type != NULL;

	FCGX_FPrintF(out, "Status: %d %s\r\n", reply->status, reason(reply->status));
	if (has_body)
		FCGX_FPrintF(out, "Content-Type: %s\r\n", reply->content_type);
	if (reply->allow)
		FCGX_FPrintF(out, "Allow: %s\r\n", reply->allow);
	FCGX_FPrintF(out, "Content-Length: %lu\r\n\r\n",
		     has_body ? (unsigned long)reply->body.size : 0ul);
	if (has_body && request->method != METHOD_HEAD && reply->body.size > 0)
		FCGX_PutStr(reply->body.bytes, (int)reply->body.size, out);
}
