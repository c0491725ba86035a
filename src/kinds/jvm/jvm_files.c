/*
 * jvm_files.c -- mappings and source bundles, by UUID.
 *
 * Of a server that says what it has, the first mapping counts; of places that are asked for a path, the
 * first that has one.
 */
#include "kinds/jvm/jvm_work.h"

#include "base/arena.h"
#include "work/derived.h"

static const enum file_type mapping_types[] = { FILE_TYPE_PROGUARD };
static const enum file_type bundle_types[] = { FILE_TYPE_SOURCEBUNDLE };

static void begin_mapping(struct jvm_mapping *mapping, const struct jvm_module *module)
{
	mapping->module = module;
	mapping->ids.debug_id = module->id;
}

static void begin_bundle(struct jvm_bundle *bundle, const struct jvm_module *module,
			 const struct source_list *sources)
{
	bundle->ids.debug_id = module->id;
	bundle->files = (struct module_lookup){
		.ids = &bundle->ids, .sources = sources, .types = bundle_types, .type_count = 1,
	};
	bundle->files.purposes[LOOKUP_SOURCE].query.by = SOURCE_BY_UUID;
}

int jvm_files_begin(struct jvm *jvm, struct err *err)
{
	const struct jvm_request *request = &jvm->request;
	struct arena *arena = &jvm->work->arena;

	for (size_t i = 0; i < request->module_count; i++) {
		jvm->mapping_count += request->modules[i].type == JVM_MODULE_PROGUARD;
		jvm->bundle_count += request->modules[i].type == JVM_MODULE_SOURCE;
	}
	jvm->module_mapping_count = jvm->mapping_count;
	jvm->mappings = arena_alloc(arena, jvm->mapping_count + JVM_MAPS_ASKED, sizeof(*jvm->mappings));
	jvm->bundles = arena_alloc(arena, jvm->bundle_count, sizeof(*jvm->bundles));
	if (!jvm->mappings || !jvm->bundles)
		return err_no_memory(err);
	for (size_t i = 0, mapping = 0, bundle = 0; i < request->module_count; i++) {
		if (request->modules[i].type == JVM_MODULE_PROGUARD)
			begin_mapping(&jvm->mappings[mapping++], &request->modules[i]);
		else
			begin_bundle(&jvm->bundles[bundle++], &request->modules[i], request->sources);
	}
	return 0;
}

/* --- Mappings -------------------------------------------------------------------------------- */

static struct text keep(char into[JVM_MAP_ID_BYTES], struct text name)
{
	if (!name.size || name.size > JVM_MAP_ID_BYTES)
		return TEXT_NONE;
	memcpy(into, name.bytes, name.size);
	return (struct text){ into, name.size };
}

static int open_mapping(void *payload, struct text bytes, struct err *damage)
{
	struct jvm_mapping *mapping = payload;

	if (proguard_open(&mapping->cache, bytes.bytes, bytes.size, damage) < 0)
		return -1;
	mapping->map_id = keep(mapping->names[0], mapping->cache.map_id);
	mapping->map_hash = keep(mapping->names[1], mapping->cache.map_hash);
	return 0;
}

static enum resolved fail(struct jvm_mapping *mapping, enum err_kind failure)
{
	mapping->is_failed = true;
	mapping->failure = failure;
	return RESOLVED_READY;
}

static bool may_go_on(const struct jvm_mapping *mapping)
{
	return mapping->held->failure == ERR_NOT_FOUND &&
	       !source_is_listed(mapping->held->derive.location->source);
}

static enum resolved resolve_mapping(struct jvm *jvm, struct jvm_mapping *mapping,
				     struct resolver *resolver, struct err *err)
{
	const struct held_opening opening = {
		.open = open_mapping, .payload = mapping, .arena = &jvm->work->arena,
		.list = &jvm->open_mappings,
	};
	const struct lookup_request request = {
		.sources = mapping->module ? jvm->request.sources : &jvm->map_sources,
		.query = &mapping->query, .is_auxiliary = true,
	};
	enum resolved resolved;

