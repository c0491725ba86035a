/* buildid_source.c -- see buildid_source.h. */
#include "kinds/debuginfod/buildid_source.h"

#include "base/arena.h"

void buildid_source_init(struct buildid_source *source, const struct buildid_request *request,
			 const struct federation *federation)
{
	source->ids = (struct object_ids){ .type = OBJECT_TYPE_ELF, .code_id = request->id };
	source->module.ids = &source->ids;
	source->module.sources = federation->sources;
}

/* --- Inside a file ------------------------------------------------------------------------------ */

struct taking {
	struct buildid_source *source;
	const struct buildid_request *request;
	struct arena *arena;
	struct err *err;
};

/* Found by the path as it was sent, or without its detours. */
static int take(void *payload)
{
	struct taking *taking = payload;
	struct buildid_source *source = taking->source;
	const struct text paths[] = { taking->request->name, taking->request->canonical };
	struct sourcecache_source found;
	char *copy;

	source->is_found = false;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		if (!sourcecache_find(&source->cache, paths[i], &found) || !found.is_inside ||
		    !found.contents.bytes)
			continue;
		copy = arena_strndup(taking->arena, found.contents.bytes, found.contents.size);
		if (!copy)
			return err_no_memory(taking->err);
		source->contents = (struct text){ copy, found.contents.size };
		source->is_found = true;
		return 0;
	}
	return 0;
}

static void note_trouble(struct buildid_source *source, enum err_kind failure, struct text details)
{
	if (failure == ERR_DOWNLOAD || failure == ERR_RESOLVE || failure == ERR_TIMEOUT ||
	    err_kind_is_ours(failure))
		source->trouble = details;
}

static enum resolved read_sources(struct buildid_source *source, const struct buildid_request *request,
				  struct work *work, struct resolver *resolver, struct err *err)
{
	const struct held_opening opening = {
		.open = source_link_open, .payload = &source->cache, .arena = &work->arena,
		.list = &source->open,
	};
	struct taking taking = { source, request, &work->arena, err };
	enum resolved resolved;

	do {
		resolved = held_resolve(&source->sources, &opening, resolver, err);
		if (resolved != RESOLVED_READY)
			return resolved;
		if (source->sources.failure) {
			note_trouble(source, source->sources.failure, source->sources.details);
			return RESOLVED_READY;
		}
		resolved = held_read(&source->open, take, &taking, resolver, err);
	} while (resolved == RESOLVED_WAIT);
	return resolved;
}

static enum resolved look_inside(struct buildid_source *source, const struct buildid_request *request,
				 struct work *work, struct resolver *resolver, struct err *err)
{
	enum resolved resolved = module_lookup_choose(&source->module, LOOKUP_SOURCE, work, resolver, err);
	const struct purpose_lookup *purpose = &source->module.purposes[LOOKUP_SOURCE];
	const struct candidate *winner;

	if (resolved != RESOLVED_READY)
		return resolved;
	if (purpose->failure) {
		note_trouble(source, purpose->failure, purpose->details);
		return RESOLVED_READY;
	}
	winner = module_lookup_winner(&source->module, LOOKUP_SOURCE);
	source->archive = winner->held.derive.location->path;
	if (!source->sources.derive.kind)
		source->sources.derive = module_lookup_derive(&source->module, LOOKUP_SOURCE,
							      &derived_sources);
	return read_sources(source, request, work, resolver, err);
}

/* --- Either ------------------------------------------------------------------------------------- */

enum resolved buildid_source_find(struct buildid_source *source, const struct buildid_request *request,
				  struct work *work, struct resolver *resolver, struct err *err)
{
	enum resolved resolved = look_inside(source, request, work, resolver, err);

	if (resolved != RESOLVED_READY || source->is_found)
		return resolved;
	source->archive = TEXT_NONE;
	if (source_folder_read(work->config, request->canonical, &work->arena, &source->contents,
			       &source->modified_at, err) < 0)
		return RESOLVED_ERROR;
	source->is_found = source->contents.bytes != NULL;
	return RESOLVED_READY;
}

void buildid_source_release(struct buildid_source *source)
{
	held_release(&source->sources);
	module_lookup_release(&source->module);
}
