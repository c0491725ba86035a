/* points.c -- sequence points: which line each piece of a method's IL code came from. */
#include "object/ppdb/ppdb.h"

#include <stdio.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/limits.h"

#define METHOD_STEPS 8u              /* of work, beside its points */
#define POINT_BYTES_MIN 2u           /* the shortest record */

/* Of all methods. */
struct counting {
	struct work_allowance work;
	uint64_t points;
};

struct points_walk {
	struct reader reader;
	uint32_t document;           /* from 1; 0: none yet */
	uint32_t offset;
	int64_t line;                /* of the last point that is not hidden */
	bool any, any_visible;
};

/* Lines and columns the point spans, and where it starts: only the first line matters.
 * false: hidden. */
static bool read_span(struct points_walk *walk)
{
	uint32_t lines = ppdb_unsigned(&walk->reader);
	int32_t columns = lines ? ppdb_signed(&walk->reader)
				: (int32_t)ppdb_unsigned(&walk->reader);

	if (lines == 0 && columns == 0)
		return false;
	if (walk->any_visible) {
		walk->line += ppdb_signed(&walk->reader);
		(void)ppdb_signed(&walk->reader);
	} else {
		walk->line = ppdb_unsigned(&walk->reader);
		(void)ppdb_unsigned(&walk->reader);
		walk->any_visible = true;
	}
	return true;
}

/* One record.  1: `point` is a place, 0: it is none, -1: the blob is broken. */
static int read_record(struct points_walk *walk, uint32_t document_count,
		       struct object_point *point,
		       struct err *err)
{
	uint32_t delta = ppdb_unsigned(&walk->reader);
	bool visible;

	if (walk->any && delta == 0) {
		walk->document = ppdb_unsigned(&walk->reader);
		return reader_check(&walk->reader, err);
	}
	walk->any = true;
	if (__builtin_add_overflow(walk->offset, delta, &walk->offset))
		walk->reader.failed = true;
	visible = read_span(walk);
	if (reader_check(&walk->reader, err) < 0)
		return -1;
	if (!visible)
		return 0;
	if (walk->document < 1 || walk->document > document_count)
		return err_set(err, ERR_MALFORMED, "sequence points of document %u of %u",
			       (unsigned)walk->document, (unsigned)document_count);
	if (walk->line < 0 || walk->line > UINT32_MAX)
		return err_set(err, ERR_MALFORMED, "sequence points run to line %lld",
			       (long long)walk->line);
	*point = (struct object_point){ walk->offset, walk->document - 1, (uint32_t)walk->line };
	return 1;
}

/* Header: the signature of the locals, and the document when the row names none. */
static int begin(const struct ppdb *ppdb, uint32_t row, struct points_walk *walk, struct err *err)
{
	struct reader reader = ppdb_row(ppdb, PPDB_METHOD_DEBUG, row);
	uint32_t document = (uint32_t)reader_unsigned(&reader,
						      ppdb_row_index_width(ppdb, PPDB_DOCUMENT));
	uint32_t index = (uint32_t)reader_unsigned(&reader, ppdb->blobs.width);
	struct text blob;

	*walk = (struct points_walk){ .document = document };
	if (reader_check(&reader, err) < 0 || ppdb_blob(ppdb, index, &blob, err) < 0)
		return -1;
	walk->reader = reader_over("sequence points", blob.bytes, blob.size);
	if (blob.size == 0)
		return 0;
	(void)ppdb_unsigned(&walk->reader);
	if (document == 0)
		walk->document = ppdb_unsigned(&walk->reader);
	return reader_check(&walk->reader, err);
}

/* Blobs can be shared by many methods: `count` grows by the records there may be. */
static int read_method(const struct ppdb *ppdb, uint32_t row, struct arena *scratch,
		       struct object_method *method, struct counting *counting, struct err *err)
{
	struct object_point *points;
	struct points_walk walk;
	size_t most;

