/*
 * writer -- the thread that ends replies whose reader is slow.
 *
 * Whoever has a reply writes what the socket takes at once; the rest goes to the writer, which
 * waits for all slow readers together.  So no reader holds up a request thread, or those who
 * are parked.  A reader that takes nothing for WRITER_QUIET_SECONDS is given up, and so are the
 * oldest of too many.  Private to front.
 */
#ifndef FRONT_WRITER_H
#define FRONT_WRITER_H

#include <stdbool.h>

#include "base/limits.h"
#include "front/reply_stream.h"

#define WRITER_QUIET_SECONDS 60
#define WRITER_MOST 256u                                     /* connections */
#define WRITER_MOST_BYTES LIMIT_REPLY_BYTES                  /* of replies in memory, all together */

struct board;
struct err;
struct reply_body;
struct writer;

int  writer_start(struct writer **writer, struct err *err) __attribute__((warn_unused_result));
/* Where it shows how many it has and counts those given up; before that nowhere. */
void writer_show_on(struct writer *writer, struct board *board);
/* Replies under way have a moment to get through, then their connections are closed. */
void writer_stop(struct writer *writer);

/* Sends the reply and closes its connection: both have been seen to when this returns, or the
 * writer has them, and `body`, which the stream carries, with them.
 * `is_read`: the web server has said all it will say. */
void writer_send(struct writer *writer, struct reply_stream *stream, struct reply_body *body,
		 bool is_read);

#endif
