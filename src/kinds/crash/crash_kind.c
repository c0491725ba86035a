/* crash_kind.c -- POST /minidump, /applecrashreport, /coredump and /stacktext: parse, step, answer. */
#include "kinds/crash/crash_work.h"

#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/json_writer.h"
#include "kinds/kinds.h"
#include "work/derived.h"

/* A form in a form: its boundary's first bytes stand where a file should begin. */
static int refuse_nested_form(const struct work_body *body, struct err *err)
{
	char first[2];

	if (pread(body->fd, first, sizeof(first), 0) == (ssize_t)sizeof(first) &&
	    memcmp(first, "--", sizeof(first)) == 0)
		return err_set(err, ERR_BAD_REQUEST, "minidump contains multipart form data");
	return 0;
}

/* No two bodies have the same report, whatever they hold. */
static int name_report(struct crash *crash, struct err *err)
{
	char *id = arena_alloc(&crash->work->arena, HASH_UUID_TEXT_BYTES, 1);

	if (!id)
		return err_no_memory(err);
	random_uuid(id);
	if (cache_key_make(&crash->held.derive.key, &crash->work->arena, CACHE_KINDS, TEXT_NONE,
			   text_of(id), err) < 0)
		return -1;
	crash->held.derive.object_key = crash->held.derive.key;
	return 0;
}

/* NULL with err. */
static struct crash *begin(struct work *work, const struct derived_kind *kind, struct err *err)
{
	struct crash *crash = arena_alloc(&work->arena, 1, sizeof(*crash));

	if (!crash) {
		err_no_memory(err);
		return NULL;
	}
	crash->work = work;
	crash->held.derive.kind = kind;
	crash->is_walked = kind->waits;
	work->state = crash;
	return name_report(crash, err) < 0 ? NULL : crash;
}

static int parse(struct work *work, const struct work_body *body, const struct derived_kind *kind,
		 struct err *err)
{
	struct crash *crash = begin(work, kind, err);

	return crash ? crash_form_read(crash, body->bytes, err) : -1;
}

static int minidump_parse(struct work *work, const struct work_body *body, struct err *err)
{
	if (refuse_nested_form(body, err) < 0)
		return -1;
	return parse(work, body, &derived_minidump_report, err);
}

static int applecrash_parse(struct work *work, const struct work_body *body, struct err *err)
{
	return parse(work, body, &derived_applecrash_report, err);
}

static int coredump_parse(struct work *work, const struct work_body *body, struct err *err)
{
	return parse(work, body, &derived_coredump_report, err);
}

static int stacktext_parse(struct work *work, const struct work_body *body, struct err *err)
{
	return parse(work, body, &derived_stacktext_report, err);
}

/* Of another kind, the work is that kind's from here on. */
static int any_parse(struct work *work, const struct work_body *body, struct err *err)
{
	const struct request_kind *other = crash_any_other(body->bytes);
	struct crash *crash;

	if (other) {
		work->kind = other;
		return other->parse(work, body, err);
	}
	crash = begin(work, &derived_linked_minidump_report, err);
	return crash ? crash_any_read(crash, body->bytes, err) : -1;
}

/* --- Steps --------------------------------------------------------------------------------- */

static int open_report(void *payload, struct text bytes, struct err *damage)
{
	return crash_report_read(payload, bytes, damage);
}

static int begin_symbolication(struct crash *crash, struct err *err)
{
	/* Modules of Apple's reports and of texts were not unwound here. */
	if (crash->is_walked) {
		crash->request.lookups = crash_modules_lookups(crash, err);
		if (!crash->request.lookups)
			return -1;
	}
	/* Sources are quoted, and frames innermost first, whatever the options say. */
	crash->request.options.apply_source_context = true;
	crash->request.options.caller_first = false;
	crash->symbolication = symbolication_new(crash->work, &crash->request, err);
	if (!crash->symbolication)
		return -1;
	crash->stage = CRASH_SYMBOLICATION;
	return 0;
}

/* Why there is no report, in the words of the reference. */
static void fail(const struct crash *crash, struct err *err)
{
	const struct held *held = &crash->held;
	struct text details = lookup_failure_details(held->failure, held->details,
						     &crash->work->arena);

	switch (held->failure) {
	case ERR_NOT_FOUND:
		err_set(err, ERR_NOT_FOUND, "not found");
		break;
	case ERR_DENIED:
		err_set(err, ERR_DENIED, "permission denied: %.*s", (int)details.size, details.bytes);
		break;
	case ERR_DOWNLOAD:
	case ERR_TIMEOUT:
		err_set(err, held->failure, "%.*s", (int)details.size, details.bytes);
		break;
	default:
		err_set(err, held->failure, "%.*s", (int)held->details.size, held->details.bytes);
	}
}

