/* module_lookup.c -- one module on its way to its files: look-up, choice, and how it ended. */
#include "lookup/module_lookup.h"

#include "base/arena.h"
#include "work/derived.h"

/* --- What failures are called ------------------------------------------------------------ */

static const char *const status_names[MODULE_STATUSES] = {
	[MODULE_STATUS_UNUSED] = "unused", [MODULE_STATUS_FOUND] = "found",
	[MODULE_STATUS_MISSING] = "missing", [MODULE_STATUS_MALFORMED] = "malformed",
	[MODULE_STATUS_FETCHING_FAILED] = "fetching_failed", [MODULE_STATUS_TIMEOUT] = "timeout",
	[MODULE_STATUS_UNSUPPORTED] = "unsupported", [MODULE_STATUS_OTHER] = "other",
};

const char *module_status_name(enum module_status status)
{
	return status_names[status];
}

/* A file that kills its cell or takes more than it may is as good as malformed to whoever
 * asked; the candidate's details tell the difference. */
static enum module_status status_of(enum err_kind kind)
{
	switch (kind) {
	case ERR_NONE:
		return MODULE_STATUS_FOUND;
	case ERR_NOT_FOUND:
		return MODULE_STATUS_MISSING;
	case ERR_DENIED:
	case ERR_DOWNLOAD:
	case ERR_RESOLVE:
		return MODULE_STATUS_FETCHING_FAILED;
	case ERR_TIMEOUT:
		return MODULE_STATUS_TIMEOUT;
	case ERR_MALFORMED:
	case ERR_LIMIT:
	case ERR_CRASHED:
		return MODULE_STATUS_MALFORMED;
	case ERR_UNSUPPORTED:
		return MODULE_STATUS_UNSUPPORTED;
	default:
		return MODULE_STATUS_OTHER;
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

static void fail(struct purpose_lookup *purpose, enum err_kind kind, struct text details)
{
	purpose->failure = kind;
	purpose->details = details;
	purpose->status = status_of(kind);
}

/* What the best candidate says goes for the module. */
static void fail_without_file(struct purpose_lookup *purpose, struct text why_none)
{
	const struct held *held;

	if (purpose->winner == NO_WINNER) {
		fail(purpose, ERR_NOT_FOUND, why_none);
		return;
	}
	held = &purpose->lookup.candidates[purpose->winner]->held;
	fail(purpose, held->failure, held->details);
	switch (held->failure) {
	case ERR_NOT_FOUND:
	case ERR_DENIED:
	case ERR_TIMEOUT:
	case ERR_DOWNLOAD:
	case ERR_RESOLVE:
		break;
	case ERR_LIMIT:
	case ERR_CRASHED:
		purpose->use = (struct candidate_use){ USE_MALFORMED, held->details };
		break;
	default:
		purpose->use.status = USE_MALFORMED;
	}
}

void module_lookup_found(struct module_lookup *module, enum lookup_purpose which)
{
	struct purpose_lookup *purpose = &module->purposes[which];

	purpose->status = MODULE_STATUS_FOUND;
	purpose->use = (struct candidate_use){ USE_OK, TEXT_NONE };
}

void module_lookup_failed(struct module_lookup *module, enum lookup_purpose which,
			  enum err_kind kind, struct text details, struct arena *arena)
{
	struct purpose_lookup *purpose = &module->purposes[which];

	fail(purpose, kind, details);
	switch (kind) {
	case ERR_MALFORMED:
		purpose->use.status = USE_MALFORMED;
		break;
	case ERR_LIMIT:
	case ERR_CRASHED:
		purpose->use = (struct candidate_use){ USE_MALFORMED, details };
		break;
	case ERR_NOT_FOUND:
		purpose->use = (struct candidate_use){
			USE_ERROR, TEXT("Object file no longer available")
		};
		break;
	default:
		purpose->use = (struct candidate_use){
			USE_ERROR, lookup_failure_details(kind, details, arena)
		};
	}
}

/* --- The choice -------------------------------------------------------------------------- */

/* Locations of an earlier purpose are not asked for twice. */
static const struct lookup *earlier_lookup(const struct module_lookup *module,
					   enum lookup_purpose which)
{
	while (which-- > 0)
		if (module->purposes[which].lookup.is_planned)
			return &module->purposes[which].lookup;
	return NULL;
}

static int plan(struct module_lookup *module, enum lookup_purpose which, struct work *work,
		struct resolver *resolver, struct err *err)
{
	struct purpose_lookup *purpose = &module->purposes[which];
	const struct lookup_request request = {
		.sources = module->sources, .query = &purpose->query,
		.other = earlier_lookup(module, which),
	};

	purpose->query.ids = module->ids;
	purpose->query.types = module->types;
	purpose->query.type_count = module->type_count;
	if (!module->types)
		purpose->query.types = lookup_file_types(which, module->ids->type,
							 &purpose->query.type_count);
	return lookup_plan(&purpose->lookup, work, &request, resolver, err);
}

/* A file that is looked at for its sources says nothing else of the module. */
static void add_features(struct features *features, const struct convert_meta *meta,
			 enum lookup_purpose which)
{
	features->sources |= meta->has_sources;
	if (which == LOOKUP_SOURCE)
		return;
	features->debug_info |= meta->has_debug_info;
	features->unwind_info |= meta->has_unwind_info;
	features->symbols |= meta->has_symbols;
	if (meta->srcsrv_vcs.bytes)
		features->srcsrv_vcs = meta->srcsrv_vcs;
}

static const char *const why_none[LOOKUP_PURPOSES] = {
	[LOOKUP_UNWIND] = "no candidate has unwind information",
	[LOOKUP_DEBUG] = "no candidate has debug information",
	[LOOKUP_SOURCE] = "no candidate has sources",
};

enum resolved module_lookup_choose(struct module_lookup *module, enum lookup_purpose which,
				   struct work *work, struct resolver *resolver, struct err *err)
{
	struct purpose_lookup *purpose = &module->purposes[which];
	const struct candidate *winner;
	enum resolved resolved;

	if (purpose->is_chosen)
		return RESOLVED_READY;
	if (!purpose->lookup.is_planned && plan(module, which, work, resolver, err) < 0)
		return RESOLVED_ERROR;
	resolved = lookup_resolve(&purpose->lookup, work, resolver, err);
	if (resolved != RESOLVED_READY)
		return resolved;
	purpose->winner = lookup_choose(&purpose->lookup, which);
	purpose->is_chosen = true;
	winner = module_lookup_winner(module, which);
	if (!winner || winner->held.failure)
		fail_without_file(purpose, text_of(why_none[which]));
	else
		add_features(&module->features, &winner->meta, which);
	return RESOLVED_READY;
}

const struct candidate *module_lookup_winner(const struct module_lookup *module,
					     enum lookup_purpose which)
{
	const struct purpose_lookup *purpose = &module->purposes[which];

	return purpose->is_chosen && purpose->winner != NO_WINNER
	       ? purpose->lookup.candidates[purpose->winner] : NULL;
}

struct derive module_lookup_derive(const struct module_lookup *module, enum lookup_purpose which,
				   const struct derived_kind *kind)
{
	const struct derive *object = &module_lookup_winner(module, which)->held.derive;

	struct derive derive = {
		.kind = kind, .location = object->location, .object_key = object->object_key,
		.key = object->key, .is_extract = object->is_extract,
	};

	cache_key_set_kind(&derive.key, kind->cache);
	return derive;
}

void module_lookup_release(struct module_lookup *module)
{
	for (size_t i = 0; i < LOOKUP_PURPOSES; i++)
		lookup_release(&module->purposes[i].lookup);
	for (size_t i = 0; i < module->companion_count; i++) {
		lookup_release(&module->companions[i].first);
		lookup_release(&module->companions[i].lookup);
	}
	source_links_release(&module->links);
}
