/*
 * ui_drop_packed.c -- see ui_drop_packed.h.
 *
 * Bounded whatever the file is: PACKED_BYTES are read, and it ends with the piece that fills CONTENT_BYTES.
 * By gzip and zstd alone, which the bodies of requests may be packed by, too: what else cores are stored as is
 * unpacked in cells only.
 */
#include "front/ui_drop_packed.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/limits.h"
#include "unpack/unpack.h"

#define PACKED_BYTES ((off_t)512 * 1024)             /* of zstd: more than one block */
#define CONTENT_BYTES 4096u
#define MAGIC_BYTES 4u

struct look_inside {
	int fd;
	off_t at;
	char content[CONTENT_BYTES];
	size_t size;
};

static ssize_t take(void *payload, void *bytes, size_t capacity, struct err *err)
{
	struct look_inside *look = payload;
	size_t most = (size_t)(PACKED_BYTES - look->at);
	ssize_t got = pread(look->fd, bytes, capacity < most ? capacity : most, look->at);

	if (got < 0)
		return err_os(err, errno, "reading an upload");
	look->at += got;
	return got;
}

/* Enough of it is an end like any. */
static int put(void *payload, const void *bytes, size_t size, struct err *err)
{
	struct look_inside *look = payload;
	size_t left = sizeof(look->content) - look->size;
	size_t turn = size < left ? size : left;

	memcpy(look->content + look->size, bytes, turn);
	look->size += turn;
	return size < left ? 0 : err_set(err, ERR_LIMIT, "%zu bytes are enough", look->size);
}

struct stacktext_detected ui_drop_look_inside(int fd, struct stacktext_detected guessed)
{
	struct look_inside look = { .fd = fd };
	const struct unpack_flow flow = { .read = take, .write = put, .payload = &look, .any_ratio = true };
	struct stacktext_detected inside;
	struct err ignored = ERR_INIT;
	uint8_t magic[MAGIC_BYTES];
	enum unpack_kind kind;

	if (pread(fd, magic, sizeof(magic), 0) != (ssize_t)sizeof(magic))
		return guessed;
	kind = unpack_recognise(magic, sizeof(magic));
	if (kind != UNPACK_GZIP && kind != UNPACK_ZSTD)
		return guessed;
	(void)!unpack_flow(kind, &flow, LIMIT_CORE_BYTES, &ignored);
	if (look.size < MAGIC_BYTES)
		return guessed;
	inside = stacktext_detect((struct text){ look.content, look.size });
	if ((inside.kind == STACKTEXT_MINIDUMP || inside.kind == STACKTEXT_CORE) && !inside.is_packed)
		return inside;
	return (struct stacktext_detected){
		.reason = "a packed file that holds neither a core nor a minidump: unpack it, and drop what is in it" };
}
