/* reply_stream.c -- see reply_stream.h; FastCGI 1.0 §3.3, §5.5, §6.2. */
#include "front/reply_stream.h"

#include <errno.h>
#include <fastcgi.h>
#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "base/err.h"
#include "base/log.h"
#include "front/reply_body.h"

#define CHUNK_BYTES 65528u           /* most of a record: a multiple of 8 within 16 bits */
#define CHUNKS_AT_ONCE 16u
#define TURN_BYTES ((uint64_t)8 << 20)   /* of a file; then others have theirs */

_Static_assert(sizeof(FCGI_Header) == FCGI_HEADER_LEN, "a header is bytes alone");

/* What follows the `sent` bytes, as far as one call writes. */
struct gathered {
	struct iovec pieces[2 * CHUNKS_AT_ONCE + 3];
	size_t count;
	uint64_t skip;               /* of what is added next */
	uint64_t file_at;            /* where in the stretch of a file the next byte lies, */
	size_t file_left;            /* and how many in this record; 0: not of a file */
	FCGI_Header head, chunks[CHUNKS_AT_ONCE];
	struct { FCGI_Header end_of_output; FCGI_EndRequestRecord end; } tail;
};

static void add(struct gathered *gathered, const void *bytes, size_t size)
{
	if (gathered->skip >= size) {
		gathered->skip -= size;
		return;
	}
	gathered->pieces[gathered->count++] = (struct iovec){
		(char *)(uintptr_t)bytes + gathered->skip, size - (size_t)gathered->skip,
	};
	gathered->skip = 0;
}

static FCGI_Header header_of(const struct reply_stream *stream, unsigned type, size_t size)
{
	return (FCGI_Header){
		.version = FCGI_VERSION_1, .type = (unsigned char)type,
		.requestIdB1 = (unsigned char)(stream->request_id >> 8),
		.requestIdB0 = (unsigned char)stream->request_id,
		.contentLengthB1 = (unsigned char)(size >> 8), .contentLengthB0 = (unsigned char)size,
	};
}

static void add_tail(struct gathered *gathered, const struct reply_stream *stream)
{
	gathered->tail.end_of_output = header_of(stream, FCGI_STDOUT, 0);
	gathered->tail.end = (FCGI_EndRequestRecord){
		.header = header_of(stream, FCGI_END_REQUEST, sizeof(FCGI_EndRequestBody)),
		.body = { .protocolStatus = FCGI_REQUEST_COMPLETE },
	};
	add(gathered, &gathered->tail, sizeof(gathered->tail));
}

/* Of a file: up to the next byte of it that is to be sent, which is elsewhere. */
static bool add_chunk_of_file(struct gathered *gathered, struct reply_stream *stream, size_t i,
			      uint64_t at, size_t size)
{
	gathered->chunks[i] = header_of(stream, FCGI_STDOUT, size);
	add(gathered, &gathered->chunks[i], FCGI_HEADER_LEN);
	if (gathered->skip < size) {
		gathered->file_at = at + gathered->skip;
		gathered->file_left = size - (size_t)gathered->skip;
		return false;
	}
	gathered->skip -= size;
	return true;
}

static void gather(struct gathered *gathered, struct reply_stream *stream)
{
	uint64_t head_bytes = FCGI_HEADER_LEN + stream->head_size, at = 0;

	gathered->count = 0;
	gathered->file_left = 0;
	gathered->skip = stream->sent;
	gathered->head = header_of(stream, FCGI_STDOUT, stream->head_size);
	add(gathered, &gathered->head, FCGI_HEADER_LEN);
	add(gathered, stream->head, stream->head_size);
	if (stream->sent > head_bytes) {
		/* Whole chunks that are sent are not walked through again. */
		uint64_t whole = (stream->sent - head_bytes) / (FCGI_HEADER_LEN + CHUNK_BYTES);

		at = whole * CHUNK_BYTES;
		gathered->skip -= whole * (FCGI_HEADER_LEN + CHUNK_BYTES);
	}
	for (size_t i = 0; i < CHUNKS_AT_ONCE && at < stream->size; i++) {
		size_t size = stream->size - at < CHUNK_BYTES ? (size_t)(stream->size - at)
							      : CHUNK_BYTES;

		if (stream->file >= 0 && !add_chunk_of_file(gathered, stream, i, at, size))
			return;
		if (stream->file < 0) {
			gathered->chunks[i] = header_of(stream, FCGI_STDOUT, size);
			add(gathered, &gathered->chunks[i], FCGI_HEADER_LEN);
			add(gathered, stream->bytes + at, size);
		}
		at += size;
	}
	if (at >= stream->size)
		add_tail(gathered, stream);
}

static uint64_t all_bytes(const struct reply_stream *stream)
{
	uint64_t chunks = (stream->size + CHUNK_BYTES - 1) / CHUNK_BYTES;

	return FCGI_HEADER_LEN + stream->head_size + chunks * FCGI_HEADER_LEN + stream->size +
	       FCGI_HEADER_LEN + sizeof(FCGI_EndRequestRecord);
}

void reply_stream_carry(struct reply_stream *stream, const struct reply_body *body)
{
	stream->file = body->file;
	stream->offset = body->offset;
	stream->size = reply_body_size(body);
	stream->bytes = body->lent.bytes ? body->lent.bytes + body->offset : body->written.bytes;
	if (stream->file >= 0) {             /* sendfile() has no flag for that */
		int flags = fcntl(stream->fd, F_GETFL);

		if (flags >= 0)
			(void)fcntl(stream->fd, F_SETFL, flags | O_NONBLOCK);
	}
}

static ssize_t write_from_file(struct reply_stream *stream, const struct gathered *gathered)
{
	off_t at = (off_t)(stream->offset + gathered->file_at);
	ssize_t size = sendfile(stream->fd, stream->file, &at, gathered->file_left);

	if (size > 0 || (size < 0 && (errno == EAGAIN || errno == EINTR || errno == EPIPE)))
		return size;
	if (size == 0)
		errno = EIO;
	log_message(LOG_ERROR, "reply_file", NULL, size == 0 ? "a file became shorter while it was sent" :
		    "a file cannot be read while it is sent");
	return -1;
}

static ssize_t write_gathered(struct reply_stream *stream, struct gathered *gathered)
{
	struct msghdr message = { .msg_iov = gathered->pieces, .msg_iovlen = gathered->count };

	return sendmsg(stream->fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

enum written reply_write_some(struct reply_stream *stream)
{
	uint64_t all = all_bytes(stream);
	uint64_t turn_ends = stream->file < 0 ? all : stream->sent + TURN_BYTES;

	while (stream->sent < all) {
		struct gathered gathered;
		ssize_t size;

		if (stream->sent >= turn_ends)
			return WRITTEN_SOME;
		gather(&gathered, stream);
		size = gathered.count > 0 ? write_gathered(stream, &gathered)
					  : write_from_file(stream, &gathered);
		if (size >= 0)
			stream->sent += (uint64_t)size;
		else if (errno == EAGAIN || errno == EWOULDBLOCK)
			return WRITTEN_SOME;
		else if (errno != EINTR)
			return WRITTEN_NOTHING;
	}
	return WRITTEN_ALL;
}
