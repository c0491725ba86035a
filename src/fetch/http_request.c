/* http_request.c -- one request by curl: its options, its guard, what comes back. */
#include "fetch/transfer.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/log.h"
#include "config/config.h"
#include "fetch/address.h"
#include "fetch/proxy.h"

#define BUFFER_BYTES 65536L
#define HEADER_LINE_BYTES ((size_t)16 * 1024)
#define HEAD_BYTES ((size_t)256 * 1024)  /* curl keeps all of it */

static bool is_for_the_body(const struct http_request *request)
{
	return request->verdict == REPLY_WHOLE || request->verdict == REPLY_BEGINNING ||
	       request->verdict == REPLY_PART;
}

static const struct fetch_place *place_now(const struct fetch *fetch)
{
	return fetch->hop.plain ? &fetch->hop : &fetch->home;
}

/* --- The guard: which addresses curl may use ---------------------------------------------- */

static void note_refused(struct http_request *request, const char *address)
{
	request->restricted++;
	snprintf(request->refused, sizeof(request->refused), "%s", address);
}

/* What the source's user may know, and for the operator's log all of it. */
static void refuse(const struct http_request *request, struct err *err)
{
	log_message(LOG_WARN, "refused", NULL,
		    "refused: reserved address %s (host %s, source %s): reserved_ips_allowed says which "
		    "may be reached", request->refused, place_now(request->fetch)->host, request->fetch->source_id);
	err_set(err, ERR_DOWNLOAD, "destination is restricted");
}

static curl_socket_t on_open_socket(void *payload, curlsocktype purpose,
				    struct curl_sockaddr *address)
{
	struct http_request *request = payload;
	char text[INET6_ADDRSTRLEN];
	int fd;

	(void)purpose;
	if (request->guarded && !request->proxied &&
	    !address_is_admitted(&address->addr, request->fetch->fetcher->config)) {
		address_format(&address->addr, text);
		note_refused(request, text);
		return CURL_SOCKET_BAD;
	}
	fd = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
	if (fd < 0)
		request->os_errno = errno;
	request->admitted |= fd >= 0;
	return fd >= 0 ? fd : CURL_SOCKET_BAD;
}

/* A connection that is used again was perhaps opened for an order that may go anywhere. */
static int on_request(void *payload, char *address, char *local, int port, int local_port)
{
	struct http_request *request = payload;

	(void)local, (void)port, (void)local_port;
	if (request->guarded && !request->proxied &&
	    !address_text_is_admitted(address, request->fetch->fetcher->config)) {
		note_refused(request, address);
		request->admitted = false;
		return CURL_PREREQFUNC_ABORT;
	}
	return CURL_PREREQFUNC_OK;
}

/* Behind a proxy only the name can be judged; the proxy itself is the operator's. */
static bool name_is_restricted(const struct http_request *request, const char *host)
{
	const struct config *config = request->fetch->fetcher->config;

	if (!request->guarded || !request->proxied || config->connect_to_reserved_ips)
		return false;
	return !address_text_is_admitted(host, config) || proxy_list_names("localhost", host);
}

/* --- What comes back ---------------------------------------------------------------------- */

static size_t on_header(char *bytes, size_t one, size_t size, void *payload)
{
	struct http_request *request = payload;
	struct fetch *fetch = request->fetch;

	(void)one;
	request->head_bytes += size;
	if (request->head_bytes > HEAD_BYTES) {
		request->judged = false;
		err_set(&request->failure, ERR_DOWNLOAD, "the head of the answer is too long");
		return 0;
	}
	if (request->judged)
		return size;                     /* trailers */
	if (size <= HEADER_LINE_BYTES)
		http_reply_line(&request->reply, (struct text){ bytes, size });
	if (!request->reply.complete)
		return size;
	request->judged = true;
	request->verdict = http_reply_judge(&request->reply, request->asked, request->is_conditional,
					    place_now(fetch)->host, &request->failure);
	if (is_for_the_body(request))
		return fetch_body_begins(fetch, request, &request->failure) < 0 ? 0 : size;
	fetch->head_deadline_at = clock_monotonic_millis() + FETCH_DISCARD_MILLIS;
	return size;
}

/* A body nobody wants is read to its end when it is short, so that the connection can be
 * used again. */
static size_t on_body(char *bytes, size_t one, size_t size, void *payload)
{
	struct http_request *request = payload;

	(void)one;
	request->received_bytes += size;
	if (request->judged && is_for_the_body(request))
		return fetch_body(request->fetch, request, bytes, size, &request->failure) < 0 ? 0 : size;
	if (request->fetch->judge)
		buf_add(&request->story, bytes, size);
	return request->verdict == REPLY_REPEAT || request->received_bytes > FETCH_DISCARD_BYTES ? 0 : size;
}

