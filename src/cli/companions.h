/*
 * companions -- where on this machine the files lie that a debug file points to.
 *
 * Looked for, in this order: by build id below the debug folders' .build-id; by name beside
 * the object, in .debug beside it, and below the debug folders; .dwz files also in the
 * debug folders' .dwz.
 */
#ifndef CLI_COMPANIONS_H
#define CLI_COMPANIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

#define COMPANIONS_FOLDERS 16u
#define COMPANIONS_PATH_BYTES 4096u

struct companions {
	/* Where names are looked for: the object's folder, then that of each companion found. */
	char beside[COMPANIONS_FOLDERS][COMPANIONS_PATH_BYTES];
	size_t beside_count;
	/* Files an OBJECT.dwp stands beside: the object, then each companion found. */
	char objects[COMPANIONS_FOLDERS][COMPANIONS_PATH_BYTES];
	size_t object_count;
	const char *debug_folders[COMPANIONS_FOLDERS];   /* --debug-dir; /usr/lib/debug */
	size_t debug_folder_count;
	size_t lacking_units;        /* split units asked for and not found; the first one's file */
	char lacking[COMPANIONS_PATH_BYTES];
};

/* `path` is the object's. */
void companions_begin(struct companions *companions, const char *path);

/* A descriptor, or -1: the cells_find_fn of cells.h. */
int  companions_find(void *companions, const char *role, struct text id, struct text name);

/* FOLDER/.build-id/xx/rest.debug of the debug folders: a descriptor and its path, or -1. */
int  companions_by_build_id(struct companions *companions, struct text id, const char *suffix,
			    char path[COMPANIONS_PATH_BYTES]);

#endif
