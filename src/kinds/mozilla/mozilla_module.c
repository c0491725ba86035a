/* mozilla_module.c -- see mozilla_module.h. */
#include "kinds/mozilla/mozilla_ids.h"
#include "kinds/mozilla/mozilla_module.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/limits.h"
#include "work/derived.h"

/* --- The table -------------------------------------------------------------------------------- */

static const enum file_type sym_types[] = { FILE_TYPE_BREAKPAD };
static const enum file_type native_types[] = {
	FILE_TYPE_PDB, FILE_TYPE_MACH_DEBUG, FILE_TYPE_WASM_DEBUG, FILE_TYPE_PE, FILE_TYPE_MACH_CODE,
	FILE_TYPE_WASM_CODE,
};
static const enum file_type elf_types[] = { FILE_TYPE_ELF_DEBUG, FILE_TYPE_ELF_CODE };
#define TYPES(types) { types, sizeof(types) / sizeof((types)[0]) }

static const struct { const enum file_type *types; size_t count; } looked_for[MOZILLA_WAYS] = {
	[MOZILLA_SYM] = TYPES(sym_types), [MOZILLA_NATIVE] = TYPES(native_types),
	[MOZILLA_ELF] = TYPES(elf_types),
};

static uint32_t *find_slot(const struct mozilla_modules *modules, struct text name, struct text id)
{
	size_t at = (size_t)hash_fast(name.bytes, name.size) ^ ((size_t)hash_fast(id.bytes, id.size) << 1);

	for (;; at++) {
		uint32_t *slot = &modules->slots[at & (modules->slot_count - 1)];
		const struct mozilla_module *there;

		if (*slot == 0)
			return slot;
		there = modules->modules[*slot - 1];
		if (text_equal(there->name, name) && text_equal(there->id, id))
			return slot;
	}
}

static bool grow(struct mozilla_modules *modules, struct arena *arena)
{
	size_t capacity = modules->capacity ? 2 * modules->capacity : 16;
	struct mozilla_module **grown = arena_alloc_raw(arena, capacity, sizeof(struct mozilla_module *));
	uint32_t *slots = arena_alloc(arena, 2 * capacity, sizeof(*slots));

	if (!grown || !slots || capacity > UINT32_MAX / 2)
		return false;
	if (modules->count)
		memcpy(grown, modules->modules, modules->count * sizeof(struct mozilla_module *));
	modules->modules = grown;
	modules->capacity = capacity;
	modules->slots = slots;
	modules->slot_count = 2 * capacity;
	for (size_t i = 0; i < modules->count; i++)
		*find_slot(modules, grown[i]->name, grown[i]->id) = (uint32_t)i + 1;
	return true;
}

/* Names are looked for as they are, so only those that are one name are. */
static bool may_be_looked_for(struct text name)
{
	return name.size > 0 && name.size <= LIMIT_NAME_BYTES && !text_has_controls(name) &&
	       text_is_utf8(name) && !memchr(name.bytes, '/', name.size) &&
	       !memchr(name.bytes, '\\', name.size) && !text_is(name, ".") && !text_is(name, "..");
}

static enum object_type type_of(struct text name)
{
	if (text_ends_with(name, ".pdb") || text_ends_with(name, ".dll") || text_ends_with(name, ".exe"))
		return OBJECT_TYPE_PE;
	return OBJECT_TYPE_UNKNOWN;
}

static int identify(struct mozilla_module *module, const struct source_list *sources, struct arena *arena,
		    struct err *err)
{
	bool has_id = debugid_parse(module->id, &module->ids.debug_id) &&
		      !debugid_is_nil(&module->ids.debug_id);

	module->is_identified = true;
	module->ids.type = type_of(module->name);
	module->ids.debug_file = module->ids.code_file = module->name;
	if (!has_id || !may_be_looked_for(module->name)) {
		module->is_settled = true;
		module->found = module->name.size && module->id.size ? MOZILLA_MISSING : MOZILLA_NOT_ASKED;
		module->error_kind = has_id ? "NoCandidatePathForDebugFile" : "InvalidBreakpadId";
		module->error = has_id ? TEXT("no file has a name like that") : TEXT("the debug id is none");
	}
	for (size_t i = 0; i < MOZILLA_WAYS; i++) {
		module->lookups[i].ids = i == MOZILLA_ELF ? &module->elf_ids : &module->ids;
		module->lookups[i].sources = sources;
		module->lookups[i].types = looked_for[i].types;
		module->lookups[i].type_count = looked_for[i].count;
	}
	return mozilla_elf_ids(&module->elf_ids, &module->ids, module->id, arena, &module->is_completed, err);
}

