/*
 * inline_sites.c -- inlined calls: binary annotations, and what they mean address by address.
 *
 * A site tells at which addresses it is, and its line at each.  Where a site lies inside
 * another, the outer one's line there is where the inner one was called.  We want it the
 * other way round: for each address the innermost line, and for each call the place it was
 * called from.  So a site becomes as many calls as there are such places.
 *
 * Level by level: the rows of the function are cells; the sites of the first level claim
 * parts of them; what they claimed are the cells of the next level.
 */
#include "base/err.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/search.h"
#include "base/vec.h"
#include "object/pdb/codeview.h"
#include "object/pdb/module.h"

#define SITE_STEPS      16u                          /* of work, beside its annotations */
#define SITE_ROWS_MAX   ((size_t)4 * 1000 * 1000)    /* in one function */
#define CALLS_LOOKED_AT 8u
#define PARTS_MAX       64u          /* of a function; in more there are no inlined calls */
#define ROW_IS_OPEN     0u           /* end of a row whose end is not said yet */

enum {
	BA_OP_CODE_OFFSET = 1, BA_OP_CODE_OFFSET_BASE, BA_OP_CHANGE_CODE_OFFSET,
	BA_OP_CHANGE_CODE_LENGTH, BA_OP_CHANGE_FILE, BA_OP_CHANGE_LINE_OFFSET,
	BA_OP_CHANGE_LINE_END_DELTA, BA_OP_CHANGE_RANGE_KIND, BA_OP_CHANGE_COLUMN_START,
	BA_OP_CHANGE_COLUMN_END_DELTA, BA_OP_CHANGE_CODE_OFFSET_AND_LINE_OFFSET,
	BA_OP_CHANGE_CODE_LENGTH_AND_CODE_OFFSET, BA_OP_CHANGE_COLUMN_END
};

void inline_builder_begin(struct inline_builder *builder, uint32_t at)
{
	builder->site_count = builder->call_count = builder->range_count = 0;
	builder->site_rows.count = builder->far_rows.count = 0;
	builder->function_at = at;
	builder->part = 0;
}

/* Parts are counted in the order of their symbols, which follow the function's. */
int inline_builder_go_on(struct inline_builder *builder, uint32_t at, uint32_t start, struct err *err)
{
	if (builder->function_at != at || builder->part == PARTS_MAX)
		inline_builder_begin(builder, at);
	builder->part++;
	builder->call_count = builder->range_count = 0;
	builder->site_rows.count = 0;
	for (size_t i = 0; i < builder->site_count; i++)
		builder->sites[i].last_call = 0;
	for (size_t i = 0; i < builder->far_rows.count; i++) {
		struct row row = builder->far_rows.items[i];

		if (row.call != builder->part || row.end > UINT32_MAX - start)
			continue;
		row.start += start;
		row.end += start;
		row.call = 0;
		if (rows_add(&builder->site_rows, row, err) < 0)
			return -1;
	}
	return 0;
}

void inline_builder_release(struct inline_builder *builder)
{
	mem_give_back(builder->sites);
	mem_give_back(builder->calls);
	mem_give_back(builder->ranges);
	mem_give_back(builder->site_rows.items);
	mem_give_back(builder->far_rows.items);
	mem_give_back(builder->cells.items);
	mem_give_back(builder->claimed.items);
	mem_give_back(builder->level.items);
}

/* --- Annotations --------------------------------------------------------------------- */

/* One, two or four bytes; the first says which. */
static uint32_t take_operand(struct reader *reader)
{
	uint32_t first = reader_u8(reader), value;

	if ((first & 0x80) == 0)
		return first;
	if ((first & 0xc0) == 0x80)
		return (first & 0x3f) << 8 | reader_u8(reader);
	if ((first & 0xe0) != 0xc0) {
		reader->failed = true;
		return 0;
	}
	value = (first & 0x1f) << 8 | reader_u8(reader);
	value = value << 8 | reader_u8(reader);
	return value << 8 | reader_u8(reader);
}

/* The sign is the lowest bit. */
static uint32_t signed_delta(uint32_t operand)
{
	return operand & 1 ? 0u - (operand >> 1) : operand >> 1;
}

struct annotations {
	struct reader reader;
	uint32_t offset, file, line;
	uint32_t part;               /* of the function that the compiler put elsewhere; 0: none */
	bool changes_part;
	bool emits;
	uint32_t length;             /* of the row emitted; 0: until the next */
	bool closes;                 /* the row before is this long: */
	uint32_t closed_length;
};

