/* reply_body.c -- see reply_body.h. */
#include "front/reply_body.h"

#include <string.h>
#include <unistd.h>

#include "base/limits.h"

#define KEPT_BYTES ((size_t)1024 * 1024)

void reply_body_init(struct reply_body *body)
{
	memset(body, 0, sizeof(*body));
	body->file = -1;
	buf_init(&body->written, LIMIT_REPLY_BYTES);
}

/* What is not memory of its own. */
static void let_go(struct reply_body *body)
{
	if (body->lent.bytes && body->release)
		body->release(body->payload);
	body->lent = TEXT_NONE;
	if (body->file >= 0)
		close(body->file);
	body->file = -1;
	body->offset = 0;
	body->size = 0;
}

/* A thread keeps its reply's memory, but not that of one huge answer for ever. */
void reply_body_clear(struct reply_body *body)
{
	let_go(body);
	if (body->written.capacity > KEPT_BYTES)
		buf_release(&body->written);
	buf_clear(&body->written);
	body->written.ceiling_bytes = LIMIT_REPLY_BYTES;
}

void reply_body_release(struct reply_body *body)
{
	let_go(body);
	buf_release(&body->written);
}

void reply_body_lend(struct reply_body *body, struct text bytes, reply_release_fn *release,
		     void *payload)
{
	reply_body_clear(body);
	body->lent = bytes;
	body->release = release;
	body->payload = payload;
	body->size = bytes.size;
}

void reply_body_take_file(struct reply_body *body, int fd, uint64_t offset, uint64_t size)
{
	reply_body_clear(body);
	body->file = fd;
	body->offset = offset;
	body->size = size;
}

uint64_t reply_body_size(const struct reply_body *body)
{
	return body->lent.bytes || body->file >= 0 ? body->size : body->written.size;
}

void reply_body_narrow(struct reply_body *body, uint64_t offset, uint64_t size)
{
	if (body->file < 0 && !body->lent.bytes) {
		memmove(body->written.bytes, body->written.bytes + offset, (size_t)size);
		body->written.size = (size_t)size;
		return;
	}
	body->offset += offset;
	body->size = size;
}

size_t reply_body_memory(const struct reply_body *body)
{
	return body->written.capacity + body->lent.size;
}

void reply_body_move(struct reply_body *to, struct reply_body *from)
{
	*to = *from;
	reply_body_init(from);
}
