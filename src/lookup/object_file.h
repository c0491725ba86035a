/*
 * object_file -- the file of an object that was found, to be given away as it is.
 *
 * A file in a folder that needs no unpacking is read there; of every other one the cache keeps a copy.
 * The copy may be deleted while the object's features stay: then it is fetched again.
 */
#ifndef LOOKUP_OBJECT_FILE_H
#define LOOKUP_OBJECT_FILE_H

#include "lookup/lookup.h"

struct answer_head;

struct object_file {
	const struct candidate *candidate;   /* NULL: none yet */
	struct held copy;                    /* in the cache; of no use when it is in place */
};

/* READY: it is there, or file->copy.failure says why not.  `candidate` is a good one, and stays. */
enum resolved object_file_resolve(struct object_file *file, const struct candidate *candidate,
				  struct work *work, struct resolver *resolver, struct err *err);
/* Of one that is there: it is the answer. */
void object_file_answer(const struct object_file *file, struct answer_head *head);
void object_file_release(struct object_file *file);

#endif
