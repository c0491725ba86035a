/* mozilla_kind.c -- POST /symbolicate/v5, /symbolicate/v4 and /: parse, step, answer. */
#include "kinds/kinds.h"
#include "kinds/mozilla/mozilla.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/json_writer.h"
#include "config/config.h"
#include "work/answer_head.h"

enum mozilla_step { MOZILLA_MODULES, MOZILLA_FRAMES, MOZILLA_NAMES, MOZILLA_DONE };

struct mozilla {
	struct mozilla_request request;
	struct mozilla_names names;
	enum mozilla_step step;
	int64_t started_micros;
};

/* --- Parsing -------------------------------------------------------------------------------------- */

static struct mozilla *begin(struct work *work, unsigned version, struct err *err)
{
	struct mozilla *mozilla = arena_alloc(&work->arena, 1, sizeof(*mozilla));
	bool is_tecken = version == 4 && !work->config->mozilla_v4_is_eliot;

	if (!mozilla) {
		err_no_memory(err);
		return NULL;
	}
	work->state = mozilla;
	mozilla->request.version = version;
	mozilla->request.dialect = is_tecken ? MOZILLA_TECKEN : MOZILLA_ELIOT;
	mozilla->started_micros = clock_monotonic_micros();
	return mozilla;
}

static int parse(struct work *work, const struct work_body *body, unsigned version, bool wants_figures,
		 struct err *err)
{
	struct mozilla *mozilla = begin(work, version, err);
	struct mozilla_request *request;
	int rc;

	if (!mozilla)
		return -1;
	request = &mozilla->request;
	request->wants_figures = wants_figures;
	rc = request->dialect == MOZILLA_TECKEN
	     ? mozilla_read_tecken(request, body->bytes, &work->arena, err)
	     : mozilla_read_eliot(request, body->bytes, &work->arena, err);
	if (rc < 0 && err->kind == ERR_LIMIT && !work->arena.is_refused)
		err->kind = ERR_TOO_LARGE;
	if (rc < 0)
		return -1;
	if (request->refusal)
		mozilla->step = MOZILLA_DONE;
	else
		mozilla_mark(request);
	return 0;
}

static int parse_v5(struct work *work, const struct work_body *body, struct err *err)
{
	return parse(work, body, 5, false, err);
}

static int parse_v5_with_figures(struct work *work, const struct work_body *body, struct err *err)
{
	return parse(work, body, 5, true, err);
}

static int parse_v4(struct work *work, const struct work_body *body, struct err *err)
{
	return parse(work, body, 4, false, err);
}

/* --- Steps ---------------------------------------------------------------------------------------- */

static enum resolved step_names(struct mozilla *mozilla, struct work *work, struct resolver *resolver,
				struct err *err)
{
	enum resolved resolved = RESOLVED_READY;

	if (mozilla->names.count)
		resolved = resolver->names(resolver, mozilla->names.names, mozilla->names.count,
					   &work->arena, err);
	if (resolved != RESOLVED_READY)
		return resolved;
	mozilla_names_settle(&mozilla->request, &mozilla->names);
	mozilla->step = MOZILLA_DONE;
	return RESOLVED_READY;
}

static enum resolved step_once(struct mozilla *mozilla, struct work *work, struct resolver *resolver,
			       struct err *err)
{
	enum resolved resolved;

	switch (mozilla->step) {
	case MOZILLA_MODULES:
		resolved = mozilla_modules_advance(&mozilla->request.modules, work, resolver, err);
		if (resolved == RESOLVED_READY)
			mozilla->step = MOZILLA_FRAMES;
		return resolved;
	case MOZILLA_FRAMES:
		resolved = mozilla_look_up(&mozilla->request, work, resolver, err);
		mozilla->step = resolved == RESOLVED_WAIT ? MOZILLA_MODULES : MOZILLA_NAMES;
		if (resolved == RESOLVED_READY &&
		    mozilla_names_collect(&mozilla->request, &mozilla->names, &work->arena, err) < 0)
			return RESOLVED_ERROR;
		return resolved == RESOLVED_ERROR ? RESOLVED_ERROR : RESOLVED_READY;
	default:
		return step_names(mozilla, work, resolver, err);
	}
}

