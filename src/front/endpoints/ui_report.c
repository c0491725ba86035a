/*
 * ui_report.c -- /ui/r/ID: what became of something dropped.
 *
 *  1. The id is the only right: whoever has it reads and deletes, and an id that is unknown, deleted or
 *     expired is one and the same page.
 *  2. A report that is not there yet is waited for, WAIT_MILLIS at most; then a page with a link says so.
 *  3. Reports are written by request threads: the parker, which waits for all, gives the request back.
 */
#include <stdio.h>

#include "base/clock.h"
#include "base/debugid.h"
#include "base/err.h"
#include "board/board.h"
#include "config/config.h"
#include "front/front_internal.h"
#include "front/ui.h"
#include "work/answer_head.h"

#define WAIT_MILLIS 20000
#define LINK_BYTES 64u
#define RESULT_BYTES ((size_t)256 * 1024 * 1024)     /* of a report that is written as a page */

/* What an address asks for. */
enum ui_report_part { ASKED_NOTHING, ASKED_REPORT, ASKED_THREAD, ASKED_JSON };

/* ID, ID.json, ID/threads/N: anything else is known to nobody. */
static enum ui_report_part read_address(struct request *request, uint64_t *thread)
{
	struct text id = { request->rest.bytes, JOB_ID_BYTES - 1 }, rest;
	struct debugid parsed;

	if (request->rest.size < id.size || !debugid_parse(id, &parsed))
		return ASKED_NOTHING;
	for (size_t i = 0; i < id.size; i++)
		request->job_id[i] = ascii_lower(id.bytes[i]);
	request->job_id[id.size] = '\0';
	rest = text_from(request->rest, id.size);
	if (rest.size == 0)
		return ASKED_REPORT;
	if (text_is(rest, ".json"))
		return ASKED_JSON;
	if (text_starts_with(rest, "/threads/") &&
	    text_to_u64(text_from(rest, sizeof("/threads/") - 1), 10, thread))
		return ASKED_THREAD;
	return ASKED_NOTHING;
}

/* --- Waiting ------------------------------------------------------------------------------------------ */

static int64_t patience_millis(const struct config *config)
{
	int64_t most = config->pool_max_wait_millis;

	return most != CONFIG_NEVER && most < WAIT_MILLIS ? most : WAIT_MILLIS;
}

/* The last part of the address again: the page's own. */
static void tell_to_wait(const struct request *request, struct reply *reply)
{
	char link[LINK_BYTES];
	struct text self = text_basename(request->rest);
	struct ui_page page;

	snprintf(link, sizeof(link), "%.*s", (int)self.size, self.bytes);
	ui_begin(&page, request, NULL, reply, 200, TEXT("Still reading"));
	page_waiting(&page.html, &page.look, link);
	ui_end(&page, request, reply);
}

/* True: the job has ended.  Else the request is parked, or told to wait. */
static bool has_ended(struct worker *worker, struct request *request, struct reply *reply)
{
	struct front *front = worker->front;
	enum job_state state;
	struct err err = ERR_INIT;

	request->job_generation = board_job_generation(front->board, request->job_id);
	if (job_look(&worker->jobs, request->job_id, &state, &err) < 0) {
		ui_error(request, reply, &err);
		return false;
	}
	if (state != JOB_QUEUED && state != JOB_RUNNING && state != JOB_UNKNOWN)
		return true;
	if (state == JOB_UNKNOWN) {
		ui_not_found(request, reply);
		return false;
	}
	request->wake_millis = clock_monotonic_millis() + patience_millis(front->config);
	request->wants_thread = true;
	if (!request->is_back && parker_park(front->parker, request))
		reply->parked = true;
	else
		tell_to_wait(request, reply);
	return false;
}

/* --- The report --------------------------------------------------------------------------------------- */

/* JSON, whatever was asked; *at is where it begins.  False: the reply says why there is none.  Files that
 * were asked for by other endpoints are no reports. */
static bool read_result(struct worker *worker, const struct request *request, struct buf *result, size_t *at,
			struct reply *reply)
{
	struct answer_head head = { .is_entry = false };
	struct err err = ERR_INIT;

	if (job_result(&worker->jobs, request->job_id, result, &err) == 0 &&
	    answer_head_read(&head, buf_text(result), at, &err) == 0 && !head.is_entry && !head.file.bytes)
		return true;
	if (err.kind == ERR_NONE || err.kind == ERR_NOT_FOUND)
		ui_not_found(request, reply);
	else
		ui_error(request, reply, &err);
	return false;
}

static void answer_json(struct worker *worker, struct request *request, struct reply *reply)
{
	struct buf *body = reply_json(reply);
	size_t at = 0;

	if (!read_result(worker, request, body, &at, reply))
		return;
	reply_body_narrow(&reply->body, at, body->size - at);
	ui_headers(reply);
}

static void answer_page(struct worker *worker, struct request *request, struct reply *reply)
{
	char link[LINK_BYTES];
	struct ui_page page;

	(void)worker;
	snprintf(link, sizeof(link), "%s.json", request->job_id);
	ui_begin(&page, request, NULL, reply, 200, TEXT("The answer"));
	page_waiting(&page.html, &page.look, link);
	ui_end(&page, request, reply);
}

void answer_ui_report(struct worker *worker, struct request *request, struct reply *reply)
{
	uint64_t thread = 0;
	enum ui_report_part asked = read_address(request, &thread);

	if (asked == ASKED_NOTHING) {
		request->job_id[0] = '\0';
		ui_not_found(request, reply);
	} else if (!has_ended(worker, request, reply)) {
		return;
	} else if (asked == ASKED_JSON) {
		answer_json(worker, request, reply);
	} else {
		answer_page(worker, request, reply);
	}
}

void answer_ui_delete(struct worker *worker, struct request *request, struct reply *reply)
{
	(void)worker;
	ui_not_found(request, reply);
}
