/*
 * symbfile_files -- the symbfiles of an object, made in cells: as files that have no name yet.
 *
 * Private to cli.
 */
#ifndef CLI_SYMBFILE_FILES_H
#define CLI_SYMBFILE_FILES_H

#include <stdint.h>

#include "base/text.h"
#include "symbfile/file_id.h"

struct config;
struct err;
struct nursery;

struct symbfile_files {
	int ranges, pads;            /* descriptors, -1: none */
	uint64_t range_count, pad_count, code_bytes;
	struct file_id id;           /* of the file that was named */
	char build_id[160];          /* in hexadecimal digits; "": it has none */
	char debug[4096];            /* whose debug information it is */
};

/* `debug`: the file with debug information, NULL: found as `symgate lookup` finds it. */
int  symbfile_files_make(struct symbfile_files *files, struct nursery *nursery, const struct config *config,
			 const char *path, const char *debug, const char *arch, struct err *err)
	__attribute__((warn_unused_result));
void symbfile_files_release(struct symbfile_files *files);

#endif
