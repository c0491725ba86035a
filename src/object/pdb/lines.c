/* lines.c -- C13 and C11 line numbers, file checksums, lines of inlined functions. */
#include <stdlib.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/search.h"
#include "base/vec.h"
#include "object/pdb/codeview.h"
#include "object/pdb/module.h"

#define LINES_HAVE_COLUMNS 1u
#define LINE_BITS          0x00ffffffu
#define INLINEE_HAS_FILES  1u            /* signature of DEBUG_S_INLINEELINES */
#define ROW_BYTES          8u
#define COLUMN_BYTES       4u
#define CHECKSUM_ALIGN     4u
#define BLOCK_STEPS        4u            /* of work, beside its rows */
/* Lines no source has, for code a debugger steps over, or always into. */
#define LINE_NEVER_STEP_IN  0xf00f00u
#define LINE_ALWAYS_STEP_IN 0xfeefeeu

/* --- Rows ---------------------------------------------------------------------------- */

int rows_add(struct rows *rows, struct row row, struct err *err)
{
	if (vec_reserve(&rows->items, &rows->capacity, rows->count + 1, sizeof(row)) < 0)
		return err_set(err, ERR_NO_MEMORY, "no memory for lines");
	rows->items[rows->count++] = row;
	return 0;
}

static int compare_rows(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->end < y->end ? -1 : x->end > y->end;
}

void rows_sort(struct rows *rows)
{
	for (size_t i = 1; i < rows->count; i++) {
		if (compare_rows(&rows->items[i - 1], &rows->items[i]) <= 0)
			continue;
		qsort(rows->items, rows->count, sizeof(*rows->items), compare_rows);
		return;
	}
}

/* --- Files --------------------------------------------------------------------------- */

static struct object_file_name split_path(struct text path)
{
	size_t cut = path.size;

	while (cut > 0 && path.bytes[cut - 1] != '\\' && path.bytes[cut - 1] != '/')
		cut--;
	if (cut <= 1 || cut == path.size)
		return (struct object_file_name){ .name = path };
	return (struct object_file_name){
		.directory = { path.bytes, cut - 1 },
		.name = { path.bytes + cut, path.size - cut },
	};
}

/* A file's name is looked up when the first line names it. */
uint32_t module_file(struct module_reading *reading, uint32_t place)
{
	struct module_lines *lines = &reading->lines;
	struct reader checksum = lines->checksums, strings = reading->pdb->strings;
	uint32_t slot = place / CHECKSUM_ALIGN;

	if (slot >= lines->checksum_slots || place % CHECKSUM_ALIGN != 0)
		return OBJECT_NO_FILE;
	if (lines->file_at[slot] > 0)
		return lines->file_at[slot] - 1;
	reader_seek(&checksum, place);
	reader_seek(&strings, reader_u32(&checksum));
	if (checksum.failed || strings.failed)
		return OBJECT_NO_FILE;
	lines->files[slot] = split_path(reader_string(&strings));
	lines->file_at[slot] = slot + 1;
	return slot;
}

/* One place for each four bytes of checksums: an entry takes eight at least, so that no
 * index has to be made before it is known who is asked for. */
static int open_files(struct module_reading *reading, size_t more, struct err *err)
{
	struct module_lines *lines = &reading->lines;

	lines->checksum_slots = lines->checksums.size / CHECKSUM_ALIGN;
	lines->file_count = lines->checksum_slots + more;
	lines->files = arena_alloc(reading->scratch, lines->file_count + 1,
				   sizeof(*lines->files));
	lines->file_at = arena_alloc(reading->scratch, lines->checksum_slots + 1,
				     sizeof(*lines->file_at));
	if (!lines->files || !lines->file_at)
		return err_set(err, ERR_NO_MEMORY, "no memory for %zu files", lines->file_count);
	return 0;
}

/* --- C13 ----------------------------------------------------------------------------- */

typedef int subsection_fn(struct module_reading *reading, uint32_t kind, struct reader content,
			  struct err *err);

