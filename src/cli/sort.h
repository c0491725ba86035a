/*
 * sort -- debug files laid out by their ids, so that a source of that layout finds them.
 *
 *	sort_file     one file: every object in it, or the one file that it packs
 *	sort_walk     files and folders, and what comes to the folders afterwards
 *	sort_place    one object at its place, with what is written beside it
 *	sort_sources  the source bundle of one object
 *
 * Private to cli.
 */
#ifndef CLI_SORT_H
#define CLI_SORT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/text.h"
#include "cli/cli.h"
#include "pack/pack.h"
#include "source/source.h"

struct nursery;

struct sort_options {
	const char *out;             /* the folder, with its prefix */
	const char *layout;
	enum pack_kind packing;
	const char *bundle_id;       /* NULL: none */
	bool with_sources, ignores_errors, is_quiet, watches;
};

struct sort {
	struct sort_options options;
	const struct config *config;
	struct nursery *nursery;
	struct arena arena;          /* the source, and the ids of the bundle */
	struct source_list target;   /* one: OUT as a source of that layout */
	struct map ids;              /* of objects that were sorted, unified; keys in the arena */
	unsigned found, placed, bundles, failed;     /* objects; bundles made; files with errors */
};

/* One object, as its cell tells of it; the texts are of one look's arena. */
struct sorted_object {
	struct object_ids ids;
	struct text format, kind, arch, name;        /* name: of its file, for people and for layouts */
	struct text own_id;          /* of a mapping: the id that R8 gave it; TEXT_NONE: none */
	bool has_debug;
	int fd;                      /* its bytes; borrowed */
};

/* OUT becomes a source; ERR_BAD_SHAPE: no such layout. */
int  sort_begin(struct sort *sort, struct err *err) __attribute__((warn_unused_result));
/* What is said of the whole: bundles/ID.  Then all is given back. */
int  sort_end(struct sort *sort, struct err *err) __attribute__((warn_unused_result));
void sort_release(struct sort *sort);

/* -1: something in it could not be read (which is said and counted), or not be written. */
int  sort_file(struct sort *sort, const char *path, struct err *err) __attribute__((warn_unused_result));
int  sort_walk(struct sort *sort, int count, char **paths, struct err *err)
	__attribute__((warn_unused_result));
/* Until a signal ends it. */
int  sort_watch(struct sort *sort, int count, char **paths, struct err *err)
	__attribute__((warn_unused_result));

/* The file type it is sought as; FILE_TYPES: it is no debug file. */
enum file_type sort_file_type(const struct sorted_object *object);
/* *path, in the arena, relative to OUT; TEXT_NONE: the layout has no place for it. */
int  sort_path(const struct sort *sort, const struct sorted_object *object, enum file_type type,
	       struct arena *arena, struct text *path, struct err *err) __attribute__((warn_unused_result));
/* 1: it is there now; 0: it was there, and stays as it is; -1. */
int  sort_place(struct sort *sort, const struct sorted_object *object, struct text path, int fd,
		struct arena *arena, struct err *err) __attribute__((warn_unused_result));
/* As sort_place(); 0 also when no source file is there. */
int  sort_sources(struct sort *sort, const struct sorted_object *object, struct arena *arena,
		  struct err *err) __attribute__((warn_unused_result));

#endif