static void take_joined(struct annotations *annotations, uint32_t op)
{
	uint32_t operand = take_operand(&annotations->reader);

	if (op == BA_OP_CHANGE_CODE_OFFSET_AND_LINE_OFFSET) {
		annotations->offset += operand & 0xf;
		annotations->line += signed_delta(operand >> 4);
	} else {
		annotations->length = operand;
		annotations->offset += take_operand(&annotations->reader);
	}
	annotations->emits = true;
}

static void take_annotation(struct annotations *annotations)
{
	struct reader *reader = &annotations->reader;
	uint32_t op = take_operand(reader);

	annotations->emits = annotations->closes = annotations->changes_part = false;
	annotations->length = 0;
	switch (op) {
	case BA_OP_CODE_OFFSET:
		annotations->offset = take_operand(reader);
		break;
	case BA_OP_CODE_OFFSET_BASE:
		annotations->part = take_operand(reader);
		annotations->offset = 0;
		annotations->changes_part = true;
		break;
	case BA_OP_CHANGE_CODE_OFFSET:
		annotations->offset += take_operand(reader);
		annotations->emits = true;
		break;
	case BA_OP_CHANGE_CODE_LENGTH:
		annotations->closed_length = take_operand(reader);
		annotations->offset += annotations->closed_length;
		annotations->closes = true;
		break;
	case BA_OP_CHANGE_FILE:
		annotations->file = take_operand(reader);
		break;
	case BA_OP_CHANGE_LINE_OFFSET:
		annotations->line += signed_delta(take_operand(reader));
		break;
	case BA_OP_CHANGE_CODE_OFFSET_AND_LINE_OFFSET:
	case BA_OP_CHANGE_CODE_LENGTH_AND_CODE_OFFSET:
		take_joined(annotations, op);
		break;
	case BA_OP_CHANGE_LINE_END_DELTA: case BA_OP_CHANGE_RANGE_KIND:
	case BA_OP_CHANGE_COLUMN_START: case BA_OP_CHANGE_COLUMN_END_DELTA:
	case BA_OP_CHANGE_COLUMN_END:
		(void)take_operand(reader);
		break;
	default:                                     /* 0 pads the record */
		reader->failed = true;
		break;
	}
}

static void close_row(struct rows *rows, size_t first, uint32_t end)
{
	struct row *last = rows->count > first ? &rows->items[rows->count - 1] : NULL;

	if (last && last->end == ROW_IS_OPEN)
		last->end = end;
}

/* Rows that never end are no rows. */
static void drop_empty(struct rows *rows, size_t first)
{
	size_t kept = first;

	for (size_t i = first; i < rows->count; i++)
		if (rows->items[i].end > rows->items[i].start)
			rows->items[kept++] = rows->items[i];
	rows->count = kept;
}

static int emit_row(struct module_reading *reading, const struct annotations *annotations,
		    uint32_t start, uint32_t site, struct rows *rows, struct err *err)
{
	uint32_t at = (annotations->part ? 0 : start) + annotations->offset;

	if (rows->count > SITE_ROWS_MAX)
		return err_set(err, ERR_LIMIT, "%s: more than %zu lines of inlined calls in "
			       "one function", reading->stream_name, SITE_ROWS_MAX);
	return rows_add(rows, (struct row){ .start = at,
			.end = annotations->length ? at + annotations->length : ROW_IS_OPEN,
			.file = module_file(reading, annotations->file),
			.line = annotations->line, .site = site, .call = annotations->part }, err);
}

/* Rows of the function itself have its addresses; those of its other parts count from where
 * the part begins, which is not known yet. */
static int read_annotations(struct module_reading *reading, struct annotations *annotations,
			    uint32_t start, uint32_t site, struct err *err)
{
	struct inline_builder *builder = &reading->builder;
	size_t first = builder->site_rows.count, first_far = builder->far_rows.count;
	struct rows *rows = &builder->site_rows;
	size_t open = first;                         /* those before are of another run */

	while (!reader_at_end(&annotations->reader)) {
		take_annotation(annotations);
		if (annotations->reader.failed)
			break;
		if (annotations->changes_part) {
			rows = annotations->part ? &builder->far_rows : &builder->site_rows;
			open = rows->count;
		}
		if (annotations->closes && rows->count > open)
			close_row(rows, open, rows->items[rows->count - 1].start +
					      annotations->closed_length);
		if (!annotations->emits)
			continue;
		close_row(rows, open, (annotations->part ? 0 : start) + annotations->offset);
		if (emit_row(reading, annotations, start, site, rows, err) < 0)
			return -1;
	}
	drop_empty(&builder->site_rows, first);
	drop_empty(&builder->far_rows, first_far);
	return 0;
}

