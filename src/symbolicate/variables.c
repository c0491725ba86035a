/*
 * variables.c -- `vars` of native frames: the variables of their functions, by name and type
 * (native-symbolication.md §3.2).
 *
 * They stand in a second SymCache of the same object, made when somebody asks for variables
 * the first time: its functions go by their variables instead of their names, so the chain it
 * has at an address matches the one of the frames.  The first SymCache is what it would
 * be without.  A module whose second one cannot be had is answered without variables.
 */
#include "symbolicate/native.h"

#include "base/guard.h"
#include "base/limits.h"

#define KEY_END TEXT("\nvariables\n")

/* --- The second SymCache of a module ------------------------------------------------------ */

static int open_guarded(void *payload)
{
	struct module_variables *variables = payload;
	struct err ignored = ERR_INIT;

	return symcache_open(&variables->cache, variables->found.payload.bytes,
			     variables->found.payload.size, &ignored);
}

void variables_release(struct module *module)
{
	cache_found_release(&module->variables.found);
	module->variables.found = (struct cache_found){ .state = CACHE_ABSENT };
	module->variables.is_open = false;
}

/* It is made again, until that does not help. */
static void spoil(struct module *module, struct resolver *resolver)
{
	struct module_variables *variables = &module->variables;

	variables_release(module);
	variables->is_settled = variables->spoiled++ >= SPOIL_TRIES;
	if (!variables->is_settled)
		resolver->spoil(resolver, &variables->derive, "the list of variables is damaged");
}

static void settle(struct module *module, struct resolver *resolver)
{
	struct module_variables *variables = &module->variables;
	int cut_short;

	variables->is_settled = true;
	if (variables->found.state != CACHE_READY)
		variables_release(module);
	else if (guard_run(open_guarded, variables, &cut_short) < 0)
		spoil(module, resolver);
	else
		variables->is_open = true;
}

/* The formats that hold DWARF. */
static bool may_have_variables(const struct module *module)
{
	static const char *const formats[] = { "elf", "macho", "pe", "wasm" };
	const struct convert_meta *meta;

	if (!module->is_referenced || module->failure || module->is_managed ||
	    module->winner == NO_WINNER || !module->features.debug_info)
		return false;
	meta = &module->debug.tried[module->winner]->meta;
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (text_is(meta->format, formats[i]))
			return true;
	return false;
}

static int describe(struct native *native, struct module *module, struct err *err)
{
	struct derive *derive = &module->variables.derive;
	struct text rest, whole;
	char *bytes;

	if (module_symcache_text(native, module, &rest, err) < 0)
		return -1;
	bytes = arena_alloc_raw(&native->work->arena, rest.size + KEY_END.size, 1);
	if (!bytes)
		return err_no_memory(err);
	memcpy(bytes, rest.bytes, rest.size);
	memcpy(bytes + rest.size, KEY_END.bytes, KEY_END.size);
	whole = (struct text){ bytes, rest.size + KEY_END.size };
	*derive = module->symcache;
	derive->of_variables = true;
	return derive_key(&derive->key, native->work, CACHE_SYMCACHES, derive->location, whole,
			  err);
}

static enum resolved fetch(struct native *native, struct module *module,
			   struct resolver *resolver, struct err *err)
{
	struct module_variables *variables = &module->variables;

	if (!variables->derive.of_variables && describe(native, module, err) < 0)
		return RESOLVED_ERROR;
	while (!variables->is_settled) {
		enum resolved resolved;

		variables->found = (struct cache_found){ .state = CACHE_ABSENT };
		resolved = resolver->entry(resolver, &variables->derive, &variables->found, err);
		if (resolved != RESOLVED_READY)
			return resolved;
		settle(module, resolver);
	}
	return RESOLVED_READY;
}

static enum resolved fetch_all(struct native *native, struct resolver *resolver, struct err *err)
{
	enum resolved all = RESOLVED_READY;

	for (size_t i = 0; i < native->table.count; i++) {
		struct module *module = &native->table.modules[i];
		enum resolved one;

		if (!may_have_variables(module))
			continue;
		one = fetch(native, module, resolver, err);
		if (one == RESOLVED_ERROR || (one == RESOLVED_WAIT && resolver->stops_at_wait))
			return one;
		if (one == RESOLVED_WAIT)
			all = one;
	}
	return all;
}

/* --- Frames ------------------------------------------------------------------------------- */

struct looking {
	struct native *native;
	struct module *module;               /* being read right now */
	struct err *err;
	struct symcache_frame chain[LIMIT_INLINE_DEPTH];
};

/* Frames of one address; a chain of another length belongs to something else there. */
static int look_up_group(struct looking *looking, struct frame *frames, size_t count)
{
	const struct raw_frame *raw = frames->raw;
	struct module *module = module_find(&looking->native->table, raw->mode,
					    raw->address.value);
	uint64_t address = frames->address;

	if (frames->status != FRAME_SYMBOLICATED || !module || !module->variables.is_open)
		return 0;
	if (module_is_absolute(module))
		address -= module->image_addr;
	looking->module = module;
	if (symcache_lookup(&module->variables.cache, address, looking->chain,
			    LIMIT_INLINE_DEPTH) != count)
		return 0;
	for (size_t i = 0; i < count; i++)
		if (native_copy_text(&looking->native->work->arena, looking->chain[i].function,
				     &frames[i].variables, looking->err) < 0)
			return -1;
	return 0;
}

static int look_up_trace(struct looking *looking, struct trace *trace)
{
	size_t end;

	for (size_t i = 0; i < trace->count; i = end) {
		struct frame *first = &trace->frames[i];

		for (end = i + 1; end < trace->count &&
				  trace->frames[end].original_index == first->original_index;)
			end++;
		if (look_up_group(looking, first, end - i) < 0)
			return -1;
	}
	return 0;
}

static int look_up_all(void *payload)
{
	struct looking *looking = payload;
	struct native *native = looking->native;

	for (size_t i = 0; i < native->request.trace_count; i++)
		if (look_up_trace(looking, &native->traces[i]) < 0)
			return -1;
	return 0;
}

enum resolved variables_look_up(struct native *native, struct resolver *resolver,
				struct err *err)
{
	struct looking looking;              /* not zeroed: it is large */
	int cut_short;

	for (;;) {
		enum resolved resolved = fetch_all(native, resolver, err);

		if (resolved != RESOLVED_READY)
			return resolved;
		looking.native = native;
		looking.err = err;
		looking.module = NULL;
		if (guard_run(look_up_all, &looking, &cut_short) == 0)
			return RESOLVED_READY;
		if (!cut_short || !looking.module)
			return RESOLVED_ERROR;
		spoil(looking.module, resolver);
	}
}
