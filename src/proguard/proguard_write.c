/*
 * proguard_write.c -- the tables of a mapping, sorted and written.
 *
 * Entries are written class by class while they are sorted; all else is kept until the end.
 */
#include "proguard/proguard_write.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "proguard/proguard_build.h"

#define OUT_WORDS 16384u
#define FEW 16u                      /* entries that are compared each with each */
#define MANY 64u                     /* names that are sorted otherwise than by insertion */

struct proguard_writer {
	struct proguard_build build;
	int fd;
	uint32_t *out;               /* words that wait */
	size_t out_count;
	uint64_t at;                 /* bytes of the file so far */

	struct proguard_slots by_original;   /* the last section of each */
	uint32_t *order;             /* sections by obfuscated name */
	struct run_key *runs;        /* of one class */
	struct param_key *params_of; /* of one group */
	size_t run_capacity, param_key_capacity;
	uint32_t written_entries;
	uint32_t map_id, map_hash;   /* words of the head */

	uint32_t *classes, *originals, *groups, *params;     /* as they are written */
	size_t class_count, class_capacity, original_capacity, group_count, group_capacity, param_count,
	       param_capacity;
};

/* Entries of one name that stand together, to be sorted: by the first bytes of the name first, which mostly
 * are all of it. */
struct run_key { uint64_t prefix; struct text name; uint32_t ref, section, from, to; };
struct param_key { struct text parameters; uint32_t ref, name, section, index; bool is_repeated; };

/* --- Out ------------------------------------------------------------------------------------ */

static int flush(struct proguard_writer *writer, struct err *err)
{
	size_t size = writer->out_count * sizeof(*writer->out);

	writer->out_count = 0;
	writer->at += size;
	return file_write_all(writer->fd, writer->out, size, err);
}

static inline int put_words(struct proguard_writer *writer, const uint32_t *words, size_t count, struct err *err)
{
	if (writer->out_count + count > OUT_WORDS && flush(writer, err) < 0)
		return -1;
	memcpy(writer->out + writer->out_count, words, count * sizeof(*words));
	writer->out_count += count;
	return 0;
}

static int put_bytes(struct proguard_writer *writer, const void *bytes, size_t size, struct err *err)
{
	if (flush(writer, err) < 0)
		return -1;
	writer->at += size;
	return file_write_all(writer->fd, bytes, size, err);
}

static int align(struct proguard_writer *writer, struct err *err)
{
	static const uint8_t zeros[PGMC_ALIGNMENT];
	uint64_t at = writer->at + writer->out_count * sizeof(*writer->out);

	return at == pgmc_aligned(at) ? 0 : put_bytes(writer, zeros, (size_t)(pgmc_aligned(at) - at), err);
}

/* --- Classes by their original names ---------------------------------------------------------- */

static uint32_t hash_of(uint32_t ref)
{
	uint64_t product = (uint64_t)ref * 0x9e3779b97f4a7c15u;

	return (uint32_t)(product >> 32);
}

/* Where the section of that original name stands, or belongs. */
static size_t original_slot(const struct proguard_writer *writer, uint32_t original)
{
	const struct proguard_slots *slots = &writer->by_original;
	size_t at = proguard_slots_first(slots, hash_of(original));

	while (slots->slots[at].value &&
	       writer->build.sections[slots->slots[at].value - 1].original != original)
		at = proguard_slots_next(slots, at);
	return at;
}

static int index_originals(struct proguard_writer *writer, struct err *err)
{
	struct proguard_build *build = &writer->build;
	struct proguard_slots *slots = &writer->by_original;

	if (proguard_slots_reserve(slots, &build->memory, err) < 0)
		return -1;
	for (uint32_t i = 0; i < build->section_count; i++) {
		size_t at;

		if (proguard_slots_reserve(slots, &build->memory, err) < 0)
			return -1;
		at = original_slot(writer, build->sections[i].original);
		slots->count += slots->slots[at].value == 0;
		slots->slots[at] = (struct proguard_slot){ hash_of(build->sections[i].original), i + 1 };
	}
	return 0;
}

/* What is known of a class by that original name; NULL: it has no record. */
static const struct build_section *class_data(const struct proguard_writer *writer, uint32_t original)
{
	uint32_t value = writer->by_original.slots[original_slot(writer, original)].value;

	return value ? &writer->build.sections[value - 1] : NULL;
}

