/* cficache.c -- in a cell: from an object to the text its stacks are unwound by. */
#include "convert/convert_internal.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/mem.h"
#include "cfi/cfi.h"
#include "sandbox/sandbox.h"

/* The words of a SymCache's reply: a record is a unit. */
static void write_reply(const struct cfi_report *report, struct buf *out)
{
	struct json_writer json;

	json_writer_init(&json, out);
	json_object(&json);
	json_member_u64(&json, "units", report->records + report->bad_records);
	json_member_u64(&json, "bad_units", report->bad_records);
	json_member_u64(&json, "ranges", report->records);
	json_member_u64(&json, "bytes", report->bytes);
	json_member_u64(&json, "steps", report->steps);
	if (report->first_bad[0])
		json_member_string(&json, "first_bad", report->first_bad);
	json_object_end(&json);
}

int convert_run_cficache(struct cell *cell, struct err *err)
{
	static const struct cfi_options options;
	struct file_map map = { NULL, 0 };
	struct cfi_report report;
	struct object object;
	struct arena arena;
	int rc = -1;

	mem_keep_no_large_blocks();
	arena_init(&arena, cell->memory_bytes);
	if (file_map_fd(&map, cell_input(cell, "object"), err) == 0 &&
	    object_open(&object, map.bytes, map.size, &arena, err) == 0) {
		rc = cfi_write(&object, &options, cell_output(cell, "cficache"), &report, err);
		object_release(&object);
	}
	if (rc == 0) {
		write_reply(&report, cell->reply);
		rc = buf_check(cell->reply, err);
	}
	file_unmap(&map);
	arena_release(&arena);
	return rc;
}
