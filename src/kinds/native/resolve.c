/*
 * resolve.c -- one module on its way: look-up, choice, companions, SymCache.
 */
#include "kinds/native/symbolication.h"
#include "kinds/native/source_contexts.h"

#include "base/arena.h"

#define KEY_TEXT_BYTES ((size_t)1 << 20)    /* locations of the object and its companions */

/* --- What failures are called ------------------------------------------------------------ */

static const char *const status_names[DEBUG_STATUSES] = {
	[DEBUG_UNUSED] = "unused", [DEBUG_FOUND] = "found", [DEBUG_MISSING] = "missing",
	[DEBUG_MALFORMED] = "malformed", [DEBUG_FETCHING_FAILED] = "fetching_failed",
	[DEBUG_TIMEOUT] = "timeout", [DEBUG_UNSUPPORTED] = "unsupported", [DEBUG_OTHER] = "other",
};

const char *debug_status_name(enum debug_status status)
{
	return status_names[status];
}

/* A file that kills its cell or takes more than it may is as good as malformed to whoever
 * asked; the candidate's details tell the difference. */
static enum debug_status status_of(enum err_kind kind)
{
	switch (kind) {
	case ERR_NONE:
		return DEBUG_FOUND;
	case ERR_NOT_FOUND:
		return DEBUG_MISSING;
	case ERR_DENIED:
	case ERR_DOWNLOAD:
	case ERR_RESOLVE:
		return DEBUG_FETCHING_FAILED;
	case ERR_TIMEOUT:
		return DEBUG_TIMEOUT;
	case ERR_MALFORMED:
	case ERR_LIMIT:
	case ERR_CRASHED:
		return DEBUG_MALFORMED;
	case ERR_UNSUPPORTED:
		return DEBUG_UNSUPPORTED;
	default:
		return DEBUG_OTHER;
	}
}

static struct text prefixed(const char *prefix, struct text details, struct arena *arena)
{
	size_t head = strlen(prefix);
	char *bytes = arena_alloc_raw(arena, head + details.size + 1, 1);

	if (!bytes)
		return details;
	memcpy(bytes, prefix, head);
	memcpy(bytes + head, details.bytes, details.size);
	return (struct text){ bytes, head + details.size };
}

struct text lookup_failure_details(enum err_kind kind, struct text details, struct arena *arena)
{
	switch (kind) {
	case ERR_DENIED:
	case ERR_MALFORMED:
	case ERR_LIMIT:
	case ERR_CRASHED:
		return details;
	case ERR_DOWNLOAD:
	case ERR_RESOLVE:
		return prefixed("download failed: ", details, arena);
	case ERR_TIMEOUT:
		return prefixed("download timed out after ", details, arena);
	case ERR_UNSUPPORTED:
		return prefixed("unsupported: ", details, arena);
	default:
		return TEXT("internal error");
	}
}

/* --- Ends -------------------------------------------------------------------------------- */

static void settle_failed(struct native_module *module, enum err_kind kind, struct text details)
{
	module->failure = kind;
	module->details = details;
	module->status = status_of(kind);
	module->stage = MODULE_SETTLED;
}

/* No object could be had: what the best candidate says goes for the module. */
static void settle_without_object(struct native_module *module)
{
	const struct candidate *candidate;

	if (module->winner == NO_WINNER) {
		settle_failed(module, ERR_NOT_FOUND, TEXT("no candidate has debug information"));
		return;
	}
	candidate = module->debug.candidates[module->winner];
	settle_failed(module, candidate->held.failure, candidate->held.details);
	switch (candidate->held.failure) {
	case ERR_NOT_FOUND:
	case ERR_DENIED:
	case ERR_TIMEOUT:
	case ERR_DOWNLOAD:
	case ERR_RESOLVE:
		break;
	case ERR_LIMIT:
	case ERR_CRASHED:
		module->use = (struct use){ USE_MALFORMED, candidate->held.details };
		break;
	default:
		module->use.status = USE_MALFORMED;
	}
}

