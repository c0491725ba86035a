/*
 * il2cpp -- the line map of a Unity program: which line of C# each line of the C++ came from
 * that Unity made of it.
 *
 *	{ "<C++ file>": { "<C# file>": { "<C++ line>": <C# line>, ... }, ... }, ... }
 *
 * The member "__debug-id__" is no file.  Maps have tens of megabytes and are untrusted, so
 * the text is walked twice, first to check and count, then into arrays of just that size; no
 * tree is made.
 *
 * Private to symcache.
 */
#ifndef SYMCACHE_IL2CPP_H
#define SYMCACHE_IL2CPP_H

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

struct arena;
struct err;

#define IL2CPP_REACH_LINES 50u   /* of C++ that one mapped line speaks for (doc/formats/linemap.md) */

struct il2cpp_line {
	uint32_t cpp_line, line;
	uint32_t managed;            /* index of the C# file */
};

struct il2cpp_file {
	struct text path;            /* of the C++ */
	const struct il2cpp_line *lines;     /* ascending */
	size_t line_count;
	size_t order;                /* among the files of the text */
};

struct il2cpp {
	struct il2cpp_file *files;   /* ascending by path, then by order */
	struct text *managed;        /* paths of C# files; the same one may be there twice */
	struct il2cpp_line *lines;   /* of all files */
	size_t file_count, managed_count, line_count;
};

/* Is it a map?  ERR_MALFORMED: at which byte not; ERR_LIMIT: more than 32 bits can count. */
int il2cpp_check(struct text json, struct err *err) __attribute__((warn_unused_result));

/* The text stays the caller's and is borrowed from; the rest is the arena's. */
int il2cpp_read(struct il2cpp *map, struct text json, struct arena *arena, struct err *err)
	__attribute__((warn_unused_result));

/* NULL: the map does not know the file; of two with one path the later counts. */
const struct il2cpp_file *il2cpp_file(const struct il2cpp *map, struct text path);
/* The last mapped line at or before that one, not too far above; NULL: none. */
const struct il2cpp_line *il2cpp_line(const struct il2cpp_file *file, uint32_t line);

#endif
