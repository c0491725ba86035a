/*
 * proguard_remap.c -- frames: from an obfuscated class, method and line to all that were there
 * (doc/formats/proguard.md, "Remapping").
 */
#include "proguard/proguard_internal.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/search.h"
#include "base/vec.h"

#define SPAN_MAX 65535u              /* original lines of one entry that are told one by one */

/* One look-up: the class, the method in it, and its entries. */
struct lookup_state {
	const struct proguard *mapping;
	const struct proguard_query *query;
	struct proguard_frames *frames;
	struct text original, reference;     /* the class, and the file its record names */
	uint32_t group, flags;
	struct proguard_range entries;       /* by parameters: of params */
	uint32_t line;
	bool has_line;
	bool no_memory;
	uint32_t at;                 /* of the entry read last */
};

void proguard_frames_release(struct proguard_frames *frames)
{
	mem_give_back(frames->frames);
	*frames = (struct proguard_frames){ 0 };
}

static struct proguard_entry entry_at(struct lookup_state *state, uint32_t at)
{
	const struct proguard *mapping = state->mapping;

	if (state->query->by_parameters)
		at = proguard_word(mapping, PGMC_PARAMS, at, 0);
	state->at = at;
	return at < mapping->counts[PGMC_ENTRIES] ? proguard_entry(mapping, at)
		: (struct proguard_entry){ PGMC_NONE, PGMC_NONE, PGMC_NONE, PGMC_NONE, PGMC_NONE,
					   PGMC_EXTRA_NONE };
}

static struct text method_text(const struct lookup_state *state, const struct proguard_entry *entry,
			       unsigned word)
{
	return proguard_string(state->mapping, proguard_method_word(state->mapping, entry->method, word));
}

/* --- Frames --------------------------------------------------------------------------------- */

static struct proguard_frame *add_frame(struct lookup_state *state)
{
	struct proguard_frames *frames = state->frames;

	if (frames->count == PROGUARD_FRAMES_MAX) {
		frames->is_cut = true;
		return NULL;
	}
	if (vec_reserve(&frames->frames, &frames->capacity, frames->count + 1, sizeof(*frames->frames)) < 0) {
		state->no_memory = true;
		return NULL;
	}
	frames->frames[frames->count] = (struct proguard_frame){ 0 };
	return &frames->frames[frames->count++];
}

static void add_class_only(struct lookup_state *state)
{
	struct proguard_frame *frame = add_frame(state);

	if (!frame)
		return;
	frame->class_name = state->original;
	frame->method = state->query->method;
	frame->file = proguard_file_of_class(state->original, state->reference);
	frame->line = state->has_line ? state->line : 0;
	frame->has_line = true;
	frame->is_class_only = true;
}

/* A frame of that entry; false: no more are wanted. */
static bool add_entry(struct lookup_state *state, const struct proguard_entry *entry, bool has_line,
		      uint32_t line)
{
	struct proguard_frame *frame = add_frame(state);
	uint32_t class_ref = proguard_method_word(state->mapping, entry->method, PGMC_METHOD_CLASS);

	if (!frame)
		return false;
	frame->class_name = class_ref == PGMC_NONE ? state->original : proguard_string(state->mapping, class_ref);
	frame->method = method_text(state, entry, PGMC_METHOD_NAME);
	frame->type = method_text(state, entry, PGMC_METHOD_TYPE);
	frame->parameters = method_text(state, entry, PGMC_METHOD_PARAMETERS);
	frame->file = proguard_file_of_class(frame->class_name, state->reference);
	frame->has_line = has_line;
	frame->line = has_line ? line : 0;
	frame->entry = state->at;
	frame->is_synthesized = entry->method < state->mapping->counts[PGMC_METHODS] &&
		(proguard_word(state->mapping, PGMC_METHODS, entry->method, PGMC_METHOD_FLAGS) &
		 PGMC_METHOD_SYNTHESIZED);
	return true;
}

/* What its first original line says; 0 says nothing. */
static bool add_with_start(struct lookup_state *state, const struct proguard_entry *entry)
{
	uint32_t line = entry->original_start;

	return add_entry(state, entry, line != 0 && line != PGMC_NONE, line);
}

