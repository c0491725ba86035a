/* cficache.c -- in a cell: from an object to the text its stacks are unwound by. */
#include "convert/convert_internal.h"

#include <limits.h>

#include <cjson/cJSON.h>

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

static int read_parameters(struct text parameters, struct cfi_options *options, struct err *err)
{
	uint64_t chain_max;
	cJSON *object;

	if (parameters.size == 0)
		return 0;
	if (convert_json_parse(parameters, &object, err) < 0)
		return -1;
	chain_max = convert_json_size(object, "unwind_chain_max");
	options->chain_max = chain_max > UINT_MAX ? UINT_MAX : (unsigned)chain_max;
	object_section_max_bytes = convert_json_size(object, "max_section_bytes");
	cJSON_Delete(object);
	return 0;
}

int convert_run_cficache(struct cell *cell, struct err *err)
{
	struct cfi_options options = { .chain_max = 0 };
	struct file_map map = { NULL, 0 };
	struct cfi_report report;
	struct object object;
	struct arena arena;
	int rc = -1;

	mem_keep_no_large_blocks();
	arena_init(&arena, cell->memory_bytes);
	if (read_parameters(cell->parameters, &options, err) == 0 &&
	    file_map_fd(&map, cell_input(cell, "object"), err) == 0 &&
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
