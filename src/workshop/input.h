/* input.h -- the file a task's cell reads, and its origin. */
#ifndef WORKSHOP_INPUT_H
#define WORKSHOP_INPUT_H

#include "base/checksum.h"
#include "work/work.h"
#include "workshop/temporary.h"

struct input {
	struct temporary file;
	struct checksum_seal seal;           /* of a blob of the cache: its size and checksum */
	bool is_copy;                        /* downloaded, and not inspected yet */
	bool is_shared;                      /* from the shared cache, and not inspected yet */
	bool is_local;                       /* a file of a filesystem source, read in place: */
	int64_t local_size, local_changed_nanos;     /* bytes; st_ctime when it was opened */
};

void input_init(struct input *input);
void input_drop(struct input *input);
/* Takes over a file that was downloaded or came from the shared cache. */
void input_take(struct input *input, struct temporary *file, bool is_shared);
/* Takes over the descriptor of a file that is read in place. */
int  input_take_local(struct input *input, struct temporary *file, struct text subject,
		      struct err *err) __attribute__((warn_unused_result));
bool input_has_changed(const struct input *input);   /* a local file was changed since; else false */
/* The blob of an entry.  1: open, 0: there is none, -1: a failure is remembered or happened. */
int  input_open_known(const struct workshop_means *means, const struct cache_key *key, int *fd,
		      struct checksum_seal *seal, struct err *err)
	__attribute__((warn_unused_result));

#endif
