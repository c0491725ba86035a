/*
 * reply_body -- what a reply carries: bytes written for it, bytes lent to it, or a stretch of an
 * open file.
 *
 * It owns what it carries: memory is given back, what was lent is released and files are closed when
 * it is sent or given up, in whichever thread that is.  Private to front.
 */
#ifndef FRONT_REPLY_BODY_H
#define FRONT_REPLY_BODY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

typedef void reply_release_fn(void *payload);

struct reply_body {
	struct buf written;          /* unless there is one of the others */
	struct text lent;            /* `bytes` not NULL: stays as it is until release(payload) */
	reply_release_fn *release;
	void *payload;
	int file;                    /* -1: none; a descriptor, not read before it is sent */
	uint64_t offset, size;       /* the stretch of it, in bytes */
};

void reply_body_init(struct reply_body *body);
/* Empties it; of memory that was written to some is kept for the next reply. */
void reply_body_clear(struct reply_body *body);
void reply_body_release(struct reply_body *body);

/* What was there before goes. */
void reply_body_lend(struct reply_body *body, struct text bytes, reply_release_fn *release,
		     void *payload);
void reply_body_take_file(struct reply_body *body, int fd, uint64_t offset, uint64_t size);

/* Bytes to be sent. */
uint64_t reply_body_size(const struct reply_body *body);
/* Only this stretch of it, which lies within it. */
void reply_body_narrow(struct reply_body *body, uint64_t offset, uint64_t size);
/* Memory that it holds while it is sent. */
size_t reply_body_memory(const struct reply_body *body);
/* All of it to `to`, which is not initialised; `from` is empty then. */
void reply_body_move(struct reply_body *to, struct reply_body *from);

#endif
