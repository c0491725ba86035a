/*
 * pointer -- file.ptr: a text in a symbol store that says where a file is instead.
 *
 * "PATH:\\builds\symbols\my.pdb" names a path of Windows, mostly on a share.  It is followed only where
 * the operator says which folder of this machine a beginning of such paths stands for (`file_ptr` of a
 * source), and never out of that folder.
 *
 * Private to source.
 */
#ifndef SOURCE_POINTER_H
#define SOURCE_POINTER_H

#include "source/kind.h"

struct source_pointers;

/* `file_ptr` of a source; *pointers NULL: it has none, or it came with a request. */
int source_pointers_parse(const struct shape *shape, const struct source_setup *setup,
			  const struct source_pointers **pointers, struct err *err)
	__attribute__((warn_unused_result));

/* Where the pointer to the file of this path would be: beside it. */
int source_pointer_beside(struct text path, struct arena *arena, struct text *pointer, struct err *err)
	__attribute__((warn_unused_result));

/* filesystem.c: a regular file, if that is below the folder when all links are followed. */
int source_open_below(const char *folder, const char *path, int *fd, struct err *err)
	__attribute__((warn_unused_result));

#endif
