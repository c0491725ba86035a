/* ui_drop.c -- see ui_drop.h. */
#include "front/ui_drop.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "config/config.h"
#include "front/front.h"
#include "front/front_internal.h"
#include "front/ui.h"
#include "front/ui_form.h"
#include "kinds/kinds.h"
#include "work/work.h"

#define HEAD_BYTES ((size_t)64 * 1024)       /* looked at, to tell what it is */
#define ADDRESS_BYTES 64u

void ui_drop_offer(struct ui_drop *drop, const struct front *front, const struct ui_visitor *visitor,
		   const char *action)
{
	const struct source_list *sources = &front->default_sources;
	size_t count = sources->count < UI_SOURCES_MAX ? sources->count : UI_SOURCES_MAX;

	for (size_t i = 0; i < count; i++)
		drop->sources[i] = sources->sources[i].id;
	ui_token_write(drop->token, front->web_secret, visitor->name, "drop", clock_unix_seconds());
	drop->offer = (struct page_drop){
		.action = action, .token = text_of(drop->token), .sources = { drop->sources, count },
		.scope = visitor->has_own_scope ? visitor->scope : TEXT_NONE,
	};
}

/* --- What it is ---------------------------------------------------------------------------------------- */

static const struct request_kind *kind_of(struct text head)
{
	if (text_starts_with(head, "MDMP"))
		return &request_kind_minidump;
	if (text_starts_with(head, "\177ELF"))
		return &request_kind_coredump;
	if (text_starts_with(text_trim(head), "{"))
		return &request_kind_symbolicate;
	return NULL;
}

static void refuse_kind(const struct request *request, struct reply *reply)
{
	ui_words(request, reply, 422, "This cannot be read",
		 "It is none of what can be dropped here: a minidump, an ELF core, or the JSON of a request.");
}

/* --- The job -------------------------------------------------------------------------------------------- */

/* Pasted text goes the way of files. */
static int spool_text(struct worker *worker, struct request *request, struct text text, struct err *err)
{
	struct upload *upload = request->upload;
	int rc = 0;

	if (!upload)
		rc = upload_new(&request->upload, &worker->jobs, err);
	upload = request->upload;
	if (rc == 0)
		rc = file_write_all(upload->fd, text.bytes, text.size, err);
	if (rc == 0)
		upload->size = text.size;
	return rc;
}

/* The beginning of what came; -1, or how much of it. */
static ssize_t read_head(const struct request *request, char head[HEAD_BYTES], struct err *err)
{
	ssize_t size = pread(request->upload->fd, head, HEAD_BYTES, 0);

	return size < 0 ? err_os(err, errno, "reading an upload") : size;
}

/* The other fields of the form, as the API's forms have them: each is JSON by itself. */
static void write_fields(struct buf *out, const struct ui_form *form)
{
	struct text platform = ui_form_field(form, "platform");
	struct json_writer json;
	struct buf value;

	buf_init(&value, FORM_FIELD_BYTES);
	json_writer_init(&json, out);
	json_object(&json);
	if (platform.size > 0) {
		struct json_writer quoted;

		json_writer_init(&quoted, &value);
		json_text(&quoted, platform);
		json_member_text(&json, "platform", buf_text(&value));
	}
	json_object_end(&json);
	buf_release(&value);
}

static int submit(struct worker *worker, struct request *request, const struct ui_visitor *visitor,
		  const struct ui_form *form, const struct request_kind *kind, struct err *err)
{
	struct job_order order = {
		.kind = kind->name, .scope = visitor->scope, .body_path = request->upload->path,
		.x_request_id = text_of(request->x_request_id),
	};
	struct buf fields;
	int rc;

	buf_init(&fields, FORM_FIELD_BYTES);
	if (kind->takes_file) {
		write_fields(&fields, form);
		order.body = buf_text(&fields);
	}
	rc = buf_check(&fields, err);
	if (rc == 0)
		rc = job_submit(&worker->jobs, &order, request->job_id, err);
	buf_release(&fields);
	if (rc == 0)
		answer_note_submitted(worker->front, request);
	return rc;
}

static uint64_t ceiling_of(const struct request_kind *kind, const struct config *config)
{
	return kind->takes_file ? config->crash_file_body_max_bytes : config->symbolicate_body_max_bytes;
}

static void take(struct worker *worker, struct request *request, const struct ui_visitor *visitor,
		 const struct ui_form *form, struct reply *reply)
{
	struct text text = ui_form_field(form, "text");
	const struct request_kind *kind = NULL;
	char head[HEAD_BYTES], address[ADDRESS_BYTES];
	struct err err = ERR_INIT;
	ssize_t size = 0;
	bool has_file = request->upload && request->upload->size > 0;

	if (!has_file && text.size == 0) {
		ui_words(request, reply, 400, "Nothing came", "There was neither a file nor a text in the form.");
		return;
	}
	if ((!has_file && spool_text(worker, request, text, &err) < 0) ||
	    (size = read_head(request, head, &err)) < 0) {
		ui_error(request, reply, &err);
		return;
	}
	kind = kind_of((struct text){ head, (size_t)size });
	if (!kind) {
		refuse_kind(request, reply);
		return;
	}
	if (request->upload->size > ceiling_of(kind, worker->front->config)) {
		ui_words(request, reply, 413, "Too large", "It is larger than what is taken of its kind.");
		return;
	}
	if (submit(worker, request, visitor, form, kind, &err) < 0) {
		ui_error(request, reply, &err);
		return;
	}
	snprintf(address, sizeof(address), "ui/r/%s", request->job_id);
	ui_see_other(request, reply, address);
}

void ui_drop_take(struct worker *worker, struct request *request, const struct ui_visitor *visitor,
		  struct reply *reply)
{
	struct ui_form form;

	if (!ui_form_open(&form, worker, request, visitor, "drop", reply))
		return;
	take(worker, request, visitor, &form, reply);
	ui_form_release(&form);
}
