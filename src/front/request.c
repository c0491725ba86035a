/* request.c -- CGI variables, query and body of one request. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/limits.h"
#include "config/config.h"
#include "front/internal.h"
#include "unpack/unpack.h"

#define READ_BYTES ((size_t)64 * 1024)
#define QUERY_BYTES_MAX ((size_t)64 * 1024)
#define PACE_BYTES_PER_MILLI 16u /* slower bodies than that live on limits.body_wait */

/* What we want to know of the web server's variables. */
#define VARIABLE(name, field) { name, sizeof(name) - 1, offsetof(struct request, field) }
static const struct {
	const char *name;
	size_t size, offset;         /* of the name, of a text in struct request */
} variables[] = {
	VARIABLE("REQUEST_METHOD", method_name),
	VARIABLE("REQUEST_URI", uri),
	VARIABLE("SCRIPT_NAME", script),
	VARIABLE("PATH_INFO", path),
	VARIABLE("QUERY_STRING", query),
	VARIABLE("CONTENT_TYPE", content_type),
	VARIABLE("CONTENT_LENGTH", content_length),
	VARIABLE("HTTP_CONTENT_ENCODING", content_encoding),
	VARIABLE("HTTP_ORIGIN", origin),
	VARIABLE("HTTP_ACCESS_CONTROL_REQUEST_METHOD", preflight_method),
	VARIABLE("HTTP_X_REQUEST_ID", given_id),
};
#define VARIABLES (sizeof(variables) / sizeof(variables[0]))

static struct text *field(struct request *request, size_t index)
{
	return (struct text *)(void *)((char *)request + variables[index].offset);
}

/* One pass over all of them; of two with one name the first counts. */
static void read_variables(struct request *request)
{
	for (size_t i = 0; i < VARIABLES; i++)
		*field(request, i) = TEXT_NONE;
	for (char **at = request->fcgi.envp; *at; at++) {
		const char *equals = strchr(*at, '=');
		size_t size = equals ? (size_t)(equals - *at) : 0;

		for (size_t i = 0; i < VARIABLES; i++)
			if (variables[i].size == size && memcmp(variables[i].name, *at, size) == 0 &&
			    !field(request, i)->bytes)
				*field(request, i) = text_of(equals + 1);
	}
}

struct text request_variable(const struct request *request, const char *name)
{
	size_t size = strlen(name);

	for (char **at = request->fcgi.envp; at && *at; at++)
		if (strncmp(*at, name, size) == 0 && (*at)[size] == '=')
			return text_of(*at + size + 1);
	return TEXT_NONE;
}

static enum method method_of(struct text name)
{
	if (text_is(name, "GET"))
		return METHOD_GET;
	if (text_is(name, "HEAD"))
		return METHOD_HEAD;
	if (text_is(name, "OPTIONS"))
		return METHOD_OPTIONS;
	return text_is(name, "POST") ? METHOD_POST : METHOD_OTHER;
}

/* Behind a script (mod_fcgid's symgate.fcgi) the path is what follows it; otherwise the URI's. */
static struct text path_of(const struct request *request)
{
	struct text path = request->uri;
	const char *end;

	if (text_ends_with(request->script, ".fcgi") || !path.bytes)
		return request->path;
	end = memchr(path.bytes, '?', path.size);
	if (end)
		path.size = (size_t)(end - path.bytes);
	return path;
}

static uint64_t id_of_process;

static void choose_id_of_process(void)
{
	random_bytes(&id_of_process, sizeof(id_of_process));
}

static bool may_be_in_an_id(char c)
{
	return ascii_is_digit(c) || (ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z') ||
	       (c && strchr("-_.:/+=@", c));
}

/* Whoever asks may say what it calls this request; what is too long for that, or of other letters
 * than ids are made of, counts as nothing. */
static bool take_given_id(struct request *request)
{
	struct text given = request->given_id;

	if (given.size == 0 || given.size >= sizeof(request->x_request_id))
		return false;
	for (size_t i = 0; i < given.size; i++)
		if (!may_be_in_an_id(given.bytes[i]))
			return false;
	memcpy(request->x_request_id, given.bytes, given.size);
	request->x_request_id[given.size] = '\0';
	return true;
}

/* Told from each other, not secret: a number of this process's own and a counter. */
static void make_id(struct request *request)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	static atomic_uint counter;

	pthread_once(&once, choose_id_of_process);
	snprintf(request->x_request_id, sizeof(request->x_request_id), "%016llx%08x",
		 (unsigned long long)id_of_process, atomic_fetch_add(&counter, 1));
}

