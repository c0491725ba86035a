/*
 * reply_stream -- one reply as FastCGI records, written as far as its reader reads.
 *
 * The library's own output blocks its thread until the web server has read it all; this never
 * waits for the reader, and it takes one call to the kernel for what fits into the socket.  Files go
 * from the page cache into the socket by themselves.  Private to front.
 */
#ifndef FRONT_REPLY_STREAM_H
#define FRONT_REPLY_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

#define REPLY_HEAD_BYTES 5120u

struct reply_body;

struct reply_stream {
	int fd;                      /* a connected socket; not closed here */
	int request_id;              /* as the web server calls it */
	char head[REPLY_HEAD_BYTES]; /* the HTTP header, its empty line included */
	size_t head_size;
	/* The body, which is the caller's and unchanged until all is sent: in memory, or of a file. */
	const char *bytes;
	int file;                    /* -1: `bytes` */
	uint64_t offset, size;       /* of it */
	uint64_t sent;               /* bytes of records; 0 at first */
};

/* Its body is that one; one with a file makes the socket non-blocking. */
void reply_stream_carry(struct reply_stream *stream, const struct reply_body *body);

enum written { WRITTEN_ALL, WRITTEN_SOME, WRITTEN_NOTHING };

/* Writes until all is written (ALL), the socket is full or enough was written for one turn (SOME), or
 * nothing more can be: the web server has gone, or the file has become shorter (NOTHING). */
enum written reply_write_some(struct reply_stream *stream);

#endif
