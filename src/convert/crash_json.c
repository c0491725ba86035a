/* crash_json.c -- see crash_json.h. */
#include "convert/crash_json.h"

#include "base/arena.h"
#include "base/err.h"
#include "base/file.h"
#include "base/limits.h"
#include "sandbox/sandbox.h"

#define ARENA_SHARE 2u               /* of a cell's memory: half of it */

void crash_json_begin(struct crash_json *report)
{
	buf_init(&report->out, LIMIT_CRASH_REPORT_BYTES);
	json_writer_init(&report->json, &report->out);
	json_object(&report->json);
}

static void member(struct json_writer *json, const char *key, struct text value)
{
	json_member_text(json, key, value.bytes ? value : TEXT(""));
}

void crash_json_system(struct crash_json *report, const struct crash_json_system *system)
{
	struct json_writer *json = &report->json;

	json_key(json, "system_info");
	json_object(json);
	member(json, "os_name", system->os_name);
	member(json, "os_version", system->os_version);
	member(json, "os_build", system->os_build);
	member(json, "cpu_arch", system->cpu_arch);
	member(json, "device_model", system->device_model);
	json_object_end(json);
}

void crash_json_threads(struct crash_json *report)
{
	json_key(&report->json, "stacktraces");
	json_array(&report->json);
}

void crash_json_modules(struct crash_json *report)
{
	json_key(&report->json, "modules");
	json_array(&report->json);
}

void crash_json_list_end(struct crash_json *report)
{
	json_array_end(&report->json);
}

void crash_json_module(struct crash_json *report, const struct crash_json_module *module)
{
	struct json_writer *json = &report->json;
	char debug_id[DEBUGID_TEXT_BYTES];

	json_object(json);
	json_member_string(json, "type", module->type);
	json_member_hex(json, "image_addr", module->base);
	if (module->size > 0)
		json_member_u64(json, "image_size", module->size);
	json_member_text(json, "code_id", module->code_id);
	json_member_text(json, "code_file", module->code_file);
	if (!debugid_is_nil(&module->debug_id)) {
		debugid_format(&module->debug_id, debug_id);
		json_member_string(json, "debug_id", debug_id);
	}
	json_member_text(json, "debug_file", module->debug_file);
	json_object_end(json);
}

int crash_json_end(struct crash_json *report, struct cell *cell, int rc, struct err *err)
{
	if (rc == 0) {
		json_object_end(&report->json);
		rc = buf_check(&report->out, err);
	}
	if (rc == 0)
		buf_add_text(cell->reply, buf_text(&report->out));
	buf_release(&report->out);
	return rc;
}

static int map_input(struct cell *cell, struct file_map *map, void *payload, struct err *err)
{
	(void)payload;
	return file_map_fd(map, cell_input(cell, "file"), err);
}

int crash_json_run(struct cell *cell, crash_json_map_fn *map, crash_json_read_fn *read,
		   void *payload, struct err *err)
{
	struct file_map file = { NULL, 0 };
	struct arena arena;
	int rc;

	arena_init(&arena, cell->memory_bytes / ARENA_SHARE);
	rc = (map ? map : map_input)(cell, &file, payload, err);
	if (rc == 0)
		rc = read(cell, (struct text){ (const char *)file.bytes, file.size }, &arena,
			  payload, err);
	arena_release(&arena);
	file_unmap(&file);
	return rc;
}
