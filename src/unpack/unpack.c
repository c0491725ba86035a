/* unpack.c -- which compression it is, and from memory to memory. */
#include "unpack/unpack.h"

#include <libdeflate.h>

#include "base/err.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/reader.h"
#include "unpack/decoder.h"

#define MAGIC_BYTES 4u
#define XZ_INDEX_MEMORY_BYTES ((uint64_t)16 << 20)

static const struct {
	uint8_t magic[MAGIC_BYTES];
	size_t size;
	enum unpack_kind kind;
} magics[] = {
	{ { 0x28, 0xb5, 0x2f, 0xfd }, 4, UNPACK_ZSTD },
	{ { 0x1f, 0x8b },             2, UNPACK_GZIP },
	{ { 0x78, 0x01 },             2, UNPACK_ZLIB },
	{ { 0x78, 0x9c },             2, UNPACK_ZLIB },
	{ { 0x78, 0xda },             2, UNPACK_ZLIB },
	{ { 'P', 'K', 3, 4 },         4, UNPACK_ZIP },
	{ { 'M', 'S', 'C', 'F' },     4, UNPACK_CAB },
};

enum unpack_kind unpack_recognise(const uint8_t *head, size_t size)
{
	if (size < MAGIC_BYTES)
		return UNPACK_NONE;
	for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++)
		if (memcmp(head, magics[i].magic, magics[i].size) == 0)
			return magics[i].kind;
	return UNPACK_NONE;
}

enum unpack_kind unpack_recognise_stored(const uint8_t *head, size_t size)
{
	static const uint8_t xz[] = { 0xfd, '7', 'z', 'X', 'Z', 0 }, lz4[] = { 0x04, 0x22, 0x4d, 0x18 };

	if (size >= sizeof(xz) && memcmp(head, xz, sizeof(xz)) == 0)
		return UNPACK_XZ;
	if (size >= sizeof(lz4) && memcmp(head, lz4, sizeof(lz4)) == 0)
		return UNPACK_LZ4;
	return unpack_recognise(head, size);
}

/* In one call: twice as fast as the stream interface, which copies every window. */
static int zstd_whole(struct text packed, void *out, size_t out_size, size_t *got,
		      struct err *err)
{
	ZSTD_DCtx *context = ZSTD_createDCtx();
	size_t rc;

	if (!context)
		return err_set(err, ERR_NO_MEMORY, "no memory to unpack zstd data");
	rc = ZSTD_decompressDCtx(context, out, out_size, packed.bytes, packed.size);
	ZSTD_freeDCtx(context);
	if (ZSTD_isError(rc)) {
		if (ZSTD_getErrorCode(rc) == ZSTD_error_dstSize_tooSmall)
			return err_set(err, ERR_MALFORMED, "holds more than %zu bytes", out_size);
		return err_set(err, ZSTD_getErrorCode(rc) == ZSTD_error_memory_allocation ?
				    ERR_NO_MEMORY : ERR_MALFORMED,
			       "bad zstd data: %s", ZSTD_getErrorName(rc));
	}
	*got = rc;
	return 0;
}

/* In one call and in half of zlib's time, when the data is right and fills `out`.  For anything
 * else zlib finds the words. */
static bool deflate_whole(enum unpack_kind kind, struct text packed, void *out, size_t out_size)
{
	struct libdeflate_decompressor *decompressor;
	enum libdeflate_result result = LIBDEFLATE_BAD_DATA;

	if (kind != UNPACK_ZLIB && kind != UNPACK_DEFLATE)
		return false;
	libdeflate_set_memory_allocator(mem_get, mem_give_back);
	decompressor = libdeflate_alloc_decompressor();
	if (!decompressor)
		return false;
	if (kind == UNPACK_ZLIB)
		result = libdeflate_zlib_decompress(decompressor, packed.bytes, packed.size, out,
						    out_size, NULL);
	else
		result = libdeflate_deflate_decompress(decompressor, packed.bytes, packed.size, out,
						       out_size, NULL);
	libdeflate_free_decompressor(decompressor);
	return result == LIBDEFLATE_SUCCESS;
}