/* Windows' files have ages, and names by which they are known. */
static bool may_be_elf(const struct mozilla_module *module)
{
	return module->ids.type == OBJECT_TYPE_UNKNOWN &&
	       (mozilla_is_build_id(module->id) ||
		(module->ids.debug_id.kind == DEBUGID_UUID && module->ids.debug_id.age == 0));
}

struct mozilla_module *mozilla_modules_get(struct mozilla_modules *modules, struct text name,
					   struct text id, struct arena *arena)
{
	struct mozilla_module *module;
	uint32_t *slot;
	char *key;

	if (modules->count == modules->capacity && !grow(modules, arena))
		return NULL;
	slot = find_slot(modules, name, id);
	if (*slot)
		return modules->modules[*slot - 1];
	module = arena_alloc(arena, 1, sizeof(*module));
	if (!module)
		return NULL;
	key = arena_printf(arena, "%.*s/%.*s", (int)name.size, name.bytes, (int)id.size, id.bytes);
	if (!key)
		return NULL;
	module->key = (struct text){ key, name.size + 1 + id.size };
	module->name = (struct text){ key, name.size };
	module->id = text_from(module->key, name.size + 1);
	modules->modules[modules->count++] = module;
	*slot = (uint32_t)modules->count;
	return module;
}

/* --- On its way ------------------------------------------------------------------------------- */

static void fail(struct mozilla_module *module, const char *kind, struct text details)
{
	module->found = MOZILLA_MISSING;
	module->error_kind = kind;
	module->error = details.size ? details : TEXT("no file was found");
	module->is_settled = true;
}

static struct module_lookup *lookup_of(struct mozilla_module *module)
{
	return &module->lookups[module->way];
}

/* A file there is, with nothing to look up in it. */
static const struct candidate *any_file(const struct module_lookup *lookup)
{
	const struct lookup *tried = &lookup->purposes[LOOKUP_DEBUG].lookup;

	for (size_t i = 0; i < tried->locations.count; i++)
		if (!tried->candidates[i]->held.failure)
			return tried->candidates[i];
	return NULL;
}

/* As samply calls them. */
static const char *error_kind_of(const struct mozilla_module *module, enum err_kind failure)
{
	switch (failure) {
	case ERR_MALFORMED:
	case ERR_UNSUPPORTED:
	case ERR_LIMIT:
	case ERR_CRASHED:
		return module->way == MOZILLA_SYM ? "BreakpadParsing" : "ObjectParseError";
	default:
		return "OpenFile";
	}
}

/* This way leads to no file, or to one that is no good: the next one.  What is told of is the first
 * file that was no good. */
static void go_on(struct mozilla_module *module, const char *kind, enum err_kind failure,
		  struct text details)
{
	if (!module->error_kind && failure != ERR_NOT_FOUND) {
		module->error_kind = kind;
		module->error = details;
	}
	module->held = (struct held){ .next = NULL };
	if (module->way == MOZILLA_SYM)
		module->way = MOZILLA_NATIVE;
	else if (module->way == MOZILLA_NATIVE && may_be_elf(module))
		module->way = MOZILLA_ELF;
	else if (module->error_kind)
		fail(module, module->error_kind, module->error);
	else
		fail(module, "NoSuccessfulCandidate", details);
}

static void take_file(struct mozilla_module *module, const struct candidate *file)
{
	module->file_name = file->meta.code_file;
	module->figures.fetched_bytes = file->meta.text_bytes;
	if (!module->figures.got_at)
		module->figures.got_at = clock_monotonic_micros();
}

/* The rest of the build id, where a folder tells it. */
static int complete_build_id(struct mozilla_module *module, const struct source_list *sources,
			     struct arena *arena, struct err *err)
{
	char whole[SOURCE_BUILD_ID_BYTES], *copy;

	module->is_completed = true;
	for (size_t i = 0; i < sources->count; i++) {
		if (!source_find_build_id(&sources->sources[i], module->elf_ids.code_id, whole))
			continue;
		copy = arena_strdup(arena, whole);
		if (!copy)
			return err_no_memory(err);
		module->elf_ids.code_id = text_of(copy);
		break;
	}
	return 0;
}

/* READY: held.derive says what is to be made, or there is nothing to make. */
static enum resolved choose(struct mozilla_module *module, struct work *work, struct resolver *resolver,
			    struct err *err)
{
	struct module_lookup *lookup = lookup_of(module);
	const struct purpose_lookup *debug = &lookup->purposes[LOOKUP_DEBUG];
	const struct candidate *file;
	enum resolved resolved;

