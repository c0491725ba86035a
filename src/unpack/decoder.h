/*
 * decoder -- one step of any of the decompressors: some input in, some output out.
 *
 * Private to unpack.
 */
#ifndef UNPACK_DECODER_H
#define UNPACK_DECODER_H

#include <lz4frame.h>
#include <lzma.h>
#include <stdbool.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "unpack/unpack.h"

struct decoder {
	enum unpack_kind kind;
	bool fresh;                  /* nothing of the current member or frame was read */
	bool ended;                  /* the stream is complete */
	z_stream zlib;
	ZSTD_DCtx *zstd;
	lzma_stream lzma;
	lzma_allocator allocator;
	LZ4F_dctx *lz4;
};

struct decoder_step {
	const uint8_t *in;
	size_t in_size;              /* what is left of it after the step */
	uint8_t *out;
	size_t out_size;             /* likewise */
	bool last;                   /* no input follows `in` */
};

int  decoder_begin(struct decoder *decoder, enum unpack_kind kind, struct err *err)
	__attribute__((warn_unused_result));
void decoder_end(struct decoder *decoder);   /* of a zeroed one too */

/* Moves on until input or output is used up, or the stream ends.  Bad data: ERR_MALFORMED,
 * with what the library calls it. */
int  decoder_run(struct decoder *decoder, struct decoder_step *step, struct err *err)
	__attribute__((warn_unused_result));

/* unpack_stream.c: from memory into a descriptor; size and CRC-32 must be as promised. */
int  unpack_checked(enum unpack_kind kind, struct text packed, int out_fd, uint64_t out_size,
		    uint32_t crc, struct err *err) __attribute__((warn_unused_result));

#endif
