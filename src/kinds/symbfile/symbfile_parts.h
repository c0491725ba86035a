/*
 * symbfile_parts -- the indexes of an executable's uploaded symbfiles, on their way and open.
 */
#ifndef KINDS_SYMBFILE_SYMBFILE_PARTS_H
#define KINDS_SYMBFILE_SYMBFILE_PARTS_H

#include "symbfile/symbfile_index.h"
#include "kinds/symbfile/upload_folder.h"
#include "work/held.h"
#include "work/work.h"

struct symbfile_part { struct held held; struct symbfile_index *index; };

struct symbfile_parts {
	bool is_listed;
	struct symbfile_part *parts;
	size_t part_count;
	size_t usable_count;                 /* once settled */
	enum err_kind failure;               /* of a part, where none is usable */
	struct text details;
	struct symbfile_index *indexes;      /* those that are usable, ranges before pads */
};

/* A part below the folder of all, by its path there. */
int symbfile_derive_make(struct derive *derive, struct text path, struct work *work, struct err *err)
	__attribute__((warn_unused_result));

/* Which parts there are: 1; 0: none; -1. */
int symbfile_parts_list(struct symbfile_parts *parts, const struct file_id *id, struct work *work,
			struct err *err) __attribute__((warn_unused_result));
/* READY: all are open or have failed; the open ones are in the list. */
enum resolved symbfile_parts_resolve(struct symbfile_parts *parts, struct held **list, struct work *work,
				     struct resolver *resolver, struct err *err);
bool symbfile_parts_are_settled(const struct symbfile_parts *parts);
void symbfile_parts_release(struct symbfile_parts *parts);

#endif
