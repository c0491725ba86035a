/* buildid_files.c -- see buildid_files.h. */
#include "kinds/debuginfod/buildid_files.h"

/* In the order of BUILDID_DEBUGINFO and BUILDID_EXECUTABLE. */
static const enum file_type place_types[BUILDID_PLACES] = { FILE_TYPE_ELF_DEBUG, FILE_TYPE_ELF_CODE };

void buildid_files_init(struct buildid_files *files, const struct buildid_request *request,
			const struct federation *federation)
{
	files->ids = (struct object_ids){ .type = OBJECT_TYPE_ELF, .code_id = request->id };
	files->federation = federation;
	for (unsigned i = 0; i < BUILDID_PLACES; i++)
		files->queries[i] = (struct source_query){
			.ids = &files->ids, .types = &place_types[i], .type_count = 1,
			.federated = federation->headers, .federated_count = federation->header_count,
		};
}

enum fitness { FITNESS_NONE, FITNESS_FAIR, FITNESS_GOOD };

/*
 * With DWARF a file is debug information, whatever else it is; with symbols alone when it is split off.
 * An executable has code; a static one looks like a split-off file (it names no interpreter), but for its
 * unwind tables.
 */
static enum fitness fitness_of(const struct candidate *candidate, enum buildid_artifact artifact,
			       struct text id)
{
	const struct convert_meta *meta = &candidate->meta;
	enum file_type place = candidate->held.derive.location->type;

	if (candidate->held.failure || !text_is(meta->format, "elf") || !text_equal(meta->code_id, id))
		return FITNESS_NONE;
	if (artifact == BUILDID_DEBUGINFO)
		return meta->has_debug_info ? FITNESS_GOOD
		       : text_is(meta->kind, "dbg") && meta->has_symbols && place == FILE_TYPE_ELF_DEBUG
		       ? FITNESS_FAIR : FITNESS_NONE;
	if (text_is(meta->kind, "exe") || text_is(meta->kind, "lib"))
		return FITNESS_GOOD;
	return text_is(meta->kind, "dbg") && meta->has_unwind_info && place == FILE_TYPE_ELF_CODE
	       ? FITNESS_FAIR : FITNESS_NONE;
}

/* It says nothing about whether there is a file. */
static bool is_trouble(enum err_kind failure)
{
	return failure == ERR_DOWNLOAD || failure == ERR_RESOLVE || failure == ERR_TIMEOUT ||
	       err_kind_is_ours(failure);
}

static const struct candidate *choose(struct buildid_files *files, const struct lookup *lookup,
				      enum buildid_artifact artifact)
{
	const struct candidate *best = NULL;
	enum fitness most = FITNESS_NONE;

	for (size_t i = 0; i < lookup->locations.count; i++) {
		const struct candidate *candidate = lookup->candidates[i];
		enum fitness fitness = fitness_of(candidate, artifact, files->ids.code_id);

		if (fitness > most) {
			most = fitness;
			best = candidate;
		}
		if (!files->trouble.bytes && is_trouble(candidate->held.failure))
			files->trouble = candidate->held.details;
	}
	return best;
}

enum resolved buildid_files_find(struct buildid_files *files, enum buildid_artifact artifact,
				 const struct candidate **found, struct work *work,
				 struct resolver *resolver, struct err *err)
{
	*found = NULL;
	for (unsigned i = 0; i < BUILDID_PLACES && !*found; i++) {
		unsigned place = artifact == BUILDID_DEBUGINFO ? i : BUILDID_PLACES - 1 - i;
		const struct lookup_request request = {
			.sources = files->federation->sources, .query = &files->queries[place],
		};
		struct lookup *lookup = &files->lookups[place];
		enum resolved resolved;

		if (!lookup->is_planned && lookup_plan(lookup, work, &request, resolver, err) < 0)
			return RESOLVED_ERROR;
		resolved = lookup_resolve(lookup, work, resolver, err);
		if (resolved != RESOLVED_READY)
			return resolved;
		*found = choose(files, lookup, artifact);
	}
	return RESOLVED_READY;
}

void buildid_files_release(struct buildid_files *files)
{
	for (unsigned i = 0; i < BUILDID_PLACES; i++)
		lookup_release(&files->lookups[i]);
}
