/*
 * part.c -- one function's lines and inlined calls, laid flat.
 *
 * Lines, and the starts and ends of inlined calls, cut a function's addresses into pieces
 * with one answer each.  One walk over both, sorted, with a stack of the calls open at the
 * moment: the top of the stack is the innermost call.
 */
#include "symcache/part.h"

#include <stdlib.h>

#include "base/arch.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/limits.h"
#include "base/mem.h"
#include "symcache/layout.h"
#include "symcache/symcache.h"
#include "symcache/undecorate.h"

#define SORT_IN_PLACE 1024u      /* spans: no more are sorted by steps, here */
#define PATH_BYTES (4 * LIMIT_NAME_BYTES)

void part_init(struct part *part, struct budget *budget, uint32_t number,
	       enum undecoration undecoration)
{
	*part = (struct part){ .budget = budget, .number = number, .undecoration = undecoration };
	part->names.budget = budget;
	part->files.budget = budget;
	part->functions.budget = budget;
	part->frames.budget = budget;
	arena_init(&part->copies, budget->ceiling_bytes);
}

void part_use_variables(struct part *part)
{
	part->of_variables = true;
}

int part_use_line_map(struct part *part, const struct il2cpp *map, struct err *err)
{
	if (budget_reserve(part->budget, &part->managed_files, &part->managed_file_capacity,
			map->managed_count + 1, sizeof(*part->managed_files), err) < 0)
		return -1;
	memset(part->managed_files, 0, map->managed_count * sizeof(*part->managed_files));
	part->line_map = map;
	return 0;
}

void part_finish(struct part *part, bool keeps_tables)
{
	struct budget *budget = part->budget;

	budget_give_back(budget, &part->unit_files, part->unit_file_capacity,
			 sizeof(*part->unit_files));
	budget_give_back(budget, &part->mapped_files, part->mapped_file_capacity,
			 sizeof(*part->mapped_files));
	budget_give_back(budget, &part->managed_files, part->managed_file_capacity,
			 sizeof(*part->managed_files));
	budget_give_back(budget, &part->fresh, part->fresh_capacity, sizeof(*part->fresh));
	budget_give_back(budget, &part->spans, part->span_capacity, sizeof(*part->spans));
	budget_give_back(budget, &part->nests, part->nest_capacity, sizeof(*part->nests));
	part->fresh_capacity = part->unit_file_capacity = part->span_capacity = part->nest_capacity = 0;
	part->mapped_file_capacity = part->managed_file_capacity = 0;
	names_forget(&part->names);
	records_finish(&part->files);
	records_forget(&part->functions);
	frames_finish(&part->frames);
	if (keeps_tables)
		return;
	names_finish(&part->names);
	records_finish(&part->functions);
}

void part_release(struct part *part)
{
	part_finish(part, false);
	mem_give_back(part->pieces);
	mem_give_back(part->entries);
	mem_give_back(part->small_entries);
	mem_give_back(part->small_calls);
	frames_release(&part->frames);
	records_release(&part->functions);
	records_release(&part->files);
	names_release(&part->names);
	arena_release(&part->copies);
}

void part_begin_unit(struct part *part, uint32_t unit)
{
	part->unit = unit;
	part->order = 0;
	part->unit_file_count = 0;
}

/* --- Names and files ----------------------------------------------------------------- */

/* What a function is called: its name, undecorated where the object asks for it. */
struct called { struct text name, variables; };

static int add_called(struct part *part, const struct called *called, uint32_t *number,
		      struct err *err)
{
	if (part->of_variables)
		return names_add_copy(&part->names, called->variables, &part->copies, number, err);
	return names_add(&part->names, undecorate(called->name, part->undecoration),
			 number, err);
}

/* The number of its record. */
static int add_function(struct part *part, const struct called *called, uint32_t entry,
			uint32_t language, uint32_t *number, struct err *err)
{
	struct record record = { .word = { [FUNCTION_COMP_DIR] = SYMC_NONE,
					   [FUNCTION_ENTRY] = entry,
					   [FUNCTION_LANGUAGE] = language } };

	if (add_called(part, called, &record.word[FUNCTION_NAME], err) < 0)
		return -1;
	return records_add(&part->functions, &record, number, err);
}

/* The same for an inlined one, of which each is asked for again and again. */
static int add_inlined(struct part *part, const struct object_inlinee *inlinee, uint32_t *number,
		       struct err *err)
{
	const struct called called = { inlinee->name, inlinee->variables };

