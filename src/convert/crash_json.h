/*
 * crash_json.h -- in cells: what was found in a crash file, as the JSON convert.h describes.
 *
 * A report is begun, gets its facts, its threads and its modules in this order, and is ended.
 */
#ifndef CONVERT_CRASH_JSON_H
#define CONVERT_CRASH_JSON_H

#include "base/buf.h"
#include "base/debugid.h"
#include "base/json_writer.h"
#include "base/text.h"

struct arena;
struct cell;
struct err;
struct file_map;

struct crash_json {
	struct buf out;
	struct json_writer json;
};

struct crash_json_system {
	struct text os_name, os_version, os_build, cpu_arch, device_model;   /* TEXT_NONE: "" */
};

void crash_json_begin(struct crash_json *report);
void crash_json_system(struct crash_json *report, const struct crash_json_system *system);

void crash_json_threads(struct crash_json *report);
void crash_json_modules(struct crash_json *report);
void crash_json_list_end(struct crash_json *report);

struct crash_json_module {
	const char *type;            /* "macho" */
	uint64_t base, size;         /* size 0: unknown */
	struct text code_file, debug_file, code_id;
	struct debugid debug_id;
};
void crash_json_module(struct crash_json *report, const struct crash_json_module *module);

/* Runs read() over the cell's input "file", or over what map() makes of it (NULL: the file as it is),
 * with an arena of half the cell's memory. */
typedef int crash_json_map_fn(struct cell *cell, struct file_map *map, void *payload, struct err *err);
typedef int crash_json_read_fn(struct cell *cell, struct text file, struct arena *arena, void *payload,
			       struct err *err);
int crash_json_run(struct cell *cell, crash_json_map_fn *map, crash_json_read_fn *read,
		   void *payload, struct err *err) __attribute__((warn_unused_result));

/* The report becomes the cell's reply, and is released; rc < 0: only that. */
int crash_json_end(struct crash_json *report, struct cell *cell, int rc, struct err *err)
	__attribute__((warn_unused_result));

#endif
