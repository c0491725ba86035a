/*
 * shard.c -- flattens one function's lines and inlined calls.
 *
 * Lines, and the starts and ends of inlined calls, cut a function's addresses into ranges
 * with one answer each.  One walk over both, sorted, with a stack of the calls open at the
 * moment: the top of the stack is the innermost call.
 */
#include "symcache/shard.h"

#include <stdlib.h>

#include "base/arch.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/limits.h"
#include "base/mem.h"
#include "symcache/symcache_layout.h"
#include "symcache/symcache.h"
#include "symcache/undecorate.h"

#define SORT_IN_PLACE 1024u      /* spans: no more are sorted by steps, here */
#define PATH_BYTES (4 * LIMIT_NAME_BYTES)

void shard_init(struct shard *shard, struct budget *budget, uint32_t number,
		enum undecoration undecoration)
{
	*shard = (struct shard){ .budget = budget, .number = number, .undecoration = undecoration };
	shard->names.budget = budget;
	shard->files.budget = budget;
	shard->functions.budget = budget;
	shard->frames.budget = budget;
	arena_init(&shard->copies, budget->ceiling_bytes);
}

void shard_use_variables(struct shard *shard)
{
	shard->of_variables = true;
}

int shard_use_line_map(struct shard *shard, const struct il2cpp *map, struct err *err)
{
	if (budget_reserve(shard->budget, &shard->managed_files, &shard->managed_file_capacity,
			map->managed_count + 1, sizeof(*shard->managed_files), err) < 0)
		return -1;
	memset(shard->managed_files, 0, map->managed_count * sizeof(*shard->managed_files));
	shard->line_map = map;
	return 0;
}

void shard_finish(struct shard *shard, bool keeps_tables)
{
	struct budget *budget = shard->budget;

	budget_give_back(budget, &shard->unit_files, shard->unit_file_capacity,
			 sizeof(*shard->unit_files));
	budget_give_back(budget, &shard->mapped_files, shard->mapped_file_capacity,
			 sizeof(*shard->mapped_files));
	budget_give_back(budget, &shard->managed_files, shard->managed_file_capacity,
			 sizeof(*shard->managed_files));
	budget_give_back(budget, &shard->fresh, shard->fresh_capacity, sizeof(*shard->fresh));
	budget_give_back(budget, &shard->spans, shard->span_capacity, sizeof(*shard->spans));
	budget_give_back(budget, &shard->nodes, shard->node_capacity, sizeof(*shard->nodes));
	shard->fresh_capacity = shard->unit_file_capacity = shard->span_capacity = shard->node_capacity = 0;
	shard->mapped_file_capacity = shard->managed_file_capacity = 0;
	name_pool_drop_cache(&shard->names);
	record_pool_finish(&shard->files);
	record_pool_drop_cache(&shard->functions);
	inline_frames_finish(&shard->frames);
	if (keeps_tables)
		return;
	name_pool_finish(&shard->names);
	record_pool_finish(&shard->functions);
}

void shard_release(struct shard *shard)
{
	shard_finish(shard, false);
	mem_give_back(shard->ranges);
	mem_give_back(shard->entries);
	mem_give_back(shard->small_entries);
	mem_give_back(shard->small_calls);
	inline_frames_release(&shard->frames);
	record_pool_release(&shard->functions);
	record_pool_release(&shard->files);
	name_pool_release(&shard->names);
	arena_release(&shard->copies);
}

void shard_begin_unit(struct shard *shard, uint32_t unit)
{
	shard->unit = unit;
	shard->order = 0;
	shard->unit_file_count = 0;
}

/* --- Names and files ----------------------------------------------------------------- */

/* What a function is called: its name, undecorated where the object asks for it. */
struct called { struct text name, variables; };

static int add_called(struct shard *shard, const struct called *called, uint32_t *number,
		      struct err *err)
{
	if (shard->of_variables)
		return name_pool_add_copy(&shard->names, called->variables, &shard->copies, number,
					  err);
	return name_pool_add(&shard->names, undecorate(called->name, shard->undecoration),
			     number, err);
}

