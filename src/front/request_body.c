/* request_body.c -- the body of one request: bytes in memory, or a form whose file is spooled. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/limits.h"
#include "config/config.h"
#include "front/front_internal.h"
#include "unpack/unpack.h"

#define READ_BYTES ((size_t)64 * 1024)
#define WAIT_SLACK_MILLIS 100
#define PACE_BYTES_PER_MILLI 16u /* slower bodies than that live on limits.body_wait */

/* --- Types and encodings ------------------------------------------------------------------- */

bool request_is_encoded(const struct request *request)
{
	return request->content_encoding.size > 0 &&
	       !text_equal_ignoring_case(request->content_encoding, TEXT("identity"));
}

static enum unpack_kind encoding_of(const struct request *request)
{
	struct text name = request->content_encoding;

	if (text_equal_ignoring_case(name, TEXT("gzip")) || text_equal_ignoring_case(name, TEXT("x-gzip")))
		return UNPACK_GZIP;
	return text_equal_ignoring_case(name, TEXT("zstd")) ? UNPACK_ZSTD : UNPACK_NONE;
}

bool request_can_decode(const struct request *request)
{
	return encoding_of(request) != UNPACK_NONE;
}

int request_decode_body(struct request *request, size_t max, struct err *err)
{
	enum unpack_kind kind = encoding_of(request);
	struct buf plain;

	buf_init(&plain, max);
	if (unpack_buf(kind, buf_text(&request->body), &plain, err) < 0) {
		buf_release(&plain);
		if (err->kind == ERR_LIMIT)
			return err_set(err, ERR_TOO_LARGE, "length limit exceeded");
		if (err->kind == ERR_MALFORMED)
			err->kind = ERR_BAD_REQUEST;
		return err_while(err, "undoing the body's Content-Encoding");
	}
	buf_release(&request->body);
	request->body = plain;
	request->content_encoding = TEXT_NONE;
	return 0;
}

/* application/json or application/<x>+json, parameters allowed. */
bool request_is_json(const struct request *request)
{
	struct text type = request->content_type;
	struct text prefix = { type.bytes, sizeof("application/") - 1 };
	struct text suffix;
	const char *end;

	if (!type.bytes)
		return false;
	end = memchr(type.bytes, ';', type.size);
	if (end)
		type.size = (size_t)(end - type.bytes);
	while (type.size > 0 && type.bytes[type.size - 1] == ' ')
		type.size--;
	if (type.size < prefix.size || !text_equal_ignoring_case(prefix, TEXT("application/")))
		return false;
	type.bytes += prefix.size;
	type.size -= prefix.size;
	if (text_equal_ignoring_case(type, TEXT("json")))
		return true;
	if (type.size < 6)
		return false;
	suffix = (struct text){ type.bytes + type.size - 5, 5 };
	return text_equal_ignoring_case(suffix, TEXT("+json"));
}

/* --- The body --------------------------------------------------------------------------------- */

/* A web server that passes bodies on as they come lets a slow client hold this thread: it may,
 * as long as it keeps pace. */
static int wait_at_most(struct request *request, const struct config *config,
			struct err *err)
{
	int64_t waited = (clock_monotonic_micros() - request->body_started_micros) / 1000;
	int64_t left = config->body_wait_seconds * 1000 +
		       (int64_t)(request->received_bytes / PACE_BYTES_PER_MILLI) - waited;
	struct timeval limit = { .tv_sec = left / 1000, .tv_usec = left % 1000 * 1000 };

	if (left <= 0)
		return err_set(err, ERR_TIMEOUT, "the body came too slowly: %llu bytes in %lld s",
			       (unsigned long long)request->received_bytes, (long long)(waited / 1000));
	/* What stands already will do where it is hardly longer. */
	if (request->wait_millis >= left && request->wait_millis - left < WAIT_SLACK_MILLIS)
		return 0;
	if (setsockopt(request->fcgi.ipcFd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) < 0)
		return err_os(err, errno, "limiting the wait for a body");
	request->wait_millis = left;
	return 0;
}

/* What the library has read already, or the next that comes, at most READ_BYTES of it: how many bytes,
 * 0 at the end, -1.  `is_whole`: only the end is missing, for which no web server waits. */