static int each_subsection(struct module_reading *reading, struct reader c13, subsection_fn *fn,
			   struct err *err)
{
	while (reader_left(&c13) >= 8) {
		size_t at = c13.pos;
		uint32_t kind = reader_u32(&c13), size = reader_u32(&c13);
		struct reader content = reader_part(&c13, "lines", size);

		if (c13.failed)
			return err_set(err, ERR_MALFORMED, "%s: subsection 0x%x of %u bytes at byte "
				       "%zu of %zu of its lines does not fit",
				       reading->stream_name, kind, size, at, c13.size);
		if (!(kind & (uint32_t)DEBUG_S_IGNORE) && fn(reading, kind, content, err) < 0)
			return -1;
		while (c13.pos % 4 != 0 && !reader_at_end(&c13))
			reader_skip(&c13, 1);
	}
	return 0;
}

static size_t inlinee_bytes(struct reader *content)
{
	return reader_u32(content) == INLINEE_HAS_FILES ? 16 : 12;
}

static int count_subsection(struct module_reading *reading, uint32_t kind, struct reader content,
			    struct err *err)
{
	struct module_lines *lines = &reading->lines;

	(void)err;
	switch (kind) {
	case DEBUG_S_LINES:
		lines->fragment_count++;
		break;
	case DEBUG_S_FILECHKSMS:
		lines->checksums = content;
		break;
	case DEBUG_S_INLINEELINES:
		lines->source_count += reader_left(&content) / 12;
		break;
	case DEBUG_S_CROSSSCOPEIMPORTS:
		lines->imports = content;
		break;
	default:
		break;
	}
	return 0;
}

static void add_fragment(struct module_reading *reading, struct reader content)
{
	struct module_lines *lines = &reading->lines;
	struct fragment fragment = { .offset = reader_u32(&content) };
	uint32_t size;

	fragment.section = reader_u16(&content);
	fragment.has_columns = reader_u16(&content) & LINES_HAVE_COLUMNS;
	size = reader_u32(&content);
	fragment.start = pdb_source_address(reading->pdb, fragment.section, fragment.offset);
	if (content.failed || fragment.start == PDB_NO_ADDRESS || size == 0 ||
	    size > PDB_NO_ADDRESS - fragment.start)
		return;
	fragment.end = fragment.start + size;
	fragment.blocks = reader_part(&content, "lines", reader_left(&content));
	lines->fragments[lines->fragment_count++] = fragment;
}

static void add_sources(struct module_lines *lines, struct reader content)
{
	size_t bytes = inlinee_bytes(&content);

	while (reader_left(&content) >= 12 && !content.failed) {
		struct inlinee_source source = { .id = reader_u32(&content) };

		source.file = reader_u32(&content);
		source.line = reader_u32(&content);
		if (bytes > 12)                      /* files beyond the first */
			reader_skip(&content, (uint64_t)reader_u32(&content) * 4);
		lines->sources[lines->source_count++] = source;
	}
}

static int take_subsection(struct module_reading *reading, uint32_t kind, struct reader content,
			   struct err *err)
{
	(void)err;
	if (kind == DEBUG_S_LINES)
		add_fragment(reading, content);
	else if (kind == DEBUG_S_INLINEELINES)
		add_sources(&reading->lines, content);
	return 0;
}

/* --- C11 ----------------------------------------------------------------------------- */

/* One file's lines in one section: offsets, then as many line numbers. */
static void add_old_lines(struct module_reading *reading, struct reader block, uint32_t file,
			  uint32_t first, uint32_t last)
{
	struct module_lines *lines = &reading->lines;
	struct fragment fragment = { .section = reader_u16(&block), .offset = first };
	uint32_t count = reader_u16(&block);
	struct reader offsets = reader_part(&block, "offsets", (uint64_t)count * 4);
	struct row *rows = arena_alloc(reading->scratch, count + 1u, sizeof(*rows));

	fragment.start = pdb_source_address(reading->pdb, fragment.section, first);
	if (!rows || block.failed || !work_spend(&reading->work, count) || fragment.start == PDB_NO_ADDRESS || last < first ||
	    last - first >= PDB_NO_ADDRESS - fragment.start)
		return;
	fragment.end = fragment.start + (last - first) + 1;
	for (uint32_t i = 0; i < count; i++)
		rows[i] = (struct row){ .start = pdb_source_address(reading->pdb,
								    fragment.section,
								    reader_u32(&offsets)),
					.file = file, .line = reader_u16(&block) };
	fragment.rows = rows;
	fragment.row_count = count;
	lines->fragments[lines->fragment_count++] = fragment;
}

