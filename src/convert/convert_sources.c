/* convert_sources.c -- in a cell: source files, from an object or one by one, ready to be quoted. */
#include "convert/convert_internal.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/mem.h"
#include "sandbox/sandbox.h"
#include "sourcecache/sourcecache.h"
#include "unpack/unpack.h"

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

/* Some servers store files packed.  The output serves as the place to unpack to; what lies
 * there is copied to memory and the output emptied again. */
static int unpack(enum unpack_kind kind, int in, int out, uint64_t max_bytes, char **bytes,
		  size_t *size, struct err *err)
{
	struct file_map map;

	if (lseek(in, 0, SEEK_SET) < 0)
		return err_os(err, errno, "going to the start of the input");
	if (unpack_stream(kind, in, out, max_bytes, err) < 0)
		return err_while(err, "unpacking %s", unpack_kind_name(kind));
	if (file_map_fd(&map, out, err) < 0)
		return -1;
	*bytes = mem_get(map.size + 1);
	*size = map.size;
	if (*bytes && map.size)
		memcpy(*bytes, map.bytes, map.size);
	file_unmap(&map);
	if (!*bytes)
		return err_set(err, ERR_NO_MEMORY, "no memory for a source file");
	if (ftruncate(out, 0) < 0 || lseek(out, 0, SEEK_SET) < 0)
		return err_os(err, errno, "emptying the output");
	return 0;
}

static int write_one(struct cell *cell, const struct file_map *map,
		     const struct sourcecache_options *options,
		     struct sourcecache_report *report, struct err *err)
{
	enum unpack_kind kind = unpack_recognise(map->bytes, map->size);
	struct text contents = { (const char *)map->bytes, map->size };
	int out = cell_output(cell, "sources");
	char *unpacked = NULL;
	int rc = 0;

	if (kind != UNPACK_NONE) {
		rc = unpack(kind, cell_input(cell, "file"), out, options->source_max_bytes, &unpacked,
			    &contents.size, err);
		contents.bytes = unpacked;
	}
	if (rc == 0)
		rc = sourcecache_write_one(contents, options, out, report, err);
	mem_give_back(unpacked);
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
