/* managed.c -- in a cell: from an object with managed code to its lookup file. */
#include "convert/convert_internal.h"

#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "ppdbcache/ppdbcache.h"
#include "sandbox/sandbox.h"

/* The words of a SymCache's reply: a method is a unit. */
static void write_reply(const struct ppdbcache_report *report, struct buf *out)
{
	struct json_writer json;

	json_writer_init(&json, out);
	json_object(&json);
	json_member_u64(&json, "units", report->managed.methods + report->managed.bad_methods);
	json_member_u64(&json, "bad_units", report->managed.bad_methods);
	json_member_u64(&json, "ranges", report->ranges);
	json_member_u64(&json, "bytes", report->bytes);
	if (report->managed.first_bad[0])
		json_member_string(&json, "first_bad", report->managed.first_bad);
	json_object_end(&json);
}

int convert_run_ppdbcache(struct cell *cell, struct err *err)
{
	struct file_map map = { NULL, 0 };
	struct ppdbcache_report report;
	struct object object;
	struct arena arena;
	int rc = -1;

	arena_init(&arena, cell->memory_bytes);
	if (file_map_fd(&map, cell_input(cell, "object"), err) == 0 &&
	    object_open(&object, map.bytes, map.size, &arena, err) == 0) {
		rc = ppdbcache_write(&object, cell->memory_bytes, cell_output(cell, "ppdbcache"),
				     &report, err);
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
