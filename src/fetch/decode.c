/* decode.c -- see decode.h. */
#include "fetch/decode.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"

#define OUT_BYTES ((size_t)64 * 1024)
#define WINDOW_LOG 23                    /* RFC 9659: 8 MiB is all a server may ask for */

enum content_encoding content_encoding_named(struct text name)
{
	static const struct { const char *name; enum content_encoding encoding; } names[] = {
		{ "", ENCODING_NONE },           { "identity", ENCODING_NONE },
		{ "gzip", ENCODING_GZIP },       { "x-gzip", ENCODING_GZIP },
		{ "deflate", ENCODING_DEFLATE }, { "zstd", ENCODING_ZSTD },
		{ "br", ENCODING_BROTLI },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (text_equal_ignoring_case(name, text_of(names[i].name)))
			return names[i].encoding;
	return ENCODING_UNKNOWN;
}

static int no_memory(struct err *err)
{
	return err_set(err, ERR_NO_MEMORY, "no memory to decode a download");
}

static void *brotli_get(void *payload, size_t size)
{
	(void)payload;
	return mem_get(size);
}

static void brotli_give_back(void *payload, void *block)
{
	(void)payload;
	mem_give_back(block);
}

static int begin_zstd(struct decode *decode, struct err *err)
{
	decode->zstd = ZSTD_createDCtx();
	if (!decode->zstd)
		return no_memory(err);
	ZSTD_DCtx_setParameter(decode->zstd, ZSTD_d_windowLogMax, WINDOW_LOG);
	return 0;
}

/* Its window is 16 MiB at most, unless we asked for large ones. */
static int begin_brotli(struct decode *decode, struct err *err)
{
	decode->brotli = BrotliDecoderCreateInstance(brotli_get, brotli_give_back, NULL);
	return decode->brotli ? 0 : no_memory(err);
}

int decode_begin(struct decode *decode, enum content_encoding encoding, decode_sink_fn *sink,
		 void *payload, struct err *err)
{
	*decode = (struct decode){ .encoding = encoding, .sink = sink, .payload = payload };
	if (encoding == ENCODING_NONE)
		return 0;
	decode->out = mem_get(OUT_BYTES);
	if (!decode->out)
		return no_memory(err);
	if (encoding == ENCODING_ZSTD)
		return begin_zstd(decode, err);
	if (encoding == ENCODING_BROTLI)
		return begin_brotli(decode, err);
	if (inflateInit2(&decode->zlib, encoding == ENCODING_GZIP ? 16 + MAX_WBITS : MAX_WBITS) != Z_OK)
		return no_memory(err);
	decode->zlib_begun = true;
	return 0;
}

void decode_release(struct decode *decode)
{
	if (decode->zlib_begun)
		inflateEnd(&decode->zlib);
	ZSTD_freeDCtx(decode->zstd);
	if (decode->brotli)
		BrotliDecoderDestroyInstance(decode->brotli);
	mem_give_back(decode->out);
	*decode = (struct decode){ .encoding = ENCODING_NONE };
}

/* One call of inflate.  After a gzip member another may follow. */
static int inflate_step(struct decode *decode, size_t *made, struct err *err)
{
	int rc;

	if (decode->between) {
		if (decode->encoding != ENCODING_GZIP)
			return err_set(err, ERR_DOWNLOAD, "data after the end of the deflate stream");
		inflateReset(&decode->zlib);
		decode->between = false;
	}
	decode->zlib.next_out = decode->out;
	decode->zlib.avail_out = (uInt)OUT_BYTES;
	rc = inflate(&decode->zlib, Z_NO_FLUSH);
	*made = OUT_BYTES - decode->zlib.avail_out;
	if (rc == Z_STREAM_END)
		decode->between = true;
	else if (rc == Z_MEM_ERROR)
		return no_memory(err);
	else if (rc != Z_OK && rc != Z_BUF_ERROR)
		return err_set(err, ERR_DOWNLOAD, "invalid %s data: %s",
			       decode->encoding == ENCODING_GZIP ? "gzip" : "deflate",
			       decode->zlib.msg ? decode->zlib.msg : "preset dictionary");
	return 0;
}

static int feed_zlib(struct decode *decode, const void *bytes, size_t size, struct err *err)
{
	size_t made = 0;

	decode->zlib.next_in = (Bytef *)(uintptr_t)bytes;
	decode->zlib.avail_in = (uInt)size;
	do {
		if (inflate_step(decode, &made, err) < 0 ||
		    (made > 0 && decode->sink(decode->payload, decode->out, made, err) < 0))
			return -1;
	} while (decode->zlib.avail_in > 0 || (made == OUT_BYTES && !decode->between));
	return 0;
}

static int feed_zstd(struct decode *decode, const void *bytes, size_t size, struct err *err)
{
	ZSTD_inBuffer in = { bytes, size, 0 };
	ZSTD_outBuffer out;

	do {
		size_t left;

		out = (ZSTD_outBuffer){ decode->out, OUT_BYTES, 0 };
		left = ZSTD_decompressStream(decode->zstd, &out, &in);
		if (ZSTD_isError(left))
			return err_set(err, ERR_DOWNLOAD, "invalid zstd data: %s",
				       ZSTD_getErrorName(left));
		decode->between = left == 0;
		if (out.pos > 0 && decode->sink(decode->payload, decode->out, out.pos, err) < 0)
			return -1;
	} while (in.pos < in.size || (out.pos == OUT_BYTES && !decode->between));
	return 0;
}

static int brotli_failed(const struct decode *decode, struct err *err)
{
	BrotliDecoderErrorCode code = BrotliDecoderGetErrorCode(decode->brotli);

	/* Those of its allocations follow each other. */
	if (code <= BROTLI_DECODER_ERROR_ALLOC_CONTEXT_MODES &&
	    code >= BROTLI_DECODER_ERROR_ALLOC_BLOCK_TYPE_TREES)
		return no_memory(err);
	return err_set(err, ERR_DOWNLOAD, "invalid br data: %s", BrotliDecoderErrorString(code));
}

static int feed_brotli(struct decode *decode, const void *bytes, size_t size, struct err *err)
{
	const uint8_t *in = bytes;
	BrotliDecoderResult result;

	do {
		uint8_t *out = decode->out;
		size_t capacity = OUT_BYTES;

		if (decode->between)
			return err_set(err, ERR_DOWNLOAD, "data after the end of the br stream");
		result = BrotliDecoderDecompressStream(decode->brotli, &size, &in, &capacity, &out, NULL);
		if (result == BROTLI_DECODER_RESULT_ERROR)
			return brotli_failed(decode, err);
		decode->between = result == BROTLI_DECODER_RESULT_SUCCESS;
		if (capacity < OUT_BYTES &&
		    decode->sink(decode->payload, decode->out, OUT_BYTES - capacity, err) < 0)
			return -1;
	} while (size > 0 || result == BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT);
	return 0;
}

int decode_feed(struct decode *decode, const void *bytes, size_t size, struct err *err)
{
	if (size == 0)
		return 0;
	decode->fed = true;
	switch (decode->encoding) {
	case ENCODING_GZIP:
	case ENCODING_DEFLATE:
		return feed_zlib(decode, bytes, size, err);
	case ENCODING_ZSTD:
		return feed_zstd(decode, bytes, size, err);
	case ENCODING_BROTLI:
		return feed_brotli(decode, bytes, size, err);
	default:
		return decode->sink(decode->payload, bytes, size, err);
	}
}

/* An empty body is whole, whatever it is encoded with. */
int decode_finish(struct decode *decode, struct err *err)
{
	if (decode->encoding != ENCODING_NONE && decode->fed && !decode->between)
		return err_set(err, ERR_DOWNLOAD, "the encoded body ends early");
	return 0;
}
