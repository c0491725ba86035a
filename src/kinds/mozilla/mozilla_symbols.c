/* mozilla_symbols.c -- from the offsets of a request to functions, files, lines and calls. */
#include "kinds/mozilla/mozilla.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/search.h"

#define TOGETHER 16u
#define CHAIN_FRAMES (2 * LIMIT_INLINE_DEPTH)    /* more than all but hostile files need */
#define NEAREST_STEPS 64u            /* back from a gap: between functions there is one */

struct mozilla_search {                     /* what the guarded part works on */
	struct mozilla_request *request;
	struct arena *arena;
	struct err *err;
	struct buf path;
	struct mozilla_frame *asked[TOGETHER];
	const struct mozilla_module *of[TOGETHER];
	struct symcache_query queries[TOGETHER];
	size_t count;
	struct symcache_frame chains[CHAIN_FRAMES];
};

/* --- Who wants what ------------------------------------------------------------------------------ */

static void mark_frame(struct mozilla_job *job, size_t number, const struct mozilla_frame *frame)
{
	struct mozilla_module *module;

	if (frame->index < 0 || frame->echoed.bytes)
		return;
	module = job->slots[frame->index].module;
	job->slots[frame->index].is_used = true;
	module->is_wanted = true;
	module->frame_count++;
	module->job_count += module->used_by != number;
	module->used_by = number;
}

void mozilla_mark(struct mozilla_request *request)
{
	for (size_t i = 0; i < request->job_count; i++) {
		struct mozilla_job *job = &request->jobs[i];

		for (size_t j = 0; j < job->slot_count; j++) {
			struct mozilla_slot *slot = &job->slots[j];

			slot->is_first = slot->module->named_by != i + 1;
			slot->module->named_by = i + 1;
		}
		for (size_t j = 0; j < job->stack_count; j++)
			for (size_t k = 0; k < job->stacks[j].count; k++)
				mark_frame(job, i + 1, &job->stacks[j].frames[k]);
	}
}

/* --- What a chain says ------------------------------------------------------------------------- */

/* Neither "?" nor "??": see symcache.h. */
static bool has_function(const struct symcache_frame *from)
{
	return !text_is(from->function, "??") && !text_is(from->function, "?");
}

static int copy(struct mozilla_search *looking, struct text text, struct text *to)
{
	char *bytes = arena_strndup(looking->arena, text.bytes, text.size);

	*to = (struct text){ bytes, bytes ? text.size : 0 };
	return bytes ? 0 : err_no_memory(looking->err);
}

static int copy_path(struct mozilla_search *looking, const struct symcache_frame *from, struct text *file)
{
	*file = TEXT_NONE;
	if (!from->has_file)
		return 0;
	buf_clear(&looking->path);
	symcache_frame_path(from, &looking->path);
	if (buf_check(&looking->path, looking->err) < 0)
		return -1;
	return looking->path.size ? copy(looking, buf_text(&looking->path), file) : 0;
}

static int take_calls(struct mozilla_search *looking, struct mozilla_frame *frame,
		      const struct symcache_frame *chain, size_t count)
{
	frame->calls = arena_alloc(looking->arena, count, sizeof(*frame->calls));
	if (!frame->calls)
		return err_no_memory(looking->err);
	for (size_t i = 0; i < count; i++) {
		struct mozilla_call *call = &frame->calls[i];

		call->name = MOZILLA_NO_NAME;
		call->line = chain[i].line;
		call->function = TEXT_NONE;
		if ((has_function(&chain[i]) && copy(looking, chain[i].function, &call->function) < 0) ||
		    copy_path(looking, &chain[i], &call->file) < 0)
			return -1;
	}
	frame->call_count = count;
	return 0;
}

/* How far into which function, and how long that is: as debug information says.  Names of a symbol table
 * reach to the next one, and those of a .sym file as far as it was told. */