/* The number of its record. */
static int add_function(struct shard *shard, const struct called *called, uint32_t entry,
			uint32_t language, uint32_t *number, struct err *err)
{
	struct interned_record record = { .word = { [FUNCTION_COMP_DIR] = SYMC_NONE,
					   [FUNCTION_ENTRY] = entry,
					   [FUNCTION_LANGUAGE] = language } };

	if (add_called(shard, called, &record.word[FUNCTION_NAME], err) < 0)
		return -1;
	return record_pool_add(&shard->functions, &record, number, err);
}

/* The same for an inlined one, of which each is asked for again and again. */
static int add_inlined(struct shard *shard, const struct object_inlinee *inlinee, uint32_t *number,
		       struct err *err)
{
	const struct called called = { inlinee->name, inlinee->variables };

	if (shard->of_variables)
		return add_function(shard, &called, SYMC_NONE, inlinee->language, number, err);
	if (record_pool_cached(&shard->functions, called.name, inlinee->language, number))
		return 0;
	if (add_function(shard, &called, SYMC_NONE, inlinee->language, number, err) < 0)
		return -1;
	return record_pool_cache(&shard->functions, called.name, inlinee->language, *number, err);
}

static int add_file(struct shard *shard, const struct object_file_name *file, uint32_t *number,
		    struct err *err)
{
	struct interned_record record = { .word = { 0 } };

	if (file->comp_dir.size + file->directory.size + file->name.size == 0) {
		*number = SYMC_NONE;
		return 0;
	}
	if (name_pool_add(&shard->names, file->comp_dir, &record.word[FILE_COMP_DIR], err) < 0 ||
	    name_pool_add(&shard->names, file->directory, &record.word[FILE_DIRECTORY], err) < 0 ||
	    name_pool_add(&shard->names, file->name, &record.word[FILE_NAME], err) < 0)
		return -1;
	return record_pool_add(&shard->files, &record, number, err);
}

/* The unit's files are looked at when the first line or call names them. */
static int map_file(struct shard *shard, const struct object_file_name *files, uint32_t index,
		    uint32_t *number, struct err *err)
{
	if (index >= shard->unit_file_count) {
		*number = SYMC_NONE;
		return 0;
	}
	if (shard->unit_files[index] == 0) {
		if (add_file(shard, &files[index], number, err) < 0)
			return -1;
		shard->unit_files[index] = *number + 1;  /* SYMC_NONE + 1 is 0: asked again */
	}
	*number = shard->unit_files[index] - 1;
	return 0;
}

/* The map knows files by their whole paths; one that is too long it does not know. */
static int find_mapped(const struct il2cpp *map, const struct object_file_name *file,
		       struct buf *path, const struct il2cpp_file **found, struct err *err)
{
	const struct symcache_frame place = {
		.has_file = true, .comp_dir = file->comp_dir, .directory = file->directory,
		.name = file->name,
	};

	buf_clear(path);
	symcache_frame_path(&place, path);
	if (path->no_memory)
		return buf_check(path, err);
	*found = path->failed ? NULL : il2cpp_file(map, buf_text(path));
	return 0;
}

/* What the map says about each of the unit's files. */
static int ask_line_map(struct shard *shard, const struct object_file_name *files, size_t from,
			size_t to, struct err *err)
{
	struct buf path;
	int rc = 0;

	if (budget_reserve(shard->budget, &shard->mapped_files, &shard->mapped_file_capacity, to,
			sizeof(*shard->mapped_files), err) < 0)
		return -1;
	buf_init(&path, PATH_BYTES);
	for (size_t i = from; i < to && rc == 0; i++)
		rc = find_mapped(shard->line_map, &files[i], &path, &shard->mapped_files[i], err);
	buf_release(&path);
	return rc;
}

/* A place of ours, moved to the C# it came from where the map knows. */
static int map_line(struct shard *shard, const struct object_file_name *files, uint32_t index,
		    uint32_t *line, uint32_t *number, struct err *err)
{
	const struct il2cpp_file *file = shard->line_map && index < shard->unit_file_count
				       ? shard->mapped_files[index] : NULL;
	const struct il2cpp_line *origin = file ? il2cpp_line(file, *line) : NULL;
	struct object_file_name managed;
	uint32_t *known;

	if (!origin)
		return map_file(shard, files, index, number, err);
	*line = origin->line;
	known = &shard->managed_files[origin->managed];
	managed = (struct object_file_name){ .name = shard->line_map->managed[origin->managed] };
	if (*known == 0) {
		if (add_file(shard, &managed, number, err) < 0)
			return -1;
		*known = *number + 1;
	}
	*number = *known - 1;
	return 0;
}