static void add_old_file(struct module_reading *reading, struct reader c11, struct reader entry,
			 uint32_t file)
{
	uint32_t count = reader_u16(&entry);
	struct reader places, ranges;
	const uint8_t *name;
	uint8_t size;

	reader_skip(&entry, 2);
	places = reader_part(&entry, "places of lines", (uint64_t)count * 4);
	ranges = reader_part(&entry, "ranges of lines", (uint64_t)count * 8);
	size = reader_u8(&entry);
	name = reader_take(&entry, size);
	if (!name)
		return;
	reading->lines.files[file] = split_path((struct text){ (const char *)name, size });
	for (uint32_t i = 0; i < count && work_spend(&reading->work, BLOCK_STEPS); i++) {
		struct reader block = c11;
		uint32_t first = reader_u32(&ranges), last = reader_u32(&ranges);

		reader_seek(&block, reader_u32(&places));
		add_old_lines(reading, block, file, first, last);
	}
}

/* Files, each with its sections.  Counting: how many lists of lines there are. */
static size_t each_old_file(struct module_reading *reading, struct reader c11, bool counting)
{
	struct reader head = c11;
	uint32_t count = reader_u16(&head);
	size_t lists = 0;

	reader_skip(&head, 2);
	for (uint32_t i = 0; i < count && !head.failed; i++) {
		struct reader entry = c11;

		reader_seek(&entry, reader_u32(&head));
		if (counting)
			lists += reader_u16(&entry);
		else
			add_old_file(reading, c11, entry,
				     (uint32_t)reading->lines.checksum_slots + i);
	}
	return lists;
}

/* --- Opening ------------------------------------------------------------------------- */

static int compare_fragments(const void *a, const void *b)
{
	const struct fragment *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->blocks.bytes < y->blocks.bytes ? -1 : x->blocks.bytes > y->blocks.bytes;
}

