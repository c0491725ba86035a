/* js_files.c -- in a cell: files of a JavaScript release, one by one or out of a bundle, and what a bundle
 * holds. */
#include "convert/convert_internal.h"

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

static int write_file(struct cell *cell, const struct file_map *map,
		      const struct convert_jsfile *jsfile, struct err *err)
{
	const struct convert_packed packed = {
		map, cell_input(cell, "file"), cell_output(cell, "jsfile"), jsfile->bytes_max, false,
	};
	const struct jsfile_options options = {
		.header = jsfile->header, .memory_bytes = cell->memory_bytes,
	};
	struct text text;
	char *held;
	int rc = convert_unpack_text(&packed, &text, &held, err);

	if (rc == 0)
		rc = jsfile_write(text, &options, packed.out, err);
	mem_give_back(held);
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

/* 1: the file is written; 0: the index is not at hand, or does not tell. */
static int take_indexed(struct cell *cell, int index_fd, struct err *err)
{
	struct convert_jsfile jsfile = { .number = 0 };
	struct file_map index = { NULL, 0 }, object = { NULL, 0 };
	struct jsbundle bundle;
	struct err why = ERR_INIT;
	cJSON *json = NULL;
	int rc = -1;

	if (read_parameters(cell, &json, &jsfile, err) == 0 && file_map_fd(&index, index_fd, err) == 0 &&
	    file_map_fd(&object, cell_input(cell, "object"), err) == 0)
		rc = jsbundle_open(&bundle, index.bytes, index.size, &why) < 0 ? 0
		     : jsbundle_take_indexed(&bundle, (struct text){ (const char *)object.bytes, object.size },
					     jsfile.number, jsfile.bytes_max, cell->memory_bytes,
					     cell_output(cell, "jsfile"), err);
	file_unmap(&object);
	file_unmap(&index);
	cJSON_Delete(json);
	return rc;
}

int convert_run_bundled(struct cell *cell, struct err *err)
{
	int fd = -1, done = 0;
	int got = cell_want(cell, object_role_name(OBJECT_ROLE_JSBUNDLE), TEXT_NONE, TEXT_NONE, &fd, err);

	if (got == CELL_ANSWER_FILE) {
		done = take_indexed(cell, fd, err);
		close(fd);
	}
	if (got < 0 || done < 0)
		return -1;
	return done > 0 ? 0 : run_bundle(cell, write_bundled, err);
}