static enum stepped step(struct work *work, struct resolver *resolver, struct err *err)
{
	struct mozilla *mozilla = work->state;
	enum resolved resolved = RESOLVED_READY;

	while (resolved == RESOLVED_READY && mozilla->step != MOZILLA_DONE)
		resolved = step_once(mozilla, work, resolver, err);
	return work_stepped(resolved);
}

/* --- Answers -------------------------------------------------------------------------------------- */

static int head(struct work *work, struct answer_head *head_of, struct err *err)
{
	const struct mozilla *mozilla = work->state;

	(void)err;
	head_of->status = mozilla->request.refusal ? 400 : 200;
	return 0;
}

static int answer(struct work *work, struct buf *reply, struct err *err)
{
	const struct mozilla *mozilla = work->state;
	const struct mozilla_request *request = &mozilla->request;
	double seconds = (double)(clock_monotonic_micros() - mozilla->started_micros) / 1e6;
	struct json_writer json;

	json_writer_init(&json, reply);
	if (request->refusal)
		mozilla_write_refusal(request->dialect, text_of(request->refusal), &json);
	else if (mozilla_write_answer(request, seconds, work->config->mozilla_module_errors, &json,
				      err) < 0)
		return -1;
	return buf_check(reply, err);
}

static void refuse_v4(const struct config *config, int status, struct text words, struct buf *out)
{
	struct json_writer json;

	json_writer_init(&json, out);
	if (config->mozilla_v4_is_eliot)
		mozilla_write_refusal(MOZILLA_ELIOT, words, &json);
	else
		mozilla_write_refusal(MOZILLA_TECKEN, status == 405 ? TEXT("Must use HTTP POST") : words,
				      &json);
}

static void refuse_v5(const struct config *config, int status, struct text words, struct buf *out)
{
	struct json_writer json;

	(void)config;
	(void)status;
	json_writer_init(&json, out);
	mozilla_write_refusal(MOZILLA_ELIOT, words, &json);
}

static void release(struct work *work)
{
	struct mozilla *mozilla = work->state;

	if (mozilla)
		mozilla_modules_release(&mozilla->request.modules);
	work->state = NULL;
}

/* --- The kinds ------------------------------------------------------------------------------------- */

#define HANDLED .step = step, .head = head, .answer = answer, .is_for_all_origins = true, .release = release, \
	.misses_seconds = MOZILLA_MISSES_SECONDS
#define V5(words, read) .name = "mozilla-v5" words, .parse = read, .refuse = refuse_v5, HANDLED
#define V4(words)       .name = "mozilla-v4" words, .parse = parse_v4, .refuse = refuse_v4, HANDLED

const struct request_kind request_kind_mozilla_v5_debug_anew = {
	V5("-debug-anew", parse_v5_with_figures), .asks_anew = true,
};

const struct request_kind request_kind_mozilla_v5_debug = {
	V5("-debug", parse_v5_with_figures), .anew = &request_kind_mozilla_v5_debug_anew,
};

const struct request_kind request_kind_mozilla_v5_anew = {
	V5("-anew", parse_v5), .asks_anew = true,
};

const struct request_kind request_kind_mozilla_v5 = {
	V5("", parse_v5), .with_figures = &request_kind_mozilla_v5_debug, .anew = &request_kind_mozilla_v5_anew,
};

const struct request_kind request_kind_mozilla_v4_anew = {
	V4("-anew"), .asks_anew = true,
};

const struct request_kind request_kind_mozilla_v4 = {
	V4(""), .anew = &request_kind_mozilla_v4_anew,
};