static int compare_sources(const void *a, const void *b)
{
	const struct inlinee_source *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

static void sort_fragments(struct module_lines *lines)
{
	for (size_t i = 1; i < lines->fragment_count; i++) {
		if (lines->fragments[i - 1].start <= lines->fragments[i].start)
			continue;
		qsort(lines->fragments, lines->fragment_count, sizeof(*lines->fragments),
		      compare_fragments);
		return;
	}
}

int module_lines_open(struct module_reading *reading, struct reader c11, struct reader c13,
		      struct err *err)
{
	struct module_lines *lines = &reading->lines;
	struct reader head = c11;
	size_t old_files = reader_u16(&head), old_lists = each_old_file(reading, c11, true);

	if (each_subsection(reading, c13, count_subsection, err) < 0 ||
	    open_files(reading, old_files, err) < 0)
		return -1;
	lines->fragments = arena_alloc_raw(reading->scratch,
					   lines->fragment_count + old_lists + 1,
					   sizeof(*lines->fragments));
	lines->sources = arena_alloc_raw(reading->scratch, lines->source_count + 1,
					 sizeof(*lines->sources));
	if (!lines->fragments || !lines->sources)
		return err_set(err, ERR_NO_MEMORY, "no memory for %zu runs of lines",
			       lines->fragment_count);
	lines->fragment_count = lines->source_count = 0;
	if (each_subsection(reading, c13, take_subsection, err) < 0)
		return -1;
	each_old_file(reading, c11, false);
	sort_fragments(lines);
	if (lines->source_count > 1)
		qsort(lines->sources, lines->source_count, sizeof(*lines->sources),
		      compare_sources);
	return 0;
}

/* --- Rows of a function -------------------------------------------------------------- */

static int add_row(struct module_reading *reading, const struct fragment *fragment, uint32_t offset,
		   uint32_t file, uint32_t line, struct err *err)
{
	if (offset >= fragment->end - fragment->start)
		return 0;
	if (line == LINE_NEVER_STEP_IN || line == LINE_ALWAYS_STEP_IN)
		line = 0;
	return rows_add(&reading->rows,
			(struct row){ .start = fragment->start + offset,
				      .end = (uint32_t)reading->rows.count,  /* keeps the order */
				      .file = file, .line = line }, err);
}

static int add_block(struct module_reading *reading, const struct fragment *fragment,
		     struct reader *blocks, struct err *err)
{
	uint32_t place = reader_u32(blocks), count = reader_u32(blocks);
	uint32_t bytes = reader_u32(blocks), file;
	struct reader rows;

	if (bytes < 12 || count > (bytes - 12) / ROW_BYTES) {
		blocks->failed = true;
		return 0;
	}
	if (work_charge(&reading->work, BLOCK_STEPS + count, err) < 0)
		return -1;
	rows = reader_part(blocks, "lines", bytes - 12);
	file = module_file(reading, place);
	for (uint32_t i = 0; i < count && !blocks->failed; i++) {
		uint32_t offset = reader_u32(&rows);
		uint32_t line = reader_u32(&rows) & LINE_BITS;

		if (add_row(reading, fragment, offset, file, line, err) < 0)
			return -1;
	}
	return 0;
}

static int add_fragment_rows(struct module_reading *reading, const struct fragment *fragment,
			     struct err *err)
{
	struct reader blocks = fragment->blocks;

	if (work_charge(&reading->work, fragment->row_count, err) < 0)
		return -1;
	for (size_t i = 0; i < fragment->row_count; i++)
		if (fragment->rows[i].start >= fragment->start &&
		    add_row(reading, fragment, fragment->rows[i].start - fragment->start,
			    fragment->rows[i].file, fragment->rows[i].line, err) < 0)
			return -1;
	while (reader_left(&blocks) >= 12 && !blocks.failed)
		if (add_block(reading, fragment, &blocks, err) < 0)
			return -1;
	return 0;
}

/* The first fragment that may reach beyond the address: they hardly ever overlap, so one
 * step back from those that begin there is enough. */
static size_t first_fragment(const struct module_lines *lines, uint32_t address)
{
	size_t at;

	SEARCH_PARTITION_POINT(at, 0, lines->fragment_count,
			       lines->fragments[at].start < address);
	return at > 0 ? at - 1 : 0;
}

/* Sorted rows -> ascending ones inside [start, end) from start on; of equal addresses the
 * last counts. */
static void settle_rows(struct rows *rows, uint32_t start, uint32_t end)
{
	size_t kept = 0;

	for (size_t i = 0; i < rows->count; i++) {
		struct row row = rows->items[i];

		if (row.start >= end)
			break;
		if (row.start < start)
			row.start = start;
		if (kept > 0 && rows->items[kept - 1].start == row.start)
			kept--;
		rows->items[kept++] = row;
	}
	rows->count = kept;
}

/* Functions with the same code may share it: all are there with their lines.  The first
 * function is the one that is told, so its lines, which are the first too, are. */
static bool is_folded(const struct module_lines *lines, size_t index)
{
	const struct fragment *fragment = &lines->fragments[index];

	return index > 0 && !fragment->rows && fragment[-1].start == fragment->start &&
	       fragment[-1].end == fragment->end;
}

int module_lines_between(struct module_reading *reading, uint32_t start, uint32_t end,
			 struct err *err)
{
	struct module_lines *lines = &reading->lines;
	/* Before all others, also before those of a run that began earlier. */
	struct row nothing = { .start = 0, .file = OBJECT_NO_FILE };

	reading->rows.count = 0;
	if (rows_add(&reading->rows, nothing, err) < 0)
		return -1;
	for (size_t i = first_fragment(lines, start);
	     i < lines->fragment_count && lines->fragments[i].start < end; i++) {
		struct fragment *fragment = &lines->fragments[i];

		if (work_charge(&reading->work, 1, err) < 0)
			return -1;
		if (fragment->end <= start)
			continue;
		if (fragment->start >= start && fragment->end <= end)
			fragment->is_covered = true;
		if (is_folded(lines, i))
			continue;
		if (add_fragment_rows(reading, fragment, err) < 0)
			return -1;
		nothing.start = fragment->end;
		nothing.end = (uint32_t)reading->rows.count;
		if (fragment->end < end && rows_add(&reading->rows, nothing, err) < 0)
			return -1;
	}
	rows_sort(&reading->rows);
	settle_rows(&reading->rows, start, end);
	return 0;
}
