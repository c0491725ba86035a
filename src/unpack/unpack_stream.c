/* unpack_stream.c -- from descriptor to descriptor, never more than the ceiling. */
#include "unpack/unpack.h"

#include <errno.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/mem.h"
#include "unpack/decoder.h"
#include "unpack/members.h"

#define STREAM_BUFFER_BYTES ((size_t)256 * 1024)

struct unpack_stream {
	int in_fd, out_fd;
	const struct text *packed;   /* all of the input; NULL: it comes from in_fd */
	uint8_t *in, *out;
	uint64_t read_bytes, written_bytes, ceiling_bytes;
	uint32_t crc;                /* of what was written */
	struct buf *into;            /* instead of out_fd; NULL: there is none */
	const struct unpack_flow *flow;      /* instead of both descriptors; NULL: them */
};

static void take_packed(struct unpack_stream *stream, struct decoder_step *step)
{
	step->in = (const uint8_t *)stream->packed->bytes;
	step->in_size = stream->packed->size;
	step->last = true;
	stream->read_bytes = stream->packed->size;
}

static ssize_t read_more(struct unpack_stream *stream, struct err *err)
{
	ssize_t got;

	do {
		got = read(stream->in_fd, stream->in, STREAM_BUFFER_BYTES);
	} while (got < 0 && errno == EINTR);
	return got < 0 ? err_os(err, errno, "reading packed data") : got;
}

static int fill(struct unpack_stream *stream, struct decoder_step *step, struct err *err)
{
	ssize_t got;

	if (stream->packed) {
		take_packed(stream, step);
		return 0;
	}
	got = stream->flow ? stream->flow->read(stream->flow->payload, stream->in, STREAM_BUFFER_BYTES, err)
			   : read_more(stream, err);
	if (got < 0)
		return -1;
	step->in = stream->in;
	step->in_size = (size_t)got;
	step->last = got == 0;
	stream->read_bytes += (uint64_t)got;
	return 0;
}

static int put(struct unpack_stream *stream, const uint8_t *bytes, size_t size, struct err *err)
{
	if (size > stream->ceiling_bytes - stream->written_bytes)
		return err_set(err, ERR_LIMIT, "Maximum file size exceeded");
	stream->written_bytes += size;
	if (!(stream->flow && stream->flow->any_ratio) &&
	    stream->written_bytes > unpack_most(stream->read_bytes, stream->ceiling_bytes))
		return err_set(err, ERR_LIMIT, "it holds more than %u times its %llu bytes",
			       LIMIT_UNPACK_RATIO, (unsigned long long)stream->read_bytes);
	if (stream->packed)
		stream->crc = (uint32_t)crc32(stream->crc, bytes, (uInt)size);
	if (stream->flow)
		return stream->flow->write(stream->flow->payload, bytes, size, err);
	if (!stream->into)
		return file_write_all(stream->out_fd, bytes, size, err);
	buf_add(stream->into, bytes, size);
	return buf_check(stream->into, err);
}

/* The end of a gzip, zstd or lz4 stream is known only when no input follows. */
static bool is_complete(const struct decoder *decoder)
{
	return decoder->ended ||
	       (decoder->fresh && (decoder->kind == UNPACK_GZIP || decoder->kind == UNPACK_ZSTD ||
				  decoder->kind == UNPACK_LZ4));
}

/* All of the input was read, and the stream is complete with it. */
static bool is_over(const struct decoder *decoder, const struct decoder_step *step)
{
	return step->last && step->in_size == 0 && is_complete(decoder);
}

static int pump(struct unpack_stream *stream, struct decoder *decoder, struct err *err)
{
	struct decoder_step step = { .last = false };

	for (;;) {
		if (step.in_size == 0 && !step.last && fill(stream, &step, err) < 0)
			return -1;
		step.out = stream->out;
		step.out_size = STREAM_BUFFER_BYTES;
		if (!is_over(decoder, &step) && decoder_run(decoder, &step, err) < 0)
			return -1;
		if (step.out_size < STREAM_BUFFER_BYTES &&
		    put(stream, stream->out, STREAM_BUFFER_BYTES - step.out_size, err) < 0)
			return -1;
		if (decoder->ended)
			return 0;
		if (step.last && step.out_size == STREAM_BUFFER_BYTES)
			break;
	}
	if (is_complete(decoder) && stream->read_bytes > 0)
		return 0;
	return err_set(err, ERR_MALFORMED, "the %s data ends early, at byte %llu",
		       unpack_kind_name(decoder->kind), (unsigned long long)stream->read_bytes);
}

