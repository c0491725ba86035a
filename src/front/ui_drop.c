/* ui_drop.c -- see ui_drop.h. */
#include "front/ui_drop.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/limits.h"
#include "config/config.h"
#include "front/front.h"
#include "front/front_internal.h"
#include "front/ui.h"
#include "front/ui_drop_packed.h"
#include "front/ui_drop_request.h"
#include "front/ui_form.h"
#include "kinds/kinds.h"
#include "stacktext/stacktext_kind.h"
#include "work/work.h"

#define ADDRESS_BYTES 64u
#define WORDS_BYTES 512u
#define TEXT_BYTES ((size_t)16 * 1024 * 1024)        /* of a stack, around which a request is written */

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
		.scope = visitor->scope,
	};
}

/* --- What it is ---------------------------------------------------------------------------------------- */

/* How what was dropped goes into a job's body. */
enum drop_body { DROP_AS_IT_IS, DROP_JVM_TEXT, DROP_JS_TEXT };

/* By its kind's name, as job rows have it; NULL: no endpoint takes it. */
static const struct { const char *kind; enum drop_body body; } taken[STACKTEXT_KINDS] = {
	[STACKTEXT_REQUEST_NATIVE] = { "symbolicate", DROP_AS_IT_IS },
	[STACKTEXT_REQUEST_JS] = { "symbolicate_js", DROP_AS_IT_IS },
	[STACKTEXT_REQUEST_JVM] = { "symbolicate-jvm", DROP_AS_IT_IS },
	[STACKTEXT_REQUEST_ANY] = { "symbolicate-any", DROP_AS_IT_IS },
	[STACKTEXT_REQUEST_MOZILLA] = { "mozilla-v5", DROP_AS_IT_IS },
	[STACKTEXT_MINIDUMP] = { "minidump", DROP_AS_IT_IS },
	[STACKTEXT_APPLE] = { "applecrashreport", DROP_AS_IT_IS },
	[STACKTEXT_IPS] = { "applecrashreport", DROP_AS_IT_IS },
	[STACKTEXT_CORE] = { "coredump", DROP_AS_IT_IS },
	[STACKTEXT_JS] = { "symbolicate_js", DROP_JS_TEXT },
	[STACKTEXT_JVM] = { "symbolicate-jvm", DROP_JVM_TEXT },
	[STACKTEXT_NATIVE] = { "stacktext", DROP_AS_IT_IS },
};

struct ui_dropped {
	const struct request_kind *kind;
	enum drop_body body;
	struct ui_drop_said said;
};

static void refuse_kind(const struct request *request, struct reply *reply, const char *what)
{
	char words[WORDS_BYTES];

	snprintf(words, sizeof(words), "It looks like %s. What can be dropped: a minidump, an ELF core, an Apple "
		 "crash report, a stack as gdb, a sanitizer, glibc, Android, Rust, Java, a browser or "
		 "minidump_stackwalk print it, and the JSON of a request.", what);
	ui_words(request, reply, 422, "This cannot be read", words);
}

/* By a look at its beginning; whoever reads all of it has the last word.  False: the reply says why not. */
static bool tell_kind(const struct request *request, struct arena *arena, struct ui_dropped *dropped,
		      struct reply *reply)
{
	char *head = arena_alloc(arena, STACKTEXT_HEAD_BYTES, 1);
	ssize_t size = head ? pread(request->upload->fd, head, STACKTEXT_HEAD_BYTES, 0) : 0;
	struct stacktext_detected detected;
	struct err err = ERR_INIT;

	if (!head || size < 0) {
		if (head)
			(void)err_os(&err, errno, "reading an upload");
		else
			(void)err_set(&err, ERR_NO_MEMORY, "no room to look at an upload");
		ui_error(request, reply, &err);
		return false;
	}
	detected = stacktext_detect((struct text){ head, (size_t)size });
	if (detected.is_packed)
		detected = ui_drop_look_inside(request->upload->fd, detected);
	dropped->body = taken[detected.kind].body;
	dropped->kind = taken[detected.kind].kind ? request_kind_named(taken[detected.kind].kind) : NULL;
	if (!dropped->kind)
		refuse_kind(request, reply, detected.reason ? detected.reason
							    : stacktext_kind_name(detected.kind));
	return dropped->kind != NULL;
}