static bool spans_lines(const struct proguard_entry *entry)
{
	return entry->original_end != PGMC_NONE && entry->original_end != entry->original_start;
}

/* --- By parameters -------------------------------------------------------------------------- */

static void add_all(struct lookup_state *state)
{
	for (uint32_t i = state->entries.from; i < state->entries.to; i++) {
		struct proguard_entry entry = entry_at(state, i);

		if (!add_with_start(state, &entry))
			return;
	}
}

/* --- By line -------------------------------------------------------------------------------- */

/* The outer class's simple name. */
static struct text outer_name(struct text class_name)
{
	const char *dot = class_name.size ? memrchr(class_name.bytes, '.', class_name.size) : NULL;
	const char *dollar;

	if (dot)
		class_name = text_from(class_name, (size_t)(dot - class_name.bytes) + 1);
	dollar = class_name.size ? memchr(class_name.bytes, '$', class_name.size) : NULL;
	if (dollar)
		class_name.size = (size_t)(dollar - class_name.bytes);
	return class_name;
}

static bool add_ranged(struct lookup_state *state, const struct proguard_entry *entry)
{
	uint32_t file_ref = proguard_method_word(state->mapping, entry->method, PGMC_METHOD_FILE);
	uint32_t start = entry->start == PGMC_NONE ? 0 : entry->start, line = entry->original_start;
	struct proguard_frame *frame;

	if (spans_lines(entry))
		line += state->line - start;
	if (!add_entry(state, entry, entry->original_start != PGMC_NONE, line))
		return false;
	frame = &state->frames->frames[state->frames->count - 1];
	if (file_ref != PGMC_NONE) {
		frame->file.stem = proguard_string(state->mapping, file_ref);
		frame->file.extension = TEXT_NONE;
		if (text_is(frame->file.stem, "R8$$SyntheticClass"))
			frame->file.stem = outer_name(frame->class_name);
	}
	return true;
}

/* Of a method without any range. */
static bool add_lines(struct lookup_state *state, const struct proguard_entry *entry)
{
	uint32_t from = entry->original_start, to = entry->original_end;

	if (from == PGMC_NONE)
		return add_entry(state, entry, true, state->line);
	if (to == PGMC_NONE || to <= from || to - from > SPAN_MAX)
		return add_with_start(state, entry);
	for (uint32_t i = 0; i <= to - from; i++)
		if (!add_entry(state, entry, true, from + i))
			return false;
	return true;
}

static bool covers(const struct proguard_entry *entry, uint32_t line)
{
	uint32_t start = entry->start == PGMC_NONE ? 0 : entry->start;

	return proguard_is_base(entry) || (start <= line && line <= entry->end);
}

static void add_at_line(struct lookup_state *state)
{
	bool has_line_info = state->flags & PGMC_GROUP_HAS_LINE_INFO;
	size_t before = state->frames->count;

	for (uint32_t i = state->entries.from; i < state->entries.to; i++) {
		struct proguard_entry entry = entry_at(state, i);
		bool is_base = proguard_is_base(&entry), goes_on = true;

		if (is_base && !has_line_info)
			goes_on = add_lines(state, &entry);
		else if (!is_base && covers(&entry, state->line))
			goes_on = add_ranged(state, &entry);
		if (!goes_on)
			return;
	}
	if (state->frames->count == before)
		add_class_only(state);
}

/* --- Without a line ------------------------------------------------------------------------- */

/* What the entries without range have in common. */
struct base_facts {
	uint32_t bare_count;         /* without a start */
	uint32_t bare_name;
	bool has_one_name, has_all_lines;    /* of those without a start */
	bool has_spans;              /* of those with one */
};

static struct base_facts survey_base(struct lookup_state *state)
{
	struct base_facts facts = { .has_one_name = true, .has_all_lines = true };

