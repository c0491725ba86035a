/* candidates.c -- which files were considered for a module and what became of each. */
#include "lookup/module_lookup.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/json_writer.h"

#define INSERTED_MOST 16u

struct candidate_report {
	struct text source, location;
	const struct candidate *candidate;   /* NULL: the source listed nothing */
	uint32_t order;
	uint32_t chosen_for;                 /* a bit for each purpose */
};

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

/* Of a few, which are nearly in order as the sources are: by insertion. */
static void sort(struct candidate_report *list, size_t count)
{
	if (count > INSERTED_MOST) {
		qsort(list, count, sizeof(*list), compare);
		return;
	}
	for (size_t i = 1; i < count; i++) {
		struct candidate_report taken = list[i];
		size_t at = i;

		for (; at > 0 && compare(&list[at - 1], &taken) > 0; at--)
			list[at] = list[at - 1];
		list[at] = taken;
	}
}

static void add(struct candidate_report *list, size_t *count, struct text source,
		struct text location, const struct candidate *candidate)
{
	list[*count] = (struct candidate_report){
		.source = source, .location = location, .candidate = candidate,
		.order = (uint32_t)*count,
	};
	++*count;
}

/* What one look-up considered; a source it had no location on gets a word of its own.
 * `unlisted`: a type of file that is looked at and not told, as another look-up tells it. */
static void add_lookup(const struct lookup *lookup, const struct source_list *sources,
		       enum file_type unlisted, struct candidate_report *list, size_t *count)
{
	size_t at = 0;

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

/* The reference looks for no source in a PDB (lookup_file_types()): its lists are kept. */
static void add_purpose(const struct module_lookup *module, enum lookup_purpose purpose,
			struct candidate_report *list, size_t *count)
{
	const struct candidate *winner = module_lookup_winner(module, purpose);
	size_t first = *count;

	add_lookup(&module->purposes[purpose].lookup, module->sources,
		   purpose == LOOKUP_SOURCE ? FILE_TYPE_PDB : FILE_TYPES, list, count);
	for (size_t i = first; i < *count && winner; i++)
		if (list[i].candidate == winner)
			list[i].chosen_for = 1u << purpose;
}

/* Of two entries for one place the later look-up's goes; what the file was used for stays. */
static size_t merge(struct candidate_report *list, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		if (kept && compare_places(&list[kept - 1], &list[i]) == 0)
			list[i].chosen_for |= list[--kept].chosen_for;
		list[kept++] = list[i];
	}
	return kept;
}

/* What was considered for a module, sorted and merged. */
static int list_reports(const struct module_lookup *module, struct arena *arena,
			struct candidate_report **list, size_t *count, struct err *err)
{
	size_t most = module->links.count;

	for (size_t i = 0; i < LOOKUP_PURPOSES; i++)
		if (module->purposes[i].lookup.is_planned)
			most += module->purposes[i].lookup.locations.count + module->sources->count;
	*count = 0;
	*list = arena_alloc_raw(arena, most, sizeof(**list));
	if (!*list)
		return err_no_memory(err);
	for (unsigned i = 0; i < LOOKUP_PURPOSES; i++)
		if (module->purposes[i].lookup.is_planned)
			add_purpose(module, (enum lookup_purpose)i, *list, count);
	for (const struct source_link *link = module->links.first; link; link = link->next)
		add(*list, count, TEXT("sourcelink"), link->location.uri, &link->candidate);
	sort(*list, *count);
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

static struct features features_of(const struct convert_meta *meta)
{
	return (struct features){
		.debug_info = meta->has_debug_info, .unwind_info = meta->has_unwind_info,
		.symbols = meta->has_symbols, .sources = meta->has_sources,
		.srcsrv_vcs = meta->srcsrv_vcs,
	};
}

static void write_download(const struct candidate *candidate, bool with_story, struct arena *arena,
			   struct json_writer *json)
{
	enum err_kind failure = candidate ? candidate->held.failure : ERR_NOT_FOUND;
	struct features features;

	json_key(json, "download");
	json_object(json);
	json_member_word(json, "status", download_word(candidate));
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

static void write_use(const char *key, const struct candidate_use *use, struct json_writer *json)
{
	if (use->status == USE_NONE)
		return;
	json_key(json, key);
	json_object(json);
	json_member_word(json, "status", use_words[use->status]);
	json_member_text(json, "details", use->details);
	json_object_end(json);
}

static void write_uses(const struct candidate_report *report, const struct module_lookup *module,
		       struct json_writer *json)
{
	if (report->chosen_for & 1u << LOOKUP_UNWIND)
		write_use("unwind", &module->purposes[LOOKUP_UNWIND].use, json);
	if (report->chosen_for & 1u << LOOKUP_DEBUG)
		write_use("debug", &module->purposes[LOOKUP_DEBUG].use, json);
}

static void write_story(const struct candidate *candidate, struct json_writer *json)
{
	if (!candidate->held.derive.link)
		json_member_string(json, "file_type",
				   file_type_name(candidate->held.derive.location->type));
	if (candidate->held.failure)
		json_member_string(json, "reason", err_kind_name(candidate->held.failure));
}

static void write_report(const struct candidate_report *report,
			 const struct module_lookup *module, bool with_story,
			 struct arena *arena, struct json_writer *json)
{
	json_object(json);
	json_member_text(json, "source", report->source);
	json_member_text(json, "location", report->location);
	write_download(report->candidate, with_story, arena, json);
	write_uses(report, module, json);
	if (with_story && report->candidate)
		write_story(report->candidate, json);
	json_object_end(json);
}

int candidates_write(const struct module_lookup *module, bool with_story, struct arena *arena,
		     struct json_writer *json, struct err *err)
{
	struct candidate_report *list;
	size_t count;

	if (list_reports(module, arena, &list, &count, err) < 0)
		return -1;
	if (!count)
		return 0;
	json_key(json, "candidates");
	json_array(json);
	for (size_t i = 0; i < count; i++)
		write_report(&list[i], module, with_story, arena, json);
	json_array_end(json);
	return 0;
}
