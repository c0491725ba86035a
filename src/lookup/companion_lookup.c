/*
 * companion_lookup.c -- the other files an object wants: dwz supplements, dwp packages, debuglink
 * targets, found by build id in the same sources; BCSymbolMaps, found in two steps: a UUID map
 * of the object's debug id says under which UUID the BCSymbolMap is kept.  A Unity program's
 * line map no object points to: it stands under the ids of the module.
 *
 * Their look-ups say nothing to the user; which were there and which were not is part of
 * the SymCache's key, so that one that appears later makes a better SymCache.
 */
#include "lookup/module_lookup.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "work/derived.h"

#define KEY_TEXT_BYTES ((size_t)1 << 20)    /* locations of the object and its companions */

static const enum file_type debug_files[] = { FILE_TYPE_ELF_DEBUG };
static const enum file_type uuid_maps[] = { FILE_TYPE_UUIDMAP };
static const enum file_type symbol_maps[] = { FILE_TYPE_BCSYMBOLMAP };
static const enum file_type line_maps[] = { FILE_TYPE_IL2CPP };

static const struct object_want line_map_want = { .role = OBJECT_ROLE_IL2CPP };

static const struct convert_meta *object_meta(const struct module_lookup *module)
{
	return &module_lookup_winner(module, LOOKUP_DEBUG)->meta;
}

static bool is_looked_for(const struct object_want *want, const struct convert_meta *meta)
{
	switch (want->role) {
	case OBJECT_ROLE_DWZ:
	case OBJECT_ROLE_DWP:
	case OBJECT_ROLE_BCSYMBOLMAP:
		return true;
	case OBJECT_ROLE_DEBUGLINK:
		return !meta->has_debug_info;
	default:
		return false;        /* single .dwo files stand on no symbol server */
	}
}

/* A package has its object's own build id, the others are named by theirs.  The file names are
 * the module's: a source that is meant for some files only is meant for their companions. */
static void name_companion(struct companion_lookup *companion, const struct module_lookup *module)
{
	const struct object_ids *own = module->ids;
	struct object_ids *ids = &companion->ids;

	ids->type = OBJECT_TYPE_ELF;
	ids->code_file = own->code_file;
	ids->debug_file = own->debug_file;
	ids->code_id = companion->want->id;
	if (companion->want->role == OBJECT_ROLE_DWP && !companion->want->id.size) {
		ids->code_id = own->code_id.size ? own->code_id : object_meta(module)->code_id;
		ids->debug_id = own->debug_id;
	}
}

/* The files of one type: of `query`, which is filled here. */
static int plan_files(struct lookup *lookup, struct source_query *query,
		      const struct object_ids *ids, const enum file_type type[1],
		      struct lookup_request *request, struct work *work,
		      struct resolver *resolver, struct err *err)
{
	*query = (struct source_query){ .ids = ids, .types = type, .type_count = 1 };
	request->query = query;
	return lookup_plan(lookup, work, request, resolver, err);
}

/* --- BCSymbolMaps ------------------------------------------------------------------------ */

/* UUID maps stand where the debug id asked for says; the object's own may be another. */
static int plan_uuid_maps(struct companion_lookup *companion, const struct module_lookup *module,
			  struct work *work, struct resolver *resolver, struct err *err)
{
	struct lookup_request request = { .sources = module->sources, .is_auxiliary = true };
	const struct object_ids *own = module->ids;

	companion->first_ids = (struct object_ids){
		.type = own->type, .debug_id = own->debug_id,
		.code_file = own->code_file, .debug_file = own->debug_file,
	};
	if (debugid_is_nil(&own->debug_id))
		return 0;
	return plan_files(&companion->first, &companion->first_query, &companion->first_ids,
			  uuid_maps, &request, work, resolver, err);
}

static const struct candidate *first_success(const struct lookup *lookup)
{
	for (size_t i = 0; i < lookup->locations.count; i++)
		if (!lookup->candidates[i]->held.failure)
			return lookup->candidates[i];
	return NULL;
}