/* --- Sites --------------------------------------------------------------------------- */

/* Where the inlined function begins. */
static const struct inlinee_source *find_source(const struct module_lines *lines, uint32_t id)
{
	size_t at;

	SEARCH_PARTITION_POINT(at, 0, lines->source_count, lines->sources[at].id < id);
	return at < lines->source_count && lines->sources[at].id == id ? &lines->sources[at]
									 : NULL;
}

int module_add_site(struct module_reading *reading, struct reader record, bool has_count,
		    uint32_t parent, uint32_t start, uint32_t *number, struct err *err)
{
	struct inline_builder *builder = &reading->builder;
	struct annotations annotations = { .file = UINT32_MAX };
	const struct inlinee_source *source;
	struct site site = { .parent = parent, .depth = 1 };

	reader_skip(&record, 8);                     /* parent's place, end's place */
	site.id = reader_u32(&record);
	if (has_count)
		reader_skip(&record, 4);             /* how often it ran */
	if (parent > 0)
		site.depth = builder->sites[parent - 1].depth + 1;
	if (builder->site_count >= LIMIT_INLINEES_PER_FUNCTION)
		return err_set(err, ERR_LIMIT, "%s: a function with more than %u inlined calls",
			       reading->stream_name, LIMIT_INLINEES_PER_FUNCTION);
	if (vec_reserve(&builder->sites, &builder->site_capacity, builder->site_count + 1,
		     sizeof(site)) < 0)
		return err_set(err, ERR_NO_MEMORY, "no memory for inlined calls");
	if (work_charge(&reading->work, SITE_STEPS + reader_left(&record), err) < 0)
		return -1;
	builder->sites[builder->site_count++] = site;
	*number = (uint32_t)builder->site_count;
	source = find_source(&reading->lines, site.id);
	if (source) {
		annotations.file = source->file;
		annotations.line = source->line;
	}
	annotations.reader = reader_part(&record, "annotations", reader_left(&record));
	return read_annotations(reading, &annotations, start, *number, err);
}

/* --- Calls --------------------------------------------------------------------------- */

/* The call of that site from the place the cell says: one made before, or a new one. */
static int find_call(struct inline_builder *builder, uint32_t site, const struct row *cell,
		     uint32_t *number, struct err *err)
{
	struct call call = { .site = site - 1, .parent = cell->call, .file = cell->file,
			     .line = cell->line,
			     .before = builder->sites[site - 1].last_call };
	uint32_t at = call.before;

	for (unsigned i = 0; at > 0 && i < CALLS_LOOKED_AT; i++) {
		const struct call *other = &builder->calls[at - 1];

		if (other->parent == call.parent && other->file == call.file &&
		    other->line == call.line) {
			*number = at;
			return 0;
		}
		at = other->before;
	}
	if (builder->call_count >= LIMIT_INLINEES_PER_FUNCTION)
		return err_set(err, ERR_LIMIT, "a function with more than %u inlined calls",
			       LIMIT_INLINEES_PER_FUNCTION);
	if (vec_reserve(&builder->calls, &builder->call_capacity, builder->call_count + 1,
		     sizeof(call)) < 0)
		return err_set(err, ERR_NO_MEMORY, "no memory for inlined calls");
	builder->calls[builder->call_count++] = call;
	*number = builder->sites[site - 1].last_call = (uint32_t)builder->call_count;
	return 0;
}

static int add_range(struct inline_builder *builder, uint32_t number, uint32_t start, uint32_t end,
		     struct err *err)
{
	struct call *call = &builder->calls[number - 1];
	struct call_range *last = call->last_range ? &builder->ranges[call->last_range - 1] : NULL;

