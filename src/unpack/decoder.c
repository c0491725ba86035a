/* decoder.c -- zlib, libzstd, liblzma and liblz4 behind one step function. */
#include "unpack/decoder.h"

#include <limits.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"

#define GZIP_WINDOW_BITS (15 + 16)   /* zlib.h: 16 more asks for a gzip header */
#define ZLIB_WINDOW_BITS 15
#define RAW_WINDOW_BITS  (-15)
#define LZMA_MEMORY_BYTES ((uint64_t)128 << 20)   /* xz -9 needs 65 MiB */

static const char *const kind_names[UNPACK_KINDS] = {
	[UNPACK_NONE] = "uncompressed", [UNPACK_GZIP] = "gzip", [UNPACK_ZLIB] = "zlib",
	[UNPACK_DEFLATE] = "deflate", [UNPACK_ZSTD] = "zstd", [UNPACK_XZ] = "xz", [UNPACK_LZ4] = "lz4",
	[UNPACK_ZIP] = "zip", [UNPACK_CAB] = "cab",
};

const char *unpack_kind_name(enum unpack_kind kind)
{
	return kind < UNPACK_KINDS ? kind_names[kind] : "unknown";
}

static voidpf zlib_get(voidpf opaque, uInt count, uInt size)
{
	(void)opaque;
	return mem_get_array(count, size);
}

static void zlib_give_back(voidpf opaque, voidpf block)
{
	(void)opaque;
	mem_give_back(block);
}

static void *lzma_get(void *opaque, size_t count, size_t size)
{
	(void)opaque;
	return mem_get_array(count, size);
}

static void lzma_give_back(void *opaque, void *block)
{
	(void)opaque;
	mem_give_back(block);
}

static int begin_zlib(struct decoder *decoder, int window_bits, struct err *err)
{
	decoder->zlib.zalloc = zlib_get;
	decoder->zlib.zfree = zlib_give_back;
	if (inflateInit2(&decoder->zlib, window_bits) != Z_OK)
		return err_set(err, ERR_NO_MEMORY, "no memory to unpack %s data",
			       unpack_kind_name(decoder->kind));
	return 0;
}

static int begin_lzma(struct decoder *decoder, struct err *err)
{
	decoder->allocator = (lzma_allocator){ .alloc = lzma_get, .free = lzma_give_back };
	decoder->lzma = (lzma_stream)LZMA_STREAM_INIT;
	decoder->lzma.allocator = &decoder->allocator;
	if (lzma_stream_decoder(&decoder->lzma, LZMA_MEMORY_BYTES, LZMA_CONCATENATED) != LZMA_OK)
		return err_set(err, ERR_NO_MEMORY, "no memory to unpack xz data");
	return 0;
}

int decoder_begin(struct decoder *decoder, enum unpack_kind kind, struct err *err)
{
	*decoder = (struct decoder){ .kind = kind, .fresh = true };
	switch (kind) {
	case UNPACK_GZIP:
		return begin_zlib(decoder, GZIP_WINDOW_BITS, err);
	case UNPACK_ZLIB:
		return begin_zlib(decoder, ZLIB_WINDOW_BITS, err);
	case UNPACK_DEFLATE:
		return begin_zlib(decoder, RAW_WINDOW_BITS, err);
	case UNPACK_ZSTD:
		decoder->zstd = ZSTD_createDCtx();
		if (!decoder->zstd)
			return err_set(err, ERR_NO_MEMORY, "no memory to unpack zstd data");
		return 0;
	case UNPACK_XZ:
		return begin_lzma(decoder, err);
	case UNPACK_LZ4:
		if (LZ4F_isError(LZ4F_createDecompressionContext(&decoder->lz4, LZ4F_VERSION)))
			return err_set(err, ERR_NO_MEMORY, "no memory to unpack lz4 data");
		return 0;
	default:
		return err_set(err, ERR_UNSUPPORTED, "%s data cannot be unpacked",
			       unpack_kind_name(kind));
	}
}

void decoder_end(struct decoder *decoder)
{
	if (decoder->zlib.state)
		(void)inflateEnd(&decoder->zlib);
	ZSTD_freeDCtx(decoder->zstd);
	if (decoder->lzma.internal)
		lzma_end(&decoder->lzma);
	(void)LZ4F_freeDecompressionContext(decoder->lz4);
	*decoder = (struct decoder){ .kind = UNPACK_NONE };
}

/* zlib counts in unsigned int: sections over 4 GiB are fed in turns. */
static uInt turn(size_t size)
{
	return size > UINT_MAX ? UINT_MAX : (uInt)size;
}

/* gzip: another member may follow, and nothing else. */
static int end_member(struct decoder *decoder, const struct decoder_step *step, struct err *err)
{
	if (decoder->kind != UNPACK_GZIP) {
		decoder->ended = true;
		return 0;
	}
	decoder->fresh = true;
	if (inflateReset(&decoder->zlib) != Z_OK)
		return err_set(err, ERR_INTERNAL, "inflateReset failed");
	if (step->in_size == 0 && step->last)
		decoder->ended = true;
	return 0;
}

