/* js_kind.c -- POST /symbolicate-js: parse, step, answer. */
#include "kinds/js/js.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/json_writer.h"
#include "kinds/kinds.h"

struct js *js_new(struct work *work, struct err *err)
{
	struct js *js = arena_alloc(&work->arena, 1, sizeof(*js));

	if (!js) {
		err_no_memory(err);
		return NULL;
	}
	js->work = work;
	js->last_module = &js->modules;
	js->last_artifact = &js->artifacts;
	js->last_need = &js->needs;
	return js;
}

static int js_parse(struct work *work, const struct work_body *body, struct err *err)
{
	struct js *js = js_new(work, err);

	work->state = js;
	if (js && js_request_read(&js->request, work, body->bytes, err) == 0)
		return 0;
	if (err->kind == ERR_LIMIT && !work->arena.is_refused)
		err->kind = ERR_TOO_LARGE;
	return -1;
}

enum stepped js_step(struct js *js, struct resolver *resolver, struct err *err)
{
	enum resolved resolved = RESOLVED_READY;

	if (!js->is_done)
		resolved = js_frames_resolve(js, resolver, err);
	js->is_done = resolved == RESOLVED_READY;
	return work_stepped(resolved);
}

static enum stepped step(struct work *work, struct resolver *resolver, struct err *err)
{
	return js_step(work->state, resolver, err);
}

static int js_answer(struct work *work, struct buf *reply, struct err *err)
{
	struct json_writer json;

	json_writer_init(&json, reply);
	json_object(&json);
	json_member_string(&json, "status", "completed");
	if (js_answer_write(work->state, &json, err) < 0)
		return -1;
	json_object_end(&json);
	return buf_check(reply, err);
}

static int js_candidates(struct work *work, struct buf *out, struct err *err)
{
	struct json_writer json;

	json_writer_init(&json, out);
	json_object(&json);
	if (js_answer_errors(work->state, &json, err) < 0)
		return -1;
	json_object_end(&json);
	return buf_check(out, err);
}

void js_release(struct js *js)
{
	for (struct js_module *module = js->modules; module; module = module->next)
		js_module_release(module);
	for (struct js_need *need = js->needs; need; need = need->next)
		js_file_release(&need->file);
	for (struct js_bundle *bundle = js->bundles; bundle; bundle = bundle->next)
		held_release(&bundle->index);
	js->open = NULL;
}

static void release(struct work *work)
{
	if (work->state)
		js_release(work->state);
	work->state = NULL;
}

const struct request_kind request_kind_js = {
	.name = "symbolicate_js",
	.has_pending = true,
	.parse = js_parse,
	.step = step,
	.answer = js_answer,
	.candidates = js_candidates,
	.release = release,
};
