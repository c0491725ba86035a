/* outgoing.c -- see outgoing.h; FastCGI 1.0 §3.3, §5.5, §6.2. */
#include "front/outgoing.h"

#include <errno.h>
#include <fastcgi.h>
#include <sys/socket.h>
#include <sys/uio.h>

#define CHUNK_BYTES 65528u           /* most of a record: a multiple of 8 within 16 bits */
#define CHUNKS_AT_ONCE 16u

_Static_assert(sizeof(FCGI_Header) == FCGI_HEADER_LEN, "a header is bytes alone");

/* What follows the `sent` bytes, as far as one call writes. */
struct gathered {
	struct iovec pieces[2 * CHUNKS_AT_ONCE + 3];
	size_t count;
	uint64_t skip;               /* of what is added next */
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

static FCGI_Header header_of(const struct outgoing *out, unsigned type, size_t size)
{
	return (FCGI_Header){
		.version = FCGI_VERSION_1, .type = (unsigned char)type,
		.requestIdB1 = (unsigned char)(out->request_id >> 8),
		.requestIdB0 = (unsigned char)out->request_id,
		.contentLengthB1 = (unsigned char)(size >> 8), .contentLengthB0 = (unsigned char)size,
	};
}

static void add_tail(struct gathered *gathered, const struct outgoing *out)
{
	gathered->tail.end_of_output = header_of(out, FCGI_STDOUT, 0);
	gathered->tail.end = (FCGI_EndRequestRecord){
		.header = header_of(out, FCGI_END_REQUEST, sizeof(FCGI_EndRequestBody)),
		.body = { .protocolStatus = FCGI_REQUEST_COMPLETE },
	};
	add(gathered, &gathered->tail, sizeof(gathered->tail));
}

static void gather(struct gathered *gathered, const struct outgoing *out)
{
	uint64_t head_bytes = FCGI_HEADER_LEN + out->head_size, at = 0;

	gathered->count = 0;
	gathered->skip = out->sent;
	gathered->head = header_of(out, FCGI_STDOUT, out->head_size);
	add(gathered, &gathered->head, FCGI_HEADER_LEN);
	add(gathered, out->head, out->head_size);
	if (out->sent > head_bytes) {
		/* Whole chunks that are sent are not walked through again. */
		uint64_t whole = (out->sent - head_bytes) / (FCGI_HEADER_LEN + CHUNK_BYTES);

		at = whole * CHUNK_BYTES;
		gathered->skip -= whole * (FCGI_HEADER_LEN + CHUNK_BYTES);
	}
	for (size_t i = 0; i < CHUNKS_AT_ONCE && at < out->body.size; i++) {
		size_t size = out->body.size - at < CHUNK_BYTES ? (size_t)(out->body.size - at)
								: CHUNK_BYTES;

		gathered->chunks[i] = header_of(out, FCGI_STDOUT, size);
		add(gathered, &gathered->chunks[i], FCGI_HEADER_LEN);
		add(gathered, out->body.bytes + at, size);
		at += size;
	}
	if (at >= out->body.size)
		add_tail(gathered, out);
}

static uint64_t all_bytes(const struct outgoing *out)
{
	uint64_t chunks = (out->body.size + CHUNK_BYTES - 1) / CHUNK_BYTES;

	return FCGI_HEADER_LEN + out->head_size + chunks * FCGI_HEADER_LEN + out->body.size +
	       FCGI_HEADER_LEN + sizeof(FCGI_EndRequestRecord);
}

enum pushed outgoing_push(struct outgoing *out)
{
	uint64_t all = all_bytes(out);

	while (out->sent < all) {
		struct gathered gathered;
		struct msghdr message = { .msg_iov = gathered.pieces };
		ssize_t size;

		gather(&gathered, out);
		message.msg_iovlen = gathered.count;
		size = sendmsg(out->fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (size >= 0)
			out->sent += (uint64_t)size;
		else if (errno == EAGAIN || errno == EWOULDBLOCK)
			return PUSHED_SOME;
		else if (errno != EINTR)
			return PUSHED_NOTHING;
	}
	return PUSHED_ALL;
}