	if (begin(ppdb, row, &walk, err) < 0)
		return -1;
	most = reader_left(&walk.reader) / POINT_BYTES_MIN;
	if (work_charge(&counting->work, METHOD_STEPS + most, err) < 0)
		return -1;
	counting->points += most;
	if (counting->points > LIMIT_SEQUENCE_POINTS)
		return err_set(err, ERR_LIMIT, "more than %u sequence points",
			       LIMIT_SEQUENCE_POINTS);
	points = arena_alloc_raw(scratch, most + 1, sizeof(*points));
	if (!points)
		return err_set(err, ERR_NO_MEMORY, "no memory for sequence points");
	method->points = points;
	method->point_count = 0;
	while (!reader_at_end(&walk.reader)) {
		int got = read_record(&walk, ppdb->rows[PPDB_DOCUMENT],
				      &points[method->point_count], err);

		if (got < 0)
			return -1;
		method->point_count += (size_t)got;
	}
	return 0;
}

/* --- State machines ---------------------------------------------------------------------- */

/* The table is sorted by its first column; the walk follows it. */
static uint32_t kickoff_of(const struct ppdb *ppdb, uint32_t method, uint32_t *row)
{
	unsigned width = ppdb_row_index_width(ppdb, PPDB_METHOD_DEF);

	while (*row <= ppdb->rows[PPDB_STATE_MACHINE]) {
		struct reader reader = ppdb_row(ppdb, PPDB_STATE_MACHINE, *row);
		uint32_t move_next = (uint32_t)reader_unsigned(&reader, width);
		uint32_t kickoff = (uint32_t)reader_unsigned(&reader, width);

		if (move_next > method)
			break;
		if (move_next == method)
			return kickoff;
		++*row;
	}
	return 0;
}

/* --- All methods ------------------------------------------------------------------------- */

static void note_bad(struct object_managed_report *report, uint32_t row, const struct err *why)
{
	if (report->bad_methods++ == 0)
		snprintf(report->first_bad, sizeof(report->first_bad), "method %u: %.200s",
			 (unsigned)row, why->text);
}

static int tell_method(const struct ppdb *ppdb, uint32_t row, struct arena *scratch,
		       const struct object_document *documents, uint32_t *machine,
		       struct counting *counting, const struct object_managed_sink *sink,
		       struct object_managed_report *report, struct err *err)
{
	struct object_method method = { .number = row };
	struct err bad = ERR_INIT;

	if (read_method(ppdb, row, scratch, &method, counting, &bad) < 0) {
		if (bad.kind == ERR_MALFORMED) {
			note_bad(report, row, &bad);
			return 0;
		}
		*err = bad;
		return -1;
	}
	report->methods++;
	method.kickoff = kickoff_of(ppdb, row, machine);
	return sink->method(sink->payload, documents, ppdb->rows[PPDB_DOCUMENT], &method, err);
}

int ppdb_each_method(const struct object *object, struct arena *scratch,
		     const struct object_managed_sink *sink, struct object_managed_report *report,
		     struct err *err)
{
	const struct ppdb *ppdb = object->state;
	struct object_document *documents;
	struct counting counting = { .points = 0 };
	uint32_t machine = 1;
	int rc;

	*report = (struct object_managed_report){ .methods = 0 };
	work_allowance_begin(&counting.work, object->work, object->size);
	rc = ppdb_documents(ppdb, scratch, &documents, &counting.work, err);
	for (uint32_t row = 1; rc >= 0 && row <= ppdb->rows[PPDB_METHOD_DEBUG]; row++) {
		struct arena_mark mark = arena_mark(scratch);

		rc = tell_method(ppdb, row, scratch, documents, &machine, &counting, sink, report,
				 err);
		arena_rewind(scratch, mark);
	}
	work_allowance_end(&counting.work);
	return rc < 0 ? -1 : 0;
}
