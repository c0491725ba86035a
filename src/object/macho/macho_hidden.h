/*
 * macho_hidden -- names that were taken out before a program went to Apple as bitcode.
 *
 * "__hidden#12_" stands for line 12 of a BCSymbolMap, a text file that Xcode keeps; symbols,
 * functions, files and folders are hidden alike.
 *
 * Private to object/macho.  May include: base, object.
 */
#ifndef OBJECT_MACHO_MACHO_HIDDEN_H
#define OBJECT_MACHO_MACHO_HIDDEN_H

#include "object/macho/macho_file.h"

struct macho_hidden {
	struct text map;
	uint32_t *starts;            /* of its lines after the first, and one more: the end */
	size_t count;
};

/* Are there hidden names in the symbols or the DWARF strings? */
bool macho_hidden_has(const struct macho_file *file);

/* The bytes stay the caller's. */
int macho_hidden_read(struct macho_hidden *hidden, const void *bytes, size_t size,
		      struct arena *arena, struct err *err) __attribute__((warn_unused_result));

/* What the name stands for, or the name itself. */
struct text macho_hidden_name(const struct macho_hidden *hidden, struct text name);

/* A sink before a sink: what arrives hidden goes on in clear. */
struct macho_restoring {
	struct object_sink sink;     /* give this to the reader */
	const struct macho_hidden *hidden;
	const struct object_sink *next;
	struct arena *arena;
	const struct object_file_name *hidden_files;
	struct object_file_name *files;
};
void macho_restoring_init(struct macho_restoring *restoring, const struct macho_hidden *hidden,
			  const struct object_sink *next, struct arena *arena);

#endif
