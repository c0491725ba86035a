/*
 * upload_folder -- the symbfiles that were uploaded, as they came: files below STATE_DIR/symbfiles.
 *
 *	HH/REST/ranges           a list of the parts of the executable with that file id
 *	HH/REST/ranges.new       of parts of an upload in another number of parts, until it is complete
 *	HH/REST/0-9c3f...        a part, named by its number and its content
 *	HH/REST/returnpads ...   the same of return pads
 *	build-ids/HH/REST        the file id of the executable with that build id
 *
 * HH are the first two digits of an id, REST the others.  A list is replaced by rename; whoever changes one
 * holds a lock on its folder.  What no list names any more is removed.
 *
 * May include: base, config, symbfile.
 */
#ifndef KINDS_SYMBFILE_UPLOAD_FOLDER_H
#define KINDS_SYMBFILE_UPLOAD_FOLDER_H

#include "base/limits.h"
#include "symbfile/file_id.h"

struct arena;
struct config;
struct err;

enum symbols_kind { SYMBOLS_RANGES, SYMBOLS_RETURNPADS, SYMBOLS_KINDS };

/* Names of parts, NULL where one is missing; in the arena. */
struct upload_list { uint32_t part_count; const char **parts; };

/* The list that counts.  1; 0: there is none; -1. */
int upload_list_read(const struct config *config, const struct file_id *id, enum symbols_kind kind,
		     struct arena *arena, struct upload_list *list, struct err *err)
	__attribute__((warn_unused_result));
/* The file id of a build id: 1, 0, -1. */
int upload_folder_find_build_id(const struct config *config, struct text build_id, struct file_id *id,
			 struct err *err) __attribute__((warn_unused_result));

/* Puts the file beside the parts of that id, under a name of its own; *path is relative to the folder
 * of all.  It counts once it was listed. */
int upload_folder_put(const struct config *config, const struct file_id *id, uint32_t part, int fd,
	       struct arena *arena, struct text *path, struct err *err) __attribute__((warn_unused_result));
/* Lists what upload_folder_put() named `path` as a part, and removes what is not listed any more. */
int upload_list_part(const struct config *config, const struct file_id *id, enum symbols_kind kind,
		     uint32_t part, uint32_t part_count, struct text path, struct arena *arena,
		     struct err *err) __attribute__((warn_unused_result));
/* It is no symbfile: removes it, unless a list names it. */
int upload_folder_drop(const struct config *config, const struct file_id *id, struct text path,
		struct arena *arena, struct err *err) __attribute__((warn_unused_result));
int upload_folder_note_build_id(const struct config *config, struct text build_id, const struct file_id *id,
			 struct arena *arena, struct err *err) __attribute__((warn_unused_result));

/* The folder of all, in the arena; NULL: no memory. */
const char *upload_folder(const struct config *config, struct arena *arena);
/* "HH/REST/NAME", in the arena. */
const char *upload_folder_path(const struct file_id *id, const char *name, struct arena *arena);

#endif