/*
 * The library would accept connections itself; but it blocks on any of them, looks each one over
 * with a system call more, and cannot be told who takes which.  It goes on with a connection it is
 * given as with one that was kept; its own accept() then meets no socket.
 */
bool incoming_accept(struct request *request, int fd, const struct config *config)
{
	struct timeval limit = { .tv_sec = config->body_wait_seconds };

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	request->fcgi.ipcFd = fd;
	request->fcgi.keepConnection = 1;
	return FCGX_Accept_r(&request->fcgi) == 0;
}

int incoming_read(struct request *request, struct err *err)
{
	request->started_micros = clock_monotonic_micros();
	read_variables(request);
	request->method = method_of(request->method_name);
	request->path = path_of(request);
	request->rest = TEXT_NONE;
	request->route = NULL;
	request->is_body_read = false;
	request->has_timeout = false;
	request->scope = TEXT_NONE;
	request->job_id[0] = '\0';
	buf_clear(&request->words);
	buf_clear(&request->body);
	if (!take_given_id(request))
		make_id(request);
	log_set_request_id(request->x_request_id);
	if (!request->method_name.bytes || !request->path.bytes)
		return err_set(err, ERR_BAD_REQUEST, "the web server sent no method or no path");
	return 0;
}

static int decode(struct text coded, struct buf *out)
{
	for (size_t i = 0; i < coded.size; i++) {
		int high, low;

		if (coded.bytes[i] != '%') {
			buf_add_char(out, coded.bytes[i] == '+' ? ' ' : coded.bytes[i]);
			continue;
		}
		if (coded.size - i < 3)
			return -1;
		high = ascii_hex_value(coded.bytes[i + 1]);
		low = ascii_hex_value(coded.bytes[i + 2]);
		if (high < 0 || low < 0)
			return -1;
		buf_add_char(out, (char)(high << 4 | low));
		i += 2;
	}
	return 0;
}

static int read_parameter(struct request *request, struct text name, struct text value,
			  struct err *err)
{
	size_t start = request->words.size;
	struct text decoded;

	if (!text_is(name, "timeout") && !text_is(name, "scope"))
		return 0;
	if (decode(value, &request->words) < 0 || buf_check(&request->words, err) < 0)
		return err_set(err, ERR_BAD_REQUEST,
			       "Failed to deserialize query string: bad escape in `%.*s`",
			       (int)name.size, name.bytes);
	decoded = (struct text){ buf_string(&request->words) + start, request->words.size - start };
	if (text_is(name, "timeout")) {
		request->has_timeout = text_to_u64(decoded, 10, &request->timeout_seconds);
		if (!request->has_timeout)
			return err_set(err, ERR_BAD_REQUEST, "Failed to deserialize query string: "
				       "timeout: not an unsigned number of seconds");
		request->words.size = start;
		return 0;
	}
	if (decoded.size >= JOB_SCOPE_BYTES || !text_is_utf8(decoded) ||
	    memchr(decoded.bytes, '\0', decoded.size))
		return err_set(err, ERR_BAD_REQUEST, "Failed to deserialize query string: "
			       "scope: too long or not UTF-8");
	request->scope = TEXT("");       /* given; placed when words stop moving */
	return 0;
}

