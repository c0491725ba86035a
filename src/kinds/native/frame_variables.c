/*
 * frame_variables.c -- `vars` of native frames: the variables of their functions, by name and type.
 *
 * They stand in a second SymCache of the same object, made when somebody asks for variables
 * the first time: its functions go by their variables instead of their names, so the chain it
 * has at an address matches the one of the frames.  The first SymCache is what it would
 * be without.  A module whose second one cannot be had is answered without variables.
 */
#include "kinds/native/native.h"

#include "base/limits.h"
#include "work/derived.h"

#define KEY_END TEXT("\nvariables\n")

/* --- The second SymCache of a module ------------------------------------------------------ */

static int open_variables(void *payload, struct text bytes, struct err *damage)
{
	struct symcache *cache = payload;

	return symcache_open(cache, bytes.bytes, bytes.size, damage);
}

/* The formats that hold DWARF. */
static bool may_have_variables(const struct native_module *module)
{
	static const char *const formats[] = { "elf", "macho", "pe", "wasm" };
	const struct candidate *winner = module_lookup_winner(module->files, LOOKUP_DEBUG);

	if (!module->is_referenced || native_module_debug(module)->failure || module->is_managed ||
	    !winner || !winner->meta.has_debug_info)
		return false;
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (text_is(winner->meta.format, formats[i]))
			return true;
	return false;
}

static int describe(struct symbolication *native, struct native_module *module, struct err *err)
{
	struct derive *derive = &module->variables->held.derive;
	struct arena *arena = &native->work->arena;
	struct text rest, whole;
	char *bytes;

	*derive = module->symcache.derive;
	if (companion_lookup_describe(module->files, derive, arena, &rest, err) < 0)
		return -1;
	bytes = arena_alloc_raw(arena, rest.size + KEY_END.size, 1);
	if (!bytes)
		return err_no_memory(err);
	memcpy(bytes, rest.bytes, rest.size);
	memcpy(bytes + rest.size, KEY_END.bytes, KEY_END.size);
	whole = (struct text){ bytes, rest.size + KEY_END.size };
	derive->kind = &derived_variables;
	return lookup_make_key(&derive->key, native->work, CACHE_SYMCACHES, derive->location, whole,
			       err);
}

static int begin(struct symbolication *native, struct native_module *module, struct err *err)
{
	module->variables = arena_alloc(&native->work->arena, 1, sizeof(*module->variables));
	if (!module->variables)
		return err_no_memory(err);
	return describe(native, module, err);
}

static enum resolved fetch(struct symbolication *native, struct native_module *module,
			   struct resolver *resolver, struct err *err)
{
	if (!module->variables && begin(native, module, err) < 0)
		return RESOLVED_ERROR;
	return held_resolve(&module->variables->held, &(struct held_opening){
		.open = open_variables, .payload = &module->variables->cache,
		.arena = &native->work->arena, .list = &native->open_variables,
	}, resolver, err);
}

static enum resolved fetch_all(struct symbolication *native, struct resolver *resolver,
			       struct err *err)
{
	enum resolved all = RESOLVED_READY;

	for (size_t i = 0; i < native->table.count; i++) {
		struct native_module *module = &native->table.modules[i];
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

struct variable_lookup {
	struct symbolication *native;
	struct err *err;
	struct symcache_frame chain[LIMIT_INLINE_DEPTH];
};

static bool has_variables(const struct native_module *module)
{
	const struct module_variables *variables = module->variables;

	return variables && variables->held.is_settled && !variables->held.failure;
}

/* Frames of one address; a chain of another length belongs to something else there. */
static int look_up_group(struct variable_lookup *looking, struct native_frame *frames, size_t count)
{
	const struct raw_frame *raw = frames->raw;
	struct native_module *module = module_table_find(&looking->native->table, raw->mode,
							 raw->address.value);
	uint64_t address = frames->address;

	if (frames->status != FRAME_SYMBOLICATED || !module || !has_variables(module))
		return 0;
	if (native_module_is_absolute(module))
		address -= module->image_addr;
	if (symcache_lookup(&module->variables->cache, address, looking->chain,
			    LIMIT_INLINE_DEPTH) != count)
		return 0;
	for (size_t i = 0; i < count; i++)
		if (native_frames_copy_text(&looking->native->work->arena,
					    looking->chain[i].function,
					    &frames[i].variables, looking->err) < 0)
			return -1;
	return 0;
}

static int look_up_trace(struct variable_lookup *looking, struct native_trace *trace)
{
	size_t end;

	for (size_t i = 0; i < trace->count; i = end) {
		struct native_frame *first = &trace->frames[i];

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
	struct variable_lookup *looking = payload;
	struct symbolication *native = looking->native;

	for (size_t i = 0; i < native->request.report.trace_count; i++)
		if (look_up_trace(looking, &native->traces[i]) < 0)
			return -1;
	return 0;
}

enum resolved frame_variables_look_up(struct symbolication *native, struct resolver *resolver,
				      struct err *err)
{
	struct variable_lookup looking;              /* not zeroed: it is large */
	enum resolved resolved;

	looking.native = native;
	looking.err = err;
	do {
		resolved = fetch_all(native, resolver, err);
		if (resolved != RESOLVED_READY)
			return resolved;
		resolved = held_read(&native->open_variables, look_up_all, &looking, resolver, err);
	} while (resolved == RESOLVED_WAIT);
	return resolved;
}