/* --- Methods' facts --------------------------------------------------------------------------- */

static int compare_methods(const struct build_method *a, const struct build_method *b)
{
	const uint32_t first[] = { a->receiver, a->words[PGMC_METHOD_NAME], a->words[PGMC_METHOD_PARAMETERS] };
	const uint32_t second[] = { b->receiver, b->words[PGMC_METHOD_NAME], b->words[PGMC_METHOD_PARAMETERS] };

	return memcmp(first, second, sizeof(first));
}

static int compare_flagged(const void *a, const void *b)
{
	return compare_methods(a, b);
}

/* Equal methods become one, with the flags of both. */
static size_t merge_flagged(struct build_method *flagged, size_t count)
{
	size_t kept = 0;

	qsort(flagged, count, sizeof(*flagged), compare_flagged);
	for (size_t i = 0; i < count; i++) {
		if (kept > 0 && compare_methods(&flagged[kept - 1], &flagged[i]) == 0)
			flagged[kept - 1].words[PGMC_METHOD_FLAGS] |= flagged[i].words[PGMC_METHOD_FLAGS];
		else
			flagged[kept++] = flagged[i];
	}
	return kept;
}

/* What is said of one declaration holds for all of the same class, name and arguments. */
static int share_flags(struct proguard_writer *writer, struct err *err)
{
	struct proguard_build *build = &writer->build;
	struct build_method *flagged = NULL;
	size_t count = 0, capacity = 0;
	int rc = 0;

	for (size_t i = 0; i < build->method_count && rc == 0; i++) {
		if (!build->methods[i].words[PGMC_METHOD_FLAGS])
			continue;
		rc = proguard_memory_grow(&build->memory, &flagged, &capacity, count + 1, sizeof(*flagged), err);
		if (rc == 0)
			flagged[count++] = build->methods[i];
	}
	if (rc == 0 && count > 0)
		count = merge_flagged(flagged, count);
	for (size_t i = 0; i < build->method_count && rc == 0 && count > 0; i++) {
		const struct build_method *found = bsearch(&build->methods[i], flagged, count,
							   sizeof(*flagged), compare_flagged);

		if (found)
			build->methods[i].words[PGMC_METHOD_FLAGS] |= found->words[PGMC_METHOD_FLAGS];
	}
	mem_give_back(flagged);
	return rc;
}

static int settle_methods(struct proguard_writer *writer, struct err *err)
{
	struct proguard_build *build = &writer->build;
	const struct build_section *data = NULL;

	if (share_flags(writer, err) < 0)
		return -1;
	for (size_t i = 0; i < build->method_count; i++) {
		struct build_method *method = &build->methods[i];

		if (i == 0 || method->receiver != method[-1].receiver)
			data = class_data(writer, method->receiver);
		if (!data)
			continue;
		method->words[PGMC_METHOD_FILE] = data->file;
		if (data->flags & PGMC_CLASS_SYNTHESIZED)
			method->words[PGMC_METHOD_FLAGS] |= PGMC_METHOD_SYNTHESIZED;
	}
	return 0;
}

/* --- A group: the entries of one obfuscated method -------------------------------------------- */

static int compare_params(const void *a, const void *b)
{
	const struct param_key *first = a, *second = b;
	int order = first->ref == second->ref ? 0 : text_compare(first->parameters, second->parameters);

	return order ? order : (first->index > second->index) - (first->index < second->index);
}

static int compare_repeats(const void *a, const void *b)
{
	const struct param_key *first = a, *second = b;

	if (first->section != second->section)
		return first->section < second->section ? -1 : 1;
	if (first->name != second->name)
		return first->name < second->name ? -1 : 1;
	return (first->index > second->index) - (first->index < second->index);
}

static bool is_repeat(const struct param_key *a, const struct param_key *b)
{
	return a->section == b->section && a->name == b->name;
}

/* Of one class section's methods with equal parameters and names the first stays. */
static void mark_repeats(struct param_key *keys, size_t count)
{
	if (count <= FEW) {
		for (size_t i = 1; i < count; i++)
			for (size_t j = 0; j < i && !keys[i].is_repeated; j++)
				keys[i].is_repeated = is_repeat(&keys[i], &keys[j]);
		return;
	}
	qsort(keys, count, sizeof(*keys), compare_repeats);
	for (size_t i = 1; i < count; i++)
		keys[i].is_repeated = is_repeat(&keys[i], &keys[i - 1]);
	qsort(keys, count, sizeof(*keys), compare_params);
}