	for (uint32_t i = state->entries.from; i < state->entries.to; i++) {
		struct proguard_entry entry = entry_at(state, i);
		uint32_t name = proguard_method_word(state->mapping, entry.method, PGMC_METHOD_NAME);

		if (!proguard_is_base(&entry))
			continue;
		if (entry.start != PGMC_NONE) {
			facts.has_spans |= spans_lines(&entry);
			continue;
		}
		facts.has_one_name &= facts.bare_count == 0 || name == facts.bare_name;
		facts.has_all_lines &= entry.original_start != PGMC_NONE;
		facts.bare_name = name;
		facts.bare_count++;
	}
	return facts;
}

static int compare_names(const void *a, const void *b)
{
	const struct proguard_frame *first = a, *second = b;
	int order = text_compare(first->method, second->method);

	return order ? order : (first->entry > second->entry) - (first->entry < second->entry);
}

static bool add_bare(struct lookup_state *state, const struct base_facts *facts,
		     const struct proguard_entry *entry, bool is_first)
{
	uint32_t line = entry->original_start;

	if (!facts->has_one_name)
		return add_entry(state, entry, true, 0);
	if (!is_first)
		return true;
	return add_entry(state, entry, true, facts->bare_count == 1 && line != PGMC_NONE ? line : 0);
}

static void add_base(struct lookup_state *state)
{
	struct base_facts facts = survey_base(state);
	size_t before = state->frames->count;
	bool is_first = true;

	for (uint32_t i = state->entries.from; i < state->entries.to; i++) {
		struct proguard_entry entry = entry_at(state, i);
		bool goes_on = true;

		if (!proguard_is_base(&entry))
			continue;
		if (entry.start == PGMC_NONE) {
			goes_on = add_bare(state, &facts, &entry, is_first);
			is_first = false;
		} else if (facts.has_spans) {
			goes_on = add_entry(state, &entry, true, 0);
		} else {
			goes_on = add_with_start(state, &entry);
		}
		if (!goes_on)
			break;
	}
	if (facts.bare_count > 0 && !facts.has_one_name && facts.has_all_lines)
		qsort(state->frames->frames + before, state->frames->count - before,
		      sizeof(*state->frames->frames), compare_names);
}

/* The outermost caller of the first inline group. */
static void add_outermost(struct lookup_state *state)
{
	struct proguard_entry first = entry_at(state, state->entries.from), last = first;

	for (uint32_t i = state->entries.from + 1; i < state->entries.to; i++) {
		struct proguard_entry entry = entry_at(state, i);

		if (entry.start != first.start || entry.end != first.end)
			break;
		last = entry;
	}
	add_entry(state, &last, true, 0);
}

static void add_output(struct lookup_state *state)
{
	if (state->query->by_parameters)
		add_all(state);
	else if (state->has_line && state->line > 0)
		add_at_line(state);
	else if (state->flags & PGMC_GROUP_HAS_BASE)
		add_base(state);
	else
		add_outermost(state);
}

/* --- Finding the entries --------------------------------------------------------------------- */

static struct text param_text(const struct proguard *mapping, uint32_t at)
{
	uint32_t entry = proguard_word(mapping, PGMC_PARAMS, at, 0);

	if (entry >= mapping->counts[PGMC_ENTRIES])
		return TEXT_NONE;
	return proguard_string(mapping, proguard_method_word(mapping, proguard_entry(mapping, entry).method,
							     PGMC_METHOD_PARAMETERS));
}

static struct proguard_range with_parameters(const struct proguard *mapping, uint32_t group,
					     struct text parameters)
{
	struct proguard_range all = proguard_part(mapping, PGMC_GROUPS, group, PGMC_GROUP_PARAM, PGMC_PARAMS);
	struct proguard_range range = all;

	SEARCH_PARTITION_POINT(range.from, all.from, all.to,
			       text_compare(param_text(mapping, range.from), parameters) < 0);
	SEARCH_PARTITION_POINT(range.to, range.from, all.to,
			       text_compare(param_text(mapping, range.to), parameters) <= 0);
	return range;
}

