/*
 * proguard_build.c -- one pass over a mapping: its classes, declarations and entries, names interned.
 *
 * A declaration ("int pkg.Class.name(int)") comes once for each of its entries: it is looked up whole, by
 * its text, and taken apart where it is new.
 */
#include "proguard/proguard_build.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/hash.h"
#include "base/mem.h"

#define RECENT 2u                    /* declarations that are looked at before one is looked up */

/* Where reading stands. */
struct build_state {
	struct proguard_build *build;
	struct mapping_reader reader;
	struct mapping_header header;
	enum { OF_NOTHING, OF_CLASS, OF_METHOD } attached;   /* what headers belong to */
	bool is_behind_entry;        /* the last record was a method, */
	bool has_previous;           /* one with lines */
	struct mapping_record records[2];    /* this one, and the last that was read and is no R8 header */
	uint32_t recent[RECENT];     /* declarations, the last first */
	size_t recent_count;
};

static int add_name(struct proguard_build *build, struct text name, uint32_t *ref, struct err *err)
{
	return proguard_names_add(&build->names, name, &build->memory, ref, err);
}

/* The same where it probably is that of the record before. */
static int add_name_like(struct proguard_build *build, uint32_t before, struct text name, uint32_t *ref,
			 struct err *err)
{
	*ref = before;
	return text_equal(proguard_names_text(&build->names, before), name) ? 0
									    : add_name(build, name, ref, err);
}

#define GROW(build, items, count, capacity, err)                                                  \
	proguard_memory_grow(&(build)->memory, &(build)->items, &(build)->capacity,               \
			     (build)->count + 1, sizeof(*(build)->items), err)

/* --- Classes -------------------------------------------------------------------------------- */

static int take_class(struct build_state *state, const struct mapping_record *record, struct err *err)
{
	struct proguard_build *build = state->build;
	struct build_section section = { .file = PGMC_NONE, .first_entry = (uint32_t)build->entry_count };

	state->attached = OF_CLASS;
	if (build->is_empty)
		return 0;
	if (add_name(build, record->obfuscated, &section.obfuscated, err) < 0 ||
	    add_name(build, record->original, &section.original, err) < 0 ||
	    GROW(build, sections, section_count, section_capacity, err) < 0)
		return -1;
	build->sections[build->section_count++] = section;
	return 0;
}

/* --- Declarations ---------------------------------------------------------------------------- */

static bool is_declared_so(const struct proguard_build *build, uint32_t index, struct text declaration)
{
	const struct build_declaration *known = &build->declarations[index];

	return known->bytes == declaration.size &&
	       memcmp(build->mapping.bytes + known->at, declaration.bytes, declaration.size) == 0;
}

static int new_declaration(struct proguard_build *build, const struct mapping_record *record, uint32_t *index,
			   struct err *err)
{
	static const struct build_declaration none;
	const struct build_declaration *before = build->declaration_count > 0 ?
						 &build->declarations[build->declaration_count - 1] : &none;
	struct build_declaration declaration = {
		.receiver = PGMC_NONE, .section = PGMC_NONE, .method = PGMC_NONE,
		.at = (uint32_t)(record->declaration.bytes - build->mapping.bytes),
		.bytes = (uint32_t)record->declaration.size,
	};

	if (record->receiver.bytes && add_name(build, record->receiver, &declaration.receiver, err) < 0)
		return -1;
	if (add_name_like(build, before->type, record->type, &declaration.type, err) < 0 ||
	    add_name(build, record->original, &declaration.name, err) < 0 ||
	    add_name_like(build, before->parameters, record->arguments, &declaration.parameters, err) < 0 ||
	    GROW(build, declarations, declaration_count, declaration_capacity, err) < 0)
		return -1;
	*index = (uint32_t)build->declaration_count;
	build->declarations[build->declaration_count++] = declaration;
	return 0;
}

static int find_declaration(struct proguard_build *build, const struct mapping_record *record, uint32_t *index,
			    struct err *err)
{
	struct text text = record->declaration;
	uint32_t hash = (uint32_t)hash_fast(text.bytes, text.size);
	struct proguard_slots *slots = &build->declaration_slots;
	size_t at;

	if (proguard_slots_reserve(slots, &build->memory, err) < 0)
		return -1;
	for (at = proguard_slots_first(slots, hash); slots->slots[at].value;
	     at = proguard_slots_next(slots, at)) {
		*index = slots->slots[at].value - 1;
		if (slots->slots[at].hash == hash && is_declared_so(build, *index, text))
			return 0;
	}
	if (new_declaration(build, record, index, err) < 0)
		return -1;
	slots->slots[at] = (struct proguard_slot){ hash, *index + 1 };
	slots->count++;
	return 0;
}

