/* symbolication.c -- see symbolication.h: the stages, one after the other. */
#include "kinds/native/native.h"
#include "kinds/native/source_contexts.h"

#include "base/arena.h"
#include "base/limits.h"

#define PATH_BYTES LIMIT_NAME_BYTES

/* --- Beginning --------------------------------------------------------------------------- */

static void mark_referenced(struct symbolication *native)
{
	const struct raw_report *report = &native->request.report;

	for (size_t i = 0; i < report->trace_count; i++) {
		const struct raw_trace *raw = &report->traces[i];

		for (size_t j = 0; j < raw->frame_count; j++) {
			const struct raw_frame *frame = &raw->frames[j];
			struct native_module *module = module_table_find(&native->table, frame->mode,
									 frame->address.value);

			if (module)
				module->is_referenced = true;
		}
	}
}

struct symbolication *symbolication_new(struct work *work,
					const struct symbolication_request *request,
					struct err *err)
{
	struct symbolication *native = arena_alloc(&work->arena, 1, sizeof(*native));

	if (!native) {
		err_no_memory(err);
		return NULL;
	}
	native->work = work;
	native->request = *request;
	buf_init(&native->path, PATH_BYTES);
	if (module_table_make(&native->table, request, &work->arena, err) < 0)
		return NULL;
	native->traces = arena_alloc(&work->arena, request->report.trace_count,
				     sizeof(*native->traces));
	if (!native->traces) {
		err_no_memory(err);
		return NULL;
	}
	mark_referenced(native);
	return native;
}

/* --- Stages ------------------------------------------------------------------------------ */

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
		resolved = source_contexts_follow_links(native, resolver, err);
		if (resolved == RESOLVED_READY)
			native->stage = SYMBOLICATION_DONE;
		return resolved;
	}
}

enum stepped symbolication_step(struct symbolication *native, struct resolver *resolver,
				struct err *err)
{
	enum resolved resolved = RESOLVED_READY;

	while (resolved == RESOLVED_READY && native->stage != SYMBOLICATION_DONE)
		resolved = step_once(native, resolver, err);
	return work_stepped(resolved);
}

/* --- The end ----------------------------------------------------------------------------- */

bool symbolication_frame(const struct symbolication *native, size_t trace, size_t index,
			 struct symbolicated_frame *frame)
{
	const struct native_frame *found;

	if (trace >= native->request.report.trace_count || index >= native->traces[trace].count)
		return false;
	found = &native->traces[trace].frames[index];
	*frame = (struct symbolicated_frame){
		.original_index = found->original_index,
		.is_symbolicated = found->status == FRAME_SYMBOLICATED,
		.function = found->function, .abs_path = found->abs_path, .line = found->line,
	};
	return true;
}

void symbolication_release(struct symbolication *native)
{
	if (!native)
		return;
	for (size_t i = 0; i < native->table.count; i++) {
		struct native_module *module = &native->table.modules[i];

		held_release(&module->symcache);
		symbfile_parts_release(&module->symbfiles);
		if (module->variables)
			held_release(&module->variables->held);
		held_release(&module->sources.held);
		if (!native->request.lookups)
			module_lookup_release(module->files);
	}
	buf_release(&native->path);
}