int incoming_read_query(struct request *request, struct err *err)
{
	struct text left = request->query;

	if (left.size > QUERY_BYTES_MAX)
		return err_set(err, ERR_BAD_REQUEST, "Failed to deserialize query string: too long");
	buf_clear(&request->words);
	while (left.size > 0) {
		const char *end = memchr(left.bytes, '&', left.size);
		size_t size = end ? (size_t)(end - left.bytes) : left.size;
		const char *equals = memchr(left.bytes, '=', size);
		struct text name = { left.bytes, equals ? (size_t)(equals - left.bytes) : size };
		struct text value = TEXT("");

		if (equals)
			value = (struct text){ equals + 1, size - name.size - 1 };
		if (text_is(name, "scope"))
			buf_clear(&request->words);      /* the last one counts */
		if (read_parameter(request, name, value, err) < 0)
			return -1;
		left.bytes += size + (end != NULL);
		left.size -= size + (end != NULL);
	}
	if (request->scope.bytes)
		request->scope = buf_text(&request->words);
	return 0;
}

/* Both directions are closed: a web server that has only said all it will say still reads. */
bool request_has_gone(const struct request *request)
{
	struct pollfd connection = { .fd = request->fcgi.ipcFd };

	return poll(&connection, 1, 0) > 0 && (connection.revents & (POLLHUP | POLLERR));
}

/* --- The body --------------------------------------------------------------------------------- */

/* A web server that passes bodies on as they come lets a slow client hold this thread: it may,
 * as long as it keeps pace. */
static int wait_at_most(const struct request *request, const struct config *config,
			struct err *err)
{
	int64_t waited = (clock_monotonic_micros() - request->body_started_micros) / 1000;
	int64_t left = config->body_wait_seconds * 1000 +
		       (int64_t)(request->body.size / PACE_BYTES_PER_MILLI) - waited;
	struct timeval limit = { .tv_sec = left / 1000, .tv_usec = left % 1000 * 1000 };

	if (left <= 0)
		return err_set(err, ERR_TIMEOUT, "the body came too slowly: %zu bytes in %lld s",
			       request->body.size, (long long)(waited / 1000));
	if (setsockopt(request->fcgi.ipcFd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) < 0)
		return err_os(err, errno, "limiting the wait for a body");
	return 0;
}

/* What the library has read already, or the next that comes: 1, 0 at the end, -1.  `is_whole`:
 * only the end is missing, for which no web server waits. */
static int read_some(struct request *request, const struct config *config, bool is_whole,
		     char *capacity, struct err *err)
{
	FCGX_Stream *in = request->fcgi.in;
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
		*capacity++ = (char)first;
		request->body.size++;
	}
	ready = (int)(in->stop - in->rdNext);
	if (ready > (int)READ_BYTES - 1)
		ready = (int)READ_BYTES - 1;
	request->body.size += (size_t)FCGX_GetStr(capacity, ready, in);
	return 1;
}

int incoming_read_body(struct request *request, const struct config *config, size_t max,
		       struct err *err)
{
	struct text length = request->content_length;
	uint64_t promised = 0;
	bool has_length = length.size > 0 && text_to_u64(length, 10, &promised);

	if (has_length && promised > max)
		return err_set(err, ERR_TOO_LARGE, "length limit exceeded");
	request->body.ceiling_bytes = max + READ_BYTES;
	request->body_started_micros = clock_monotonic_micros();
	for (int more = 1; more > 0;) {
		char *capacity = buf_reserve(&request->body, READ_BYTES);

		if (!capacity)
			return buf_check(&request->body, err);
		more = read_some(request, config, has_length && request->body.size >= promised,
				 capacity, err);
		if (more < 0)
			return -1;
		if (request->body.size > max)
			return err_set(err, ERR_TOO_LARGE, "length limit exceeded");
	}
	request->is_body_read = true;
	if (has_length && request->body.size < promised)
		return err_set(err, ERR_BAD_REQUEST, "the body ended after %zu of %llu bytes",
			       request->body.size, (unsigned long long)promised);
	return 0;
}

/* --- Content-Encoding ------------------------------------------------------------------- */

bool incoming_is_encoded(const struct request *request)
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

bool incoming_can_decode(const struct request *request)
{
	return encoding_of(request) != UNPACK_NONE;
}

int incoming_decode_body(struct request *request, size_t max, struct err *err)
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
bool incoming_is_json(const struct request *request)
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
