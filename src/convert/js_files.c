/* js_files.c -- in a cell: files of a JavaScript release, one by one or out of a bundle, and what a bundle
 * holds. */
#include "convert/convert_internal.h"

#include <errno.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/mem.h"
#include "jsfile/jsbundle.h"
#include "jsfile/jsfile.h"
#include "sandbox/sandbox.h"
#include "unpack/unpack.h"

/* --- Parameters --------------------------------------------------------------------------- */

int convert_jsfile_parameters(const struct convert_jsfile *jsfile, struct buf *out, struct err *err)
{
	struct json_writer json;

	json_writer_init(&json, out);
	json_object(&json);
	json_member_text(&json, "header", jsfile->header);
	json_member_u64(&json, "number", jsfile->number);
	json_member_u64(&json, "bytes_max", jsfile->bytes_max < ((uint64_t)1 << 52) ? jsfile->bytes_max
									      : (uint64_t)1 << 52);
	json_object_end(&json);
	return buf_check(out, err);
}

/* The header stays as long as the JSON. */
static int read_parameters(const struct cell *cell, cJSON **json, struct convert_jsfile *jsfile,
			   struct err *err)
{
	if (convert_json_parse(cell->parameters, json, err) < 0)
		return -1;
	jsfile->header = text_of(convert_json_string(*json, "header"));
	jsfile->number = (uint32_t)convert_json_u64(*json, "number");
	jsfile->bytes_max = convert_json_u64(*json, "bytes_max");
	return 0;
}

/* --- One file ----------------------------------------------------------------------------- */

/* Some servers store files packed.  The output serves as the place to unpack to; what lies there is
 * copied to memory and the output emptied again. */
static int unpack(enum unpack_kind kind, const struct cell *cell, uint64_t bytes_max, char **bytes,
		  size_t *size, struct err *err)
{
	int in = cell_input(cell, "file"), out = cell_output(cell, "jsfile");
	struct file_map map;

	if (lseek(in, 0, SEEK_SET) < 0)
		return err_os(err, errno, "going to the start of the input");
	if (unpack_stream(kind, in, out, bytes_max, err) < 0)
		return err_while(err, "unpacking %s", unpack_kind_name(kind));
	if (file_map_fd(&map, out, err) < 0)
		return -1;
	*bytes = mem_get(map.size + 1);
	*size = map.size;
	if (*bytes && map.size)
		memcpy(*bytes, map.bytes, map.size);
	file_unmap(&map);
	if (!*bytes)
		return err_set(err, ERR_NO_MEMORY, "no memory for a file of %zu bytes", *size);
	if (ftruncate(out, 0) < 0 || lseek(out, 0, SEEK_SET) < 0)
		return err_os(err, errno, "emptying the output");
	return 0;
}

static int write_file(struct cell *cell, const struct file_map *map,
		      const struct convert_jsfile *jsfile, struct err *err)
{
	enum unpack_kind kind = unpack_recognise(map->bytes, map->size);
	struct text text = { (const char *)map->bytes, map->size };
	const struct jsfile_options options = {
		.header = jsfile->header, .memory_bytes = cell->memory_bytes,
	};
	char *unpacked = NULL;
	int rc = 0;

	if (kind != UNPACK_NONE) {
		rc = unpack(kind, cell, jsfile->bytes_max, &unpacked, &text.size, err);
		text.bytes = unpacked;
	}
	if (rc == 0)
		rc = jsfile_write(text, &options, cell_output(cell, "jsfile"), err);
	mem_give_back(unpacked);
	return rc;
}

int convert_run_jsfile(struct cell *cell, struct err *err)
{
	struct convert_jsfile jsfile = { .number = 0 };
	struct file_map map = { NULL, 0 };
	cJSON *json = NULL;
	int rc = -1;

	if (read_parameters(cell, &json, &jsfile, err) == 0 &&
	    file_map_fd(&map, cell_input(cell, "file"), err) == 0)
		rc = write_file(cell, &map, &jsfile, err);
	file_unmap(&map);
	cJSON_Delete(json);
	return rc;
}

/* --- Bundles ------------------------------------------------------------------------------ */

typedef int bundle_fn(struct cell *cell, const struct object *object, const struct convert_jsfile *jsfile,
		      struct err *err);

static int run_bundle(struct cell *cell, bundle_fn *fn, struct err *err)
{
	struct convert_jsfile jsfile = { .number = 0 };
	struct file_map map = { NULL, 0 };
	struct object object;
	struct arena arena;
	cJSON *json = NULL;
	int rc = -1;

	arena_init(&arena, cell->memory_bytes);
	if (read_parameters(cell, &json, &jsfile, err) == 0 &&
	    file_map_fd(&map, cell_input(cell, "object"), err) == 0 &&
	    object_open(&object, map.bytes, map.size, &arena, err) == 0) {
		rc = fn(cell, &object, &jsfile, err);
		object_release(&object);
	}
	file_unmap(&map);
	arena_release(&arena);
	cJSON_Delete(json);
	return rc;
}

static int write_index(struct cell *cell, const struct object *object,
		       const struct convert_jsfile *jsfile, struct err *err)
{
	(void)jsfile;
	return jsbundle_write(object, cell->memory_bytes, cell_output(cell, "index"), err);
}

int convert_run_jsbundle(struct cell *cell, struct err *err)
{
	return run_bundle(cell, write_index, err);
}

static int write_bundled(struct cell *cell, const struct object *object,
			 const struct convert_jsfile *jsfile, struct err *err)
{
	return jsbundle_take(object, jsfile->number, jsfile->bytes_max, cell->memory_bytes,
			     cell_output(cell, "jsfile"), err);
}

int convert_run_bundled(struct cell *cell, struct err *err)
{
	return run_bundle(cell, write_bundled, err);
}