/* There is an object, but no SymCache of it. */
static void settle_without_cache(struct native_module *module, enum err_kind kind,
				 struct text details,
				 struct arena *arena)
{
	settle_failed(module, kind, details);
	switch (kind) {
	case ERR_MALFORMED:
		module->use.status = USE_MALFORMED;
		break;
	case ERR_LIMIT:
	case ERR_CRASHED:
		module->use = (struct use){ USE_MALFORMED, details };
		break;
	case ERR_NOT_FOUND:
		module->use = (struct use){ USE_ERROR, TEXT("Object file no longer available") };
		break;
	default:
		module->use = (struct use){ USE_ERROR, lookup_failure_details(kind, details,
									      arena) };
	}
}

/* --- The way ----------------------------------------------------------------------------- */

static int plan(struct symbolication *native, struct native_module *module,
		enum lookup_purpose purpose,
		struct resolver *resolver, struct err *err)
{
	const struct object_ids *ids = &module->raw->ids;
	bool for_debug = purpose == LOOKUP_DEBUG;
	size_t count = 0;
	const struct lookup_request wanted = {
		.sources = native->request.sources, .ids = ids,
		.types = lookup_file_types(purpose, ids->type, &count), .type_count = count,
		.other = for_debug ? NULL : &module->debug,
	};

	return lookup_plan(for_debug ? &module->debug : &module->source, native->work, &wanted,
			   resolver, err);
}

struct features features_of(const struct convert_meta *meta)
{
	return (struct features){
		.debug_info = meta->has_debug_info, .unwind_info = meta->has_unwind_info,
		.symbols = meta->has_symbols, .sources = meta->has_sources,
		.srcsrv_vcs = meta->srcsrv_vcs,
	};
}

/* A ppdb cache has no companions. */
static int choose_managed(struct symbolication *native, struct native_module *module,
			  const struct convert_meta *meta)
{
	const struct derive *object = &module->debug.candidates[module->winner]->held.derive;

	if (!text_is(meta->format, "portablepdb") && !text_is(meta->format, "pe")) {
		settle_without_cache(module, ERR_UNSUPPORTED,
				     TEXT("Only portable PDB files can be used for .NET "
					  "symbolication"), &native->work->arena);
		return 0;
	}
	module->symcache.derive = (struct derive){
		.kind = &derived_ppdb, .location = object->location,
		.object_key = object->object_key,
		.key = cache_key_as(&object->key, CACHE_PPDB_CACHES),
	};
	module->stage = MODULE_SYMCACHE;
	return 0;
}

static int choose(struct symbolication *native, struct native_module *module,
		  struct resolver *resolver,
		  struct err *err)
{
	const struct candidate *winner;

	module->winner = lookup_choose(&module->debug, LOOKUP_DEBUG);
	winner = module->winner == NO_WINNER ? NULL : module->debug.candidates[module->winner];
	if (!winner || winner->held.failure) {
		settle_without_object(module);
		return 0;
	}
	module->features = features_of(&winner->meta);
	module->is_managed = module->raw->ids.type == OBJECT_TYPE_PE_DOTNET;
	if (module->is_managed)
		return choose_managed(native, module, &winner->meta);
	module->stage = MODULE_COMPANIONS;
	return companions_plan(native, module, resolver, err);
}

int native_module_symcache_text(struct symbolication *native, struct native_module *module,
				struct text *text,
				struct err *err)
{
	struct arena *arena = &native->work->arena;
	struct buf key;
	char *copy;
	int result = -1;

	if (location_text(module->symcache.derive.location, arena, text, err) < 0)
		return -1;
	buf_init(&key, KEY_TEXT_BYTES);
	buf_add_text(&key, *text);
	if (companions_describe(native, module, &key, err) < 0 || buf_check(&key, err) < 0)
		goto done;
	copy = arena_strndup(arena, key.bytes, key.size);
	if (!copy) {
		err_no_memory(err);
		goto done;
	}
	*text = (struct text){ copy, key.size };
	result = 0;
done:
	buf_release(&key);
	return result;
}

static int derive_symcache(struct symbolication *native, struct native_module *module,
			   struct err *err)
{
	const struct derive *object = &module->debug.candidates[module->winner]->held.derive;
	struct derive *derive = &module->symcache.derive;
	struct text rest;

