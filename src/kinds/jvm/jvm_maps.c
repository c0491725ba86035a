/*
 * jvm_maps.c -- the mapping a frame itself names: R8 can write its id into the source file of every class
 * ("r8-map-id-<id>"), and a mapping says its own in `pg_map_id` and `pg_map_hash`.
 *
 * Whatever mapping of the request has the id is taken.  Others are looked for as files of that id, in
 * sources that are asked for paths; a server that lists its files by UUID cannot know it.
 */
#include "kinds/jvm/jvm_work.h"

#include "base/arena.h"

bool jvm_maps_are_named(const struct jvm_frame *frame, struct text *id)
{
	*id = proguard_map_id(frame->filename);
	if (!id->bytes)
		*id = proguard_map_id(frame->abs_path);
	return id->bytes != NULL;
}

struct jvm_mapping *jvm_maps_find(const struct jvm *jvm, struct text id)
{
	for (size_t i = 0; i < jvm->mapping_count; i++) {
		struct jvm_mapping *mapping = &jvm->mappings[i];

		if (jvm_mapping_is_open(mapping) &&
		    (mapping->module ? proguard_is_of_map(id, mapping->map_id, mapping->map_hash)
				     : text_equal_ignoring_case(id, mapping->ids.code_id)))
			return mapping;
	}
	return NULL;
}

/* It was looked for already, and there is none. */
static bool is_missing(const struct jvm *jvm, struct text id)
{
	for (size_t i = jvm->module_mapping_count; i < jvm->mapping_count; i++)
		if (text_equal_ignoring_case(id, jvm->mappings[i].ids.code_id))
			return true;
	return false;
}

static int choose_sources(struct jvm *jvm, struct err *err)
{
	const struct source_list *all = jvm->request.sources;
	struct source_list *asked = &jvm->map_sources;

	if (asked->sources)
		return 0;
	asked->sources = arena_alloc(&jvm->work->arena, all->count, sizeof(*asked->sources));
	if (!asked->sources)
		return err_no_memory(err);
	for (size_t i = 0; i < all->count; i++)
		if (!source_is_listed(&all->sources[i]))
			asked->sources[asked->count++] = all->sources[i];
	return 0;
}

static int add(struct jvm *jvm, struct text id, struct err *err)
{
	struct jvm_mapping *mapping = &jvm->mappings[jvm->mapping_count];
	char *copy;

	if (choose_sources(jvm, err) < 0)
		return -1;
	copy = arena_strndup(&jvm->work->arena, id.bytes, id.size);
	if (!copy)
		return err_no_memory(err);
	for (size_t i = 0; i < id.size; i++)
		copy[i] = ascii_lower(copy[i]);
	mapping->ids.code_id = (struct text){ copy, id.size };
	jvm->mapping_count++;
	return 1;
}

static int add_of_trace(struct jvm *jvm, const struct jvm_trace *trace, struct err *err)
{
	int added = 0;
	struct text id;

	for (size_t i = 0; i < trace->count; i++) {
		if (!jvm_maps_are_named(&trace->frames[i], &id) || id.size > JVM_MAP_ID_BYTES ||
		    jvm_maps_find(jvm, id) || is_missing(jvm, id))
			continue;
		if (jvm->mapping_count == jvm->module_mapping_count + JVM_MAPS_ASKED)
			break;
		if (add(jvm, id, err) < 0)
			return -1;
		added++;
	}
	return added;
}

int jvm_maps_add(struct jvm *jvm, struct err *err)
{
	int all = 0;

	for (size_t i = 0; i < jvm->request.trace_count; i++) {
		int added = add_of_trace(jvm, &jvm->request.traces[i], err);

		if (added < 0)
			return -1;
		all += added;
	}
	return all;
}
