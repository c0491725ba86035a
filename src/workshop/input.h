/* input.h -- the file a task's cell reads, and where it is from. */
#ifndef WORKSHOP_INPUT_H
#define WORKSHOP_INPUT_H

#include "base/checksum.h"
#include "work/work.h"
#include "workshop/temporary.h"

struct input {
	struct temporary file;
	struct checksum_seal seal;           /* of one that is in the cache: what it must be */
	bool is_copy;                        /* of elsewhere: nobody has looked at it yet */
	bool is_shared;                      /* from the shared cache, and not known to be good yet */
	bool is_local;                       /* somebody else's, read in place: */
	int64_t local_size, local_changed_nanos;     /* as it was when we opened it */
};

void input_init(struct input *input);
void input_drop(struct input *input);
/* A file somebody else made; ours from now on. */
void input_take(struct input *input, struct temporary *file, bool is_shared);
/* Somebody else's file, opened in place. */
int  input_take_local(struct input *input, struct temporary *file, struct text subject,
		      struct err *err) __attribute__((warn_unused_result));
bool input_has_changed(const struct input *input);   /* never true of our own */
/* The blob of an entry.  1: open, 0: there is none, -1: a failure is remembered or happened. */
int  input_open_known(const struct workshop_means *means, const struct cache_key *key, int *fd,
		      struct checksum_seal *seal, struct err *err)
	__attribute__((warn_unused_result));

#endif
