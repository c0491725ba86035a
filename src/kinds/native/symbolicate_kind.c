/* symbolicate_kind.c -- the symbolicate kind: parse, step, answer. */
#include "kinds/kinds.h"
#include "kinds/native/symbolication.h"
#include "kinds/native/source_contexts.h"

#include "base/arena.h"
#include "base/limits.h"
#include "work/request_json.h"

#define PATH_BYTES LIMIT_NAME_BYTES

/* --- parse ------------------------------------------------------------------------------- */

static void mark_referenced(struct symbolication *native)
{
	for (size_t i = 0; i < native->request.trace_count; i++) {
		const struct raw_trace *raw = &native->request.traces[i];

		for (size_t j = 0; j < raw->frame_count; j++) {
			struct native_module *module = module_table_find(&native->table,
									 raw->frames[j].mode,
									 raw->frames[j].address.value);

			if (module)
				module->is_referenced = true;
		}
	}
}

static int read_body(struct symbolication *native, struct text body, struct err *err)
{
	struct work *work = native->work;
	struct cJSON *json;

	if (request_json_parse(body, &work->arena, &json, err) < 0 ||
	    symbolicate_request_read(&native->request, work, json, err) < 0 ||
	    module_table_make(&native->table, &native->request, &work->arena, err) < 0)
		return -1;
	native->traces = arena_alloc(&work->arena, native->request.trace_count,
				     sizeof(*native->traces));
	if (!native->traces)
		return err_no_memory(err);
	mark_referenced(native);
	return 0;
}

static int native_parse(struct work *work, const struct work_body *body, struct err *err)
{
	struct symbolication *native = arena_alloc(&work->arena, 1, sizeof(*native));

	if (!native)
		return err_no_memory(err);
	native->work = work;
	buf_init(&native->path, PATH_BYTES);
	work->state = native;
	if (read_body(native, body->bytes, err) == 0)
		return 0;
	if (err->kind == ERR_LIMIT && !work->arena.is_refused)
		err->kind = ERR_TOO_LARGE;
	return -1;
}

/* --- step -------------------------------------------------------------------------------- */

typedef enum resolved advance_fn(struct symbolication *native, struct native_module *module,
				 struct resolver *resolver, struct err *err);

/* All of them are asked before anyone waits: what is fetched is fetched at the same time. */
static enum resolved advance_modules(struct symbolication *native, bool for_sources,
				     struct resolver *resolver, struct err *err)
{
	advance_fn *advance = for_sources ? native_module_advance_sources : native_module_advance;
	enum resolved all = RESOLVED_READY;

	for (size_t i = 0; i < native->table.count; i++) {
		struct native_module *module = &native->table.modules[i];
		enum resolved one;

		if (!(for_sources ? module->is_source_referenced : module->is_referenced))
			continue;
		one = advance(native, module, resolver, err);
		if (one == RESOLVED_ERROR || (one == RESOLVED_WAIT && resolver->stops_at_wait))
			return one;
		if (one == RESOLVED_WAIT)
			all = one;
	}
	return all;
}

static enum resolved step_frames(struct symbolication *native, struct resolver *resolver,
				 struct err *err)
{
	switch (native_frames_look_up(native, resolver, err)) {
	case RESOLVED_ERROR:
		return RESOLVED_ERROR;
	case RESOLVED_WAIT:
		native->stage = SYMBOLICATION_MODULES;
		return RESOLVED_READY;
	default:
		native->stage = native->request.options.extract_variables ? SYMBOLICATION_VARIABLES
									  : SYMBOLICATION_NAMES;
		return frame_names_collect(native, err) < 0 ? RESOLVED_ERROR : RESOLVED_READY;
	}
}

static enum resolved step_names(struct symbolication *native, struct resolver *resolver,
				struct err *err)
{
	enum resolved resolved = RESOLVED_READY;

	if (native->names.count)
		resolved = resolver->names(resolver, native->names.names, native->names.count,
					   &native->work->arena, err);
	if (resolved != RESOLVED_READY)
		return resolved;
	frame_names_settle(native);
	native->stage = SYMBOLICATION_DONE;
	if (native->request.options.apply_source_context) {
		native_frames_mark_modules(native);
		native->stage = SYMBOLICATION_SOURCES;
	}
	return resolved;
}

static enum resolved step_contexts(struct symbolication *native, struct resolver *resolver,
				   struct err *err)
{
	enum resolved resolved = source_contexts_look_up(native, resolver, err);

	if (resolved == RESOLVED_ERROR)
		return resolved;
	native->stage = resolved == RESOLVED_WAIT ? SYMBOLICATION_SOURCES
			: native->link_count ? SYMBOLICATION_LINKS : SYMBOLICATION_DONE;
	return RESOLVED_READY;
}

/* READY: the next stage may begin. */
static enum resolved step_once(struct symbolication *native, struct resolver *resolver,
			       struct err *err)
{
	enum resolved resolved;

	switch (native->stage) {
	case SYMBOLICATION_MODULES:
		resolved = advance_modules(native, false, resolver, err);
		if (resolved == RESOLVED_READY)
			native->stage = SYMBOLICATION_FRAMES;
		return resolved;
	case SYMBOLICATION_FRAMES:
		return step_frames(native, resolver, err);
	case SYMBOLICATION_VARIABLES:
		resolved = frame_variables_look_up(native, resolver, err);
		if (resolved == RESOLVED_READY)
			native->stage = SYMBOLICATION_NAMES;
		return resolved;
	case SYMBOLICATION_NAMES:
		return step_names(native, resolver, err);
	case SYMBOLICATION_SOURCES:
		resolved = advance_modules(native, true, resolver, err);
		if (resolved == RESOLVED_READY)
			native->stage = SYMBOLICATION_CONTEXTS;
		return resolved;
	case SYMBOLICATION_CONTEXTS:
		return step_contexts(native, resolver, err);
	default:
		resolved = source_links_resolve(native, resolver, err);
		if (resolved == RESOLVED_READY)
			native->stage = SYMBOLICATION_DONE;
		return resolved;
	}
}

static enum stepped native_step(struct work *work, struct resolver *resolver, struct err *err)
{
	struct symbolication *native = work->state;

	while (native->stage != SYMBOLICATION_DONE) {
		switch (step_once(native, resolver, err)) {
		case RESOLVED_ERROR:
			return STEP_ERROR;
		case RESOLVED_WAIT:
			return STEP_WAIT;
		default:
			break;
		}
	}
	return STEP_DONE;
}

/* --- the rest ---------------------------------------------------------------------------- */

static int kind_answer(struct work *work, struct buf *reply, struct err *err)
{
	return symbolication_answer(work->state, reply, err);
}

static int kind_candidates(struct work *work, struct buf *json, struct err *err)
{
	return symbolication_candidates(work->state, json, err);
}

static void release_module(struct native_module *module)
{
	held_release(&module->symcache);
	held_release(&module->variables.held);
	lookup_release(&module->debug);
	lookup_release(&module->source);
	source_contexts_release(module);
	for (size_t i = 0; i < module->companion_count; i++)
		companion_release(&module->companions[i]);
}

static void native_release(struct work *work)
{
	struct symbolication *native = work->state;

	if (!native)
		return;
	for (size_t i = 0; i < native->table.count; i++)
		release_module(&native->table.modules[i]);
	buf_release(&native->path);
	work->state = NULL;
}

const struct request_kind request_kind_symbolicate = {
	.name = "symbolicate",
	.has_pending = true,
	.parse = native_parse,
	.step = native_step,
	.answer = kind_answer,
	.candidates = kind_candidates,
	.release = native_release,
};
