/* symbfile_files.c -- see symbfile_files.h. */
#include "cli/symbfile_files.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "cli/subject.h"
#include "work/request_json.h"

#define REPLY_BYTES 65536u

static uint64_t number_of(const cJSON *reply, const char *name)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(reply, name);

	return cJSON_IsNumber(item) && item->valuedouble >= 0 ? (uint64_t)item->valuedouble : 0;
}

static int make_in_cell(struct symbfile_files *files, struct subject *code, int symcache, struct err *err)
{
	struct cell_file inputs[] = { { "symcache", symcache }, { "object", code->object_fd } };
	struct cell_file outputs[] = { { "ranges", files->ranges }, { "pads", files->pads } };
	struct cell_order order = {
		.operation = "symbfile-make", .inputs = inputs, .input_count = 2, .outputs = outputs,
		.output_count = 2,
	};
	struct cJSON *json;
	struct buf reply;
	int rc;

	buf_init(&reply, REPLY_BYTES);
	rc = cells_run(code->nursery, &order, NULL, NULL, &reply, err);
	if (rc == 0)
		rc = request_json_parse(buf_text(&reply), &code->arena, &json, err);
	if (rc == 0) {
		files->range_count = number_of(json, "ranges");
		files->pad_count = number_of(json, "pads");
		files->code_bytes = number_of(json, "code_bytes");
	}
	buf_release(&reply);
	return rc;
}

/* Of the file as it is deployed, packed or not. */
static int read_ids(struct symbfile_files *files, const struct subject *code, struct err *err)
{
	struct text id = code->object->code_id;
	struct file_map map;

	if (file_map_fd(&map, code->fd, err) < 0)
		return -1;
	files->id = file_id_of(map.bytes, map.size);
	file_unmap(&map);
	if (id.size < sizeof(files->build_id))
		snprintf(files->build_id, sizeof(files->build_id), "%.*s", (int)id.size, id.bytes ? id.bytes : "");
	return 0;
}

static int make_files(struct symbfile_files *files, struct subject *code, struct subject *debug, const char *path,
		      const char *debug_path, struct err *err)
{
	int symcache, rc;

	if (subject_open(code, path, err) < 0 || subject_open(debug, debug_path ? debug_path : path, err) < 0)
		return -1;
	if (code->kind != SUBJECT_OBJECT || debug->kind != SUBJECT_OBJECT || subject_is_managed(code))
		return err_set(err, ERR_UNSUPPORTED, "%s is no native object", path);
	if ((!debug_path && subject_prefer_debug(debug, err) < 0) || read_ids(files, code, err) < 0 ||
	    cells_temporary(&symcache, err) < 0)
		return -1;
	snprintf(files->debug, sizeof(files->debug), "%s", debug->path);
	rc = subject_convert(debug, symcache, NULL, err);
	if (rc == 0)
		rc = make_in_cell(files, code, symcache, err);
	close(symcache);
	return rc;
}

int symbfile_files_make(struct symbfile_files *files, struct nursery *nursery, const struct config *config,
			const char *path, const char *debug_path, const char *arch, struct err *err)
{
	struct subject code, debug;
	int rc = -1;

	*files = (struct symbfile_files){ .ranges = -1, .pads = -1 };
	subject_init(&code, config, nursery);
	subject_init(&debug, config, nursery);
	code.arch = debug.arch = arch;
	if (cells_temporary(&files->ranges, err) == 0 && cells_temporary(&files->pads, err) == 0)
		rc = make_files(files, &code, &debug, path, debug_path, err);
	subject_release(&debug);
	subject_release(&code);
	return rc < 0 ? err_while(err, "%s", path) : 0;
}

void symbfile_files_release(struct symbfile_files *files)
{
	if (files->ranges >= 0)
		close(files->ranges);
	if (files->pads >= 0)
		close(files->pads);
	files->ranges = files->pads = -1;
}
