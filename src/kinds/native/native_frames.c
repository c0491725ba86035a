/*
 * native_frames.c -- addresses to functions.
 *
 * What is read from the files is copied into the arena.  When one of them has changed meanwhile,
 * its module goes back a stage and the look-ups start again from the first frame.
 */
#include "kinds/native/native.h"

#include "base/arena.h"
#include "base/limits.h"

#define TOGETHER 16u
#define SYMBFILE_FRAMES LIMIT_INLINE_DEPTH
#define CHAIN_FRAMES (2 * LIMIT_INLINE_DEPTH)    /* more than all but hostile files need */

/* A frame on its way to an answer. */
struct frame_query {
	struct native_module *module;       /* NULL: there is none at its address */
	uint64_t answered;           /* the address the answer names */
	bool is_looked_up;
	size_t query;                /* which one, if it is */
	bool is_placed;              /* in uploaded symbfiles: */
	uint64_t relative;
};

struct frame_lookup {                     /* what the guarded part works on */
	struct symbolication *native;
	struct err *err;
	struct frame_query asked[TOGETHER];
	struct symcache_query queries[TOGETHER];
	size_t query_count;
	struct symcache_frame chains[CHAIN_FRAMES];
	struct symbfile_frame symbfile_frames[SYMBFILE_FRAMES];
};

/* --- Growing a trace --------------------------------------------------------------------- */

#define FIRST_ROOM_PERCENT 150u      /* inlined calls make frames more */

/* It is its caller's to fill. */
static struct native_frame *add_frame(struct native_trace *trace, struct arena *arena,
				      struct err *err)
{
	struct native_frame *grown;

	if (trace->count == trace->capacity) {
		trace->capacity = trace->capacity * FIRST_ROOM_PERCENT / 100 + 4;
		grown = arena_alloc_raw(arena, trace->capacity, sizeof(*grown));
		if (!grown) {
			trace->capacity = trace->count;
			err_no_memory(err);
			return NULL;
		}
		if (trace->count)
			memcpy(grown, trace->frames, trace->count * sizeof(*grown));
		trace->frames = grown;
	}
	return &trace->frames[trace->count++];
}

static int add_failed(struct frame_lookup *looking, struct native_trace *trace,
		      const struct raw_trace *raw,
		      size_t index, const struct native_module *module, enum frame_status status)
{
	struct native_frame *frame = add_frame(trace, &looking->native->work->arena, looking->err);
	const struct raw_frame *from = &raw->frames[index];

	if (!frame)
		return -1;
	*frame = (struct native_frame){
		.raw = from, .original_index = index, .status = status,
		.address = from->address.value, .mode = from->mode,
		.package = module ? module->raw->ids.code_file : from->package,
		.function = from->function, .symbol = from->symbol, .name = NO_NAME,
	};
	return 0;
}

/* --- Inside the guard -------------------------------------------------------------------- */

int native_frames_copy_text(struct arena *arena, struct text text, struct text *copy,
			    struct err *err)
{
	char *bytes = arena_alloc_raw(arena, text.size + 1, 1);

	if (!bytes)
		return err_no_memory(err);
	memcpy(bytes, text.bytes, text.size);
	*copy = (struct text){ bytes, text.size };
	return 0;
}

static int copy_path(struct symbolication *native, const struct symcache_frame *from,
		     struct native_frame *frame, struct err *err)
{
	buf_clear(&native->path);
	symcache_frame_path(from, &native->path);
	if (buf_check(&native->path, err) < 0)
		return -1;
	if (!native->path.size)
		return 0;
	return native_frames_copy_text(&native->work->arena, buf_text(&native->path),
				       &frame->abs_path, err);
}