/* Of the same method only the first of those that stand together: the others would be its repeats. */
static size_t collect_params(struct proguard_writer *writer, const struct run_key *runs, size_t count)
{
	struct proguard_build *build = &writer->build;
	size_t param_count = 0;
	uint32_t index = 0;

	for (size_t i = 0; i < count; i++) {
		uint32_t before = PGMC_NONE;

		for (uint32_t at = runs[i].from; at < runs[i].to; at++, index++) {
			const struct build_entry *entry = &build->entries[at];
			const struct build_method *method = &build->methods[entry->method];

			if (entry->extra & BUILD_NOT_BY_PARAMETERS || entry->method == before)
				continue;
			before = entry->method;
			writer->params_of[param_count++] = (struct param_key){
				.ref = method->words[PGMC_METHOD_PARAMETERS],
				.name = method->words[PGMC_METHOD_NAME],
				.section = runs[i].section, .index = index };
		}
	}
	return param_count;
}

static void order_params(struct proguard_writer *writer, struct param_key *params, size_t count)
{
	for (size_t i = 0; i < count; i++)
		params[i].parameters = proguard_names_text(&writer->build.names, params[i].ref);
	qsort(params, count, sizeof(*params), compare_params);
	for (size_t from = 0, to; from < count; from = to) {
		for (to = from + 1; to < count && params[to].ref == params[from].ref;)
			to++;
		mark_repeats(params + from, to - from);
	}
}

static int add_params(struct proguard_writer *writer, const struct run_key *runs, size_t count,
		      size_t entry_count, struct err *err)
{
	struct proguard_memory *memory = &writer->build.memory;
	struct param_key *params;
	size_t param_count;

	if (proguard_memory_grow(memory, &writer->params_of, &writer->param_key_capacity, entry_count,
				 sizeof(*writer->params_of), err) < 0)
		return -1;
	params = writer->params_of;
	param_count = collect_params(writer, runs, count);
	if (param_count > 1)
		order_params(writer, params, param_count);
	if (proguard_memory_grow(memory, &writer->params, &writer->param_capacity,
				 writer->param_count + param_count, sizeof(*writer->params), err) < 0)
		return -1;
	for (size_t i = 0; i < param_count; i++)
		if (!params[i].is_repeated)
			writer->params[writer->param_count++] = writer->written_entries + params[i].index;
	return 0;
}

static int put_entries(struct proguard_writer *writer, const struct run_key *run, uint32_t *flags,
		       struct err *err)
{
	for (uint32_t at = run->from; at < run->to; at++) {
		const struct build_entry *entry = &writer->build.entries[at];
		const uint32_t words[PGMC_ENTRY_WORDS] = {
			[PGMC_ENTRY_METHOD] = entry->method, [PGMC_ENTRY_START] = entry->start,
			[PGMC_ENTRY_END] = entry->end, [PGMC_ENTRY_ORIGINAL_START] = entry->original_start,
			[PGMC_ENTRY_ORIGINAL_END] = entry->original_end,
			[PGMC_ENTRY_EXTRA] = entry->extra & ~BUILD_NOT_BY_PARAMETERS };

		*flags |= entry->end == 0 || entry->end == PGMC_NONE ? PGMC_GROUP_HAS_BASE
								     : PGMC_GROUP_HAS_LINE_INFO;
		if ((entry->extra & PGMC_EXTRA_MASK) != PGMC_EXTRA_NONE)
			*flags |= PGMC_GROUP_HAS_EXTRAS;
		if (put_words(writer, words, PGMC_ENTRY_WORDS, err) < 0)
			return -1;
	}
	return 0;
}

static int add_group(struct proguard_writer *writer, const struct run_key *runs, size_t count, struct err *err)
{
	uint32_t *group, flags = 0;
	size_t param = writer->param_count, entry_count = 0;

	for (size_t i = 0; i < count; i++) {
		if (put_entries(writer, &runs[i], &flags, err) < 0)
			return -1;
		entry_count += runs[i].to - runs[i].from;
	}
	if (add_params(writer, runs, count, entry_count, err) < 0 ||
	    proguard_memory_grow(&writer->build.memory, &writer->groups, &writer->group_capacity,
				 writer->group_count + 1, PGMC_GROUP_WORDS * 4, err) < 0)
		return -1;
	group = writer->groups + writer->group_count++ * PGMC_GROUP_WORDS;
	group[PGMC_GROUP_NAME] = runs[0].ref;
	group[PGMC_GROUP_ENTRY] = writer->written_entries;
	group[PGMC_GROUP_PARAM] = (uint32_t)param;
	group[PGMC_GROUP_FLAGS] = flags;
	writer->written_entries += (uint32_t)entry_count;
	return 0;
}

