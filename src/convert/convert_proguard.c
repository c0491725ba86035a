/* convert_proguard.c -- in a cell: from a mapping of ProGuard or R8 to its lookup file. */
#include "convert/convert_internal.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/mem.h"
#include "proguard/proguard_write.h"
#include "sandbox/sandbox.h"
#include "unpack/unpack.h"

static int read_max_bytes(const struct cell *cell, uint64_t *max_bytes, struct err *err)
{
	cJSON *object;

	if (convert_json_parse(cell->parameters, &object, err) < 0)
		return -1;
	*max_bytes = convert_json_size(object, "max_bytes");
	cJSON_Delete(object);
	return 0;
}

/* Into the output, which serves as the place to unpack to; what lies there is copied to memory, and the
 * output emptied again. */
static int unpack(enum unpack_kind kind, const struct file_map *packed, int in, int out, uint64_t max_bytes,
		  struct text *text, struct err *err)
{
	const struct text archive = { (const char *)packed->bytes, packed->size };
	struct file_map map = { NULL, 0 };
	char *copy;
	int rc;

	if (lseek(in, 0, SEEK_SET) < 0)
		return err_os(err, errno, "going to the start of the input");
	rc = kind == UNPACK_ZIP || kind == UNPACK_CAB ? unpack_archive(kind, archive, out, max_bytes, err)
						      : unpack_stream(kind, in, out, max_bytes, err);
	if (rc < 0)
		return err_while(err, "unpacking %s", unpack_kind_name(kind));
	if (file_map_fd(&map, out, err) < 0)
		return -1;
	copy = mem_get(map.size + 1);
	if (copy && map.size)
		memcpy(copy, map.bytes, map.size);
	*text = (struct text){ copy, map.size };
	file_unmap(&map);
	if (!copy)
		return err_set(err, ERR_NO_MEMORY, "no memory for a mapping");
	if (ftruncate(out, 0) < 0 || lseek(out, 0, SEEK_SET) < 0)
		return err_os(err, errno, "emptying the output");
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
	int in = cell_input(cell, "file"), out = cell_output(cell, "proguard");
	struct file_map map = { NULL, 0 };
	struct proguard_report report;
	struct text text, unpacked = TEXT_NONE;
	enum unpack_kind kind;
	uint64_t max_bytes = 0;
	int rc;

	mem_keep_no_large_blocks();
	rc = read_max_bytes(cell, &max_bytes, err);
	if (rc == 0)
		rc = file_map_fd(&map, in, err);
	text = (struct text){ (const char *)map.bytes, map.size };
	kind = rc == 0 ? unpack_recognise(map.bytes, map.size) : UNPACK_NONE;
	if (kind != UNPACK_NONE) {
		rc = unpack(kind, &map, in, out, max_bytes, &unpacked, err);
		text = unpacked;
	}
	if (rc == 0)
		rc = proguard_write(text, cell->memory_bytes, out, &report, err);
	if (rc == 0) {
		write_reply(&report, cell->reply);
		rc = buf_check(cell->reply, err);
	}
	mem_give_back((void *)(uintptr_t)unpacked.bytes);
	file_unmap(&map);
	return rc;
}