static int add_hit(struct frame_lookup *looking, struct native_trace *trace,
		   const struct native_frame *model,
		   const struct symcache_frame *from)
{
	struct native_frame *frame = add_frame(trace, &looking->native->work->arena, looking->err);

	if (!frame)
		return -1;
	*frame = *model;
	frame->language = from->language;
	frame->line = from->line;
	if (native_frames_copy_text(&looking->native->work->arena, from->function, &frame->symbol,
		      looking->err) < 0)
		return -1;
	frame->function = frame->symbol;
	if (!from->has_file)
		return 0;
	return copy_path(looking->native, from, frame, looking->err);
}

static int expand(struct frame_lookup *looking, struct native_trace *trace,
		  const struct raw_trace *raw,
		  size_t index, const struct frame_query *asked, const struct symcache_query *query)
{
	const struct symbolication *native = looking->native;
	const struct symcache_frame *chain = looking->chains + query->first;
	const struct native_module *module = asked->module;
	bool is_absolute = native_module_is_absolute(module);
	struct native_frame model = {
		.raw = &raw->frames[index], .original_index = index,
		.status = FRAME_SYMBOLICATED, .address = asked->answered,
		.mode = { !is_absolute, (uint64_t)(module - native->table.modules) },
		.package = module->raw->ids.code_file, .name = NO_NAME,
	};

	for (size_t i = 0; i < query->count; i++) {
		uint32_t entry = chain[i].entry;

		if (i + 1 == query->count && entry != SYMCACHE_NO_ENTRY) {
			model.sym_addr.is_set = true;
			model.sym_addr.value = module->image_addr + entry;
		}
		if (add_hit(looking, trace, &model, &chain[i]) < 0)
			return -1;
	}
	return 0;
}

/* Where in the module's file to look, and the address that will be answered. */
static bool place_address(const struct frame_lookup *looking, const struct native_module *module,
			  const struct raw_trace *raw, size_t index, bool any_frame_says,
			  uint64_t *answered, uint64_t *relative)
{
	const struct raw_frame *frame = &raw->frames[index];
	struct adjustment adjustment = {
		.arch = module->arch, .any_frame_says = any_frame_says, .trace = raw,
		.signal = looking->native->request.report.signal,
	};
	uint64_t absolute = frame->address.value;

	if (!native_module_is_absolute(module)) {
		*answered = *relative = absolute;
		return frame->mode.is_relative;
	}
	if (frame->mode.is_relative &&
	    __builtin_add_overflow(module->image_addr, absolute, &absolute))
		return false;
	if (!adjust_address(&adjustment, index, module->image_addr, absolute, answered))
		return false;
	*relative = *answered - module->image_addr;
	return true;
}

/* The frame stays as it was asked for and learns its place. */
static int look_up_managed(struct frame_lookup *looking, struct native_trace *trace,
			   const struct raw_trace *raw, size_t index,
			   const struct native_module *module)
{
	const struct raw_frame *from = &raw->frames[index];
	struct ppdbcache_place place;
	struct native_frame *frame;

	if (!from->function_id.is_set ||
	    !ppdbcache_lookup(&module->managed, (uint32_t)from->function_id.value,
			      (uint32_t)from->address.value, &place))
		return add_failed(looking, trace, raw, index, module, FRAME_MISSING_SYMBOL);
	if (add_failed(looking, trace, raw, index, module, FRAME_SYMBOLICATED) < 0)
		return -1;
	frame = &trace->frames[trace->count - 1];
	frame->is_managed = true;
	frame->language = place.language;
	frame->line = place.line;
	return native_frames_copy_text(&looking->native->work->arena,
			 place.file.bytes ? place.file : TEXT(""), &frame->abs_path, looking->err);
}

/* By ranges; what they do not know by the pad of its address, or of its return address. */
static size_t ask_symbfiles(const struct native_module *module, const struct raw_frame *raw, uint64_t address,
			    struct symbfile_frame *frames, size_t capacity)
{
	const struct symbfile_parts *parts = &module->symbfiles;
	uint64_t called = raw->address.value - (raw->mode.is_relative ? 0 : module->image_addr) +
			  module->raw->image_vmaddr.value - 1;
	size_t count = symbfile_lookup(parts->indexes, parts->part_count, address, frames, capacity);