/* --- A class -------------------------------------------------------------------------------- */

static uint64_t prefix_of(struct text name)
{
	uint64_t prefix = 0;

	memcpy(&prefix, name.bytes, name.size < sizeof(prefix) ? name.size : sizeof(prefix));
	return __builtin_bswap64(prefix);
}

static int compare_runs(const void *a, const void *b)
{
	const struct run_key *first = a, *second = b;
	int order = 0;

	if (first->prefix != second->prefix)
		return first->prefix < second->prefix ? -1 : 1;
	if (first->ref != second->ref)
		order = text_compare(first->name, second->name);
	return order ? order : (first->from > second->from) - (first->from < second->from);
}

static uint32_t section_end(const struct proguard_build *build, uint32_t section)
{
	return section + 1 < build->section_count ? build->sections[section + 1].first_entry
						  : (uint32_t)build->entry_count;
}

static int collect_runs(struct proguard_writer *writer, uint32_t section, size_t *count, struct err *err)
{
	struct proguard_build *build = &writer->build;
	uint32_t from = build->sections[section].first_entry, end = section_end(build, section);

	for (uint32_t to; from < end; from = to) {
		uint32_t ref = build->entries[from].obfuscated;
		struct text name = proguard_names_text(&build->names, ref);

		for (to = from + 1; to < end && build->entries[to].obfuscated == ref;)
			to++;
		if (proguard_memory_grow(&build->memory, &writer->runs, &writer->run_capacity, *count + 1,
					 sizeof(*writer->runs), err) < 0)
			return -1;
		writer->runs[(*count)++] = (struct run_key){ prefix_of(name), name, ref, section, from, to };
	}
	return 0;
}

/* Most methods stand in order, or nearly so. */
static void order_runs(struct run_key *runs, size_t count)
{
	if (count > MANY) {
		qsort(runs, count, sizeof(*runs), compare_runs);
		return;
	}
	for (size_t i = 1; i < count; i++) {
		struct run_key run = runs[i];
		size_t at = i;

		for (; at > 0 && compare_runs(&runs[at - 1], &run) > 0; at--)
			runs[at] = runs[at - 1];
		runs[at] = run;
	}
}

static int add_groups(struct proguard_writer *writer, size_t count, struct err *err)
{
	struct run_key *runs = writer->runs;

	order_runs(runs, count);
	for (size_t from = 0, to; from < count; from = to) {
		for (to = from + 1; to < count && runs[to].ref == runs[from].ref;)
			to++;
		if (add_group(writer, runs + from, to - from, err) < 0)
			return -1;
	}
	return 0;
}

/* The sections of one obfuscated name, in the order of the mapping: the last says what it is. */
static int add_class(struct proguard_writer *writer, const uint32_t *sections, size_t count, struct err *err)
{
	struct proguard_build *build = &writer->build;
	const struct build_section *last = &build->sections[sections[count - 1]];
	const struct build_section *data = class_data(writer, last->original);
	size_t run_count = 0;
	uint32_t *words;

	if (proguard_memory_grow(&build->memory, &writer->classes, &writer->class_capacity,
				 writer->class_count + 1, PGMC_CLASS_WORDS * 4, err) < 0)
		return -1;
	words = writer->classes + writer->class_count++ * PGMC_CLASS_WORDS;
	words[PGMC_CLASS_OBFUSCATED] = last->obfuscated;
	words[PGMC_CLASS_ORIGINAL] = last->original;
	words[PGMC_CLASS_FILE] = data->file;
	words[PGMC_CLASS_FLAGS] = data->flags;
	words[PGMC_CLASS_GROUP] = (uint32_t)writer->group_count;
	for (size_t i = 0; i < count; i++)
		if (collect_runs(writer, sections[i], &run_count, err) < 0)
			return -1;
	return add_groups(writer, run_count, err);
}

/* --- All of them ----------------------------------------------------------------------------- */