/* --- What is sent ------------------------------------------------------------------------- */

/* How a message is framed is between curl and the server. */
static bool is_framing(struct text name)
{
	static const char *const names[] = {
		"connection", "content-length", "expect", "keep-alive", "te", "trailer",
		"transfer-encoding", "upgrade",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (text_equal_ignoring_case(name, text_of(names[i])))
			return true;
	return text_starts_with(name, "Proxy-") || text_starts_with(name, "proxy-");
}

/* Sources check what they send; that nothing gets past them is made sure of here. */
static bool is_one_line(struct text text)
{
	for (size_t i = 0; i < text.size; i++)
		if (text.bytes[i] == '\r' || text.bytes[i] == '\n' || text.bytes[i] == '\0')
			return false;
	return true;
}

static bool add_line(struct http_request *request, const char *line)
{
	struct curl_slist *grown = curl_library.slist_append(request->headers, line);

	if (grown)
		request->headers = grown;
	return grown != NULL;
}

static bool add_header(struct http_request *request, const struct fetch_header *header)
{
	struct buf line;
	bool added;

	if (is_framing(header->name) || !is_one_line(header->name) || !is_one_line(header->value))
		return true;
	buf_init(&line, SIZE_MAX);
	buf_add_text(&line, header->name);
	buf_add_string(&line, header->value.size ? ": " : ";");
	buf_add_text(&line, header->value);
	added = !line.failed && add_line(request, buf_string(&line));
	buf_release(&line);
	return added;
}

static bool has_header(const struct fetch *fetch, const char *name)
{
	for (size_t i = 0; i < fetch->header_count && !fetch->away; i++)
		if (text_equal_ignoring_case(fetch->headers[i].name, text_of(name)))
			return true;
	return false;
}

static bool add_condition(struct http_request *request, const char *name, const char *validator)
{
	const struct fetch_header header = { text_of(name), text_of(validator) };

	return !validator[0] || add_header(request, &header);
}

/* What is known is of the address itself; a condition of the request's own has an answer of its own. */
static bool is_conditional(const struct http_request *request)
{
	const struct fetch *fetch = request->fetch;

	return (fetch->known.etag[0] || fetch->known.modified[0]) && !fetch->hop.plain &&
	       request->asked != REPLY_ASKED_PART && !has_header(fetch, "If-None-Match") &&
	       !has_header(fetch, "If-Modified-Since") && !has_header(fetch, "If-Match") &&
	       !has_header(fetch, "If-Unmodified-Since");
}

static bool add_headers(struct http_request *request)
{
	const struct fetch *fetch = request->fetch;
	char line[64];
	bool added = true;

	for (size_t i = 0; i < fetch->header_count && !fetch->away; i++)
		added = added && add_header(request, &fetch->headers[i]);
	if (!has_header(fetch, "Accept-Encoding"))
		added = added && add_line(request, "Accept-Encoding: " ENCODINGS_OFFERED);
	if (request->asked != REPLY_ASKED_ALL) {
		snprintf(line, sizeof(line), "Range: bytes=%" PRIu64 "-%" PRIu64, request->first, request->last);
		added = added && add_line(request, line);
	}
	if (request->asked == REPLY_ASKED_PART && http_validators_are_strong(&fetch->validators))
		added = added && add_condition(request, "If-Range", fetch->validators.etag);
	if (request->is_conditional)
		added = added && add_condition(request, "If-None-Match", fetch->known.etag) &&
			add_condition(request, "If-Modified-Since", fetch->known.modified);
	return added;
}

/* curl_library.easy_setopt() is a macro that wants its types exact; a failure is remembered. */
#define SET(option, value) \
	do { \
		if (rc == CURLE_OK) \
			rc = curl_library.easy_setopt(request->easy, option, value); \
	} while (0)

static CURLcode set_callbacks(struct http_request *request)
{
	CURLcode rc = CURLE_OK;

	SET(CURLOPT_PRIVATE, request);
	SET(CURLOPT_ERRORBUFFER, request->error);
	SET(CURLOPT_HEADERFUNCTION, on_header);
	SET(CURLOPT_HEADERDATA, request);
	SET(CURLOPT_WRITEFUNCTION, on_body);
	SET(CURLOPT_WRITEDATA, request);
	SET(CURLOPT_OPENSOCKETFUNCTION, on_open_socket);
	SET(CURLOPT_OPENSOCKETDATA, request);
	SET(CURLOPT_PREREQFUNCTION, on_request);
	SET(CURLOPT_PREREQDATA, request);
	return rc;
}

static CURLcode set_tls(struct http_request *request, bool verify)
{
	const char *authorities = getenv("SSL_CERT_FILE");
	CURLcode rc = CURLE_OK;

	SET(CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	SET(CURLOPT_SSL_VERIFYPEER, verify ? 1L : 0L);
	SET(CURLOPT_SSL_VERIFYHOST, verify ? 2L : 0L);
	if (authorities && *authorities)
		SET(CURLOPT_CAINFO, authorities);
	return rc;
}

static CURLcode set_connection(struct http_request *request, const struct fetch_place *place, const char *proxy)
{
	const struct fetch *fetch = request->fetch;
	bool verify = !fetch->accept_invalid_certs || fetch->away;
	CURLcode rc = CURLE_OK;

	SET(CURLOPT_URL, place->plain);
	SET(CURLOPT_PROTOCOLS_STR, "http,https");
	SET(CURLOPT_FOLLOWLOCATION, 0L);
	SET(CURLOPT_NOSIGNAL, 1L);
	SET(CURLOPT_BUFFERSIZE, BUFFER_BYTES);
	SET(CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
	/* A hundred at once are one connection where HTTP/2 is spoken: the others wait to see. */
	SET(CURLOPT_PIPEWAIT, strcmp(place->scheme, "https") == 0 ? 1L : 0L);
	SET(CURLOPT_MAXAGE_CONN, FETCH_IDLE_SECONDS);
	SET(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
	rc = rc == CURLE_OK ? set_tls(request, verify) : rc;
	SET(CURLOPT_PROXY, proxy ? proxy : "");
	SET(CURLOPT_NOPROXY, "");
#if LIBCURL_VERSION_NUM >= 0x075700
	/* Else to end a transfer means to wait for its name server, and with it everybody. */
	SET(CURLOPT_QUICK_EXIT, 1L);
#endif
	if (fetch->connect_millis > 0)
		SET(CURLOPT_CONNECTTIMEOUT_MS, (long)fetch->connect_millis);
	return rc;
}

static size_t on_send(char *out, size_t one, size_t capacity, void *payload)
{
	struct http_request *request = payload;
	int64_t got = sending_read(&request->fetch->sending, out, one * capacity, &request->failure);

	return got < 0 ? CURL_READFUNC_ABORT : (size_t)got;
}

/* curl begins again when a connection it kept turns out to be dead. */
static int on_send_again(void *payload, curl_off_t offset, int origin)
{
	struct http_request *request = payload;

	if (offset != 0 || origin != SEEK_SET)
		return CURL_SEEKFUNC_CANTSEEK;
	sending_rewind(&request->fetch->sending);
	return CURL_SEEKFUNC_OK;
}

static CURLcode set_file(struct http_request *request)
{
	const struct sending *sending = &request->fetch->sending;
	CURLcode rc = CURLE_OK;

	SET(CURLOPT_UPLOAD, 1L);
	SET(CURLOPT_READFUNCTION, on_send);
	SET(CURLOPT_READDATA, request);
	SET(CURLOPT_SEEKFUNCTION, on_send_again);
	SET(CURLOPT_SEEKDATA, request);
	if (!sending->zstd)
		SET(CURLOPT_INFILESIZE_LARGE, (curl_off_t)sending->bytes);
	return rc;
}

static CURLcode set_method(struct http_request *request)
{
	const struct fetch *fetch = request->fetch;
	CURLcode rc = CURLE_OK;

	if (strcmp(fetch->method, "HEAD") == 0) {
		SET(CURLOPT_NOBODY, 1L);
		return rc;
	}
	if (fetch->sending.fd >= 0) {
		rc = set_file(request);
	} else {
		SET(CURLOPT_POSTFIELDS, fetch->sent);
		SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)fetch->sent_bytes);
	}
	SET(CURLOPT_CUSTOMREQUEST, fetch->method);
	return rc;
}

static CURLcode set_request(struct http_request *request)
{
	const struct fetch *fetch = request->fetch;
	CURLcode rc = CURLE_OK;

	SET(CURLOPT_USERAGENT, "symgate/" PACKAGE_VERSION);
	SET(CURLOPT_HTTPHEADER, request->headers);
	if (fetch->method && rc == CURLE_OK)
		rc = set_method(request);
	if (fetch->home.user && !fetch->away) {
		SET(CURLOPT_HTTPAUTH, CURLAUTH_BASIC);
		SET(CURLOPT_USERNAME, fetch->home.user);
		SET(CURLOPT_PASSWORD, fetch->home.password ? fetch->home.password : "");
	}
	return rc;
}

/* NULL: none. */
static const char *proxy_now(const struct fetch *fetch, const struct fetch_place *place)
{
	if (fetch->proxy)
		return fetch->proxy[0] ? fetch->proxy : NULL;
	return proxy_for(place->scheme, place->host);
}

int http_request_start(struct fetch *fetch, struct http_request *request, enum reply_asked asked, uint64_t first,
	      uint64_t last, struct err *err)
{
	const struct fetch_place *place = place_now(fetch);
	const char *proxy = proxy_now(fetch, place);

	*request = (struct http_request){
		.fetch = fetch, .asked = asked, .first = first, .last = last, .at = first,
		.guarded = !fetch->trusted || (fetch->away && !fetch->trusted_everywhere),
		.proxied = proxy != NULL,
	};
	request->is_conditional = is_conditional(request);
	buf_init(&request->story, FETCH_DISCARD_BYTES);
	fetch->requests_running++;
	if (name_is_restricted(request, place->host)) {
		note_refused(request, place->host);
		refuse(request, err);
		return -1;
	}
	request->easy = curl_library.easy_init();
	if (!request->easy || !add_headers(request) || set_callbacks(request) != CURLE_OK ||
	    set_connection(request, place, proxy) != CURLE_OK || set_request(request) != CURLE_OK ||
	    curl_library.multi_add_handle(fetch->fetcher->multi, request->easy) != CURLM_OK)
		return err_set(err, ERR_NO_MEMORY, "no memory for a transfer");
	return 0;
}

void http_request_stop(struct http_request *request)
{
	if (!request->fetch)
		return;
	request->fetch->requests_running--;
	if (request->easy) {
		curl_library.multi_remove_handle(request->fetch->fetcher->multi, request->easy);
		curl_library.easy_cleanup(request->easy);
	}
	curl_library.slist_free_all(request->headers);
	http_reply_clear(&request->reply);
	buf_release(&request->story);
	request->fetch = NULL;
	request->easy = NULL;
	request->headers = NULL;
}

/* --- How it went wrong -------------------------------------------------------------------- */

static const char *tls_words(const struct http_request *request, CURLcode code)
{
	if (code == CURLE_PEER_FAILED_VERIFICATION || strstr(request->error, "certificate verify failed") ||
	    strstr(request->error, "certificate problem"))
		return "certificate verify failed";
	if (code == CURLE_SSL_CONNECT_ERROR || strstr(request->error, "SSL routines"))
		return "SSL error";
	return NULL;
}

/* What of a failed connection is no fault of the other side. */
static bool is_shortage(int os_errno)
{
	return os_errno == EMFILE || os_errno == ENFILE || os_errno == ENOMEM ||
	       os_errno == ENOBUFS || os_errno == EADDRNOTAVAIL;
}

/* A name cannot be looked up either when we may open nothing more; the resolver does not say so. */
static int shortage_now(void)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return is_shortage(errno) ? errno : 0;
	close(fd);
	return 0;
}

static bool is_about_a_name(CURLcode code)
{
	return code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_RESOLVE_PROXY;
}

/* 0: we are short of nothing. */
static int shortage_of(const struct http_request *request, CURLcode code, long os_errno)
{
	if (is_shortage(request->os_errno))
		return request->os_errno;
	if (code == CURLE_COULDNT_CONNECT && is_shortage((int)os_errno))
		return (int)os_errno;
	return is_about_a_name(code) ? shortage_now() : 0;
}

enum fetch_blame http_request_explain(const struct http_request *request, CURLcode code, struct err *err)
{
	const char *words = tls_words(request, code);
	char limit[32];
	long os_errno = 0;
	int shortage;

	if (request->restricted > 0 && !request->admitted) {
		refuse(request, err);
		return BLAME_FINAL;
	}
	if (code == CURLE_OUT_OF_MEMORY) {
		err_set(err, ERR_NO_MEMORY, "no memory for a transfer");
		return BLAME_FINAL;
	}
	curl_library.easy_getinfo(request->easy, CURLINFO_OS_ERRNO, &os_errno);
	shortage = shortage_of(request, code, os_errno);
	if (shortage) {
		err_os(err, shortage, "opening a connection");
		return BLAME_FINAL;
	}
	if (code == CURLE_OPERATION_TIMEDOUT) {
		duration_format_compact(request->fetch->connect_millis, limit, sizeof(limit));
		err_set(err, ERR_TIMEOUT, "%s", limit);
	} else if (words) {
		err_set(err, ERR_DOWNLOAD, "%s", words);
	} else if (code == CURLE_COULDNT_CONNECT && os_errno != 0) {
		err_set(err, ERR_DOWNLOAD, "%s", strerrordesc_np((int)os_errno));
	} else {
		err_set(err, is_about_a_name(code) ? ERR_RESOLVE : ERR_DOWNLOAD, "%s",
			request->error[0] ? request->error : curl_library.easy_strerror(code));
	}
	return BLAME_HOST;
}
