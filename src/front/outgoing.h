/*
 * outgoing -- one reply as FastCGI records, written as far as its reader reads.
 *
 * The library's own output blocks its thread until the web server has read it all; this never
 * blocks, and it takes one call to the kernel for what fits into the socket.  Private to front.
 */
#ifndef FRONT_OUTGOING_H
#define FRONT_OUTGOING_H

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

#define OUTGOING_HEAD_BYTES 2048u

struct outgoing {
	int fd;                      /* a connected socket; not closed here */
	int request_id;              /* as the web server calls it */
	char head[OUTGOING_HEAD_BYTES];      /* the HTTP header, its empty line included */
	size_t head_size;
	struct text body;            /* the caller's, unchanged until all is sent */
	uint64_t sent;               /* bytes of records; 0 at first */
};

enum pushed { PUSHED_ALL, PUSHED_SOME, PUSHED_NOTHING };

/* Writes until all is written (ALL), the socket is full (SOME), or the web server has gone
 * (NOTHING more will ever be).  Never blocks. */
enum pushed outgoing_push(struct outgoing *out);

#endif