static int run(struct unpack_stream *stream, enum unpack_kind kind, struct err *err)
{
	struct decoder decoder;
	int rc = decoder_begin(&decoder, kind, err);

	if (!stream->packed)
		stream->in = mem_get(STREAM_BUFFER_BYTES);
	stream->out = mem_get(STREAM_BUFFER_BYTES);
	if (rc == 0 && ((!stream->in && !stream->packed) || !stream->out))
		rc = err_set(err, ERR_NO_MEMORY, "no memory to unpack");
	if (rc == 0)
		rc = pump(stream, &decoder, err);
	mem_give_back(stream->in);
	mem_give_back(stream->out);
	decoder_end(&decoder);
	return rc;
}

static int put_member(void *payload, const uint8_t *bytes, size_t size, uint64_t read,
		      struct err *err)
{
	struct unpack_stream *stream = payload;

	stream->read_bytes = read;
	return put(stream, bytes, size, err);
}

/* From a file, and into one: as if nothing had been done unless it is all right.  1: it is. */
static int run_mapped(struct unpack_stream *stream, enum unpack_kind kind, struct err *err)
{
	off_t from = lseek(stream->in_fd, 0, SEEK_CUR), to = lseek(stream->out_fd, 0, SEEK_CUR);
	struct err ignored = ERR_INIT;
	struct file_map map;
	int rc;

	if (from < 0 || to < 0 || file_map_fd(&map, stream->in_fd, &ignored) < 0)
		return 0;
	rc = (uint64_t)from >= map.size ? 0 :
	     members_unpack(kind, (struct text){ (const char *)map.bytes + from,
						 map.size - (size_t)from }, put_member, stream, err);
	file_unmap(&map);
	if (rc != 0)
		return rc;
	if (stream->written_bytes > 0 &&
	    (ftruncate(stream->out_fd, to) < 0 || lseek(stream->out_fd, to, SEEK_SET) < 0))
		return err_os(err, errno, "going back in unpacked data");
	stream->read_bytes = stream->written_bytes = 0;
	return 0;
}

int unpack_stream(enum unpack_kind kind, int in_fd, int out_fd, uint64_t ceiling_bytes,
		  struct err *err)
{
	struct unpack_stream stream = {
		.in_fd = in_fd, .out_fd = out_fd, .ceiling_bytes = ceiling_bytes,
	};
	int rc = run_mapped(&stream, kind, err);

	if (rc != 0)
		return rc < 0 ? -1 : 0;
	return run(&stream, kind, err);
}

int unpack_flow(enum unpack_kind kind, const struct unpack_flow *flow, uint64_t ceiling_bytes,
		struct err *err)
{
	struct unpack_stream stream = {
		.in_fd = -1, .out_fd = -1, .flow = flow, .ceiling_bytes = ceiling_bytes,
	};

	return run(&stream, kind, err);
}

int unpack_buf(enum unpack_kind kind, struct text packed, struct buf *out, struct err *err)
{
	struct unpack_stream stream = {
		.in_fd = -1, .out_fd = -1, .packed = &packed, .into = out,
		.ceiling_bytes = out->ceiling_bytes > out->size ? out->ceiling_bytes - out->size : 0,
	};

	return run(&stream, kind, err);
}

int unpack_checked(enum unpack_kind kind, struct text packed, int out_fd, uint64_t out_size,
		   uint32_t crc, struct err *err)
{
	struct unpack_stream stream = {
		.in_fd = -1, .out_fd = out_fd, .packed = &packed, .ceiling_bytes = out_size,
	};

	if (run(&stream, kind, err) < 0) {
		if (err->kind != ERR_LIMIT)
			return -1;
		return err_set(err, ERR_MALFORMED, "it holds more than the %llu bytes it promises",
			       (unsigned long long)out_size);
	}
	if (stream.written_bytes != out_size)
		return err_set(err, ERR_MALFORMED, "it holds %llu bytes, not the %llu it promises",
			       (unsigned long long)stream.written_bytes, (unsigned long long)out_size);
	if (stream.crc != crc)
		return err_set(err, ERR_MALFORMED, "Invalid checksum");
	return 0;
}
