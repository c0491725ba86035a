/*
 * decode -- Content-Encoding taken off while the body arrives.
 *
 * Private to fetch.
 */
#ifndef FETCH_DECODE_H
#define FETCH_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <brotli/decode.h>
#include <zlib.h>
#include <zstd.h>

#include "base/text.h"

struct err;

enum content_encoding {
	ENCODING_NONE, ENCODING_GZIP, ENCODING_DEFLATE, ENCODING_ZSTD, ENCODING_BROTLI,
	ENCODING_UNKNOWN
};
#define ENCODINGS_OFFERED "br, deflate, gzip, zstd"
enum content_encoding content_encoding_named(struct text name);      /* "" and "identity": none */

/* Where decoded bytes go; -1 with err set ends the decoding. */
typedef int decode_sink_fn(void *payload, const void *bytes, size_t size, struct err *err);

struct decode {
	enum content_encoding encoding;
	bool fed, between;           /* something came; it ended with a member or frame */
	bool zlib_begun;
	z_stream zlib;
	ZSTD_DCtx *zstd;
	BrotliDecoderState *brotli;
	uint8_t *out;
	decode_sink_fn *sink;
	void *payload;
};

/* Bad data is ERR_DOWNLOAD: it came over a network and may be right the next time. */
int  decode_begin(struct decode *decode, enum content_encoding encoding, decode_sink_fn *sink,
		  void *payload, struct err *err) __attribute__((warn_unused_result));
int  decode_feed(struct decode *decode, const void *bytes, size_t size, struct err *err)
	__attribute__((warn_unused_result));
int  decode_finish(struct decode *decode, struct err *err) __attribute__((warn_unused_result));
void decode_release(struct decode *decode);          /* of a zeroed one too */

#endif