static void take_extent(const struct mozilla_module *module, struct mozilla_frame *frame,
			const struct symcache_frame *outer)
{
	uint32_t end;

	frame->is_offset_known = outer->entry != SYMCACHE_NO_ENTRY && frame->offset.magnitude >= outer->entry;
	frame->function_offset = frame->is_offset_known ? frame->offset.magnitude - outer->entry : 0;
	if (!frame->is_offset_known || !outer->has_file || !mozilla_module_is_native(module))
		return;
	end = symcache_function_end(&module->cache, outer->entry);
	if (frame->offset.magnitude < end)
		frame->function_size = end - outer->entry;
}

/* The last of a chain is the function itself. */
static int take_chain(struct mozilla_search *looking, const struct mozilla_module *module,
		      struct mozilla_frame *frame, const struct symcache_frame *chain, size_t count)
{
	const struct symcache_frame *outer = &chain[count - 1];

	if (!has_function(outer))
		return 0;
	frame->is_resolved = true;
	take_extent(module, frame, outer);
	frame->line = outer->line;
	if (copy(looking, outer->function, &frame->function) < 0 ||
	    copy_path(looking, outer, &frame->file) < 0)
		return -1;
	return count > 1 ? take_calls(looking, frame, chain, count - 1) : 0;
}

/* --- The nearest one below ---------------------------------------------------------------------- */

/* What is known of the last address before that of which anything is. */
static int take_nearest(struct mozilla_search *looking, const struct mozilla_module *module,
			struct mozilla_frame *frame)
{
	const struct symcache *cache = &module->cache;
	size_t at, steps = 0;

	SEARCH_PARTITION_POINT(at, 0, cache->range_count,
			       symcache_range_address(cache, (uint32_t)at) <= frame->offset.magnitude);
	for (; at > 0 && steps < NEAREST_STEPS; at--, steps++) {
		size_t count = symcache_lookup(cache, symcache_range_address(cache, (uint32_t)at - 1),
					       looking->chains, LIMIT_INLINE_DEPTH);

		if (count > 0 && has_function(&looking->chains[count - 1]))
			return take_chain(looking, module, frame, looking->chains, count);
	}
	return 0;
}

/* --- Some frames together ------------------------------------------------------------------------- */

static int settle(struct mozilla_search *looking)
{
	size_t done = 0;

	while (done < looking->count) {
		size_t known = symcache_lookup_many(looking->queries + done, looking->count - done,
						    looking->chains, CHAIN_FRAMES);

		for (size_t i = done; i < done + known; i++) {
			const struct symcache_query *query = &looking->queries[i];

			if (query->count > 0 &&
			    take_chain(looking, looking->of[i], looking->asked[i],
				       looking->chains + query->first, query->count) < 0)
				return -1;
		}
		done += known;
	}
	for (size_t i = 0; i < looking->count; i++)
		if (looking->request->dialect == MOZILLA_TECKEN && !looking->asked[i]->is_resolved &&
		    take_nearest(looking, looking->of[i], looking->asked[i]) < 0)
			return -1;
	looking->count = 0;
	return 0;
}

/* A symbol of native code without a size, behind all others, is no name for what follows it. */
static bool is_behind_all(const struct mozilla_module *module, uint64_t offset)
{
	const struct symcache *cache = &module->cache;

	return mozilla_module_is_native(module) && cache->range_count > 0 &&
	       offset > symcache_range_address(cache, cache->range_count - 1);
}

static int ask(struct mozilla_search *looking, const struct mozilla_job *job, struct mozilla_frame *frame)
{
	const struct mozilla_module *module = frame->index < 0 ? NULL : job->slots[frame->index].module;

	frame->is_resolved = false;
	if (!module || !module->has_cache || frame->echoed.bytes || frame->offset.is_negative ||
	    is_behind_all(module, frame->offset.magnitude))
		return 0;
	looking->of[looking->count] = module;
	looking->asked[looking->count] = frame;
	looking->queries[looking->count++] = (struct symcache_query){
		.cache = &module->cache, .address = frame->offset.magnitude,
	};
	return looking->count == TOGETHER ? settle(looking) : 0;
}