/* False: the class is unknown. */
static bool find_class(struct lookup_state *state, uint32_t *class_index)
{
	const struct proguard *mapping = state->mapping;
	uint32_t file;

	if (!proguard_find_class(mapping, state->query->class_name, class_index))
		return false;
	state->original = proguard_string(mapping, proguard_word(mapping, PGMC_CLASSES, *class_index,
								 PGMC_CLASS_ORIGINAL));
	file = proguard_word(mapping, PGMC_CLASSES, *class_index, PGMC_CLASS_FILE);
	state->reference = file == PGMC_NONE ? TEXT_NONE : proguard_string(mapping, file);
	return true;
}

/* False: the method has no entries. */
static bool find_group(struct lookup_state *state, uint32_t class_index)
{
	if (!proguard_find_group(state->mapping, class_index, state->query->method, &state->group))
		return false;
	state->flags = proguard_word(state->mapping, PGMC_GROUPS, state->group, PGMC_GROUP_FLAGS);
	return true;
}

static bool find_entries(struct lookup_state *state)
{
	state->entries = state->query->by_parameters ?
		with_parameters(state->mapping, state->group, state->query->parameters) :
		proguard_part(state->mapping, PGMC_GROUPS, state->group, PGMC_GROUP_ENTRY, PGMC_ENTRIES);
	state->frames->visited += state->entries.to - state->entries.from;
	return state->entries.from < state->entries.to;
}

static bool is_outline(const struct lookup_state *state)
{
	struct proguard_range entries = proguard_part(state->mapping, PGMC_GROUPS, state->group,
						      PGMC_GROUP_ENTRY, PGMC_ENTRIES);
	uint32_t method;

	if (entries.from == entries.to)
		return false;
	method = proguard_entry(state->mapping, entries.from).method;
	return method < state->mapping->counts[PGMC_METHODS] &&
	       (proguard_word(state->mapping, PGMC_METHODS, method, PGMC_METHOD_FLAGS) & PGMC_METHOD_OUTLINE);
}

/* --- Carried positions ----------------------------------------------------------------------- */

static bool has_extras(const struct lookup_state *state)
{
	return state->flags & PGMC_GROUP_HAS_EXTRAS;
}

static struct proguard_range extras_of(const struct lookup_state *state, const struct proguard_entry *entry,
				       unsigned word, enum proguard_section in)
{
	uint32_t extra = entry->extra & PGMC_EXTRA_MASK;

	if (extra >= state->mapping->counts[PGMC_EXTRAS])
		return (struct proguard_range){ 0, 0 };
	return proguard_part(state->mapping, PGMC_EXTRAS, extra, word, in);
}

static bool find_pair(const struct lookup_state *state, const struct proguard_entry *entry,
		      uint32_t position, uint32_t *line)
{
	struct proguard_range pairs = extras_of(state, entry, PGMC_EXTRA_PAIR, PGMC_PAIRS);
	uint32_t at;

	SEARCH_PARTITION_POINT(at, pairs.from, pairs.to,
			       proguard_word(state->mapping, PGMC_PAIRS, at, PGMC_PAIR_POSITION) < position);
	if (at == pairs.to || proguard_word(state->mapping, PGMC_PAIRS, at, PGMC_PAIR_POSITION) != position)
		return false;
	*line = proguard_word(state->mapping, PGMC_PAIRS, at, PGMC_PAIR_LINE);
	return true;
}

/* The line an outline's position stands for, where this method knows it. */
static void take_position(struct lookup_state *state, uint32_t position)
{
	uint32_t line = state->has_line ? state->line : 0;

	if (!has_extras(state))
		return;
	for (uint32_t i = state->entries.from; i < state->entries.to; i++) {
		struct proguard_entry entry = entry_at(state, i);

		if (covers(&entry, line) && find_pair(state, &entry, position, &state->line)) {
			state->has_line = true;
			return;
		}
	}
}

/* --- Rewriting ------------------------------------------------------------------------------- */

/* Is "La/b;" the descriptor of a.b? */
static bool describes(struct text descriptor, struct text class_name)
{
	if (!class_name.bytes || descriptor.size != class_name.size + 2 || descriptor.bytes[0] != 'L' ||
	    descriptor.bytes[descriptor.size - 1] != ';')
		return false;
	for (size_t i = 0; i < class_name.size; i++) {
		char c = class_name.bytes[i];

		if (descriptor.bytes[i + 1] != (c == '.' ? '/' : c))
			return false;
	}
	return true;
}