static int plan_symbol_maps(struct companion_lookup *companion, const struct module_lookup *module,
			    struct work *work, struct resolver *resolver, struct err *err)
{
	struct lookup_request request = { .sources = module->sources, .is_auxiliary = true };
	const struct candidate *map = first_success(&companion->first);

	if (!map)
		return 0;
	companion->ids = companion->first_ids;
	companion->ids.debug_id = map->original;
	return plan_files(&companion->lookup, &companion->query, &companion->ids, symbol_maps,
			  &request, work, resolver, err);
}

/* READY: what `lookup` has to look for is known. */
static enum resolved resolve_first(struct companion_lookup *companion,
				   const struct module_lookup *module, struct work *work,
				   struct resolver *resolver, struct err *err)
{
	enum resolved resolved;

	if (!companion->first.is_planned || companion->lookup.is_planned)
		return RESOLVED_READY;
	resolved = lookup_resolve(&companion->first, work, resolver, err);
	if (resolved != RESOLVED_READY)
		return resolved;
	return plan_symbol_maps(companion, module, work, resolver, err) < 0 ? RESOLVED_ERROR
									    : RESOLVED_READY;
}

/* --- Line maps --------------------------------------------------------------------------- */

/* Most layouts have no place for them, and most requests need not ask. */
static bool may_have_line_map(const struct module_lookup *module)
{
	const struct source_list *sources = module->sources;

	if (debugid_is_nil(&module->ids->debug_id))
		return false;
	for (size_t i = 0; i < sources->count; i++)
		if (source_may_hold(&sources->sources[i], FILE_TYPE_IL2CPP))
			return true;
	return false;
}

/* A layout that puts all kinds of files in one place puts the object there. */
static int plan_line_map(struct companion_lookup *companion, const struct module_lookup *module,
			 struct work *work, struct resolver *resolver, struct err *err)
{
	struct lookup_request request = {
		.sources = module->sources, .is_auxiliary = true,
		.other = &module->purposes[LOOKUP_DEBUG].lookup,
	};

	return plan_files(&companion->lookup, &companion->query, module->ids, line_maps, &request,
			  work, resolver, err);
}

/* --- All of them ------------------------------------------------------------------------- */

static int plan_one(struct companion_lookup *companion, const struct module_lookup *module,
		    struct work *work, struct resolver *resolver, struct err *err)
{
	struct lookup_request request = { .sources = module->sources };

	if (companion->want->role == OBJECT_ROLE_BCSYMBOLMAP)
		return plan_uuid_maps(companion, module, work, resolver, err);
	if (companion->want->role == OBJECT_ROLE_IL2CPP)
		return plan_line_map(companion, module, work, resolver, err);
	name_companion(companion, module);
	if (!companion->ids.code_id.size && debugid_is_nil(&companion->ids.debug_id))
		return 0;
	return plan_files(&companion->lookup, &companion->query, &companion->ids, debug_files,
			  &request, work, resolver, err);
}

static int add_companion(struct module_lookup *module, const struct object_want *want,
			 struct work *work, struct resolver *resolver, struct err *err)
{
	/* Counted before: it may hold a plan even if it fails. */
	struct companion_lookup *companion = &module->companions[module->companion_count++];

	companion->want = want;
	return plan_one(companion, module, work, resolver, err);
}

/* The line map is the last: so it is in the key. */
int companion_lookup_plan(struct module_lookup *module, struct work *work,
			  struct resolver *resolver, struct err *err)
{
	const struct convert_meta *meta = object_meta(module);
	size_t count = meta->want_count < LIMIT_CELL_WANTS ? meta->want_count : LIMIT_CELL_WANTS;
	bool with_line_map = may_have_line_map(module);

	module->companion_count = 0;
	if (!count && !with_line_map)
		return 0;
	module->companions = arena_alloc(&work->arena, count + with_line_map,
					 sizeof(*module->companions));
	if (!module->companions)
		return err_no_memory(err);
	for (size_t i = 0; i < count; i++)
		if (is_looked_for(&meta->wants[i], meta) &&
		    add_companion(module, &meta->wants[i], work, resolver, err) < 0)
			return -1;
	return with_line_map ? add_companion(module, &line_map_want, work, resolver, err) : 0;
}