static int make_unit_files(struct shard *shard, const struct object_file_name *files,
			   size_t file_count, struct err *err)
{
	size_t known = shard->unit_file_count;

	if (file_count <= known)
		return 0;
	if (shard->line_map && ask_line_map(shard, files, known, file_count, err) < 0)
		return -1;
	if (budget_reserve(shard->budget, &shard->unit_files, &shard->unit_file_capacity,
			   file_count,
			sizeof(*shard->unit_files), err) < 0)
		return -1;
	memset(shard->unit_files + known, 0, (file_count - known) * sizeof(*shard->unit_files));
	shard->unit_file_count = file_count;
	return 0;
}

/* --- Frames -------------------------------------------------------------------------- */

/* Which call lies in which, and how deep. */
static int make_nodes(struct shard *shard, const struct object_function *function,
		      struct err *err)
{
	size_t count = function->inlinee_count;

	if (count > LIMIT_INLINEES_PER_FUNCTION)
		return err_set(err, ERR_MALFORMED, "a function with %zu inlined calls", count);
	if (budget_reserve(shard->budget, &shard->nodes, &shard->node_capacity, count + 1,
			sizeof(*shard->nodes), err) < 0)
		return -1;
	shard->nodes[0] = (struct inline_node){ .depth = 0 };
	for (size_t i = 0; i < count; i++) {
		uint32_t parent = function->inlinees[i].parent;
		struct inline_node *node = &shard->nodes[i + 1];

		*node = (struct inline_node){ .parent = parent < i ? parent + 1 : 0 };
		node->depth = shard->nodes[node->parent].depth + 1;
		record_pool_prefetch(&shard->functions, function->inlinees[i].name);
	}
	return 0;
}

/* Marks the calls that entries are in, and those around them; how many. */
static size_t mark_nodes(struct shard *shard)
{
	size_t marked = 1;

	shard->nodes[0].frame = 1;
	for (size_t i = 0; i < shard->fresh_count; i++) {
		struct inline_node *node = &shard->nodes[shard->fresh[i].frame];

		for (; node->frame == 0; node = &shard->nodes[node->parent]) {
			node->frame = 1;
			marked++;
		}
	}
	return marked;
}

static int add_inlined_frame(struct shard *shard, const struct object_file_name *files,
			     const struct object_inlinee *inlinee, struct inline_node *node,
			     struct err *err)
{
	struct inline_call call = { .line = inlinee->call_line,
			     .parent = shard->nodes[node->parent].frame - 1 };
	uint32_t function;

	if (add_inlined(shard, inlinee, &function, err) < 0 ||
	    map_line(shard, files, inlinee->call_file, &call.line, &call.file, err) < 0 ||
	    inline_frames_add(&shard->frames, function, &call, &node->frame, err) < 0)
		return -1;
	node->frame++;
	return 0;
}

/* Frames for the function and the calls that are marked, parents before what lies in them. */
static int add_frames(struct shard *shard, const struct object_file_name *files,
		      const struct object_function *function, size_t marked, struct err *err)
{
	uint32_t entry = function->name.size == 0 ? SYMC_NONE : (uint32_t)function->range.address;
	const struct called called = { function->name, function->variables };
	struct inline_node *nodes = shard->nodes;
	uint32_t number;

	if (inline_frames_begin(&shard->frames, marked, err) < 0 ||
	    add_function(shard, &called, entry, function->language, &number, err) < 0 ||
	    inline_frames_add_root(&shard->frames, number, &nodes[0].frame, err) < 0)
		return -1;
	nodes[0].frame++;
	for (size_t i = 0; i < function->inlinee_count; i++)
		if (nodes[i + 1].frame &&
		    add_inlined_frame(shard, files, &function->inlinees[i], &nodes[i + 1],
				      err) < 0)
			return -1;
	return 0;
}

