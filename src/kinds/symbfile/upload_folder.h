/*
 * upload_folder -- the symbfiles that were uploaded, as they came: files below STATE_DIR/symbfiles.
 *
 *	HH/REST/ranges           a list of the parts of the executable with that file id
 *	HH/REST/ranges.new       of parts of an upload in another number of parts, until it is complete
 *	HH/REST/0-9c3f...        a part, named by its number and its content
 *	HH/REST/joined-9c3f...   the parts put together that are one file, named by theirs
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

#include <stdbool.h>

#include "base/limits.h"
#include "symbfile/file_id.h"

struct arena;
struct checksum_seal;
struct config;
struct err;

enum symbols_kind { SYMBOLS_RANGES, SYMBOLS_RETURNPADS, SYMBOLS_KINDS };

/* What a part is: a whole symbfile; the beginning of one; bytes of one that began before. */
enum upload_piece { UPLOAD_WHOLE, UPLOAD_BEGUN, UPLOAD_MORE, UPLOAD_PIECES };

/* Names of parts, NULL where one is missing; in the arena. */
struct upload_list {
	uint32_t part_count;
	const char **parts;
	enum upload_piece *pieces;
	bool *are_old;               /* of the upload before: what comes may be the same */
	const char *joined;          /* all of them put together; NULL: each is whole */
};

/* A part that was put into the folder. */
struct upload_part {
	enum symbols_kind kind;
	uint32_t part, part_count;
	struct text path;            /* upload_folder_put()'s */
	enum upload_piece piece;
	struct text joined;          /* upload_list_part()'s, once it was read */
	bool is_bad;                 /* and is no symbfile */
};

/* The list that counts.  1; 0: there is none; -1. */
int upload_list_read(const struct config *config, const struct file_id *id, enum symbols_kind kind,
		     struct arena *arena, struct upload_list *list, struct err *err)
	__attribute__((warn_unused_result));
/* What a part of those bytes is kept as. */
#define UPLOAD_PART_NAME_BYTES 48u
void upload_part_name(char name[UPLOAD_PART_NAME_BYTES], uint32_t part, const struct checksum_seal *seal);
/* Is a part of that name, of an upload in so many parts, here already?  1, 0, -1. */
int upload_part_is_listed(const struct config *config, const struct file_id *id, enum symbols_kind kind,
			  uint32_t part_count, struct text name, struct arena *arena, struct err *err)
	__attribute__((warn_unused_result));
/* The file id of a build id: 1, 0, -1. */
int upload_folder_find_build_id(const struct config *config, struct text build_id, struct file_id *id,
			 struct err *err) __attribute__((warn_unused_result));

/* Puts the file beside the parts of that id, under a name of its own; *path is relative to the folder
 * of all.  It counts once it was listed. */
int upload_folder_put(const struct config *config, const struct file_id *id, uint32_t part, int fd,
	       struct arena *arena, struct text *path, struct err *err) __attribute__((warn_unused_result));
/*
 * Lists a part, and removes what is not listed any more: 0.
 * 1: with it all parts are there, and they are one file: it lies at *joined (relative) and has to be read
 * before the part is listed.  Until then the parts of before answer.
 * 2: that was no symbfile, though all parts were sent: they are forgotten, and have to come again.
 */
int upload_list_part(const struct config *config, const struct file_id *id, const struct upload_part *part,
		     struct text *joined, struct arena *arena, struct err *err)
	__attribute__((warn_unused_result));
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