/* Most entries stand beside others of their method. */
static int add_declaration(struct build_state *state, const struct mapping_record *record, uint32_t *index,
			   struct err *err)
{
	for (size_t i = 0; i < state->recent_count; i++) {
		*index = state->recent[i];
		if (is_declared_so(state->build, *index, record->declaration)) {
			state->recent[i] = state->recent[0];
			state->recent[0] = *index;
			return 0;
		}
	}
	if (find_declaration(state->build, record, index, err) < 0)
		return -1;
	state->recent[1] = state->recent[0];
	state->recent[0] = *index;
	state->recent_count += state->recent_count < RECENT;
	return 0;
}

static int add_method(struct build_state *state, const struct mapping_record *record, uint32_t *index,
		      struct err *err)
{
	struct proguard_build *build = state->build;
	struct build_declaration *declaration;
	uint32_t at, section = record->receiver.bytes ? PGMC_NONE : (uint32_t)build->section_count - 1;

	if (add_declaration(state, record, &at, err) < 0)
		return -1;
	declaration = &build->declarations[at];
	declaration->at = (uint32_t)(record->declaration.bytes - build->mapping.bytes);
	*index = declaration->method;
	if (*index != PGMC_NONE && declaration->section == section)
		return 0;
	if (GROW(build, methods, method_count, method_capacity, err) < 0)
		return -1;
	declaration->section = section;
	declaration->method = *index = (uint32_t)build->method_count;
	build->methods[build->method_count++] = (struct build_method){
		.receiver = section == PGMC_NONE ? declaration->receiver : build->sections[section].original,
		.words = { declaration->receiver, declaration->type, declaration->name,
			   declaration->parameters, PGMC_NONE, 0 },
	};
	return 0;
}

/* --- Entries -------------------------------------------------------------------------------- */

static bool has_lines(const struct mapping_record *record)
{
	return record->has_range || record->has_original_start;
}

static void set_lines(struct build_entry *entry, const struct mapping_record *record)
{
	uint64_t start = record->start, end = record->end;
	uint64_t first = record->has_original_start ? record->original_start : start;
	uint64_t last = record->has_original_start ? record->original_end : end;
	bool has_last = record->has_original_start ? record->has_original_end : record->has_range;

	entry->extra = PGMC_EXTRA_NONE;
	if (record->has_range && start > end) {
		entry->extra |= PGMC_SWAPPED;
		start = record->end;
		end = record->start;
	}
	if (has_last && first > last) {
		uint64_t lower = last;

		entry->extra |= PGMC_SWAPPED_ORIGINAL;
		last = first;
		first = lower;
	}
	entry->start = record->has_range ? (uint32_t)start : PGMC_NONE;
	entry->end = record->has_range ? (uint32_t)end : PGMC_NONE;
	entry->original_start = has_lines(record) ? (uint32_t)first : PGMC_NONE;
	entry->original_end = has_last ? (uint32_t)last : PGMC_NONE;
}

/* An entry with lines before another of the same range is an inlined call: nobody asks for it by its
 * parameters. */
static bool is_inlined_into(const struct mapping_record *entry, const struct mapping_record *next)
{
	return has_lines(next) && entry->has_range == next->has_range &&
	       (!entry->has_range || (entry->start == next->start && entry->end == next->end));
}

/* Mostly that of the record before. */
static int add_obfuscated(struct build_state *state, const struct mapping_record *record, uint32_t *ref,
			  struct err *err)
{
	const struct mapping_record *previous = &state->records[record == &state->records[0]];
	struct proguard_build *build = state->build;

	if (!state->is_behind_entry || !text_equal(previous->obfuscated, record->obfuscated))
		return add_name(build, record->obfuscated, ref, err);
	*ref = build->entries[build->entry_count - 1].obfuscated;
	return 0;
}

static int take_method(struct build_state *state, const struct mapping_record *record, struct err *err)
{
	struct proguard_build *build = state->build;
	const struct mapping_record *previous = &state->records[record == &state->records[0]];
	struct build_entry entry;

	build->report->has_line_info |= has_lines(record);
	state->attached = OF_METHOD;
	build->is_empty |= build->section_count == 0;
	if (build->is_empty)
		return 0;
	if (state->has_previous && is_inlined_into(previous, record))
		build->entries[build->entry_count - 1].extra |= BUILD_NOT_BY_PARAMETERS;
	set_lines(&entry, record);
	if (add_method(state, record, &entry.method, err) < 0 ||
	    add_obfuscated(state, record, &entry.obfuscated, err) < 0 ||
	    GROW(build, entries, entry_count, entry_capacity, err) < 0)
		return -1;
	build->entries[build->entry_count++] = entry;
	return 0;
}