	if (module->way == MOZILLA_ELF && !module->is_completed &&
	    complete_build_id(module, work->default_sources, &work->arena, err) < 0)
		return RESOLVED_ERROR;
	resolved = symcache_lookup_derive(lookup, work, resolver, &module->held.derive, err);
	if (resolved != RESOLVED_READY)
		return resolved;
	file = debug->failure ? any_file(lookup) : module_lookup_winner(lookup, LOOKUP_DEBUG);
	if (file && !mozilla_ids_fit(lookup->ids, file)) {
		go_on(module, "UnmatchedDebugId", ERR_MALFORMED,
		      TEXT("the file found has another debug id"));
		return RESOLVED_READY;
	}
	if (file)
		take_file(module, file);
	if (file && debug->failure && module->way == MOZILLA_SYM) {
		module->found = MOZILLA_FOUND;       /* with nothing in it */
		module->error_kind = NULL;
		module->is_settled = true;
	} else if (debug->failure) {
		go_on(module, error_kind_of(module, debug->failure), debug->failure, debug->details);
	}
	return RESOLVED_READY;
}

static int open_symcache(void *payload, struct text bytes, struct err *damage)
{
	struct mozilla_module *module = payload;

	module->figures.cached_bytes = bytes.size;
	return symcache_open(&module->cache, bytes.bytes, bytes.size, damage);
}

static enum resolved fetch_symcache(struct mozilla_modules *modules, struct mozilla_module *module,
				    struct work *work, struct resolver *resolver, struct err *err)
{
	const struct held_opening opening = {
		.open = open_symcache, .payload = module, .arena = &work->arena,
		.list = &modules->open,
	};
	enum resolved resolved = held_resolve(&module->held, &opening, resolver, err);

	if (resolved != RESOLVED_READY)
		return resolved;
	if (module->held.failure) {
		enum err_kind failure = module->held.failure;
		struct text details = module->held.details;

		module_lookup_failed(lookup_of(module), LOOKUP_DEBUG, failure, details, &work->arena);
		go_on(module, error_kind_of(module, failure), failure, details);
		return RESOLVED_READY;
	}
	module->has_cache = true;
	module->found = MOZILLA_FOUND;
	module->error_kind = NULL;
	module->is_settled = true;
	if (!module->figures.made_at)
		module->figures.made_at = clock_monotonic_micros();
	module_lookup_found(lookup_of(module), LOOKUP_DEBUG);
	module_lookup_upgrade(lookup_of(module), &module->held.derive, resolver);
	return RESOLVED_READY;
}

static enum resolved advance_once(struct mozilla_modules *modules, struct mozilla_module *module,
				  struct work *work, struct resolver *resolver, struct err *err)
{
	enum mozilla_way way = module->way;
	enum resolved resolved = RESOLVED_READY;

	if (!module->held.derive.kind)
		resolved = choose(module, work, resolver, err);
	if (resolved == RESOLVED_READY && module->way == way && module->held.derive.kind)
		resolved = fetch_symcache(modules, module, work, resolver, err);
	return resolved;
}

static enum resolved advance(struct mozilla_modules *modules, struct mozilla_module *module,
			     struct work *work, struct resolver *resolver, struct err *err)
{
	enum resolved resolved;

	if (!module->is_identified && identify(module, work->default_sources, &work->arena, err) < 0)
		return RESOLVED_ERROR;
	/* What was read of its file went with the file. */
	if (module->has_cache && !module->held.is_settled) {
		module->has_cache = false;
		module->is_settled = false;
	}
	if (!module->figures.asked_at)
		module->figures.asked_at = clock_monotonic_micros();
	while (!module->is_settled) {
		resolved = advance_once(modules, module, work, resolver, err);
		module->figures.has_waited |= resolved == RESOLVED_WAIT;
		if (resolved != RESOLVED_READY)
			return resolved;
	}
	if (!module->figures.got_at)
		module->figures.got_at = clock_monotonic_micros();
	return RESOLVED_READY;
}

enum resolved mozilla_modules_advance(struct mozilla_modules *modules, struct work *work,
				      struct resolver *resolver, struct err *err)
{
	enum resolved all = RESOLVED_READY;

	for (size_t i = 0; i < modules->count; i++) {
		enum resolved one;

		if (!modules->modules[i]->is_wanted)
			continue;
		one = advance(modules, modules->modules[i], work, resolver, err);
		if (one == RESOLVED_ERROR || (one == RESOLVED_WAIT && resolver->stops_at_wait))
			return one;
		if (one == RESOLVED_WAIT)
			all = one;
	}
	return all;
}

void mozilla_modules_release(struct mozilla_modules *modules)
{
	for (size_t i = 0; i < modules->count; i++) {
		struct mozilla_module *module = modules->modules[i];

		held_release(&module->held);
		for (size_t j = 0; j < MOZILLA_WAYS; j++)
			module_lookup_release(&module->lookups[j]);
	}
}
