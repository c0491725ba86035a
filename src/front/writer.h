/*
 * writer -- the thread that ends replies whose reader is slow.
 *
 * A request thread or the parker writes what the socket takes at once and hands the rest to the writer,
 * which polls all slow readers together.  So no reader holds up a request thread or the parker.  A
 * connection whose reader takes nothing for WRITER_QUIET_SECONDS is closed, and so are the oldest when
 * there are too many.  Private to front.
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
/* The board on which it shows its gauge and counts the connections it closed; before this, neither. */
void writer_show_on(struct writer *writer, struct board *board);
/* Waits a moment for the replies under way, then closes their connections. */
void writer_stop(struct writer *writer);

/* Sends the reply and closes its connection, at once or, when the socket is full, by the writer's thread; `body`,
 * which the stream carries, is taken over.  `is_read`: the request's input was read to its end. */
void writer_send(struct writer *writer, struct reply_stream *stream, struct reply_body *body,
		 bool is_read);

#endif