static int look_up_all(void *payload)
{
	struct mozilla_search *looking = payload;
	struct mozilla_request *request = looking->request;

	for (size_t i = 0; i < request->job_count; i++) {
		struct mozilla_job *job = &request->jobs[i];

		for (size_t j = 0; j < job->stack_count; j++)
			for (size_t k = 0; k < job->stacks[j].count; k++)
				if (ask(looking, job, &job->stacks[j].frames[k]) < 0)
					return -1;
	}
	return settle(looking);
}

enum resolved mozilla_look_up(struct mozilla_request *request, struct work *work,
			      struct resolver *resolver, struct err *err)
{
	struct mozilla_search looking;              /* not zeroed: it is large */
	enum resolved resolved;

	looking.request = request;
	looking.arena = &work->arena;
	looking.err = err;
	looking.count = 0;
	buf_init(&looking.path, LIMIT_NAME_BYTES);
	resolved = held_read(&request->modules.open, look_up_all, &looking, resolver, err);
	buf_release(&looking.path);
	return resolved;
}

/* --- Names ------------------------------------------------------------------------------------------ */

struct mozilla_name_table { struct mozilla_names *names; uint32_t *slots; size_t slot_count; };

static uint32_t intern(struct mozilla_name_table *table, struct text name)
{
	size_t at = (size_t)hash_fast(name.bytes, name.size);

	for (;; at++) {
		uint32_t *slot = &table->slots[at & (table->slot_count - 1)];

		if (*slot == 0) {
			table->names->names[table->names->count] = (struct convert_name){ .name = name };
			*slot = (uint32_t)++table->names->count;
			return *slot - 1;
		}
		if (text_equal(table->names->names[*slot - 1].name, name))
			return *slot - 1;
	}
}

typedef void name_fn(void *payload, struct text *function, uint32_t *name);

/* Every function of native code. */
static void each_name(struct mozilla_request *request, name_fn *visit, void *payload)
{
	for (size_t i = 0; i < request->job_count; i++) {
		const struct mozilla_job *job = &request->jobs[i];

		for (size_t j = 0; j < job->stack_count; j++) {
			for (size_t k = 0; k < job->stacks[j].count; k++) {
				struct mozilla_frame *frame = &job->stacks[j].frames[k];

				if (!frame->is_resolved || !mozilla_module_is_native(job->slots[frame->index].module))
					continue;
				visit(payload, &frame->function, &frame->name);
				for (size_t l = 0; l < frame->call_count; l++)
					visit(payload, &frame->calls[l].function, &frame->calls[l].name);
			}
		}
	}
}

static void count_name(void *payload, struct text *function, uint32_t *name)
{
	(void)name;
	*(size_t *)payload += function->bytes != NULL;
}

static void intern_name(void *payload, struct text *function, uint32_t *name)
{
	if (function->bytes)
		*name = intern(payload, *function);
}

static void settle_name(void *payload, struct text *function, uint32_t *name)
{
	const struct mozilla_names *names = payload;

	if (*name != MOZILLA_NO_NAME && names->names[*name].readable.bytes)
		*function = names->names[*name].readable;
}

int mozilla_names_collect(struct mozilla_request *request, struct mozilla_names *names,
			  struct arena *arena, struct err *err)
{
	struct mozilla_name_table table = { .names = names, .slot_count = 16 };
	size_t most = 0;

	names->count = 0;
	each_name(request, count_name, &most);
	if (most == 0)
		return 0;
	while (table.slot_count < 2 * most)
		table.slot_count *= 2;
	table.slots = arena_alloc(arena, table.slot_count, sizeof(*table.slots));
	names->names = arena_alloc_raw(arena, most, sizeof(*names->names));
	if (!table.slots || !names->names || most >= MOZILLA_NO_NAME)
		return err_no_memory(err);
	each_name(request, intern_name, &table);
	return 0;
}

void mozilla_names_settle(struct mozilla_request *request, const struct mozilla_names *names)
{
	struct mozilla_names copy_of = *names;

	each_name(request, settle_name, &copy_of);
}
