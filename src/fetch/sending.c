/* sending.c -- see sending.h. */
#include "fetch/sending.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"

#define PIECE_BYTES ((size_t)64 * 1024)
#define LEVEL 3                          /* as fast as a disk reads; its window is 2 MiB */

static int no_memory(struct err *err)
{
	return err_set(err, ERR_NO_MEMORY, "no memory to send a file");
}

int sending_open(struct sending *sending, int fd, uint64_t bytes, bool compressed, struct err *err)
{
	*sending = (struct sending){ .fd = fcntl(fd, F_DUPFD_CLOEXEC, 0), .bytes = bytes };
	if (sending->fd < 0)
		return err_os(err, errno, "sending a file");
	if (!compressed)
		return 0;
	sending->piece = mem_get(PIECE_BYTES);
	sending->zstd = ZSTD_createCCtx();
	if (!sending->piece || !sending->zstd) {
		sending_close(sending);
		return no_memory(err);
	}
	ZSTD_CCtx_setParameter(sending->zstd, ZSTD_c_compressionLevel, LEVEL);
	ZSTD_CCtx_setParameter(sending->zstd, ZSTD_c_checksumFlag, 1);
	return 0;
}

void sending_close(struct sending *sending)
{
	if (sending->fd >= 0)
		close(sending->fd);
	ZSTD_freeCCtx(sending->zstd);
	mem_give_back(sending->piece);
	*sending = (struct sending){ .fd = -1 };
}

void sending_rewind(struct sending *sending)
{
	sending->at = 0;
	sending->piece_bytes = sending->piece_at = 0;
	sending->ended = false;
	if (sending->zstd)
		ZSTD_CCtx_reset(sending->zstd, ZSTD_reset_session_only);
}

static int64_t read_plain(struct sending *sending, char *out, size_t capacity, struct err *err)
{
	uint64_t left = sending->bytes - sending->at;
	ssize_t got;

	if (left == 0)
		return 0;
	do
		got = pread(sending->fd, out, left < capacity ? (size_t)left : capacity, (off_t)sending->at);
	while (got < 0 && errno == EINTR);
	if (got <= 0) {
		err_set(err, ERR_IO, "a file to be sent %s", got < 0 ? "cannot be read"
								      : "was cut short");
		return -1;
	}
	sending->at += (uint64_t)got;
	return got;
}

static int fill_piece(struct sending *sending, struct err *err)
{
	int64_t got;

	if (sending->piece_at < sending->piece_bytes)
		return 0;
	got = read_plain(sending, sending->piece, PIECE_BYTES, err);
	sending->piece_at = 0;
	sending->piece_bytes = got > 0 ? (size_t)got : 0;
	return got < 0 ? -1 : 0;
}

int64_t sending_read(struct sending *sending, char *out, size_t capacity, struct err *err)
{
	ZSTD_outBuffer made = { out, capacity, 0 };

	if (!sending->zstd)
		return read_plain(sending, out, capacity, err);
	while (made.pos == 0 && !sending->ended) {
		ZSTD_inBuffer in;
		bool last;
		size_t left;

		if (fill_piece(sending, err) < 0)
			return -1;
		last = sending->at == sending->bytes;
		in = (ZSTD_inBuffer){ sending->piece, sending->piece_bytes, sending->piece_at };
		left = ZSTD_compressStream2(sending->zstd, &made, &in,
					    last ? ZSTD_e_end : ZSTD_e_continue);
		if (ZSTD_isError(left)) {
			err_set(err, ERR_IO, "compressing a file: %s", ZSTD_getErrorName(left));
			return -1;
		}
		sending->piece_at = in.pos;
		sending->ended = last && left == 0;
	}
	return (int64_t)made.pos;
}