static enum resolved take_report(struct crash *crash, struct resolver *resolver, struct err *err)
{
	const struct held_opening opening = {
		.open = open_report, .payload = crash, .arena = &crash->work->arena,
		.is_kept_senseless = true,
	};
	enum resolved resolved = held_resolve(&crash->held, &opening, resolver, err);

	if (resolved != RESOLVED_READY)
		return resolved;
	if (crash->held.failure)
		return fail(crash, err), RESOLVED_ERROR;
	return begin_symbolication(crash, err) < 0 ? RESOLVED_ERROR : RESOLVED_READY;
}

static enum stepped crash_step(struct work *work, struct resolver *resolver, struct err *err)
{
	struct crash *crash = work->state;

	if (crash->stage == CRASH_REPORT) {
		enum resolved resolved = take_report(crash, resolver, err);

		if (resolved != RESOLVED_READY)
			return work_stepped(resolved);
	}
	return symbolication_step(crash->symbolication, resolver, err);
}

/* --- The end ------------------------------------------------------------------------------- */

static int crash_answer(struct work *work, struct buf *reply, struct err *err)
{
	const struct crash *crash = work->state;
	struct json_writer json;

	json_writer_init(&json, reply);
	json_object(&json);
	json_member_string(&json, "status", "completed");
	crash_report_write(crash, &json);
	if (symbolication_write(crash->symbolication, &json, err) < 0)
		return -1;
	json_object_end(&json);
	return buf_check(reply, err);
}

/* Of another kind's work, cells may ask for what that lets them. */
static enum resolved any_want(struct work *work, struct work_want *want, struct resolver *resolver,
			      struct err *err)
{
	if (work->kind == &request_kind_any)
		return crash_want(work, want, resolver, err);
	if (work->kind->want)
		return work->kind->want(work, want, resolver, err);
	err_set(err, ERR_UNSUPPORTED, "cells that work for this kind of request ask for nothing");
	return RESOLVED_ERROR;
}

static int crash_candidates(struct work *work, struct buf *out, struct err *err)
{
	const struct crash *crash = work->state;
	struct json_writer json;

	if (!crash->symbolication)
		return err_set(err, ERR_UNSUPPORTED, "its file is not read yet");
	json_writer_init(&json, out);
	json_object(&json);
	if (symbolication_write_candidates(crash->symbolication, &json, err) < 0)
		return -1;
	json_object_end(&json);
	return buf_check(out, err);
}

static void crash_release(struct work *work)
{
	struct crash *crash = work->state;

	if (!crash)
		return;
	symbolication_release(crash->symbolication);
	crash_modules_release(crash);
	held_release(&crash->held);
	work->state = NULL;
}

const struct request_kind request_kind_minidump = {
	.name = "minidump", .takes_file = true, .has_pending = true, .answers_late = true,
	.keeps_failed = true,
	.parse = minidump_parse, .step = crash_step, .answer = crash_answer, .want = crash_want,
	.candidates = crash_candidates, .release = crash_release,
};

const struct request_kind request_kind_applecrash = {
	.name = "applecrashreport", .takes_file = true, .has_pending = true, .answers_late = true,
	.parse = applecrash_parse, .step = crash_step, .answer = crash_answer,
	.candidates = crash_candidates, .release = crash_release,
};

const struct request_kind request_kind_coredump = {
	.name = "coredump", .takes_file = true, .has_pending = true, .answers_late = true,
	.parse = coredump_parse, .step = crash_step, .answer = crash_answer, .want = crash_want,
	.candidates = crash_candidates, .release = crash_release,
};

const struct request_kind request_kind_stacktext = {
	.name = "stacktext", .takes_file = true, .has_pending = true, .answers_late = true,
	.parse = stacktext_parse, .step = crash_step, .answer = crash_answer,
	.candidates = crash_candidates, .release = crash_release,
};

const struct request_kind request_kind_any = {
	.name = "symbolicate-any", .has_pending = true, .answers_late = true,
	.parse = any_parse, .step = crash_step, .answer = crash_answer, .want = any_want,
	.candidates = crash_candidates, .release = crash_release,
};