/* Entries name nodes so far, and now frames.  Some say the same now. */
static void settle_entries(struct shard *shard)
{
	struct line_entry *entries = shard->fresh;
	size_t kept = 0;

	for (size_t i = 0; i < shard->fresh_count; i++) {
		struct line_entry entry = entries[i];

		entry.frame = shard->nodes[entry.frame].frame - 1;
		if (kept == 0 || entries[kept - 1].frame != entry.frame ||
		    entries[kept - 1].file != entry.file || entries[kept - 1].line != entry.line)
			entries[kept++] = entry;
	}
	shard->fresh_count = kept;
}

static int settle_frames(struct shard *shard, const struct object_file_name *files,
			 const struct object_function *function, struct err *err)
{
	if (add_frames(shard, files, function, mark_nodes(shard), err) < 0)
		return -1;
	settle_entries(shard);
	return 0;
}

/* --- Spans --------------------------------------------------------------------------- */

static int compare_spans(const void *a, const void *b)
{
	const struct inline_span *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->inlinee < y->inlinee ? -1 : x->inlinee > y->inlinee;
}

/* Each `step`-th of them by insertion. */
static void insert_by(struct inline_span *spans, size_t count, size_t step)
{
	for (size_t i = step; i < count; i++) {
		struct inline_span span = spans[i];
		size_t at = i;

		for (; at >= step && compare_spans(&spans[at - step], &span) > 0; at -= step)
			spans[at] = spans[at - step];
		spans[at] = span;
	}
}

/* By start; at one start the parent, which comes earlier in the function, comes first. */
static void sort_spans(struct inline_span *spans, size_t count)
{
	static const size_t steps[] = { 301, 132, 57, 23, 10, 4, 1 };
	bool sorted = true;

	for (size_t i = 1; i < count && sorted; i++)
		sorted = compare_spans(&spans[i - 1], &spans[i]) <= 0;
	if (sorted)
		return;
	if (count > SORT_IN_PLACE) {
		qsort(spans, count, sizeof(*spans), compare_spans);
		return;
	}
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		insert_by(spans, count, steps[i]);
}

static uint32_t clamp(uint64_t address, uint32_t low, uint32_t high)
{
	return address < low ? low : address > high ? high : (uint32_t)address;
}

static uint64_t range_end(const struct object_range *range)
{
	return range->size > UINT64_MAX - range->address ? UINT64_MAX
							 : range->address + range->size;
}

/* All inlined calls' addresses inside [start, end), sorted; room for as many on the stack. */
static int collect_spans(struct shard *shard, const struct object_function *function,
			 uint32_t start, uint32_t end, size_t *span_count, struct err *err)
{
	size_t count = 0, total = 0;

	for (size_t i = 0; i < function->inlinee_count; i++)
		total += function->inlinees[i].range_count;
	if (budget_reserve(shard->budget, &shard->spans, &shard->span_capacity, total * 2,
			sizeof(*shard->spans), err) < 0)
		return -1;
	for (size_t i = 0; i < function->inlinee_count; i++) {
		const struct object_inlinee *inlinee = &function->inlinees[i];

		/* too deep for a look-up, of which one frame is the function itself */
		if (shard->nodes[i + 1].depth >= LIMIT_INLINE_DEPTH)
			continue;
		for (size_t k = 0; k < inlinee->range_count; k++) {
			struct inline_span span = { clamp(inlinee->ranges[k].address, start, end),
					     clamp(range_end(&inlinee->ranges[k]), start, end),
					     (uint32_t)i };

			if (span.start < span.end)
				shard->spans[count++] = span;
		}
	}
	sort_spans(shard->spans, count);
	*span_count = count;
	return 0;
}

/* --- The walk ------------------------------------------------------------------------ */

struct flatten_walk {
	struct shard *shard;
	const struct object_file_name *files;
	const struct object_function *function;
	uint32_t end;
	size_t line;                 /* the next line */
	uint32_t file, line_number;  /* of the line we are in */
	size_t span, span_count;     /* the next inlined call to open */
	struct inline_span *stack;
	size_t depth;
};