static int compare_sections(const void *a, const void *b, void *payload)
{
	const struct proguard_build *build = payload;
	uint32_t first = *(const uint32_t *)a, second = *(const uint32_t *)b;
	uint32_t first_name = build->sections[first].obfuscated, second_name = build->sections[second].obfuscated;

	if (first_name == second_name)
		return (first > second) - (first < second);
	return text_compare(proguard_names_text(&build->names, first_name),
			    proguard_names_text(&build->names, second_name));
}

static int add_classes(struct proguard_writer *writer, struct err *err)
{
	struct proguard_build *build = &writer->build;
	size_t count = build->section_count, capacity = 0;

	if (proguard_memory_grow(&build->memory, &writer->order, &capacity, count, sizeof(*writer->order), err) < 0)
		return -1;
	for (uint32_t i = 0; i < count; i++)
		writer->order[i] = i;
	if (count > 1)
		qsort_r(writer->order, count, sizeof(*writer->order), compare_sections, build);
	for (size_t from = 0, to; from < count; from = to) {
		uint32_t name = build->sections[writer->order[from]].obfuscated;

		for (to = from + 1; to < count && build->sections[writer->order[to]].obfuscated == name;)
			to++;
		if (add_class(writer, writer->order + from, to - from, err) < 0)
			return -1;
	}
	return 0;
}

static int compare_originals(const void *a, const void *b, void *payload)
{
	const struct proguard_writer *writer = payload;
	const struct proguard_names *names = &writer->build.names;
	uint32_t first = *(const uint32_t *)a, second = *(const uint32_t *)b;
	int order = text_compare(
		proguard_names_text(names, writer->classes[first * PGMC_CLASS_WORDS + PGMC_CLASS_ORIGINAL]),
		proguard_names_text(names, writer->classes[second * PGMC_CLASS_WORDS + PGMC_CLASS_ORIGINAL]));

	return order ? order : (first > second) - (first < second);
}

static int order_originals(struct proguard_writer *writer, struct err *err)
{
	size_t count = writer->class_count;

	if (proguard_memory_grow(&writer->build.memory, &writer->originals, &writer->original_capacity, count,
				 sizeof(*writer->originals), err) < 0)
		return -1;
	for (uint32_t i = 0; i < count; i++)
		writer->originals[i] = i;
	if (count > 1)
		qsort_r(writer->originals, count, sizeof(*writer->originals), compare_originals, writer);
	return 0;
}

/* --- The sections ----------------------------------------------------------------------------- */

static int put_section(struct proguard_writer *writer, const void *words, size_t count, unsigned words_each,
		       struct err *err)
{
	if (align(writer, err) < 0)
		return -1;
	return count ? put_bytes(writer, words, count * words_each * 4, err) : 0;
}

static int put_methods(struct proguard_writer *writer, struct err *err)
{
	if (align(writer, err) < 0)
		return -1;
	for (size_t i = 0; i < writer->build.method_count; i++)
		if (put_words(writer, writer->build.methods[i].words, PGMC_METHOD_WORDS, err) < 0)
			return -1;
	return 0;
}

static int put_extras(struct proguard_writer *writer, struct err *err)
{
	const struct proguard_build *build = &writer->build;

	if (align(writer, err) < 0)
		return -1;
	for (size_t i = 0; i < build->extra_count; i++) {
		const uint32_t words[PGMC_EXTRA_WORDS] = { build->extras[i].pair, build->extras[i].rule };

		if (put_words(writer, words, PGMC_EXTRA_WORDS, err) < 0)
			return -1;
	}
	if (align(writer, err) < 0)
		return -1;
	for (size_t i = 0; i < build->pair_count; i++) {
		const uint32_t words[PGMC_PAIR_WORDS] = { build->pairs[i].position, build->pairs[i].line };

		if (put_words(writer, words, PGMC_PAIR_WORDS, err) < 0)
			return -1;
	}
	return 0;
}