	if (count == 0)
		count = symbfile_lookup_pad(parts->indexes, parts->part_count, address, frames, capacity);
	if (count == 0 && called + 1 != address)
		count = symbfile_lookup_pad(parts->indexes, parts->part_count, called, frames, capacity);
	return count;
}

static int add_symbfile_frame(struct frame_lookup *looking, struct native_trace *trace,
			      const struct native_frame *model, const struct symbfile_frame *from)
{
	struct arena *arena = &looking->native->work->arena;
	struct native_frame *frame = add_frame(trace, arena, looking->err);

	if (!frame)
		return -1;
	*frame = *model;
	frame->line = from->line;
	if (native_frames_copy_text(arena, from->function.bytes ? from->function : TEXT("?"), &frame->symbol,
				    looking->err) < 0)
		return -1;
	frame->function = frame->symbol;
	return from->file.bytes ? native_frames_copy_text(arena, from->file, &frame->abs_path, looking->err) : 0;
}

/* Names in symbfiles are readable, and virtual addresses those of the program headers. */
static int look_up_symbfiles(struct frame_lookup *looking, struct native_trace *trace,
			     const struct raw_trace *raw, size_t index, const struct frame_query *asked)
{
	const struct native_module *module = asked->module;
	uint64_t vmaddr = module->raw->image_vmaddr.value;
	struct native_frame model = {
		.raw = &raw->frames[index], .original_index = index, .status = FRAME_SYMBOLICATED,
		.address = asked->answered,
		.mode = { !native_module_is_absolute(module),
			  (uint64_t)(module - looking->native->table.modules) },
		.package = module->raw->ids.code_file, .name = NO_NAME,
	};
	size_t count = !asked->is_placed ? 0 :
		       ask_symbfiles(module, &raw->frames[index], asked->relative + vmaddr, looking->symbfile_frames,
				     SYMBFILE_FRAMES);

	if (count == 0)
		return add_failed(looking, trace, raw, index, module, FRAME_MISSING_SYMBOL);
	for (size_t i = 0; i < count; i++) {
		const struct symbfile_frame *from = &looking->symbfile_frames[i];

		if (from->has_entry) {
			model.sym_addr.is_set = true;
			model.sym_addr.value = from->entry - vmaddr + module->image_addr;
		}
		if (add_symbfile_frame(looking, trace, &model, from) < 0)
			return -1;
	}
	return 0;
}

/* Finds the frame's module and, where that one has a SymCache, asks it. */
static void ask(struct frame_lookup *looking, struct frame_query *asked,
		const struct raw_trace *raw,
		size_t index, bool any_frame_says)
{
	const struct raw_frame *frame = &raw->frames[index];
	struct native_module *module = module_table_find(&looking->native->table, frame->mode,
							 frame->address.value);
	uint64_t relative;

	*asked = (struct frame_query){ .module = module };
	if (!module || native_module_debug(module)->failure || module->is_managed ||
	    !place_address(looking, module, raw, index, any_frame_says, &asked->answered,
			   &relative))
		return;
	asked->is_placed = true;
	asked->relative = relative;
	if (module->has_symbfiles)
		return;
	asked->is_looked_up = true;
	asked->query = looking->query_count++;
	looking->queries[asked->query] = (struct symcache_query){ .cache = &module->cache,
								  .address = relative };
}

static enum frame_status status_of_failure(enum module_status status)
{
	return status == MODULE_STATUS_MALFORMED ? FRAME_MALFORMED : FRAME_MISSING;
}