static int decode_whole(struct decoder *decoder, struct text packed, void *out,
			size_t out_size, size_t *got, struct err *err)
{
	struct decoder_step step = {
		.in = (const uint8_t *)packed.bytes, .in_size = packed.size,
		.out = out, .out_size = out_size, .last = true,
	};
	uint8_t beyond;

	if (decoder_run(decoder, &step, err) < 0)
		return -1;
	*got = out_size - step.out_size;
	if (decoder->ended || step.out_size > 0)
		return 0;
	/* Full, and perhaps only the end mark is missing: is there one byte more? */
	step.out = &beyond;
	step.out_size = 1;
	if (decoder_run(decoder, &step, err) < 0)
		return -1;
	if (step.out_size == 0)
		return err_set(err, ERR_MALFORMED, "holds more than %zu bytes", out_size);
	return 0;
}

static int unpack_exactly(enum unpack_kind kind, struct text packed, void *out,
			  size_t out_size, struct err *err)
{
	struct decoder decoder;
	size_t got = 0;
	int rc;

	if (kind == UNPACK_ZSTD)
		return zstd_whole(packed, out, out_size, &got, err) < 0 ? -1 :
		       got == out_size ? 0 :
		       err_set(err, ERR_MALFORMED, "holds %zu bytes, not %zu", got, out_size);
	if (deflate_whole(kind, packed, out, out_size))
		return 0;
	rc = decoder_begin(&decoder, kind, err);
	if (rc == 0)
		rc = decode_whole(&decoder, packed, out, out_size, &got, err);
	if (rc == 0 && !decoder.ended)
		rc = err_set(err, ERR_MALFORMED, "the %s data ends early, after %zu of %zu bytes",
			     unpack_kind_name(kind), got, out_size);
	else if (rc == 0 && got != out_size)
		rc = err_set(err, ERR_MALFORMED, "holds %zu bytes, not %zu", got, out_size);
	decoder_end(&decoder);
	return rc;
}

int unpack_memory(enum unpack_kind kind, const char *name, struct text packed,
		  void *out, size_t out_size, struct err *err)
{
	if (unpack_exactly(kind, packed, out, out_size, err) < 0)
		return err_while(err, "unpacking %s", name);
	return 0;
}

int unpack_head(enum unpack_kind kind, const char *name, struct text packed,
		void *out, size_t out_size, struct err *err)
{
	struct decoder_step step = {
		.in = (const uint8_t *)packed.bytes, .in_size = packed.size,
		.out = out, .out_size = out_size, .last = true,
	};
	struct decoder decoder;
	int rc = decoder_begin(&decoder, kind, err);

	if (rc == 0)
		rc = decoder_run(&decoder, &step, err);
	if (rc == 0 && step.out_size > 0)
		rc = err_set(err, ERR_MALFORMED, "the %s data ends early, after %zu of %zu bytes",
			     unpack_kind_name(kind), out_size - step.out_size, out_size);
	decoder_end(&decoder);
	return rc < 0 ? err_while(err, "unpacking %s", name) : 0;
}

uint64_t unpack_most(uint64_t packed_bytes, uint64_t ceiling_bytes)
{
	if (ceiling_bytes <= LIMIT_UNPACK_FREE_BYTES ||
	    packed_bytes > (ceiling_bytes - LIMIT_UNPACK_FREE_BYTES) / LIMIT_UNPACK_RATIO)
		return ceiling_bytes;
	return LIMIT_UNPACK_FREE_BYTES + packed_bytes * LIMIT_UNPACK_RATIO;
}

/* An xz file ends with an index of its blocks and a footer that says how long the index is. */
int unpack_xz_size(const char *name, struct text packed, uint64_t *size, struct err *err)
{
	const uint8_t *bytes = (const uint8_t *)packed.bytes;
	lzma_stream_flags footer;
	lzma_index *index = NULL;
	uint64_t memory = XZ_INDEX_MEMORY_BYTES;
	size_t at, used = 0;

	if (packed.size < 2 * LZMA_STREAM_HEADER_SIZE)
		return err_set(err, ERR_MALFORMED, "unpacking %s: too short for xz data", name);
	at = packed.size - LZMA_STREAM_HEADER_SIZE;
	if (lzma_stream_footer_decode(&footer, bytes + at) != LZMA_OK ||
	    footer.backward_size > at)
		return err_set(err, ERR_MALFORMED, "unpacking %s: bad xz footer", name);
	at -= (size_t)footer.backward_size;
	if (lzma_index_buffer_decode(&index, &memory, NULL, bytes + at, &used,
				     (size_t)footer.backward_size) != LZMA_OK)
		return err_set(err, ERR_MALFORMED, "unpacking %s: bad xz index", name);
	*size = lzma_index_uncompressed_size(index);
	lzma_index_end(index, NULL);
	return 0;
}
