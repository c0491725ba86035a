/* request.c -- CGI variables and query of one request. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/limits.h"
#include "config/config.h"
#include "front/front_internal.h"

#define QUERY_BYTES_MAX ((size_t)64 * 1024)

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

static void write_hex(char *at, size_t digits, uint64_t value)
{
	while (digits-- > 0) {
		at[digits] = "0123456789abcdef"[value & 15];
		value >>= 4;
	}
}

/* Told from each other, not secret: a number of this process's own and a counter. */
static void make_id(struct request *request)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	static atomic_uint counter;

	pthread_once(&once, choose_id_of_process);
	write_hex(request->x_request_id, 16, id_of_process);
	write_hex(request->x_request_id + 16, 8, atomic_fetch_add(&counter, 1));
	request->x_request_id[24] = '\0';
}

/*
 * The library would accept connections itself; but it blocks on any of them, looks each one over
 * with a system call more, and cannot be told who takes which.  It goes on with a connection it is
 * given as with one that was kept; its own accept() then meets no socket.
 */
bool request_accept(struct request *request, int fd, const struct config *config)
{
	struct timeval limit = { .tv_sec = config->body_wait_seconds };

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	request->wait_millis = config->body_wait_seconds * 1000;
	request->fcgi.ipcFd = fd;
	request->fcgi.keepConnection = 1;
	return FCGX_Accept_r(&request->fcgi) == 0;
}

int request_read(struct request *request, struct err *err)
{
	request->started_micros = clock_monotonic_micros();
	read_variables(request);
	request->method = method_of(request->method_name);
	request->path = path_of(request);
	request->rest = TEXT_NONE;
	request->route = NULL;
	request->kind = NULL;
	request->is_body_read = false;
	request->has_timeout = request->asks_anew = false;
	request->scope = TEXT_NONE;
	request->job_id[0] = '\0';
	request->wants_thread = false;
	request->is_back = false;
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

	if (text_is(name, "_refresh"))
		request->asks_anew = true;
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

int request_read_query(struct request *request, struct err *err)
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
