/* symbfile_part.c -- in a cell: from a symbfile, as it was uploaded, to its index. */
#include "convert/convert_internal.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/mem.h"
#include "sandbox/sandbox.h"
#include "symbfile/symbfile_index.h"

static void write_reply(const struct symbfile_index_report *report, struct buf *out)
{
	struct json_writer json;

	json_writer_init(&json, out);
	json_object(&json);
	json_member_u64(&json, "ranges", report->read.ranges);
	json_member_u64(&json, "pads", report->read.pads);
	json_member_u64(&json, "segments", report->segments);
	json_member_u64(&json, "bytes", report->bytes);
	json_object_end(&json);
}

int convert_run_symbfile(struct cell *cell, struct err *err)
{
	struct symbfile_index_report report;
	struct file_map map = { NULL, 0 };
	int rc;

	mem_keep_no_large_blocks();
	rc = file_map_fd(&map, cell_input(cell, "file"), err);
	if (rc == 0)
		rc = symbfile_index_write(map.bytes, map.size, cell->memory_bytes, cell_output(cell, "index"),
					  &report, err);
	if (rc == 0) {
		write_reply(&report, cell->reply);
		rc = buf_check(cell->reply, err);
	}
	file_unmap(&map);
	return rc;
}
