/*
 * ui_report.c -- /ui/r/ID: what became of something dropped.
 *
 *  1. The id is the only right: whoever has it reads and deletes, and an id that is unknown, deleted or
 *     expired is one and the same page.
 *  2. A report that is not there yet is waited for, WAIT_MILLIS at most; then a page with a link says so, or
 *     JSON as a poll has it.  It may be cancelled: deleted before it is there.
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
#include "front/ui_form.h"
#include "job/job_list.h"
#include "page/report.h"
#include "work/answer_head.h"

#define WAIT_MILLIS 20000
#define RESULT_BYTES ((size_t)256 * 1024 * 1024)     /* of a report that is written as a page */

/* What an address asks for. */
enum ui_report_part { ASKED_NOTHING, ASKED_REPORT, ASKED_THREAD, ASKED_JSON };

struct ui_report_row {
	bool is_kept;
	int64_t kept_until;
	char kind[JOB_KIND_BYTES];
};

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

/* What the row says besides. */
static int read_line(void *payload, const struct job_line *line)
{
	struct ui_report_row *row = payload;

	row->is_kept = line->is_kept;
	row->kept_until = line->kept_until;
	snprintf(row->kind, sizeof(row->kind), "%.*s", (int)line->kind.size, line->kind.bytes);
	return 0;
}

/* And what its deletion is asked for with: `token` is empty where nobody may. */
static int read_row(struct worker *worker, const struct request *request, struct ui_report_row *row,
		    char token[UI_TOKEN_BYTES], struct err *err)
{
	*row = (struct ui_report_row){ .is_kept = false };
	token[0] = '\0';
	if (job_find(worker->store, text_of(request->job_id), read_line, row, err) < 0)
		return -1;
	if (row->is_kept)
		ui_token_write(token, worker->front->web_secret, TEXT_NONE, "delete", clock_unix_seconds());
	return 0;
}

/* The last part of the address again: the page's own. */
static void tell_to_wait(struct worker *worker, const struct request *request, struct reply *reply)
{
	struct page_wait wait = { .link = text_basename(request->rest), .id = text_of(request->job_id) };
	char token[UI_TOKEN_BYTES];
	struct err err = ERR_INIT;
	struct ui_report_row row;
	struct ui_page page;

	if (read_row(worker, request, &row, token, &err) < 0) {
		ui_error(request, reply, &err);
		return;
	}
	wait.token = token[0] ? text_of(token) : TEXT_NONE;
	ui_begin(&page, request, NULL, reply, 200, TEXT("Still reading"));
	page_waiting(&page.html, &page.look, &wait);
	ui_end(&page, request, reply);
}

static void tell_pending(const struct request *request, struct reply *reply)
{
	answer_not_yet(request, reply);
	ui_headers(reply);
}

/* True: the job has ended.  Else the request is parked, or told to wait. */
static bool has_ended(struct worker *worker, struct request *request, enum ui_report_part asked,
		      struct reply *reply)
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
	else if (asked == ASKED_JSON)
		tell_pending(request, reply);
	else
		tell_to_wait(worker, request, reply);
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

static void write_page(const struct request *request, const struct report_view *view, struct text result,
		       struct reply *reply)
{
	struct err err = ERR_INIT;
	struct ui_page page;

	ui_begin(&page, request, NULL, reply, 200, TEXT_NONE);
	if (page_report(&page.html, &page.look, view, result, &err) == 0)
		ui_end(&page, request, reply);
	else if (err.kind == ERR_NOT_FOUND)
		ui_not_found(request, reply);
	else
		ui_error(request, reply, &err);
}

static void answer_page(struct worker *worker, struct request *request, const uint64_t *thread,
			struct reply *reply)
{
	struct report_view view = { .id = text_of(request->job_id) };
	char token[UI_TOKEN_BYTES];
	struct ui_report_row row;
	struct err err = ERR_INIT;
	struct buf result;
	size_t at = 0;

	buf_init(&result, RESULT_BYTES);
	if (read_row(worker, request, &row, token, &err) < 0) {
		ui_error(request, reply, &err);
	} else if (read_result(worker, request, &result, &at, reply)) {
		report_view_read(&view, request->query);
		view.kind = text_of(row.kind);
		view.is_thread = thread != NULL;
		view.thread = thread ? (size_t)*thread : 0;
		view.kept_until = row.is_kept ? row.kept_until : 0;
		view.token = token[0] ? text_of(token) : TEXT_NONE;
		write_page(request, &view, text_from(buf_text(&result), at), reply);
	}
	buf_release(&result);
}

void answer_ui_report(struct worker *worker, struct request *request, struct reply *reply)
{
	uint64_t thread = 0;
	enum ui_report_part asked = read_address(request, &thread);

	if (asked == ASKED_NOTHING) {
		request->job_id[0] = '\0';
		ui_not_found(request, reply);
	} else if (!has_ended(worker, request, asked, reply)) {
		return;
	} else if (asked == ASKED_JSON) {
		answer_json(worker, request, reply);
	} else {
		answer_page(worker, request, asked == ASKED_THREAD ? &thread : NULL, reply);
	}
}

/* --- Deleting it -------------------------------------------------------------------------------------- */

/* ID/delete */
static bool is_deletion(struct request *request)
{
	struct text whole = request->rest;
	uint64_t ignored;
	bool is_it;

	if (!text_ends_with(whole, "/delete"))
		return false;
	request->rest.size -= sizeof("/delete") - 1;
	is_it = read_address(request, &ignored) == ASKED_REPORT;
	request->rest = whole;
	return is_it;
}

static void delete_report(struct worker *worker, struct request *request, struct reply *reply)
{
	struct err err = ERR_INIT;

	if (job_delete(&worker->jobs, request->job_id, &err) == 0)
		ui_words(request, reply, 200, "Deleted", "The report is gone, for everybody who had its address; "
			 "what was still under way for it ends.");
	else if (err.kind == ERR_NOT_FOUND)
		ui_not_found(request, reply);
	else
		ui_error(request, reply, &err);
}

/* Whoever has the address may; the token says that it was asked for by our own page. */
void answer_ui_delete(struct worker *worker, struct request *request, struct reply *reply)
{
	struct ui_visitor visitor;
	struct ui_form form;

	if (!is_deletion(request)) {
		request->job_id[0] = '\0';
		ui_not_found(request, reply);
		return;
	}
	ui_visitor_read(&visitor, worker->front->config, request);
	if (!ui_form_open(&form, worker, request, &visitor, "delete", reply))
		return;
	ui_form_release(&form);
	delete_report(worker, request, reply);
}