	derive->kind = &derived_symcache;
	derive->location = object->location;
	derive->object_key = object->object_key;
	if (!module->companion_count) {
		derive->key = cache_key_as(&object->key, CACHE_SYMCACHES);
	} else if (native_module_symcache_text(native, module, &rest, err) < 0 ||
		   derive_key(&derive->key, native->work, CACHE_SYMCACHES, object->location, rest,
			      err) < 0) {
		return -1;
	}
	module->stage = MODULE_SYMCACHE;
	return 0;
}

static int open_symcache(void *payload, struct text bytes, struct err *damage)
{
	struct native_module *module = payload;

	return module->is_managed
	       ? ppdbcache_open(&module->managed, bytes.bytes, bytes.size, damage)
	       : symcache_open(&module->cache, bytes.bytes, bytes.size, damage);
}

static enum resolved fetch_symcache(struct symbolication *native, struct native_module *module,
				    struct resolver *resolver, struct err *err)
{
	struct arena *arena = &native->work->arena;
	const struct held_opening opening = { .open = open_symcache, .payload = module,
					      .arena = arena, .list = &native->open_symcaches };
	enum resolved resolved = held_resolve(&module->symcache, &opening, resolver, err);

	if (resolved != RESOLVED_READY)
		return resolved;
	if (module->symcache.failure) {
		settle_without_cache(module, module->symcache.failure, module->symcache.details, arena);
		return RESOLVED_READY;
	}
	module->arch = module->is_managed ? (uint32_t)ARCH_UNKNOWN
					  : arch_modern_code(module->cache.arch);
	module->status = DEBUG_FOUND;
	module->use = (struct use){ USE_OK, TEXT_NONE };
	module->stage = MODULE_SETTLED;
	native_module_upgrade(module, resolver);
	return RESOLVED_READY;
}

/* One stage; READY when the next may follow. */
static enum resolved advance_once(struct symbolication *native, struct native_module *module,
				  struct resolver *resolver, struct err *err)
{
	enum resolved resolved;

	switch (module->stage) {
	case MODULE_LOOKUP:
		if (!module->debug.is_planned &&
		    plan(native, module, LOOKUP_DEBUG, resolver, err) < 0)
			return RESOLVED_ERROR;
		resolved = lookup_resolve(&module->debug, native->work, resolver, err);
		if (resolved != RESOLVED_READY)
			return resolved;
		return choose(native, module, resolver, err) < 0 ? RESOLVED_ERROR : RESOLVED_READY;
	case MODULE_COMPANIONS:
		resolved = companions_resolve(native, module, resolver, err);
		if (resolved != RESOLVED_READY)
			return resolved;
		return derive_symcache(native, module, err) < 0 ? RESOLVED_ERROR : RESOLVED_READY;
	default:
		return fetch_symcache(native, module, resolver, err);
	}
}

enum resolved native_module_advance(struct symbolication *native, struct native_module *module,
				    struct resolver *resolver, struct err *err)
{
	/* What its SymCache said went with the file. */
	if (module->stage == MODULE_SETTLED && !module->failure && !module->symcache.is_settled)
		module->stage = MODULE_SYMCACHE;
	while (module->stage != MODULE_SETTLED) {
		enum resolved resolved = advance_once(native, module, resolver, err);

		if (resolved != RESOLVED_READY)
			return resolved;
	}
	return RESOLVED_READY;
}

enum resolved native_module_advance_sources(struct symbolication *native,
					    struct native_module *module,
					    struct resolver *resolver, struct err *err)
{
	enum resolved resolved;
	size_t winner;

	if (!module->source.is_planned && plan(native, module, LOOKUP_SOURCE, resolver, err) < 0)
		return RESOLVED_ERROR;
	resolved = lookup_resolve(&module->source, native->work, resolver, err);
	if (resolved != RESOLVED_READY)
		return resolved;
	winner = lookup_choose(&module->source, LOOKUP_SOURCE);
	if (winner == NO_WINNER || module->source.candidates[winner]->held.failure)
		return RESOLVED_READY;
	module->features.sources = true;
	return source_contexts_fetch(native, module, module->source.candidates[winner], resolver,
				     err);
}
