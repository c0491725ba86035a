/* attempt.c -- what follows what: redirects, ranges, the rest in parts, another attempt. */
#include "fetch/transfer.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "config/config.h"

static void set_timeout(struct err *err, int64_t millis)
{
	char text[32];

	duration_format_compact(millis, text, sizeof(text));
	err_set(err, ERR_TIMEOUT, "%s", text);
}

static int64_t after(int64_t now, int64_t millis)
{
	return millis > 0 ? now + millis : FETCH_NEVER;
}

/* --- Ends --------------------------------------------------------------------------------- */

void attempt_stop(struct fetch *fetch)
{
	for (size_t i = 0; i < FETCH_PARTS; i++)
		http_request_stop(&fetch->requests[i]);
	if (fetch->is_decoding)
		decode_release(&fetch->decode);
	fetch->is_decoding = false;
	place_release(&fetch->hop);
}

/* The file is left whole or empty. */
static void end(struct fetch *fetch, enum fetch_blame blame, const struct err *result)
{
	attempt_stop(fetch);
	fetch->ended = true;
	fetch->blame = blame;
	fetch->result = *result;
	if (result->kind != ERR_NONE && ftruncate(fetch->fd, 0) < 0 && !err_kind_is_ours(result->kind))
		err_os(&fetch->result, errno, "emptying a download");
}

static void fail(struct fetch *fetch, enum fetch_blame blame, const struct err *err, int64_t now)
{
	struct err reason = *err;        /* may lie in a request */

	if (blame == BLAME_FINAL || fetch->is_once || fetch->attempt >= FETCH_ATTEMPTS ||
	    (reason.kind != ERR_DOWNLOAD && reason.kind != ERR_TIMEOUT && reason.kind != ERR_RESOLVE)) {
		end(fetch, blame, &reason);
		return;
	}
	attempt_stop(fetch);
	fetch->head_deadline_at = FETCH_NEVER;
	fetch->due_at = now + FETCH_PAUSE_MILLIS;
}

static void succeed(struct fetch *fetch, int64_t now)
{
	struct err err = ERR_INIT;

	if (decode_finish(&fetch->decode, &err) < 0)
		fail(fetch, BLAME_CHANCE, &err, now);
	else
		end(fetch, BLAME_CHANCE, &err);
}

/* --- Steps -------------------------------------------------------------------------------- */

static void start_http_request(struct fetch *fetch, enum reply_asked asked, uint64_t first, uint64_t last,
		      size_t index, int64_t now)
{
	struct err err = ERR_INIT;

	if (http_request_start(fetch, &fetch->requests[index], asked, first, last, &err) < 0)
		fail(fetch, BLAME_FINAL, &err, now);
}

static void ask_from_the_start(struct fetch *fetch, int64_t now)
{
	fetch->wire_bytes = 0;
	if (fetch->no_range)
		start_http_request(fetch, REPLY_ASKED_ALL, 0, 0, 0, now);
	else
		start_http_request(fetch, REPLY_ASKED_FIRST, 0, fetch->fetcher->part_bytes - 1, 0, now);
}

void attempt_begin(struct fetch *fetch, int64_t now)
{
	struct err err = ERR_INIT;

	fetch->attempt++;
	fetch->due_at = FETCH_NEVER;
	fetch->attempt_head_at = after(now, fetch->head_millis);
	fetch->head_deadline_at = fetch->attempt_head_at;
	fetch->away = false;
	fetch->no_range = fetch->is_whole;
	fetch->redirects = 0;
	fetch->body_bytes = 0;
	if (fetch->sending.fd >= 0)
		sending_rewind(&fetch->sending);
	if (fetch->attempt > 1 && ftruncate(fetch->fd, 0) < 0) {
		err_os(&err, errno, "emptying a download");
		fail(fetch, BLAME_FINAL, &err, now);
		return;
	}
	ask_from_the_start(fetch, now);
}

static void follow(struct fetch *fetch, struct http_request *request, int64_t now)
{
	const char *from = fetch->hop.plain ? fetch->hop.plain : fetch->home.plain;
	struct fetch_place place;
	struct err err = ERR_INIT;

	if (fetch->redirects++ >= FETCH_REDIRECTS) {
		err_set(&err, ERR_DOWNLOAD, "too many redirects");
		fail(fetch, BLAME_FINAL, &err, now);
		return;
	}
	if (fetch_place_of(from, request->reply.location, &place, &err) < 0) {
		fail(fetch, BLAME_FINAL, &err, now);
		return;
	}
	http_request_stop(request);
	place_release(&fetch->hop);
	fetch->hop = place;
	fetch->away |= !place_is_at(&place, &fetch->home);
	fetch->head_deadline_at = fetch->attempt_head_at;
	ask_from_the_start(fetch, now);
}

/* The rest of a file whose beginning lies in place.  An encoded one must be decoded in its
 * order, so its rest is one part. */
static void fetch_rest(struct fetch *fetch, struct http_request *request, int64_t now)
{
	uint64_t first = request->sent_last + 1, rest = fetch->total_bytes - first;
	uint64_t parts = (rest + fetch->fetcher->part_bytes - 1) / fetch->fetcher->part_bytes;
	uint64_t size;

	if (parts > FETCH_PARTS)
		parts = FETCH_PARTS;
	if (fetch->decode.encoding != ENCODING_NONE)
		parts = 1;
	size = (rest + parts - 1) / parts;
	http_request_stop(request);
	fetch->head_deadline_at = after(now, fetch->head_millis);
	for (size_t i = 0; first < fetch->total_bytes && !fetch->ended; i++) {
		uint64_t left = fetch->total_bytes - first;
		uint64_t last = first + (left < size ? left : size) - 1;

		start_http_request(fetch, REPLY_ASKED_PART, first, last, i, now);
		first = last + 1;
	}
}

