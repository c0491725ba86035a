/* temporary.h -- a file of a task: ours until it is published, or somebody else's, open for reading. */
#ifndef WORKSHOP_TEMPORARY_H
#define WORKSHOP_TEMPORARY_H

#include "workshop/means.h"

#define TEMPORARY_PATH_BYTES 4096u

struct err;

struct temporary {
	int fd;                              /* -1: none */
	char path[TEMPORARY_PATH_BYTES];     /* ours to remove; "": it is not, or has its place */
};

void temporary_init(struct temporary *file);
int  temporary_make(struct temporary *file, const struct workshop_means *means, struct err *err)
	__attribute__((warn_unused_result));
void temporary_drop(struct temporary *file);         /* fine when there is none */
/* What `to` was is dropped. */
void temporary_move(struct temporary *to, struct temporary *from);

#endif