	if (part->of_variables)
		return add_function(part, &called, SYMC_NONE, inlinee->language, number, err);
	if (records_recall(&part->functions, called.name, inlinee->language, number))
		return 0;
	if (add_function(part, &called, SYMC_NONE, inlinee->language, number, err) < 0)
		return -1;
	return records_remember(&part->functions, called.name, inlinee->language, *number, err);
}

static int add_file(struct part *part, const struct object_file_name *file, uint32_t *number,
		    struct err *err)
{
	struct record record = { .word = { 0 } };

	if (file->comp_dir.size + file->directory.size + file->name.size == 0) {
		*number = SYMC_NONE;
		return 0;
	}
	if (names_add(&part->names, file->comp_dir, &record.word[FILE_COMP_DIR], err) < 0 ||
	    names_add(&part->names, file->directory, &record.word[FILE_DIRECTORY], err) < 0 ||
	    names_add(&part->names, file->name, &record.word[FILE_NAME], err) < 0)
		return -1;
	return records_add(&part->files, &record, number, err);
}

/* The unit's files are looked at when the first line or call names them. */
static int map_file(struct part *part, const struct object_file_name *files, uint32_t index,
		    uint32_t *number, struct err *err)
{
	if (index >= part->unit_file_count) {
		*number = SYMC_NONE;
		return 0;
	}
	if (part->unit_files[index] == 0) {
		if (add_file(part, &files[index], number, err) < 0)
			return -1;
		part->unit_files[index] = *number + 1;   /* SYMC_NONE + 1 is 0: asked again */
	}
	*number = part->unit_files[index] - 1;
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
static int ask_line_map(struct part *part, const struct object_file_name *files, size_t from,
			size_t to, struct err *err)
{
	struct buf path;
	int rc = 0;

	if (budget_reserve(part->budget, &part->mapped_files, &part->mapped_file_capacity, to,
			sizeof(*part->mapped_files), err) < 0)
		return -1;
	buf_init(&path, PATH_BYTES);
	for (size_t i = from; i < to && rc == 0; i++)
		rc = find_mapped(part->line_map, &files[i], &path, &part->mapped_files[i], err);
	buf_release(&path);
	return rc;
}

/* A place of ours, moved to the C# it came from where the map knows. */
static int map_line(struct part *part, const struct object_file_name *files, uint32_t index,
		    uint32_t *line, uint32_t *number, struct err *err)
{
	const struct il2cpp_file *file = part->line_map && index < part->unit_file_count
				       ? part->mapped_files[index] : NULL;
	const struct il2cpp_line *origin = file ? il2cpp_line(file, *line) : NULL;
	struct object_file_name managed;
	uint32_t *known;

	if (!origin)
		return map_file(part, files, index, number, err);
	*line = origin->line;
	known = &part->managed_files[origin->managed];
	managed = (struct object_file_name){ .name = part->line_map->managed[origin->managed] };
	if (*known == 0) {
		if (add_file(part, &managed, number, err) < 0)
			return -1;
		*known = *number + 1;
	}
	*number = *known - 1;
	return 0;
}

static int make_unit_files(struct part *part, const struct object_file_name *files,
			   size_t file_count, struct err *err)
{
	size_t known = part->unit_file_count;

	if (file_count <= known)
		return 0;
	if (part->line_map && ask_line_map(part, files, known, file_count, err) < 0)
		return -1;
	if (budget_reserve(part->budget, &part->unit_files, &part->unit_file_capacity, file_count,
			sizeof(*part->unit_files), err) < 0)
		return -1;
	memset(part->unit_files + known, 0, (file_count - known) * sizeof(*part->unit_files));
	part->unit_file_count = file_count;
	return 0;
}

/* --- Frames -------------------------------------------------------------------------- */

/* Which call lies in which, and how deep. */
static int make_nests(struct part *part, const struct object_function *function,
		      struct err *err)
{
	size_t count = function->inlinee_count;

	if (count > LIMIT_INLINEES_PER_FUNCTION)
		return err_set(err, ERR_MALFORMED, "a function with %zu inlined calls", count);
	if (budget_reserve(part->budget, &part->nests, &part->nest_capacity, count + 1,
			sizeof(*part->nests), err) < 0)
		return -1;
	part->nests[0] = (struct nest){ .depth = 0 };
	for (size_t i = 0; i < count; i++) {
		uint32_t parent = function->inlinees[i].parent;
		struct nest *nest = &part->nests[i + 1];

		*nest = (struct nest){ .parent = parent < i ? parent + 1 : 0 };
		nest->depth = part->nests[nest->parent].depth + 1;
		records_expect(&part->functions, function->inlinees[i].name);
	}
	return 0;
}

/* Marks the calls that entries are in, and those around them; how many. */
static size_t mark_nests(struct part *part)
{
	size_t marked = 1;

	part->nests[0].frame = 1;
	for (size_t i = 0; i < part->fresh_count; i++) {
		struct nest *nest = &part->nests[part->fresh[i].frame];

		for (; nest->frame == 0; nest = &part->nests[nest->parent]) {
			nest->frame = 1;
			marked++;
		}
	}
	return marked;
}

static int add_inlined_frame(struct part *part, const struct object_file_name *files,
			     const struct object_inlinee *inlinee, struct nest *nest,
			     struct err *err)
{
	struct call call = { .line = inlinee->call_line,
			     .parent = part->nests[nest->parent].frame - 1 };
	uint32_t function;

	if (add_inlined(part, inlinee, &function, err) < 0 ||
	    map_line(part, files, inlinee->call_file, &call.line, &call.file, err) < 0 ||
	    frames_add(&part->frames, function, &call, &nest->frame, err) < 0)
		return -1;
	nest->frame++;
	return 0;
}

/* Frames for the function and the calls that are marked, parents before what lies in them. */
static int add_frames(struct part *part, const struct object_file_name *files,
		      const struct object_function *function, size_t marked, struct err *err)
{
	uint32_t entry = function->name.size == 0 ? SYMC_NONE : (uint32_t)function->range.address;
	const struct called called = { function->name, function->variables };
	struct nest *nests = part->nests;
	uint32_t number;

	if (frames_begin(&part->frames, marked, err) < 0 ||
	    add_function(part, &called, entry, function->language, &number, err) < 0 ||
	    frames_add_root(&part->frames, number, &nests[0].frame, err) < 0)
		return -1;
	nests[0].frame++;
	for (size_t i = 0; i < function->inlinee_count; i++)
		if (nests[i + 1].frame &&
		    add_inlined_frame(part, files, &function->inlinees[i], &nests[i + 1],
				      err) < 0)
			return -1;
	return 0;
}

/* Entries name nests so far, and now frames.  Some say the same now. */
static void settle_entries(struct part *part)
{
	struct entry *entries = part->fresh;
	size_t kept = 0;

	for (size_t i = 0; i < part->fresh_count; i++) {
		struct entry entry = entries[i];

		entry.frame = part->nests[entry.frame].frame - 1;
		if (kept == 0 || entries[kept - 1].frame != entry.frame ||
		    entries[kept - 1].file != entry.file || entries[kept - 1].line != entry.line)
			entries[kept++] = entry;
	}
	part->fresh_count = kept;
}

static int settle_frames(struct part *part, const struct object_file_name *files,
			 const struct object_function *function, struct err *err)
{
	if (add_frames(part, files, function, mark_nests(part), err) < 0)
		return -1;
	settle_entries(part);
	return 0;
}

/* --- Spans --------------------------------------------------------------------------- */

static int compare_spans(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->inlinee < y->inlinee ? -1 : x->inlinee > y->inlinee;
}

/* Each `step`-th of them by insertion. */
static void insert_by(struct span *spans, size_t count, size_t step)
{
	for (size_t i = step; i < count; i++) {
		struct span span = spans[i];
		size_t at = i;

		for (; at >= step && compare_spans(&spans[at - step], &span) > 0; at -= step)
			spans[at] = spans[at - step];
		spans[at] = span;
	}
}

/* By start; at one start the parent, which comes earlier in the function, comes first. */
static void sort_spans(struct span *spans, size_t count)
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
static int collect_spans(struct part *part, const struct object_function *function,
			 uint32_t start, uint32_t end, size_t *span_count, struct err *err)
{
	size_t count = 0, total = 0;

	for (size_t i = 0; i < function->inlinee_count; i++)
		total += function->inlinees[i].range_count;
	if (budget_reserve(part->budget, &part->spans, &part->span_capacity, total * 2,
			sizeof(*part->spans), err) < 0)
		return -1;
	for (size_t i = 0; i < function->inlinee_count; i++) {
		const struct object_inlinee *inlinee = &function->inlinees[i];

		/* too deep for a look-up, of which one frame is the function itself */
		if (part->nests[i + 1].depth >= LIMIT_INLINE_DEPTH)
			continue;
		for (size_t k = 0; k < inlinee->range_count; k++) {
			struct span span = { clamp(inlinee->ranges[k].address, start, end),
					     clamp(range_end(&inlinee->ranges[k]), start, end),
					     (uint32_t)i };

			if (span.start < span.end)
				part->spans[count++] = span;
		}
	}
	sort_spans(part->spans, count);
	*span_count = count;
	return 0;
}

/* --- The walk ------------------------------------------------------------------------ */

struct walk {
	struct part *part;
	const struct object_file_name *files;
	const struct object_function *function;
	uint32_t end;
	size_t line;                 /* the next line */
	uint32_t file, line_number;  /* of the line we are in */
	size_t span, span_count;     /* the next inlined call to open */
	struct span *stack;
	size_t depth;
};

static int add_entry(struct walk *walk, uint32_t address, struct err *err)
{
	struct part *part = walk->part;
	struct entry entry = { address, walk->file, walk->line_number, 0 };
	const struct entry *last = part->fresh_count > 0 ? &part->fresh[part->fresh_count - 1]
							 : NULL;

	if (walk->depth > 0)
		entry.frame = 1 + walk->stack[walk->depth - 1].inlinee;
	if (last && last->file == entry.file && last->line == entry.line &&
	    last->frame == entry.frame)
		return 0;
	if (budget_reserve(part->budget, &part->fresh, &part->fresh_capacity, part->fresh_count + 1,
			sizeof(*part->fresh), err) < 0)
		return -1;
	part->fresh[part->fresh_count++] = entry;
	return 0;
}

/* Takes all lines at or before the address. */
static int pass_lines(struct walk *walk, uint32_t address, struct err *err)
{
	const struct object_function *function = walk->function;
	const struct object_line *line = NULL;

	while (walk->line < function->line_count &&
	       function->lines[walk->line].address <= address)
		line = &function->lines[walk->line++];
	if (!line)
		return 0;
	walk->line_number = line->line;
	return map_line(walk->part, walk->files, line->file, &walk->line_number, &walk->file, err);
}

/* Closes the calls that have ended and opens those that begin here.  A call reaching out of
 * the one it lies in ends with it. */
static void pass_spans(struct walk *walk, uint32_t address)
{
	/* There is a stack where there are spans, and depth is 0 where there are none. */
	while (walk->depth > 0 && walk->stack[walk->depth - 1].end <= address) /* NOLINT */
		walk->depth--;
	while (walk->span < walk->span_count &&
	       walk->part->spans[walk->span].start <= address) {
		struct span span = walk->part->spans[walk->span++];

		if (walk->depth > 0 && span.end > walk->stack[walk->depth - 1].end)
			span.end = walk->stack[walk->depth - 1].end;
		if (span.end > address)
			walk->stack[walk->depth++] = span;
	}
}

/* Where the answer may change next. */
static uint32_t next_cut(const struct walk *walk)
{
	const struct object_function *function = walk->function;
	uint32_t cut = walk->end;

	if (walk->line < function->line_count && function->lines[walk->line].address < cut)
		cut = (uint32_t)function->lines[walk->line].address;
	if (walk->span < walk->span_count && walk->part->spans[walk->span].start < cut)
		cut = walk->part->spans[walk->span].start;
	if (walk->depth > 0 && walk->stack[walk->depth - 1].end < cut)
		cut = walk->stack[walk->depth - 1].end;
	return cut;
}

static int flatten(struct walk *walk, uint32_t start, struct err *err)
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

static bool fit_small(const struct part *part, const struct piece *piece)
{
	if (piece->end - piece->start > SMALL_MAX || piece->frame_count > SMALL_MAX)
		return false;
	for (size_t i = 0; i < part->fresh_count; i++) {
		const struct entry *entry = &part->fresh[i];

		if (!is_small_place(entry->file, entry->line))
			return false;
	}
	return true;
}

static int keep_small(struct part *part, struct piece *piece, struct err *err)
{
	if (budget_reserve(part->budget, &part->small_entries, &part->small_entry_capacity,
			part->small_entry_count + part->fresh_count,
			sizeof(*part->small_entries), err) < 0)
		return -1;
	piece->first = part->small_entry_count;
	for (size_t i = 0; i < part->fresh_count; i++) {
		const struct entry *entry = &part->fresh[i];

		part->small_entries[part->small_entry_count++] = (struct small_entry){
			(uint16_t)(entry->address - piece->start),
			entry->file == SYMC_NONE ? SMALL_NO_FILE : (uint16_t)entry->file,
			(uint16_t)entry->line, (uint16_t)(entry->frame - piece->first_frame),
		};
	}
	return 0;
}

static int keep_large(struct part *part, struct piece *piece, struct err *err)
{
	if (budget_reserve(part->budget, &part->entries, &part->entry_capacity,
			part->entry_count + part->fresh_count, sizeof(*part->entries), err) < 0)
		return -1;
	piece->first = part->entry_count;
	memcpy(part->entries + part->entry_count, part->fresh,
	       part->fresh_count * sizeof(*part->entries));
	part->entry_count += (uint32_t)part->fresh_count;
	return 0;
}

static bool fit_small_calls(const struct frames *frames, const struct piece *piece)
{
	for (uint32_t i = 0; i < piece->call_count; i++) {
		const struct call *call = &frames->calls[piece->first_call + i];

		if (!is_small_place(call->file, call->line) ||
		    call->parent - piece->first_frame > SMALL_MAX)
			return false;
	}
	return true;
}

/* The function's calls are complete: from now on they lie with the small ones, if they are. */
static int keep_calls(struct part *part, struct piece *piece, struct err *err)
{
	struct frames *frames = &part->frames;

	if (!fit_small_calls(frames, piece))
		return 0;
	if (budget_reserve(part->budget, &part->small_calls, &part->small_call_capacity,
			(size_t)part->small_call_count + piece->call_count,
			sizeof(*part->small_calls), err) < 0)
		return -1;
	for (uint32_t i = 0; i < piece->call_count; i++) {
		const struct call *call = &frames->calls[piece->first_call + i];

		part->small_calls[part->small_call_count + i] = (struct small_call){
			call->file == SYMC_NONE ? SMALL_NO_FILE : (uint16_t)call->file,
			(uint16_t)call->line, (uint16_t)(call->parent - piece->first_frame),
		};
	}
	frames->call_count = piece->first_call;
	piece->first_call = part->small_call_count;
	piece->has_small_calls = true;
	part->small_call_count += piece->call_count;
	return 0;
}

static int add_piece(struct part *part, const struct walk *walk, uint32_t start, uint32_t order,
		     struct err *err)
{
	const struct frames *frames = &part->frames;
	struct piece piece = {
		.start = start, .end = walk->end, .part = part->number,
		.unit = part->unit, .order = order, .count = (uint32_t)part->fresh_count,
		.first_frame = frames->first_frame,
		.frame_count = frames->frame_count - frames->first_frame,
		.first_call = frames->first_call,
		.call_count = frames->call_count - frames->first_call,
		.nameless = walk->function->name.size == 0,
	};

	piece.is_small = fit_small(part, &piece);
	if ((piece.is_small ? keep_small(part, &piece, err) : keep_large(part, &piece, err)) < 0 ||
	    keep_calls(part, &piece, err) < 0)
		return -1;
	if (budget_reserve(part->budget, &part->pieces, &part->piece_capacity, part->piece_count + 1,
			sizeof(*part->pieces), err) < 0)
		return -1;
	part->pieces[part->piece_count++] = piece;
	return 0;
}

int part_add_function(struct part *part, const struct object_file_name *files, size_t file_count,
		      const struct object_function *function, struct err *err)
{
	struct walk walk = { .part = part, .files = files, .function = function,
			     .file = SYMC_NONE };
	uint32_t order = part->order++, start = (uint32_t)function->range.address;

	if (function->range.address >= UINT32_MAX || function->range.size == 0)
		return 0;
	part->fresh_count = 0;
	walk.end = clamp(range_end(&function->range), start, UINT32_MAX);
	if (make_unit_files(part, files, file_count, err) < 0 ||
	    make_nests(part, function, err) < 0 ||
	    collect_spans(part, function, start, walk.end, &walk.span_count, err) < 0)
		return -1;
	walk.stack = part->spans ? part->spans + walk.span_count : NULL;
	if (flatten(&walk, start, err) < 0 ||
	    settle_frames(part, files, function, err) < 0)
		return -1;
	return add_piece(part, &walk, start, order, err);
}