enum resolved companion_lookup_resolve(struct module_lookup *module, struct work *work,
				       struct resolver *resolver, struct err *err)
{
	enum resolved all = RESOLVED_READY;

	for (size_t i = 0; i < module->companion_count; i++) {
		struct companion_lookup *companion = &module->companions[i];
		enum resolved one = resolve_first(companion, module, work, resolver, err);

		if (one == RESOLVED_READY)
			one = lookup_resolve(&companion->lookup, work, resolver, err);
		if (one == RESOLVED_ERROR || (one == RESOLVED_WAIT && resolver->stops_at_wait))
			return one;
		if (one == RESOLVED_WAIT)
			all = one;
	}
	return all;
}

/* --- What they do to the key ------------------------------------------------------------- */

static bool is_usable(const struct candidate *candidate, enum object_role role,
		      const struct location *winner)
{
	const struct location *location = candidate->held.derive.location;

	if (candidate->held.failure ||
	    (role == OBJECT_ROLE_DEBUGLINK && !candidate->meta.has_debug_info) ||
	    (role == OBJECT_ROLE_IL2CPP && candidate->held.derive.kind != &derived_line_map))
		return false;
	return location->source != winner->source || !text_equal(location->uri, winner->uri);
}

static const struct derive *found_entry(const struct companion_lookup *companion,
					const struct location *winner)
{
	const struct lookup *lookup = &companion->lookup;

	for (size_t i = 0; i < lookup->locations.count; i++)
		if (is_usable(lookup->candidates[i], companion->want->role, winner))
			return &lookup->candidates[i]->held.derive;
	return NULL;
}

/* Of maps only those that are there are part of the key. */
static void describe(const struct derive_companion *companion, struct buf *key)
{
	bool is_map = companion->role == OBJECT_ROLE_BCSYMBOLMAP ||
		      companion->role == OBJECT_ROLE_IL2CPP;

	if (is_map && !companion->entry)
		return;
	buf_add_string(key, is_map ? "\n" : "\ncompanion: ");
	buf_add_string(key, object_role_name(companion->role));
	if (is_map)
		buf_add_char(key, ':');
	if (companion->entry) {
		buf_add_string(key, "\nsource: ");
		buf_add_text(key, companion->entry->location->source->id);
		buf_add_string(key, "\nlocation: ");
		buf_add_text(key, companion->entry->location->uri);
	} else {
		buf_add_string(key, "\nabsent: ");
		buf_add_text(key, companion->id.size ? companion->id : companion->name);
	}
	buf_add_char(key, '\n');
}

static int add_companions(const struct module_lookup *module, struct derive *derive,
			  struct arena *arena, struct buf *key, struct err *err)
{
	struct derive_companion *list;

	list = arena_alloc(arena, module->companion_count, sizeof(*list));
	if (!list)
		return err_no_memory(err);
	for (size_t i = 0; i < module->companion_count; i++) {
		const struct companion_lookup *companion = &module->companions[i];

		list[i] = (struct derive_companion){
			.role = companion->want->role, .id = companion->want->id,
			.name = companion->want->name,
			.entry = found_entry(companion, derive->location),
		};
		describe(&list[i], key);
	}
	derive->companions = list;
	derive->companion_count = module->companion_count;
	return 0;
}

int companion_lookup_describe(const struct module_lookup *module, struct derive *derive,
			      struct arena *arena, struct text *text, struct err *err)
{
	struct buf key;
	char *copy;
	int result = -1;

	if (lookup_location_text(derive->location, arena, text, err) < 0)
		return -1;
	buf_init(&key, KEY_TEXT_BYTES);
	buf_add_text(&key, *text);
	if (add_companions(module, derive, arena, &key, err) < 0 || buf_check(&key, err) < 0)
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