/* A server may send less than it was asked for; then it is asked again. */
static void part_over(struct fetch *fetch, struct http_request *request, int64_t now)
{
	uint64_t first = request->sent_last + 1, last = request->last;

	http_request_stop(request);
	if (first <= last) {
		fetch->head_deadline_at = after(now, fetch->head_millis);
		start_http_request(fetch, REPLY_ASKED_PART, first, last, (size_t)(request - fetch->requests), now);
	} else if (fetch->requests_running == 0) {
		succeed(fetch, now);
	}
}

static void body_over(struct fetch *fetch, struct http_request *request, int64_t now)
{
	struct err err = ERR_INIT;

	if (request->verdict == REPLY_WHOLE) {
		succeed(fetch, now);
	} else if (request->received_bytes != request->sent_last - request->first + 1) {
		err_set(&err, ERR_DOWNLOAD, "the server sent %llu bytes of %llu",
			(unsigned long long)request->received_bytes,
			(unsigned long long)(request->sent_last - request->first + 1));
		fail(fetch, BLAME_HOST, &err, now);
	} else if (request->verdict == REPLY_BEGINNING) {
		fetch_rest(fetch, request, now);
	} else {
		part_over(fetch, request, now);
	}
}

static void refused(struct fetch *fetch, struct http_request *request, int64_t now)
{
	if (fetch->judge)
		fetch->judge(request->reply.status, buf_text(&request->story), &request->failure);
	fail(fetch, request->reply.status >= 500 ? BLAME_HOST : BLAME_CHANCE, &request->failure, now);
}

static void redirected(struct fetch *fetch, struct http_request *request, int64_t now)
{
	char text[64];

	if (!fetch->method) {
		follow(fetch, request, now);
		return;
	}
	http_reply_status_text(request->reply.status, text, sizeof(text));
	err_set(&request->failure, ERR_DOWNLOAD, "%s", text);
	refused(fetch, request, now);
}

/* A 304 may say anew how long it counts, and by what it is known. */
static void unchanged(struct fetch *fetch, struct http_request *request)
{
	struct err none = ERR_INIT;

	fetch->is_unchanged = true;
	fetch->freshness = request->reply.freshness;
	fetch->validators = request->reply.validators;
	end(fetch, BLAME_CHANCE, &none);
}

static void head_over(struct fetch *fetch, struct http_request *request, int64_t now)
{
	switch (request->verdict) {
	case REPLY_REDIRECT:
		redirected(fetch, request, now);
		break;
	case REPLY_UNCHANGED:
		unchanged(fetch, request);
		break;
	case REPLY_REPEAT:
		http_request_stop(request);
		fetch->no_range = true;
		fetch->head_deadline_at = fetch->attempt_head_at;
		ask_from_the_start(fetch, now);
		break;
	default:
		refused(fetch, request, now);
		break;
	}
}

static bool wants_body(const struct http_request *request)
{
	return request->judged && (request->verdict == REPLY_WHOLE || request->verdict == REPLY_BEGINNING ||
			       request->verdict == REPLY_PART);
}

void attempt_http_request_over(struct fetch *fetch, struct http_request *request, CURLcode code, int64_t now)
{
	enum fetch_blame blame;
	struct err err = ERR_INIT;

	if (request->judged && !wants_body(request)) {
		head_over(fetch, request, now);      /* how the unwanted body ended is no matter */
	} else if (request->failure.kind != ERR_NONE) {
		fail(fetch, BLAME_CHANCE, &request->failure, now);
	} else if (code != CURLE_OK || !request->judged) {
		blame = http_request_explain(request, code != CURLE_OK ? code : CURLE_GOT_NOTHING, &err);
		fail(fetch, blame, &err, now);
	} else {
		body_over(fetch, request, now);
	}
}

/* --- Time --------------------------------------------------------------------------------- */

static void head_is_late(struct fetch *fetch, int64_t now)
{
	struct err err = ERR_INIT;

	fetch->head_deadline_at = FETCH_NEVER;
	for (size_t i = 0; i < FETCH_PARTS; i++) {
		struct http_request *request = &fetch->requests[i];

		if (!request->fetch || wants_body(request))
			continue;
		if (request->judged) {
			head_over(fetch, request, now);
		} else {
			set_timeout(&err, fetch->head_millis);
			fail(fetch, BLAME_HOST, &err, now);
		}
		return;
	}
}

void attempt_time(struct fetch *fetch, int64_t now)
{
	struct err err = ERR_INIT;

	if (fetch->ended)
		return;
	if (now >= fetch->deadline_at) {
		set_timeout(&err, fetch->total_millis);
		end(fetch, BLAME_HOST, &err);
	} else if (now >= fetch->head_deadline_at) {
		head_is_late(fetch, now);
	} else if (now >= fetch->due_at) {
		attempt_begin(fetch, now);
	}
}

int64_t attempt_next_time(const struct fetch *fetch)
{
	int64_t next = fetch->deadline_at;

	if (fetch->head_deadline_at < next)
		next = fetch->head_deadline_at;
	return fetch->due_at < next ? fetch->due_at : next;
}
