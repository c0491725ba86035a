/*
 * mapping_file -- the MAPPING of a command line: read in a cell, and its lookup file opened.
 *
 * Private to cli.
 */
#ifndef CLI_MAPPING_FILE_H
#define CLI_MAPPING_FILE_H

#include "base/file.h"
#include "proguard/proguard.h"

struct config;
struct err;
struct nursery;

struct mapping_file {
	struct file_map cache;
	struct proguard mapping;
};

/* Plain or packed.  Release in any case. */
int  mapping_file_open(struct mapping_file *file, struct nursery *nursery, const struct config *config,
		       const char *path, struct err *err) __attribute__((warn_unused_result));
void mapping_file_release(struct mapping_file *file);

#endif
