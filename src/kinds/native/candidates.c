/* candidates.c -- which files were considered for a module and what became of each. */
#include "kinds/native/symbolication.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/json_writer.h"

static int compare_places(const struct candidate_report *a, const struct candidate_report *b)
{
	int order = text_compare(a->source, b->source);

	return order ? order : text_compare(a->location, b->location);
}

static int compare(const void *left, const void *right)
{
	const struct candidate_report *a = left, *b = right;
	int order = compare_places(a, b);

	return order ? order : (a->order > b->order) - (a->order < b->order);
}

static void add(struct candidate_report *list, size_t *count, struct text source,
		struct text location,
		const struct candidate *candidate)
{
	list[*count] = (struct candidate_report){
		.source = source, .location = location, .candidate = candidate, .order = *count,
	};
	++*count;
}

/* What one look-up considered; a source it had no location on gets a word of its own.
 * `unlisted`: a type of file that is looked at and not told, as another look-up tells it. */
static void add_lookup(const struct lookup *lookup, const struct source_list *sources,
		       enum file_type unlisted, struct candidate_report *list, size_t *count)
{
	size_t at = 0;

	if (!lookup->is_planned)
		return;
	for (size_t i = 0; i < sources->count; i++) {
		const struct source *source = &sources->sources[i];
		size_t before = *count;

		for (; at < lookup->locations.count; at++) {
			const struct location *location = &lookup->locations.locations[at];

			if (location->source != source)
				break;
			if (location->type != unlisted)
				add(list, count, source->id, location->uri, lookup->candidates[at]);
		}
		if (*count == before)
			add(list, count, source->id,
			    TEXT("No object files listed on this source"), NULL);
	}
}

/* Of two entries for one place the later look-up's goes; what the file was used for stays. */
static size_t merge(struct candidate_report *list, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		if (kept && compare_places(&list[kept - 1], &list[i]) == 0) {
			struct use use = list[kept - 1].use;

			kept--;
			if (list[i].use.status == USE_NONE)
				list[i].use = use;
		}
		list[kept++] = list[i];
	}
	return kept;
}

int candidates_list(const struct native_module *module, const struct source_list *sources,
		    struct arena *arena, struct candidate_report **list, size_t *count,
		    struct err *err)
{
	size_t most = module->debug.locations.count + module->source.locations.count +
		      2 * sources->count + module->sources.link_count;

	*count = 0;
	*list = arena_alloc_raw(arena, most, sizeof(**list));
	if (!*list)
		return err_no_memory(err);
	add_lookup(&module->debug, sources, FILE_TYPES, *list, count);
	for (size_t i = 0; i < *count && module->winner != NO_WINNER; i++)
		if ((*list)[i].candidate == module->debug.candidates[module->winner])
			(*list)[i].use = module->use;
	/* The reference looks for no source in a PDB (lookup_file_types()): its lists are kept. */
	add_lookup(&module->source, sources, FILE_TYPE_PDB, *list, count);
	for (const struct source_link *link = module->sources.links; link; link = link->next)
		add(*list, count, TEXT("sourcelink"), link->location.uri, &link->candidate);
	if (*count > 1)
		qsort(*list, *count, sizeof(**list), compare);
	*count = merge(*list, *count);
	return 0;
}

/* --- As JSON ----------------------------------------------------------------------------- */

/* Ready text: every candidate of every module has them. */
#define FLAG(key) "\"" key "\":"
static const char *const debug_words[] = {
	FLAG("has_debug_info") "false,", FLAG("has_debug_info") "true,",
};
static const char *const unwind_words[] = {
	FLAG("has_unwind_info") "false,", FLAG("has_unwind_info") "true,",
};
static const char *const symbol_words[] = {
	FLAG("has_symbols") "false,", FLAG("has_symbols") "true,",
};
static const char *const source_words[] = {
	FLAG("has_sources") "false", FLAG("has_sources") "true",
};
#define FLAGS_BYTES 128u

void features_write(const struct features *features, struct json_writer *json)
{
	const char *const words[] = {
		debug_words[features->debug_info], unwind_words[features->unwind_info],
		symbol_words[features->symbols], source_words[features->sources],
	};
	char flags[FLAGS_BYTES];
	size_t size = 0;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t length = strlen(words[i]);

		memcpy(flags + size, words[i], length);
		size += length;
	}
	json_key(json, "features");
	json_object(json);
	json_raw(json, (struct text){ flags, size });
	json_member_text(json, "srcsrv_vcs", features->srcsrv_vcs);
	json_object_end(json);
}

static const char *download_word(const struct candidate *candidate)
{
	switch (candidate ? candidate->held.failure : ERR_NOT_FOUND) {
	case ERR_NONE:
		return "ok";
	case ERR_NOT_FOUND:
		return "notfound";
	case ERR_DENIED:
		return "noperm";
	case ERR_MALFORMED:
	case ERR_LIMIT:
	case ERR_CRASHED:
		return "malformed";
	default:
		return "error";
	}
}

/* The API keeps some details to itself; people who ask why get them all. */
static void write_details(const struct candidate *candidate, bool with_story, struct arena *arena,
			  struct json_writer *json)
{
	struct text details = TEXT_NONE;

	switch (candidate->held.failure) {
	case ERR_NOT_FOUND:
	case ERR_MALFORMED:
		if (with_story && candidate->held.details.size)
			details = candidate->held.details;
		break;
	default:
		details = with_story ? candidate->held.details
				     : lookup_failure_details(candidate->held.failure,
							      candidate->held.details, arena);
	}
	json_member_text(json, "details", details);
}

static void download_write(const struct candidate *candidate, bool with_story, struct arena *arena,
			   struct json_writer *json)
{
	enum err_kind failure = candidate ? candidate->held.failure : ERR_NOT_FOUND;
	struct features features;

	json_key(json, "download");
	json_object(json);
	json_member_string(json, "status", download_word(candidate));
	if (failure == ERR_NONE) {
		features = features_of(&candidate->meta);
		features_write(&features, json);
	} else if (candidate) {
		write_details(candidate, with_story, arena, json);
	}
	json_object_end(json);
}

static const char *const use_words[] = {
	[USE_OK] = "ok", [USE_MALFORMED] = "malformed", [USE_ERROR] = "error",
};

void candidate_write(const struct candidate_report *report, bool with_story, struct arena *arena,
		     struct json_writer *json)
{
	json_object(json);
	json_member_text(json, "source", report->source);
	json_member_text(json, "location", report->location);
	download_write(report->candidate, with_story, arena, json);
	if (report->use.status != USE_NONE) {
		json_key(json, "debug");
		json_object(json);
		json_member_string(json, "status", use_words[report->use.status]);
		json_member_text(json, "details", report->use.details);
		json_object_end(json);
	}
	if (with_story && report->candidate) {
		const struct candidate *candidate = report->candidate;

		if (!candidate->held.derive.link)
			json_member_string(json, "file_type",
					   file_type_name(candidate->held.derive.location->type));
		if (candidate->held.failure)
			json_member_string(json, "reason", err_kind_name(candidate->held.failure));
	}
	json_object_end(json);
}
