/* pack.c -- see pack.h. */
#include "pack/pack.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"

#define CHUNK_BYTES ((size_t)1 << 20)
#define GZIP_BITS   (15 + 16)        /* a window of 32 KiB, and gzip's header */
#define GZIP_MEMORY 8
#define ZSTD_LEVEL  10

bool pack_kind_named(const char *name, enum pack_kind *kind)
{
	static const char *const names[PACK_KINDS] = { "none", "gz", "zst" };

	for (unsigned i = 0; i < PACK_KINDS; i++) {
		if (strcmp(name, names[i]) == 0) {
			*kind = (enum pack_kind)i;
			return true;
		}
	}
	return false;
}

struct packing {
	int in_fd, out_fd;
	uint64_t at;
	uint8_t *in, *out;           /* CHUNK_BYTES each */
};

/* How much came; fewer than a chunk is the end. */
static int read_chunk(struct packing *packing, size_t *size, struct err *err)
{
	*size = 0;
	while (*size < CHUNK_BYTES) {
		ssize_t got = pread(packing->in_fd, packing->in + *size, CHUNK_BYTES - *size,
				    (off_t)packing->at);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return err_os(err, errno, "reading a file");
		if (got == 0)
			break;
		*size += (size_t)got;
		packing->at += (uint64_t)got;
	}
	return 0;
}

static int copy(struct packing *packing, struct err *err)
{
	size_t size;

	do
		if (read_chunk(packing, &size, err) < 0 ||
		    file_write_all(packing->out_fd, packing->in, size, err) < 0)
			return -1;
	while (size == CHUNK_BYTES);
	return 0;
}

static int deflate_chunk(struct packing *packing, z_stream *stream, size_t size, struct err *err)
{
	stream->next_in = packing->in;
	stream->avail_in = (uInt)size;
	do {
		stream->next_out = packing->out;
		stream->avail_out = (uInt)CHUNK_BYTES;
		if (deflate(stream, size < CHUNK_BYTES ? Z_FINISH : Z_NO_FLUSH) == Z_STREAM_ERROR)
			return err_set(err, ERR_INTERNAL, "zlib does not pack");
		if (file_write_all(packing->out_fd, packing->out, CHUNK_BYTES - stream->avail_out, err) < 0)
			return -1;
	} while (stream->avail_out == 0);
	return 0;
}

static int pack_gzip(struct packing *packing, struct err *err)
{
	z_stream stream = { .next_in = NULL };
	size_t size;
	int rc;

	if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_BITS, GZIP_MEMORY,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return err_set(err, ERR_NO_MEMORY, "no memory to pack a file");
	do {
		rc = read_chunk(packing, &size, err);
		if (rc == 0)
			rc = deflate_chunk(packing, &stream, size, err);
	} while (rc == 0 && size == CHUNK_BYTES);
	deflateEnd(&stream);
	return rc;
}

static int zstd_chunk(struct packing *packing, ZSTD_CCtx *zstd, size_t size, struct err *err)
{
	ZSTD_EndDirective mode = size < CHUNK_BYTES ? ZSTD_e_end : ZSTD_e_continue;
	ZSTD_inBuffer in = { packing->in, size, 0 };
	size_t left;

	do {
		ZSTD_outBuffer out = { packing->out, CHUNK_BYTES, 0 };

		left = ZSTD_compressStream2(zstd, &out, &in, mode);
		if (ZSTD_isError(left))
			return err_set(err, ERR_NO_MEMORY, "packing a file: %s", ZSTD_getErrorName(left));
		if (file_write_all(packing->out_fd, packing->out, out.pos, err) < 0)
			return -1;
	} while (mode == ZSTD_e_end ? left > 0 : in.pos < in.size);
	return 0;
}

static int pack_zstd(struct packing *packing, struct err *err)
{
	ZSTD_CCtx *zstd = ZSTD_createCCtx();
	size_t size;
	int rc;

	if (!zstd)
		return err_set(err, ERR_NO_MEMORY, "no memory to pack a file");
	ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL);
	ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 1);
	do {
		rc = read_chunk(packing, &size, err);
		if (rc == 0)
			rc = zstd_chunk(packing, zstd, size, err);
	} while (rc == 0 && size == CHUNK_BYTES);
	ZSTD_freeCCtx(zstd);
	return rc;
}

int pack_file(enum pack_kind kind, int in_fd, int out_fd, struct err *err)
{
	struct packing packing = {
		.in_fd = in_fd, .out_fd = out_fd, .in = mem_get(CHUNK_BYTES), .out = mem_get(CHUNK_BYTES),
	};
	int rc;

	if (!packing.in || !packing.out)
		rc = err_set(err, ERR_NO_MEMORY, "no memory to pack a file");
	else if (kind == PACK_GZIP)
		rc = pack_gzip(&packing, err);
	else if (kind == PACK_ZSTD)
		rc = pack_zstd(&packing, err);
	else
		rc = copy(&packing, err);
	mem_give_back(packing.in);
	mem_give_back(packing.out);
	return rc;
}
