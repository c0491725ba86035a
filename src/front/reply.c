/* reply.c -- replies as HTTP, written to the web server. */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/http_date.h"
#include "base/json_writer.h"
#include "base/limits.h"
#include "base/log.h"
#include "front/front_internal.h"
#include "front/writer.h"
#include "work/answer_head.h"

_Static_assert(REPLY_HEADER_BYTES + REPLY_HEADERS_MAX * 48u + 256u <= REPLY_HEAD_BYTES,
	       "all headers a reply can have fit into its head");

#define TEXT_PLAIN "text/plain; charset=utf-8"
#define LOG_MILLIS 1000

void reply_init(struct reply *reply)
{
	memset(reply, 0, sizeof(*reply));
	reply_body_init(&reply->body);
}

void reply_reset(struct reply *reply)
{
	reply_body_clear(&reply->body);
	reply->status = 500;
	reply->content_type = NULL;
	reply->header_count = 0;
	reply->header_bytes_used = 0;
	reply->etag = NULL;
	reply->modified_at = 0;
	reply->has_parts = false;
	reply->is_handed_over = false;
	reply->parked = false;
}

void reply_release(struct reply *reply)
{
	reply_body_release(&reply->body);
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

bool reply_has_room(const struct reply *reply, size_t value_bytes)
{
	return reply->header_count < REPLY_HEADERS_MAX &&
	       value_bytes < REPLY_HEADER_BYTES - reply->header_bytes_used;
}

/* A copy that stays as long as the reply; NULL: there is no room for it. */
static const char *keep(struct reply *reply, struct text text)
{
	char *copy = reply->header_bytes + reply->header_bytes_used;

	if (text.size >= REPLY_HEADER_BYTES - reply->header_bytes_used)
		return NULL;
	memcpy(copy, text.bytes, text.size);
	copy[text.size] = '\0';
	reply->header_bytes_used += text.size + 1;
	return copy;
}

void reply_header_texts(struct reply *reply, struct text name, struct text value)
{
	const char *name_copy = keep(reply, name), *value_copy = name_copy ? keep(reply, value) : NULL;

	if (value_copy)
		reply_header(reply, name_copy, value_copy);
}

void reply_take_head(struct reply *reply, const struct answer_head *head)
{
	bool has_body = head->content_type.size > 0;
	const char *type = has_body ? keep(reply, head->content_type) : NULL;

	reply->status = head->status;
	reply->content_type = has_body && !type ? "application/octet-stream" : type;
	for (size_t i = 0; i < head->header_count; i++)
		reply_header_texts(reply, head->headers[i].name, head->headers[i].value);
}

static const char *header_value(const struct reply *reply, const char *name)
{
	for (size_t i = 0; i < reply->header_count; i++)
		if (strcmp(reply->headers[i].name, name) == 0)
			return reply->headers[i].value;
	return NULL;
}

void reply_empty(struct reply *reply, int status)
{
	reply_body_clear(&reply->body);
	reply->status = status;
	reply->content_type = NULL;
}

/* Its body, to be written. */
static struct buf *begin(struct reply *reply, int status, const char *content_type)
{
	reply_body_clear(&reply->body);
	reply->status = status;
	reply->content_type = content_type;
	return &reply->body.written;
}

void reply_text(struct reply *reply, int status, const char *text)
{
	buf_add_string(begin(reply, status, TEXT_PLAIN), text);
}

struct buf *reply_json(struct reply *reply)
{
	return begin(reply, 200, "application/json");
}

void reply_detail(struct reply *reply, int status, const char *detail)
{
	struct json_writer json;

	json_writer_init(&json, begin(reply, status, "application/json"));
	json_object(&json);
	json_member_string(&json, "detail", detail);
	json_object_end(&json);
}

void reply_detail_cause(struct reply *reply, int status, const char *detail, const char *cause)
{
	struct json_writer json;

	json_writer_init(&json, begin(reply, status, "application/json"));
	json_object(&json);
	json_member_string(&json, "detail", detail);
	json_key(&json, "causes");
	json_array(&json);
	json_string(&json, cause);
	json_array_end(&json);
	json_object_end(&json);
}

void reply_bytes(struct reply *reply, const char *content_type, struct text bytes,
		 reply_release_fn *release, void *payload)
{
	reply_body_lend(&reply->body, bytes, release, payload);
	reply->status = 200;
	reply->content_type = content_type;
}

void reply_file(struct reply *reply, const char *content_type, int fd, uint64_t offset, uint64_t size)
{
	reply_body_take_file(&reply->body, fd, offset, size);
	reply->status = 200;
	reply->content_type = content_type;
}

void reply_redirect(struct reply *reply, int status, const char *location)
{
	reply_empty(reply, status);
	reply_header(reply, "Location", location);
}

void reply_validators(struct reply *reply, const char *etag, int64_t modified_at)
{
	char text[128];

	if (etag && (size_t)snprintf(text, sizeof(text), "\"%s\"", etag) < sizeof(text)) {
		reply_header(reply, "ETag", text);
		reply->etag = header_value(reply, "ETag");
	}
	if (modified_at > 0) {
		http_date_format(modified_at, text);
		reply_header(reply, "Last-Modified", text);
		reply->modified_at = modified_at;
	}
}

void reply_allow_parts(struct reply *reply)
{
	reply_header(reply, "Accept-Ranges", "bytes");
	reply->has_parts = true;
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

const char *reply_reason(int status)
{
	switch (status) {
	case 200: return "OK";
	case 201: return "Created";
	case 204: return "No Content";
	case 206: return "Partial Content";
	case 302: return "Found";
	case 303: return "See Other";
	case 304: return "Not Modified";
	case 307: return "Temporary Redirect";
	case 400: return "Bad Request";
	case 404: return "Not Found";
	case 401: return "Unauthorized";
	case 403: return "Forbidden";
	case 405: return "Method Not Allowed";
	case 409: return "Conflict";
	case 406: return "Not Acceptable";
	case 408: return "Request Timeout";
	case 413: return "Payload Too Large";
	case 415: return "Unsupported Media Type";
	case 416: return "Range Not Satisfiable";
	case 422: return "Unprocessable Entity";
	case 503: return "Service Unavailable";
	case 504: return "Gateway Timeout";
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
	head_add(&head, reply_reason(reply->status));
	head_add(&head, "\r\n");
	if (has_body)
		head_add_header(&head, "Content-Type", reply->content_type);
	for (size_t i = 0; i < reply->header_count; i++)
		head_add_header(&head, reply->headers[i].name, reply->headers[i].value);
	snprintf(line, sizeof(line), "Content-Length: %" PRIu64 "\r\n",
		 has_body ? reply_body_size(&reply->body) : 0);
	if (reply->status != 204 && reply->status != 304 && !reply->is_handed_over)
		head_add(&head, line);
	head_add(&head, "\r\n");
	return head.used;
}

void reply_send(struct writer *writer, struct request *request, struct reply *reply)
{
	bool has_body = reply->content_type != NULL;
	struct reply_stream stream;

	stream.fd = request->fcgi.ipcFd;
	stream.request_id = request->fcgi.requestId;
	stream.head_size = head_of(reply, has_body, stream.head, sizeof(stream.head));
	stream.sent = 0;
	if (!has_body || request->method == METHOD_HEAD)
		reply_body_clear(&reply->body);
	reply_stream_carry(&stream, &reply->body);
	writer_send(writer, &stream, &reply->body, FCGX_HasSeenEOF(request->fcgi.in) != 0);
	reply_body_clear(&reply->body);
	request->fcgi.ipcFd = -1;            /* closed, or the writer's */
}

void request_end(struct request *request)
{
	FCGX_Free(&request->fcgi, request->fcgi.ipcFd >= 0);
	request->fcgi.keepConnection = 0;
}