/* --- The job -------------------------------------------------------------------------------------------- */

/* Pasted text goes the way of files. */
static int spool_text(struct worker *worker, struct request *request, struct text text, struct err *err)
{
	if (!request->upload && upload_new(&request->upload, &worker->jobs, err) < 0)
		return -1;
	request->upload->size = text.size;
	return file_write_all(request->upload->fd, text.bytes, text.size, err);
}

/* All of a text, whose request is written around it. */
static int write_request(const struct request *request, const struct ui_dropped *dropped, struct buf *out,
			 struct err *err)
{
	struct buf text;
	int rc;

	buf_init(&text, TEXT_BYTES);
	rc = file_read_all(request->upload->path, TEXT_BYTES, &text, err);
	if (rc == 0)
		rc = dropped->body == DROP_JVM_TEXT ? ui_drop_jvm(&dropped->said, buf_text(&text), out, err)
						    : ui_drop_js(&dropped->said, buf_text(&text), out, err);
	buf_release(&text);
	return rc;
}

static int write_body(const struct request *request, const struct ui_dropped *dropped, struct buf *out,
		      struct err *err)
{
	if (dropped->body != DROP_AS_IT_IS)
		return write_request(request, dropped, out, err);
	if (dropped->kind->takes_file)
		ui_drop_fields(&dropped->said, out);
	return buf_check(out, err);
}

static int submit(struct worker *worker, struct request *request, const struct ui_visitor *visitor,
		  const struct ui_dropped *dropped, struct err *err)
{
	struct job_order order = {
		.kind = dropped->kind->name, .scope = visitor->scope, .is_kept = true,
		.body_path = dropped->body == DROP_AS_IT_IS ? request->upload->path : NULL,
		.x_request_id = text_of(request->x_request_id),
	};
	struct buf body;
	int rc;

	buf_init(&body, LIMIT_SYMBOLICATE_BODY_BYTES);
	rc = write_body(request, dropped, &body, err);
	order.body = buf_text(&body);
	if (rc == 0)
		rc = job_submit(&worker->jobs, &order, request->job_id, err);
	buf_release(&body);
	if (rc == 0 && order.body_path)
		answer_note_submitted(worker->front, request);
	else if (rc == 0)
		answer_want_workshop(worker->front);
	return rc;
}

static uint64_t ceiling_of(const struct ui_dropped *dropped, const struct config *config)
{
	if (dropped->body != DROP_AS_IT_IS)
		return TEXT_BYTES;
	return dropped->kind->takes_file ? config->crash_file_body_max_bytes : config->symbolicate_body_max_bytes;
}

static bool is_of_size(const struct request *request, const struct ui_dropped *dropped,
		       const struct config *config, struct reply *reply)
{
	uint64_t most = ceiling_of(dropped, config);
	char words[WORDS_BYTES];

	if (request->upload->size <= most)
		return true;
	snprintf(words, sizeof(words), "It has %llu bytes; of its kind (%s) at most %llu are taken.",
		 (unsigned long long)request->upload->size, dropped->kind->name, (unsigned long long)most);
	ui_words(request, reply, 413, "Too large", words);
	return false;
}

/* False: the reply says why not. */
static bool has_something(struct worker *worker, struct request *request, const struct ui_form *form,
			  struct reply *reply)
{
	struct text text = ui_form_field(form, "text");
	struct err err = ERR_INIT;

	if (request->upload && request->upload->size > 0)
		return true;
	if (text.size == 0) {
		ui_words(request, reply, 400, "Nothing came", "There was neither a file nor a text in the form.");
		return false;
	}
	if (spool_text(worker, request, text, &err) == 0)
		return true;
	ui_error(request, reply, &err);
	return false;
}

static void take(struct worker *worker, struct request *request, const struct ui_visitor *visitor,
		 struct ui_form *form, struct reply *reply)
{
	struct ui_dropped dropped = { .kind = NULL };
	char address[ADDRESS_BYTES];
	struct err err = ERR_INIT;

	ui_drop_said_read(&dropped.said, form, &worker->front->default_sources);
	if (!has_something(worker, request, form, reply) ||
	    !tell_kind(request, &form->arena, &dropped, reply) ||
	    !is_of_size(request, &dropped, worker->front->config, reply))
		return;
	if (submit(worker, request, visitor, &dropped, &err) < 0) {
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