static int add_entry(struct flatten_walk *walk, uint32_t address, struct err *err)
{
	struct shard *shard = walk->shard;
	struct line_entry entry = { address, walk->file, walk->line_number, 0 };
	const struct line_entry *last = shard->fresh_count > 0 ? &shard->fresh[shard->fresh_count - 1]
							 : NULL;

	if (walk->depth > 0)
		entry.frame = 1 + walk->stack[walk->depth - 1].inlinee;
	if (last && last->file == entry.file && last->line == entry.line &&
	    last->frame == entry.frame)
		return 0;
	if (budget_reserve(shard->budget, &shard->fresh, &shard->fresh_capacity,
			   shard->fresh_count + 1,
			sizeof(*shard->fresh), err) < 0)
		return -1;
	shard->fresh[shard->fresh_count++] = entry;
	return 0;
}

/* Takes all lines at or before the address. */
static int pass_lines(struct flatten_walk *walk, uint32_t address, struct err *err)
{
	const struct object_function *function = walk->function;
	const struct object_line *line = NULL;

	while (walk->line < function->line_count &&
	       function->lines[walk->line].address <= address)
		line = &function->lines[walk->line++];
	if (!line)
		return 0;
	walk->line_number = line->line;
	return map_line(walk->shard, walk->files, line->file, &walk->line_number, &walk->file, err);
}

/* Closes the calls that have ended and opens those that begin here.  A call reaching out of
 * the one it lies in ends with it. */
static void pass_spans(struct flatten_walk *walk, uint32_t address)
{
	/* There is a stack where there are spans, and depth is 0 where there are none. */
	while (walk->depth > 0 && walk->stack[walk->depth - 1].end <= address) /* NOLINT */
		walk->depth--;
	while (walk->span < walk->span_count &&
	       walk->shard->spans[walk->span].start <= address) {
		struct inline_span span = walk->shard->spans[walk->span++];

		if (walk->depth > 0 && span.end > walk->stack[walk->depth - 1].end)
			span.end = walk->stack[walk->depth - 1].end;
		if (span.end > address)
			walk->stack[walk->depth++] = span;
	}
}

/* Where the answer may change next. */
static uint32_t next_cut(const struct flatten_walk *walk)
{
	const struct object_function *function = walk->function;
	uint32_t cut = walk->end;

	if (walk->line < function->line_count && function->lines[walk->line].address < cut)
		cut = (uint32_t)function->lines[walk->line].address;
	if (walk->span < walk->span_count && walk->shard->spans[walk->span].start < cut)
		cut = walk->shard->spans[walk->span].start;
	if (walk->depth > 0 && walk->stack[walk->depth - 1].end < cut)
		cut = walk->stack[walk->depth - 1].end;
	return cut;
}

static int flatten(struct flatten_walk *walk, uint32_t start, struct err *err)
{
	for (uint32_t at = start; at < walk->end; at = next_cut(walk)) {
		if (pass_lines(walk, at, err) < 0)
			return -1;
		pass_spans(walk, at);
		if (add_entry(walk, at, err) < 0)
			return -1;
	}
	return 0;
}

/* --- Pieces -------------------------------------------------------------------------- */

static bool is_small_place(uint32_t file, uint32_t line)
{
	return line <= SMALL_MAX && (file <= SMALL_MAX || file == SYMC_NONE);
}

static bool fit_small(const struct shard *shard, const struct function_range *range)
{
	if (range->end - range->start > SMALL_MAX || range->frame_count > SMALL_MAX)
		return false;
	for (size_t i = 0; i < shard->fresh_count; i++) {
		const struct line_entry *entry = &shard->fresh[i];

		if (!is_small_place(entry->file, entry->line))
			return false;
	}
	return true;
}

static int keep_small(struct shard *shard, struct function_range *range, struct err *err)
{
	if (budget_reserve(shard->budget, &shard->small_entries, &shard->small_entry_capacity,
			shard->small_entry_count + shard->fresh_count,
			sizeof(*shard->small_entries), err) < 0)
		return -1;
	range->first = shard->small_entry_count;
	for (size_t i = 0; i < shard->fresh_count; i++) {
		const struct line_entry *entry = &shard->fresh[i];

		shard->small_entries[shard->small_entry_count++] = (struct small_line_entry){
			(uint16_t)(entry->address - range->start),
			entry->file == SYMC_NONE ? SMALL_NO_FILE : (uint16_t)entry->file,
			(uint16_t)entry->line, (uint16_t)(entry->frame - range->first_frame),
		};
	}
	return 0;
}

