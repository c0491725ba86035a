/* convert_sources.c -- in a cell: source files, from an object or one by one, ready to be quoted. */
#include "convert/convert_internal.h"

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/mem.h"
#include "sandbox/sandbox.h"
#include "sourcecache/sourcecache.h"

static int read_parameters(const struct cell *cell, struct sourcecache_options *options,
			   struct err *err)
{
	cJSON *object;

	if (convert_json_parse(cell->parameters, &object, err) < 0)
		return -1;
	options->by_url = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(object, "by_url"));
	options->source_max_bytes = convert_json_size(object, "source_max_bytes");
	options->memory_bytes = cell->memory_bytes;
	cJSON_Delete(object);
	return 0;
}

static int write_reply(const struct sourcecache_report *report, struct buf *out, struct err *err)
{
	struct json_writer json;

	json_writer_init(&json, out);
	json_object(&json);
	json_member_u64(&json, "units", report->files);
	json_member_u64(&json, "bad_units", report->bad_files);
	json_member_u64(&json, "bytes", report->bytes);
	if (report->first_bad[0])
		json_member_string(&json, "first_bad", report->first_bad);
	json_object_end(&json);
	return buf_check(out, err);
}

int convert_run_sources(struct cell *cell, struct err *err)
{
	struct sourcecache_options options;
	struct sourcecache_report report;
	struct file_map map = { NULL, 0 };
	struct object object;
	struct arena arena;
	int rc = -1;

	arena_init(&arena, cell->memory_bytes);
	if (read_parameters(cell, &options, err) == 0 &&
	    file_map_fd(&map, cell_input(cell, "object"), err) == 0 &&
	    object_open(&object, map.bytes, map.size, &arena, err) == 0) {
		rc = sourcecache_write(&object, &options, cell_output(cell, "sources"), &report, err);
		object_release(&object);
	}
	if (rc == 0)
		rc = write_reply(&report, cell->reply, err);
	file_unmap(&map);
	arena_release(&arena);
	return rc;
}

static int write_one(struct cell *cell, const struct file_map *map,
		     const struct sourcecache_options *options,
		     struct sourcecache_report *report, struct err *err)
{
	const struct convert_packed packed = {
		map, cell_input(cell, "file"), cell_output(cell, "sources"), options->source_max_bytes, false,
	};
	struct text contents;
	char *held;
	int rc = convert_unpack_text(&packed, &contents, &held, err);

	if (rc == 0)
		rc = sourcecache_write_one(contents, options, packed.out, report, err);
	mem_give_back(held);
	return rc;
}

int convert_run_sourcefile(struct cell *cell, struct err *err)
{
	struct sourcecache_options options;
	struct sourcecache_report report;
	struct file_map map = { NULL, 0 };
	int rc = -1;

	if (read_parameters(cell, &options, err) == 0 &&
	    file_map_fd(&map, cell_input(cell, "file"), err) == 0)
		rc = write_one(cell, &map, &options, &report, err);
	if (rc == 0)
		rc = write_reply(&report, cell->reply, err);
	file_unmap(&map);
	return rc;
}