static bool rule_holds(const struct lookup_state *state, uint32_t rule)
{
	const struct proguard *mapping = state->mapping;
	struct proguard_range conditions = proguard_part(mapping, PGMC_RULES, rule, PGMC_RULE_CONDITION,
							 PGMC_CONDITIONS);

	for (uint32_t i = conditions.from; i < conditions.to; i++) {
		uint32_t ref = proguard_word(mapping, PGMC_CONDITIONS, i, 0);

		if (ref == PGMC_NONE || !describes(proguard_string(mapping, ref), state->query->thrown))
			return false;
	}
	return conditions.from < conditions.to;
}

static uint64_t removed_frames(struct lookup_state *state)
{
	uint32_t line = state->has_line ? state->line : 0;
	uint64_t removed = 0;

	if (!state->query->may_rewrite || !has_extras(state))
		return 0;
	for (uint32_t i = state->entries.from; i < state->entries.to; i++) {
		struct proguard_entry entry = entry_at(state, i);
		struct proguard_range rules = extras_of(state, &entry, PGMC_EXTRA_RULE, PGMC_RULES);

		if (rules.from == rules.to || !(state->query->by_parameters || covers(&entry, line)))
			continue;
		for (uint32_t rule = rules.from; rule < rules.to; rule++)
			if (rule_holds(state, rule))
				removed += proguard_word(state->mapping, PGMC_RULES, rule, PGMC_RULE_REMOVES);
	}
	return removed;
}

static void remove_inner(struct proguard_frames *frames, uint64_t removed)
{
	size_t count = removed < frames->count ? (size_t)removed : frames->count;

	if (count == 0)
		return;
	frames->count -= count;
	memmove(frames->frames, frames->frames + count, frames->count * sizeof(*frames->frames));
}

/* --- The whole ------------------------------------------------------------------------------- */

static struct lookup_state begin(const struct proguard *mapping, const struct proguard_query *query,
				 struct proguard_frames *frames)
{
	frames->count = 0;
	frames->is_cut = false;
	return (struct lookup_state){ .mapping = mapping, .query = query, .frames = frames,
				      .line = query->line, .has_line = query->has_line };
}

static int end(const struct lookup_state *state, struct err *err)
{
	return state->no_memory ? err_set(err, ERR_NO_MEMORY, "no memory for the frames of a method") : 0;
}

int proguard_find(const struct proguard *mapping, const struct proguard_query *query,
		  struct proguard_frames *frames, struct err *err)
{
	struct lookup_state state = begin(mapping, query, frames);
	uint32_t class_index;

	if (find_class(&state, &class_index) && find_group(&state, class_index) && find_entries(&state))
		add_output(&state);
	return end(&state, err);
}

int proguard_remap(const struct proguard *mapping, const struct proguard_query *query,
		   struct proguard_carry *carry, struct proguard_frames *frames,
		   enum proguard_outcome *outcome, struct err *err)
{
	struct lookup_state state = begin(mapping, query, frames);
	struct proguard_carry carried = *carry;
	uint32_t class_index;
	bool has_group;

	*outcome = PROGUARD_UNKNOWN;
	carry->is_set = false;
	if (!find_class(&state, &class_index))
		return 0;
	has_group = find_group(&state, class_index);
	if (has_group && is_outline(&state)) {
		*carry = (struct proguard_carry){ .position = query->has_line ? query->line : 0,
						  .is_set = true };
		*outcome = PROGUARD_OUTLINE;
		return 0;
	}
	*outcome = PROGUARD_FOUND;
	if (!has_group || !find_entries(&state)) {
		add_class_only(&state);
		return end(&state, err);
	}
	if (carried.is_set)
		take_position(&state, carried.position);
	add_output(&state);
	remove_inner(frames, removed_frames(&state));
	if (frames->count == 0)
		*outcome = PROGUARD_CLEARED;
	return end(&state, err);
}