static ssize_t read_some(struct request *request, const struct config *config, bool is_whole,
			 char *bytes, struct err *err)
{
	FCGX_Stream *in = request->fcgi.in;
	ssize_t size = 0;
	int first, ready;

	if (in->rdNext == in->stop) {
		if (!is_whole && wait_at_most(request, config, err) < 0)
			return -1;
		first = FCGX_GetChar(in);
		if (first < 0 && (FCGX_GetError(in) == EAGAIN || FCGX_GetError(in) == EWOULDBLOCK))
			return wait_at_most(request, config, err) < 0 ? -1 :
			       err_set(err, ERR_TIMEOUT, "the body came too slowly");
		if (first < 0)
			return 0;
		*bytes++ = (char)first;
		size = 1;
	}
	ready = (int)(in->stop - in->rdNext);
	if (ready > (int)READ_BYTES - 1)
		ready = (int)READ_BYTES - 1;
	size += FCGX_GetStr(bytes, ready, in);
	request->received_bytes += (uint64_t)size;
	return size;
}

/* What its sender says it has. */
static int begin_body(struct request *request, uint64_t max, struct err *err)
{
	request->promised_bytes = UINT64_MAX;
	if (request->content_length.size == 0 ||
	    !text_to_u64(request->content_length, 10, &request->promised_bytes))
		request->promised_bytes = UINT64_MAX;
	else if (request->promised_bytes > max)
		return err_set(err, ERR_TOO_LARGE, "length limit exceeded");
	request->body_started_micros = clock_monotonic_micros();
	request->received_bytes = 0;
	return 0;
}

static int end_body(struct request *request, struct err *err)
{
	request->is_body_read = true;
	if (request->promised_bytes != UINT64_MAX && request->received_bytes < request->promised_bytes)
		return err_set(err, ERR_BAD_REQUEST, "the body ended after %llu of %llu bytes",
			       (unsigned long long)request->received_bytes,
			       (unsigned long long)request->promised_bytes);
	return 0;
}

int request_read_body(struct request *request, const struct config *config, size_t max,
		       struct err *err)
{
	ssize_t size = 1;

	if (begin_body(request, max, err) < 0)
		return -1;
	request->body.ceiling_bytes = max + READ_BYTES;
	while (size > 0) {
		char *capacity = buf_reserve(&request->body, READ_BYTES);

		if (!capacity)
			return buf_check(&request->body, err);
		size = read_some(request, config, request->received_bytes >= request->promised_bytes,
				 capacity, err);
		if (size < 0)
			return -1;
		request->body.size += (size_t)size;
		if (request->body.size > max)
			return err_set(err, ERR_TOO_LARGE, "length limit exceeded");
	}
	return end_body(request, err);
}

/* --- Forms ---------------------------------------------------------------------------------- */

struct incoming_form {
	struct request *request;
	const struct config *config;
	uint64_t max;
};

static ssize_t read_of_form(void *payload, void *bytes, size_t capacity, struct err *err)
{
	const struct incoming_form *form = payload;
	struct request *request = form->request;
	ssize_t size;

	if (capacity < READ_BYTES)
		return err_set(err, ERR_INTERNAL, "a body is read %zu bytes at a time", READ_BYTES);
	size = read_some(request, form->config, request->received_bytes >= request->promised_bytes, bytes,
			 err);
	if (size > 0 && request->received_bytes > form->max)
		return err_set(err, ERR_TOO_LARGE, "length limit exceeded");
	return size == 0 && end_body(request, err) < 0 ? -1 : size;
}

static struct text variable_of_form(void *payload, const char *name)
{
	return request_variable(((const struct incoming_form *)payload)->request, name);
}

int request_read_form(struct request *request, const struct jobs *jobs, const struct form_shape *shape,
		       uint64_t max, struct err *err)
{
	struct incoming_form form = { request, jobs->config, max };
	const struct form_source source = {
		.read = read_of_form, .payload = &form, .content_type = request->content_type,
		.encoding = request_is_encoded(request) ? (int)encoding_of(request) : UNPACK_NONE,
		.max_bytes = max, .variable = variable_of_form,
	};

	if (begin_body(request, max, err) < 0)
		return -1;
	request->body.ceiling_bytes = LIMIT_REPLY_BYTES;
	return form_read(shape, &source, jobs, &request->upload, &request->body, err);
}