/* --- Headers -------------------------------------------------------------------------------- */

/* The extra of the last entry, made if it has none. */
static int last_extra(struct proguard_build *build, struct err *err)
{
	struct build_entry *entry = &build->entries[build->entry_count - 1];

	if ((entry->extra & PGMC_EXTRA_MASK) != PGMC_EXTRA_NONE)
		return 0;
	if (build->extra_count >= PGMC_EXTRA_MASK)
		return err_set(err, ERR_LIMIT, "the mapping has too many headers");
	if (GROW(build, extras, extra_count, extra_capacity, err) < 0)
		return -1;
	build->extras[build->extra_count] = (struct build_extra){
		.pair = (uint32_t)build->pair_count, .rule = (uint32_t)build->rule_count,
		.entry = (uint32_t)build->entry_count - 1 };
	entry->extra = (entry->extra & ~PGMC_EXTRA_MASK) | (uint32_t)build->extra_count++;
	return 0;
}

static int compare_pairs(const void *a, const void *b)
{
	const struct build_pair *first = a, *second = b;

	if (first->position != second->position)
		return first->position < second->position ? -1 : 1;
	return (first->order > second->order) - (first->order < second->order);
}

/* Ascending; of one position the last counts. */
static size_t order_pairs(struct build_pair *pairs, size_t count)
{
	size_t kept = 0;

	qsort(pairs, count, sizeof(*pairs), compare_pairs);
	for (size_t i = 0; i < count; i++) {
		if (kept > 0 && pairs[kept - 1].position == pairs[i].position)
			kept--;
		pairs[kept++] = pairs[i];
	}
	return kept;
}

/* The positions of an outline's call: those of the last header that has any. */
static int take_positions(struct proguard_build *build, const struct mapping_header *header, struct err *err)
{
	size_t from;

	if (header->position_count == 0)
		return 0;
	if (last_extra(build, err) < 0)
		return -1;
	from = build->pair_count = build->extras[build->extra_count - 1].pair;
	for (size_t i = 0; i < header->position_count; i++) {
		if (GROW(build, pairs, pair_count, pair_capacity, err) < 0)
			return -1;
		build->pairs[build->pair_count++] = (struct build_pair){
			(uint32_t)header->positions[i].position, (uint32_t)header->positions[i].line,
			(uint32_t)i };
	}
	build->pair_count = from + order_pairs(build->pairs + from, build->pair_count - from);
	return 0;
}

static int take_rule(struct proguard_build *build, const struct mapping_header *header, struct err *err)
{
	uint64_t removes = header->removed_frames < UINT32_MAX ? header->removed_frames : UINT32_MAX;

	if (header->condition_count == 0)
		return 0;
	if (last_extra(build, err) < 0 || GROW(build, rules, rule_count, rule_capacity, err) < 0)
		return -1;
	build->rules[build->rule_count++] =
		(struct build_rule){ (uint32_t)build->condition_count, (uint32_t)removes };
	for (size_t i = 0; i < header->condition_count; i++) {
		struct text descriptor = header->conditions[i].descriptor;
		uint32_t ref = PGMC_NONE;

		if (descriptor.bytes && add_name(build, descriptor, &ref, err) < 0)
			return -1;
		if (GROW(build, conditions, condition_count, condition_capacity, err) < 0)
			return -1;
		build->conditions[build->condition_count++] = ref;
	}
	return 0;
}

static int take_for_class(struct proguard_build *build, const struct mapping_header *header, struct err *err)
{
	struct build_section *section = &build->sections[build->section_count - 1];

	if (header->kind == MAPPING_HEADER_SYNTHESIZED)
		section->flags |= PGMC_CLASS_SYNTHESIZED;
	if (header->kind == MAPPING_HEADER_SOURCE_FILE)
		return add_name(build, header->file_name, &section->file, err);
	return 0;
}

static int take_for_method(struct proguard_build *build, const struct mapping_header *header,
			   struct err *err)
{
	struct build_method *method = &build->methods[build->entries[build->entry_count - 1].method];

	switch (header->kind) {
	case MAPPING_HEADER_SYNTHESIZED:
		method->words[PGMC_METHOD_FLAGS] |= PGMC_METHOD_SYNTHESIZED;
		return 0;
	case MAPPING_HEADER_OUTLINE:
		method->words[PGMC_METHOD_FLAGS] |= PGMC_METHOD_OUTLINE;
		return 0;
	case MAPPING_HEADER_OUTLINE_CALLSITE:
		return take_positions(build, header, err);
	case MAPPING_HEADER_REWRITE_FRAME:
		return take_rule(build, header, err);
	default:
		return 0;
	}
}

