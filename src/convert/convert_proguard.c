/* convert_proguard.c -- in a cell: from a mapping of ProGuard or R8 to its lookup file. */
#include "convert/convert_internal.h"

#include <cjson/cJSON.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/mem.h"
#include "proguard/proguard_write.h"
#include "sandbox/sandbox.h"

static int read_max_bytes(const struct cell *cell, uint64_t *max_bytes, struct err *err)
{
	cJSON *object;

	if (convert_json_parse(cell->parameters, &object, err) < 0)
		return -1;
	*max_bytes = convert_json_size(object, "max_bytes");
	cJSON_Delete(object);
	return 0;
}

/* The words of a SymCache's reply: a line that is none is a bad unit. */
static void write_reply(const struct proguard_report *report, struct buf *out)
{
	struct json_writer json;

	json_writer_init(&json, out);
	json_object(&json);
	json_member_u64(&json, "units", report->classes + report->fields + report->methods + report->failed);
	json_member_u64(&json, "bad_units", report->failed);
	json_member_u64(&json, "ranges", report->methods);
	json_member_u64(&json, "bytes", report->bytes);
	json_object_end(&json);
}

int convert_run_proguard(struct cell *cell, struct err *err)
{
	struct file_map map = { NULL, 0 };
	struct convert_packed packed = {
		&map, cell_input(cell, "file"), cell_output(cell, "proguard"), 0, true,
	};
	struct proguard_report report;
	char *held = NULL;
	struct text text;
	int rc;

	mem_keep_no_large_blocks();
	rc = read_max_bytes(cell, &packed.max_bytes, err);
	if (rc == 0)
		rc = file_map_fd(&map, packed.in, err);
	if (rc == 0)
		rc = convert_unpack_text(&packed, &text, &held, err);
	if (rc == 0)
		rc = proguard_write(text, cell->memory_bytes, packed.out, &report, err);
	if (rc == 0) {
		write_reply(&report, cell->reply);
		rc = buf_check(cell->reply, err);
	}
	mem_give_back(held);
	file_unmap(&map);
	return rc;
}