static int put_rest(struct proguard_writer *writer, struct err *err)
{
	const struct proguard_build *build = &writer->build;

	if (put_section(writer, writer->classes, writer->class_count, PGMC_CLASS_WORDS, err) < 0 ||
	    put_section(writer, writer->originals, writer->class_count, 1, err) < 0 ||
	    put_section(writer, writer->groups, writer->group_count, PGMC_GROUP_WORDS, err) < 0 ||
	    put_section(writer, writer->params, writer->param_count, 1, err) < 0 ||
	    put_methods(writer, err) < 0 || put_extras(writer, err) < 0 ||
	    put_section(writer, build->rules, build->rule_count, PGMC_RULE_WORDS, err) < 0 ||
	    put_section(writer, build->conditions, build->condition_count, 1, err) < 0 ||
	    align(writer, err) < 0)
		return -1;
	return put_bytes(writer, build->names.bytes, build->names.size, err);
}

static int put_head(struct proguard_writer *writer, struct err *err)
{
	const struct proguard_build *build = &writer->build;
	const struct proguard_report *report = build->report;
	const uint32_t head[PGMC_HEAD_WORDS] = {
		PGMC_MAGIC, PGMC_VERSION,
		(report->has_line_info ? PGMC_HAS_LINE_INFO : 0) | (report->is_by_r8 ? PGMC_IS_BY_R8 : 0),
		writer->written_entries, (uint32_t)writer->class_count, (uint32_t)writer->class_count,
		(uint32_t)writer->group_count, (uint32_t)writer->param_count, (uint32_t)build->method_count,
		(uint32_t)build->extra_count, (uint32_t)build->pair_count, (uint32_t)build->rule_count,
		(uint32_t)build->condition_count, (uint32_t)build->names.size,
		writer->map_id, writer->map_hash,
	};
	ssize_t written = pwrite(writer->fd, head, sizeof(head), 0);

	return written == (ssize_t)sizeof(head) ? 0 : err_os(err, written < 0 ? errno : EIO, "writing the head");
}

/* Where a name of the head is, + 1; 0: there is none. */
static int name_head(struct proguard_writer *writer, struct text name, uint32_t *word, struct err *err)
{
	uint32_t ref;

	*word = 0;
	if (!name.size)
		return 0;
	if (proguard_names_add(&writer->build.names, name, &writer->build.memory, &ref, err) < 0)
		return -1;
	*word = ref + 1;
	return 0;
}

static int write_all(struct proguard_writer *writer, struct err *err)
{
	static const uint32_t no_head[PGMC_HEAD_WORDS];

	if (index_originals(writer, err) < 0 || settle_methods(writer, err) < 0 ||
	    put_words(writer, no_head, PGMC_HEAD_WORDS, err) < 0 || add_classes(writer, err) < 0 ||
	    order_originals(writer, err) < 0 || put_rest(writer, err) < 0)
		return -1;
	writer->build.report->bytes = writer->at;
	return put_head(writer, err);
}

static void release(struct proguard_writer *writer)
{
	proguard_slots_release(&writer->by_original, &writer->build.memory);
	mem_give_back(writer->order);
	mem_give_back(writer->runs);
	mem_give_back(writer->params_of);
	mem_give_back(writer->classes);
	mem_give_back(writer->originals);
	mem_give_back(writer->groups);
	mem_give_back(writer->params);
	mem_give_back(writer->out);
	proguard_build_release(&writer->build);
}

int proguard_write(struct text mapping, size_t memory_bytes, int fd, struct proguard_report *report,
		   struct err *err)
{
	struct proguard_writer writer = { .fd = fd };
	int rc = -1;

	if (!mapping_read_is_valid(mapping))
		return err_set(err, ERR_MALFORMED, "The file is not a valid ProGuard file");
	writer.out = mem_get_array(OUT_WORDS, sizeof(*writer.out));
	if (!writer.out)
		return err_set(err, ERR_NO_MEMORY, "no memory for a mapping");
	if (proguard_build(&writer.build, mapping, memory_bytes, report, err) == 0 &&
	    name_head(&writer, report->map_id, &writer.map_id, err) == 0 &&
	    name_head(&writer, report->map_hash, &writer.map_hash, err) == 0) {
		proguard_slots_release(&writer.build.names.slots, &writer.build.memory);
		proguard_slots_release(&writer.build.declaration_slots, &writer.build.memory);
		rc = write_all(&writer, err);
	}
	release(&writer);
	return rc;
}

/* The tables are made and thrown away: what is counted depends on all of them. */
int proguard_summary(struct text mapping, struct proguard_report *report, struct err *err)
{
	struct proguard_build build;
	int rc = proguard_build(&build, mapping, SIZE_MAX, report, err);

	proguard_build_release(&build);
	return rc;
}