/* The line may turn out to be none: then it is as if it were not there. */
static int take_r8_header(struct build_state *state, struct text json, struct err *err)
{
	struct proguard_build *build = state->build;
	int rc = mapping_header_read(&state->header, json, err);

	if (rc < 0)
		return -1;
	if (rc == 0) {
		mapping_reader_refuse(&state->reader);
		build->report->failed++;
		return 0;
	}
	build->report->is_by_r8 = true;
	if (state->attached == OF_NOTHING)
		state->has_previous = false;
	if (build->is_empty || state->attached == OF_NOTHING)
		return 0;
	return state->attached == OF_CLASS ? take_for_class(build, &state->header, err)
					   : take_for_method(build, &state->header, err);
}

static void take_header(struct proguard_report *report, const struct mapping_record *record)
{
	uint64_t number;

	if (text_is(record->key, "compiler")) {
		report->compiler = record->value;
		report->is_by_r8 |= text_is(record->value, "R8");
	} else if (text_is(record->key, "compiler_version")) {
		report->compiler_version = record->value;
	} else if (text_is(record->key, "min_api")) {
		if (record->value.bytes && text_to_u64(record->value, 10, &number) && number <= UINT32_MAX) {
			report->min_api = (uint32_t)number;
			report->has_min_api = true;
		}
	} else if (text_is(record->key, "pg_map_id")) {
		report->map_id = record->value;
	} else if (text_is(record->key, "pg_map_hash")) {
		report->map_hash = record->value;
	}
}

/* --- The pass ------------------------------------------------------------------------------- */

static int take_record(struct build_state *state, const struct mapping_record *record, struct err *err)
{
	struct proguard_report *report = state->build->report;
	int rc = 0;

	switch (record->kind) {
	case MAPPING_FAILED:
		report->failed++;
		return 0;
	case MAPPING_R8_HEADER:
		return take_r8_header(state, record->json, err);
	case MAPPING_CLASS:
		report->classes++;
		rc = take_class(state, record, err);
		break;
	case MAPPING_METHOD:
		report->methods++;
		rc = take_method(state, record, err);
		break;
	case MAPPING_FIELD:
		report->fields++;
		state->attached = OF_NOTHING;
		break;
	case MAPPING_HEADER:
		take_header(report, record);
		state->attached = OF_NOTHING;
		break;
	}
	state->is_behind_entry = record->kind == MAPPING_METHOD && !state->build->is_empty;
	state->has_previous = state->is_behind_entry && has_lines(record);
	return rc;
}

static int read_all(struct proguard_build *build, struct err *err)
{
	struct build_state state = { .build = build, .reader = mapping_reader_over(build->mapping) };
	unsigned turn = 0;
	int rc = 0;

	while (rc == 0 && mapping_reader_next(&state.reader, &state.records[turn])) {
		rc = take_record(&state, &state.records[turn], err);
		turn ^= state.records[turn].kind != MAPPING_FAILED &&
			state.records[turn].kind != MAPPING_R8_HEADER;
	}
	mapping_header_release(&state.header);
	return rc;
}

int proguard_build(struct proguard_build *build, struct text mapping, size_t memory_bytes,
		   struct proguard_report *report, struct err *err)
{
	uint32_t empty;

	*report = (struct proguard_report){ 0 };
	*build = (struct proguard_build){ .mapping = mapping, .report = report,
					  .memory.ceiling_bytes = memory_bytes };
	if (mapping.size >= UINT32_MAX)
		return err_set(err, ERR_LIMIT, "the mapping has %zu bytes, more than 4 GiB", mapping.size);
	if (add_name(build, TEXT(""), &empty, err) < 0 || read_all(build, err) < 0)
		return -1;
	if (build->is_empty)
		build->section_count = build->entry_count = build->method_count = 0;
	return 0;
}

void proguard_build_release(struct proguard_build *build)
{
	proguard_slots_release(&build->names.slots, &build->memory);
	proguard_slots_release(&build->declaration_slots, &build->memory);
	mem_give_back(build->names.bytes);
	mem_give_back(build->sections);
	mem_give_back(build->declarations);
	mem_give_back(build->methods);
	mem_give_back(build->entries);
	mem_give_back(build->extras);
	mem_give_back(build->pairs);
	mem_give_back(build->rules);
	mem_give_back(build->conditions);
}