static int answer(struct frame_lookup *looking, struct native_trace *trace,
		  const struct raw_trace *raw,
		  size_t index, const struct frame_query *asked)
{
	const struct native_module *module = asked->module;
	const struct symcache_query *query = &looking->queries[asked->query];

	if (!module)
		return add_failed(looking, trace, raw, index, NULL, FRAME_UNKNOWN_IMAGE);
	if (native_module_debug(module)->failure)
		return add_failed(looking, trace, raw, index, module,
				  status_of_failure(native_module_debug(module)->status));
	if (module->is_managed)
		return look_up_managed(looking, trace, raw, index, module);
	if (module->has_symbfiles)
		return look_up_symbfiles(looking, trace, raw, index, asked);
	if (!asked->is_looked_up || query->count == 0)
		return add_failed(looking, trace, raw, index, module, FRAME_MISSING_SYMBOL);
	return expand(looking, trace, raw, index, asked, query);
}

/* Some frames from `first` on; how many, or -1. */
static ssize_t look_up_some(struct frame_lookup *looking, struct native_trace *trace,
			    const struct raw_trace *raw, size_t first, bool any_frame_says)
{
	size_t left = raw->frame_count - first, known;
	size_t count = left < TOGETHER ? left : TOGETHER;

	looking->query_count = 0;
	for (size_t i = 0; i < count; i++)
		ask(looking, &looking->asked[i], raw, first + i, any_frame_says);
	known = symcache_lookup_many(looking->queries, looking->query_count, looking->chains,
				     CHAIN_FRAMES);
	for (size_t i = 0; i < count; i++) {
		struct frame_query *asked = &looking->asked[i];

		if (asked->is_looked_up && asked->query >= known)
			return (ssize_t)i;       /* no room for its chain: next time */
		if (answer(looking, trace, raw, first + i, asked) < 0)
			return -1;
	}
	return (ssize_t)count;
}

static bool any_adjustment(const struct raw_trace *raw)
{
	for (size_t i = 0; i < raw->frame_count; i++)
		if (raw->frames[i].adjust != MAYBE_UNSET)
			return true;
	return false;
}

static int look_up_trace(struct frame_lookup *looking, struct native_trace *trace,
			 const struct raw_trace *raw)
{
	bool any_frame_says = any_adjustment(raw);

	trace->count = 0;
	if (!trace->capacity) {
		trace->capacity = raw->frame_count * FIRST_ROOM_PERCENT / 100;
		trace->frames = arena_alloc_raw(&looking->native->work->arena, trace->capacity,
						sizeof(struct native_frame));
		if (!trace->frames) {
			trace->capacity = 0;
			return err_no_memory(looking->err);
		}
	}
	for (size_t i = 0; i < raw->frame_count; ) {
		ssize_t done = look_up_some(looking, trace, raw, i, any_frame_says);

		if (done < 0)
			return -1;
		i += (size_t)done;
	}
	return 0;
}

static int look_up_all(void *payload)
{
	struct frame_lookup *looking = payload;
	struct symbolication *native = looking->native;

	for (size_t i = 0; i < native->request.report.trace_count; i++)
		if (look_up_trace(looking, &native->traces[i], &native->request.report.traces[i]) < 0)
			return -1;
	return 0;
}

/* --- Outside ----------------------------------------------------------------------------- */

enum resolved native_frames_look_up(struct symbolication *native, struct resolver *resolver,
				    struct err *err)
{
	struct frame_lookup looking;      /* not zeroed: it is large */

	looking.native = native;
	looking.err = err;
	return held_read(&native->open_symcaches, look_up_all, &looking, resolver, err);
}

void native_frames_mark_modules(struct symbolication *native)
{
	for (size_t i = 0; i < native->request.report.trace_count; i++) {
		const struct native_trace *trace = &native->traces[i];

		for (size_t j = 0; j < trace->count; j++) {
			struct native_module *module = module_table_find(&native->table,
									 trace->frames[j].mode,
									 trace->frames[j].address);

			if (module)
				module->is_source_referenced = true;
		}
	}
	for (size_t i = 0; i < native->table.count; i++)
		if (!native->table.modules[i].is_source_referenced)
			native_module_debug(&native->table.modules[i])->status = MODULE_STATUS_UNUSED;
}
