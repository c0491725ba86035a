/*
 * sending -- a file as the body of a request: read as curl asks for it, compressed on the way
 * where that is wanted.
 *
 * Private to fetch.  Nothing of the file is held but what is on its way.
 */
#ifndef FETCH_SENDING_H
#define FETCH_SENDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zstd.h>

struct err;

struct sending {
	int fd;                      /* our own; -1: there is no file */
	uint64_t bytes, at;          /* to be sent; read so far */
	ZSTD_CCtx *zstd;             /* NULL: it is sent as it is */
	char *piece;                 /* read and not yet compressed: */
	size_t piece_bytes, piece_at;
	bool ended;                  /* the last of the compressed stream is out */
};

/* The descriptor is duplicated. */
int  sending_open(struct sending *sending, int fd, uint64_t bytes, bool compressed, struct err *err)
	__attribute__((warn_unused_result));
void sending_close(struct sending *sending);
/* From the beginning again. */
void sending_rewind(struct sending *sending);
/* The next bytes, at most `capacity` of them; 0 at the end.  -1: ERR_IO, the file is shorter than
 * was said or cannot be read. */
int64_t sending_read(struct sending *sending, char *out, size_t capacity, struct err *err);

#endif
