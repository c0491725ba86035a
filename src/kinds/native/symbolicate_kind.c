/* symbolicate_kind.c -- POST /symbolicate: parse, step, answer. */
#include "kinds/kinds.h"
#include "kinds/native/symbolication.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/json_writer.h"
#include "work/request_json.h"

struct symbolicate {
	struct symbolication_request request;
	struct symbolication *symbolication;
};

static int read_body(struct work *work, struct symbolicate *symbolicate, struct text body,
		     struct err *err)
{
	struct cJSON *json;

	if (request_json_parse(body, &work->arena, &json, err) < 0 ||
	    symbolication_request_read(&symbolicate->request, work, json, err) < 0)
		return -1;
	symbolicate->symbolication = symbolication_new(work, &symbolicate->request, err);
	return symbolicate->symbolication ? 0 : -1;
}

static int symbolicate_parse(struct work *work, const struct work_body *body, struct err *err)
{
	struct symbolicate *symbolicate = arena_alloc(&work->arena, 1, sizeof(*symbolicate));

	if (!symbolicate)
		return err_no_memory(err);
	work->state = symbolicate;
	if (read_body(work, symbolicate, body->bytes, err) == 0)
		return 0;
	if (err->kind == ERR_LIMIT && !work->arena.is_refused)
		err->kind = ERR_TOO_LARGE;
	return -1;
}

static enum stepped symbolicate_step(struct work *work, struct resolver *resolver,
				     struct err *err)
{
	const struct symbolicate *symbolicate = work->state;

	return symbolication_step(symbolicate->symbolication, resolver, err);
}

static int symbolicate_answer(struct work *work, struct buf *reply, struct err *err)
{
	const struct symbolicate *symbolicate = work->state;
	const struct maybe_u64 signal = symbolicate->request.report.signal;
	struct json_writer json;

	json_writer_init(&json, reply);
	json_object(&json);
	json_member_string(&json, "status", "completed");
	if (signal.is_set)
		json_member_u64(&json, "signal", signal.value);
	if (symbolication_write(symbolicate->symbolication, &json, err) < 0)
		return -1;
	json_object_end(&json);
	return buf_check(reply, err);
}

static int symbolicate_candidates(struct work *work, struct buf *out, struct err *err)
{
	const struct symbolicate *symbolicate = work->state;
	struct json_writer json;

	json_writer_init(&json, out);
	json_object(&json);
	if (symbolication_write_candidates(symbolicate->symbolication, &json, err) < 0)
		return -1;
	json_object_end(&json);
	return buf_check(out, err);
}

static void symbolicate_release(struct work *work)
{
	const struct symbolicate *symbolicate = work->state;

	if (symbolicate)
		symbolication_release(symbolicate->symbolication);
	work->state = NULL;
}

const struct request_kind request_kind_symbolicate = {
	.name = "symbolicate",
	.has_pending = true,
	.parse = symbolicate_parse,
	.step = symbolicate_step,
	.answer = symbolicate_answer,
	.candidates = symbolicate_candidates,
	.release = symbolicate_release,
};
