/* jvm_kind.c -- POST /symbolicate-jvm: parse, step, answer. */
#include "kinds/jvm/jvm_text.h"

#include "base/arena.h"
#include "base/json_writer.h"
#include "kinds/kinds.h"

static int jvm_parse(struct work *work, const struct work_body *body, struct err *err)
{
	struct jvm *jvm = arena_alloc(&work->arena, 1, sizeof(*jvm));

	if (!jvm)
		return err_no_memory(err);
	jvm->work = work;
	work->state = jvm;
	if (jvm_request_read(&jvm->request, work, body->bytes, err) == 0 && jvm_files_begin(jvm, err) == 0)
		return 0;
	if (err->kind == ERR_LIMIT && !work->arena.is_refused)
		err->kind = ERR_TOO_LARGE;
	return -1;
}

/* Which mappings frames name is asked when those of the request are there. */
static enum resolved add_maps(struct jvm *jvm, struct err *err)
{
	int added = jvm_maps_add(jvm, err);

	jvm->stage = added > 0 ? JVM_FILES : JVM_REMAP;
	return added < 0 ? RESOLVED_ERROR : RESOLVED_READY;
}

static enum resolved step_once(struct jvm *jvm, struct resolver *resolver, struct err *err)
{
	enum resolved resolved;

	switch (jvm->stage) {
	case JVM_FILES:
		resolved = jvm_files_resolve(jvm, resolver, err);
		if (resolved == RESOLVED_READY)
			jvm->stage = JVM_MAPS;
		return resolved;
	case JVM_MAPS:
		return add_maps(jvm, err);
	case JVM_REMAP:
		resolved = jvm_remap(jvm, resolver, err);
		if (resolved == RESOLVED_READY)
			jvm->stage = JVM_CONTEXTS;
		break;
	case JVM_CONTEXTS:
		resolved = jvm_context_quote(jvm, resolver, err);
		if (resolved == RESOLVED_READY)
			jvm->stage = JVM_NATIVE;
		break;
	default:
		resolved = jvm_text_step(jvm, resolver, err);
		if (resolved == RESOLVED_READY)
			jvm->stage = JVM_DONE;
		return resolved;
	}
	if (resolved != RESOLVED_WAIT)
		return resolved;
	jvm->stage = JVM_FILES;              /* one of them is no more what it was */
	return RESOLVED_READY;
}

static enum stepped jvm_step(struct work *work, struct resolver *resolver, struct err *err)
{
	struct jvm *jvm = work->state;
	enum resolved resolved = RESOLVED_READY;

	while (resolved == RESOLVED_READY && jvm->stage != JVM_DONE)
		resolved = step_once(jvm, resolver, err);
	return work_stepped(resolved);
}

static int jvm_answer(struct work *work, struct buf *reply, struct err *err)
{
	struct json_writer json;

	json_writer_init(&json, reply);
	json_object(&json);
	json_member_string(&json, "status", "completed");
	jvm_answer_write(work->state, &json);
	if (jvm_text_write(work->state, &json, err) < 0)
		return -1;
	json_object_end(&json);
	return buf_check(reply, err);
}

static int jvm_candidates(struct work *work, struct buf *out, struct err *err)
{
	struct json_writer json;

	json_writer_init(&json, out);
	json_object(&json);
	jvm_answer_errors(work->state, &json);
	json_object_end(&json);
	return buf_check(out, err);
}

static void jvm_release(struct work *work)
{
	struct jvm *jvm = work->state;

	if (jvm) {
		jvm_text_release(jvm);
		jvm_remap_release(jvm);
		jvm_files_release(jvm);
	}
	work->state = NULL;
}

const struct request_kind request_kind_jvm = {
	.name = "symbolicate-jvm",
	.has_pending = true,
	.parse = jvm_parse,
	.step = jvm_step,
	.answer = jvm_answer,
	.candidates = jvm_candidates,
	.release = jvm_release,
};