static int keep_large(struct shard *shard, struct function_range *range, struct err *err)
{
	if (budget_reserve(shard->budget, &shard->entries, &shard->entry_capacity,
			shard->entry_count + shard->fresh_count, sizeof(*shard->entries), err) < 0)
		return -1;
	range->first = shard->entry_count;
	memcpy(shard->entries + shard->entry_count, shard->fresh,
	       shard->fresh_count * sizeof(*shard->entries));
	shard->entry_count += (uint32_t)shard->fresh_count;
	return 0;
}

static bool fit_small_calls(const struct inline_frames *frames, const struct function_range *range)
{
	for (uint32_t i = 0; i < range->call_count; i++) {
		const struct inline_call *call = &frames->calls[range->first_call + i];

		if (!is_small_place(call->file, call->line) ||
		    call->parent - range->first_frame > SMALL_MAX)
			return false;
	}
	return true;
}

/* The function's calls are complete: from now on they lie with the small ones, if they are. */
static int keep_calls(struct shard *shard, struct function_range *range, struct err *err)
{
	struct inline_frames *frames = &shard->frames;

	if (!fit_small_calls(frames, range))
		return 0;
	if (budget_reserve(shard->budget, &shard->small_calls, &shard->small_call_capacity,
			(size_t)shard->small_call_count + range->call_count,
			sizeof(*shard->small_calls), err) < 0)
		return -1;
	for (uint32_t i = 0; i < range->call_count; i++) {
		const struct inline_call *call = &frames->calls[range->first_call + i];

		shard->small_calls[shard->small_call_count + i] = (struct small_call){
			call->file == SYMC_NONE ? SMALL_NO_FILE : (uint16_t)call->file,
			(uint16_t)call->line, (uint16_t)(call->parent - range->first_frame),
		};
	}
	frames->call_count = range->first_call;
	range->first_call = shard->small_call_count;
	range->has_small_calls = true;
	shard->small_call_count += range->call_count;
	return 0;
}

static int add_range(struct shard *shard, const struct flatten_walk *walk, uint32_t start,
		     uint32_t order,
		     struct err *err)
{
	const struct inline_frames *frames = &shard->frames;
	struct function_range range = {
		.start = start, .end = walk->end, .shard = shard->number,
		.unit = shard->unit, .order = order, .count = (uint32_t)shard->fresh_count,
		.first_frame = frames->first_frame,
		.frame_count = frames->frame_count - frames->first_frame,
		.first_call = frames->first_call,
		.call_count = frames->call_count - frames->first_call,
		.nameless = walk->function->name.size == 0,
	};

	range.is_small = fit_small(shard, &range);
	if ((range.is_small ? keep_small(shard, &range, err) : keep_large(shard, &range,
									  err)) < 0 ||
	    keep_calls(shard, &range, err) < 0)
		return -1;
	if (budget_reserve(shard->budget, &shard->ranges, &shard->range_capacity,
			   shard->range_count + 1,
			sizeof(*shard->ranges), err) < 0)
		return -1;
	shard->ranges[shard->range_count++] = range;
	return 0;
}

int shard_add_function(struct shard *shard, const struct object_file_name *files, size_t file_count,
		       const struct object_function *function, struct err *err)
{
	struct flatten_walk walk = { .shard = shard, .files = files, .function = function,
			     .file = SYMC_NONE };
	uint32_t order = shard->order++, start = (uint32_t)function->range.address;

	if (function->range.address >= UINT32_MAX || function->range.size == 0)
		return 0;
	shard->fresh_count = 0;
	walk.end = clamp(range_end(&function->range), start, UINT32_MAX);
	if (make_unit_files(shard, files, file_count, err) < 0 ||
	    make_nodes(shard, function, err) < 0 ||
	    collect_spans(shard, function, start, walk.end, &walk.span_count, err) < 0)
		return -1;
	walk.stack = shard->spans ? shard->spans + walk.span_count : NULL;
	if (flatten(&walk, start, err) < 0 ||
	    settle_frames(shard, files, function, err) < 0)
		return -1;
	return add_range(shard, &walk, start, order, err);
}