	mapping->query = (struct source_query){
		.by = SOURCE_BY_UUID, .ids = &mapping->ids, .types = mapping_types, .type_count = 1,
	};
	if (mapping->is_failed || jvm_mapping_is_open(mapping))
		return RESOLVED_READY;
	if (!mapping->lookup.is_planned &&
	    lookup_plan(&mapping->lookup, jvm->work, &request, resolver, err) < 0)
		return RESOLVED_ERROR;
	resolved = lookup_locate(&mapping->lookup, jvm->work, resolver, err);
	if (resolved != RESOLVED_READY)
		return resolved;
	for (; mapping->at < mapping->lookup.locations.count; mapping->at++) {
		mapping->held = &mapping->lookup.candidates[mapping->at]->held;
		resolved = held_resolve(mapping->held, &opening, resolver, err);
		if (resolved != RESOLVED_READY || !mapping->held->failure)
			return resolved;
		if (!may_go_on(mapping))
			return fail(mapping, mapping->held->failure);
	}
	return fail(mapping, ERR_NOT_FOUND);
}

/* --- Source bundles -------------------------------------------------------------------------- */

static int open_bundle(void *payload, struct text bytes, struct err *damage)
{
	struct jvm_bundle *bundle = payload;

	return sourcecache_open(&bundle->cache, bytes.bytes, bytes.size, damage);
}

/* Its own entry: the native kinds have one of the same file by path. */
static int derive_sources(struct jvm *jvm, struct jvm_bundle *bundle, struct err *err)
{
	struct derive *derive = &bundle->held.derive;
	struct text place, text;

	*derive = module_lookup_derive(&bundle->files, LOOKUP_SOURCE, &derived_url_sources);
	if (lookup_location_text(derive->location, &jvm->work->arena, &place, err) < 0)
		return -1;
	text = text_of(arena_printf(&jvm->work->arena, "%.*sby: url\n", (int)place.size, place.bytes));
	if (!text.bytes)
		return err_no_memory(err);
	return lookup_make_key(&derive->key, jvm->work, CACHE_SOURCES, derive->location, text, err);
}

static enum resolved resolve_bundle(struct jvm *jvm, struct jvm_bundle *bundle, struct resolver *resolver,
				    struct err *err)
{
	const struct held_opening opening = {
		.open = open_bundle, .payload = bundle, .arena = &jvm->work->arena,
		.list = &jvm->open_bundles,
	};
	const struct purpose_lookup *purpose = &bundle->files.purposes[LOOKUP_SOURCE];
	enum resolved resolved;

	if (bundle->held.is_settled)
		return RESOLVED_READY;
	resolved = module_lookup_choose(&bundle->files, LOOKUP_SOURCE, jvm->work, resolver, err);
	if (resolved != RESOLVED_READY || purpose->failure || jvm->request.leaves_contexts)
		return resolved;
	if (!bundle->held.derive.kind && derive_sources(jvm, bundle, err) < 0)
		return RESOLVED_ERROR;
	return held_resolve(&bundle->held, &opening, resolver, err);
}

/* --- All ------------------------------------------------------------------------------------- */

/* All of them are asked before anyone waits: what is fetched is fetched at the same time. */
enum resolved jvm_files_resolve(struct jvm *jvm, struct resolver *resolver, struct err *err)
{
	enum resolved all = RESOLVED_READY;

	for (size_t i = 0; i < jvm->mapping_count + jvm->bundle_count; i++) {
		enum resolved one = i < jvm->mapping_count
			? resolve_mapping(jvm, &jvm->mappings[i], resolver, err)
			: resolve_bundle(jvm, &jvm->bundles[i - jvm->mapping_count], resolver, err);

		if (one == RESOLVED_ERROR || (one == RESOLVED_WAIT && resolver->stops_at_wait))
			return one;
		if (one == RESOLVED_WAIT)
			all = one;
	}
	return all;
}

void jvm_files_release(struct jvm *jvm)
{
	for (size_t i = 0; i < jvm->mapping_count && jvm->mappings; i++) {
		struct lookup *lookup = &jvm->mappings[i].lookup;

		for (size_t j = 0; j < lookup->locations.count && lookup->candidates; j++)
			held_release(&lookup->candidates[j]->held);
		lookup_release(lookup);
	}
	for (size_t i = 0; i < jvm->bundle_count && jvm->bundles; i++) {
		held_release(&jvm->bundles[i].held);
		module_lookup_release(&jvm->bundles[i].files);
	}
}