	if (last && last->end == start) {
		last->end = end;
		return 0;
	}
	if (vec_reserve(&builder->ranges, &builder->range_capacity, builder->range_count + 1,
		     sizeof(*builder->ranges)) < 0)
		return err_set(err, ERR_NO_MEMORY, "no memory for inlined calls");
	builder->ranges[builder->range_count++] = (struct call_range){ start, end, 0 };
	if (call->last_range)
		builder->ranges[call->last_range - 1].next = (uint32_t)builder->range_count;
	else
		call->first_range = (uint32_t)builder->range_count;
	call->last_range = (uint32_t)builder->range_count;
	call->range_count++;
	return 0;
}

/* --- Levels -------------------------------------------------------------------------- */

static int collect_level(struct inline_builder *builder, uint32_t depth,
			 struct work_allowance *work, struct err *err)
{
	builder->level.count = 0;
	if (work_charge(work, builder->site_rows.count, err) < 0)
		return -1;
	for (size_t i = 0; i < builder->site_rows.count; i++) {
		const struct row *row = &builder->site_rows.items[i];

		if (builder->sites[row->site - 1].depth == depth &&
		    rows_add(&builder->level, *row, err) < 0)
			return -1;
	}
	rows_sort(&builder->level);
	return 0;
}

static int claim(struct inline_builder *builder, const struct row *cell, const struct row *by,
		 uint32_t start, uint32_t end, struct err *err)
{
	struct row claimed = *by;

	claimed.start = start;
	claimed.end = end;
	if (find_call(builder, by->site, cell, &claimed.call, err) < 0 ||
	    add_range(builder, claimed.call, start, end, err) < 0)
		return -1;
	return rows_add(&builder->claimed, claimed, err);
}

static int keep(struct rows *done, struct row cell, uint32_t start, uint32_t end, struct err *err)
{
	cell.start = start;
	cell.end = end;
	return start < end ? rows_add(done, cell, err) : 0;
}

/* The rows of sites directly inside the cell's own claim their parts; the first to begin
 * wins where two do. */
static int paint_cell(struct inline_builder *builder, const struct row *cell, size_t *low,
		      struct work_allowance *work, struct rows *done, struct err *err)
{
	const struct rows *level = &builder->level;
	uint32_t at = cell->start;

	while (*low < level->count && level->items[*low].end <= cell->start)
		++*low;
	for (size_t i = *low; i < level->count && level->items[i].start < cell->end; i++) {
		const struct row *by = &level->items[i];
		uint32_t start = by->start > at ? by->start : at;
		uint32_t end = by->end < cell->end ? by->end : cell->end;

		if (work_charge(work, 1, err) < 0)
			return -1;
		if (builder->sites[by->site - 1].parent != cell->site || start >= end)
			continue;
		if (keep(done, *cell, at, start, err) < 0 ||
		    claim(builder, cell, by, start, end, err) < 0)
			return -1;
		at = end;
	}
	return keep(done, *cell, at, cell->end, err);
}

static int paint_level(struct inline_builder *builder, uint32_t depth, struct work_allowance *work,
		       struct rows *done, struct err *err)
{
	size_t low = 0;

	if (collect_level(builder, depth, work, err) < 0)
		return -1;
	builder->claimed.count = 0;
	for (size_t i = 0; i < builder->cells.count; i++)
		if (paint_cell(builder, &builder->cells.items[i], &low, work, done, err) < 0)
			return -1;
	return 0;
}

static void swap_rows(struct rows *a, struct rows *b)
{
	struct rows c = *a;

	*a = *b;
	*b = c;
}

int module_paint(struct module_reading *reading, uint32_t end, struct err *err)
{
	struct inline_builder *builder = &reading->builder;
	struct rows *rows = &reading->rows;

	if (builder->site_rows.count == 0)
		return 0;
	for (size_t i = 0; i < rows->count; i++)
		rows->items[i].end = i + 1 < rows->count ? rows->items[i + 1].start : end;
	swap_rows(rows, &builder->cells);
	rows->count = 0;
	for (uint32_t depth = 1; builder->cells.count > 0 && depth < LIMIT_INLINE_DEPTH; depth++) {
		if (paint_level(builder, depth, &reading->work, rows, err) < 0)
			return err_while(err, "%s", reading->stream_name);
		swap_rows(&builder->cells, &builder->claimed);
	}
	for (size_t i = 0; i < builder->cells.count; i++)
		if (rows_add(rows, builder->cells.items[i], err) < 0)
			return -1;
	rows_sort(rows);
	return 0;
}