static int run_zlib(struct decoder *decoder, struct decoder_step *step, struct err *err)
{
	z_stream *zlib = &decoder->zlib;

		/* inflate() is asked without input too: it may hold back output that found no room,
	 * or the end mark. */
	while (!decoder->ended) {
		uInt in = turn(step->in_size), out = turn(step->out_size);
		int rc;

		zlib->next_in = (Bytef *)(uintptr_t)step->in;
		zlib->avail_in = in;
		zlib->next_out = step->out;
		zlib->avail_out = out;
		rc = inflate(zlib, Z_NO_FLUSH);
		step->in += in - zlib->avail_in;
		step->in_size -= in - zlib->avail_in;
		step->out += out - zlib->avail_out;
		step->out_size -= out - zlib->avail_out;
		if (zlib->avail_in != in)
			decoder->fresh = false;
		if (rc == Z_STREAM_END) {
			if (end_member(decoder, step, err) < 0)
				return -1;
		} else if (rc == Z_MEM_ERROR) {
			return err_set(err, ERR_NO_MEMORY, "no memory to unpack");
		} else if (rc != Z_OK && rc != Z_BUF_ERROR) {
			return err_set(err, ERR_MALFORMED, "bad %s data: %s",
				       unpack_kind_name(decoder->kind),
				       zlib->msg ? zlib->msg : "it needs a dictionary");
		}
		if (step->in_size == 0 || step->out_size == 0 || rc == Z_BUF_ERROR)
			return 0;
	}
	return 0;
}

static int run_zstd(struct decoder *decoder, struct decoder_step *step, struct err *err)
{
	while (!decoder->ended) {
		ZSTD_inBuffer in = { step->in, step->in_size, 0 };
		ZSTD_outBuffer out = { step->out, step->out_size, 0 };
		size_t rc = ZSTD_decompressStream(decoder->zstd, &out, &in);

		if (ZSTD_isError(rc))
			return err_set(err, ZSTD_getErrorCode(rc) == ZSTD_error_memory_allocation ?
					    ERR_NO_MEMORY : ERR_MALFORMED,
				       "bad zstd data: %s", ZSTD_getErrorName(rc));
		step->in += in.pos;
		step->in_size -= in.pos;
		step->out += out.pos;
		step->out_size -= out.pos;
		decoder->fresh = rc == 0;
		if (rc == 0 && step->in_size == 0 && step->last)
			decoder->ended = true;
		if ((in.pos == 0 && out.pos == 0) || step->out_size == 0 ||
		    (step->in_size == 0 && out.pos < out.size))
			return 0;
	}
	return 0;
}

static const char *lzma_words(lzma_ret rc)
{
	switch (rc) {
	case LZMA_FORMAT_ERROR:  return "not in xz format";
	case LZMA_OPTIONS_ERROR: return "options we do not have";
	case LZMA_MEMLIMIT_ERROR: return "it needs too much memory";
	default:                 return "it is damaged";
	}
}

static int run_lzma(struct decoder *decoder, struct decoder_step *step, struct err *err)
{
	lzma_stream *lzma = &decoder->lzma;
	lzma_ret rc;

	lzma->next_in = step->in;
	lzma->avail_in = step->in_size;
	lzma->next_out = step->out;
	lzma->avail_out = step->out_size;
	do {
		rc = lzma_code(lzma, step->last ? LZMA_FINISH : LZMA_RUN);
	} while (rc == LZMA_OK && lzma->avail_in > 0 && lzma->avail_out > 0);
	step->in = lzma->next_in;
	step->in_size = lzma->avail_in;
	step->out = lzma->next_out;
	step->out_size = lzma->avail_out;
	if (rc == LZMA_STREAM_END)
		decoder->ended = true;
	else if (rc == LZMA_MEM_ERROR)
		return err_set(err, ERR_NO_MEMORY, "no memory to unpack xz data");
	else if (rc != LZMA_OK && rc != LZMA_BUF_ERROR)
		return err_set(err, ERR_MALFORMED, "bad xz data: %s", lzma_words(rc));
	return 0;
}

/* Frames follow each other; one is over when the library asks for nothing more. */
static int run_lz4(struct decoder *decoder, struct decoder_step *step, struct err *err)
{
	while (!decoder->ended) {
		size_t in = step->in_size, out = step->out_size;
		size_t rc = LZ4F_decompress(decoder->lz4, step->out, &out, step->in, &in, NULL);

		if (LZ4F_isError(rc))
			return err_set(err, strcmp(LZ4F_getErrorName(rc), "ERROR_allocation_failed") == 0 ?
					    ERR_NO_MEMORY : ERR_MALFORMED,
				       "bad lz4 data: %s", LZ4F_getErrorName(rc));
		step->in += in;
		step->in_size -= in;
		step->out += out;
		step->out_size -= out;
		if (in > 0 || out > 0 || rc == 0)
			decoder->fresh = rc == 0;
		if (decoder->fresh && step->in_size == 0 && step->last)
			decoder->ended = true;
		if ((in == 0 && out == 0) || step->out_size == 0 || step->in_size == 0)
			return 0;
	}
	return 0;
}

int decoder_run(struct decoder *decoder, struct decoder_step *step, struct err *err)
{
	switch (decoder->kind) {
	case UNPACK_ZSTD:
		return run_zstd(decoder, step, err);
	case UNPACK_XZ:
		return run_lzma(decoder, step, err);
	case UNPACK_LZ4:
		return run_lz4(decoder, step, err);
	default:
		return run_zlib(decoder, step, err);
	}
}
