/* frame.c -- see frame.h. */
#include "sandbox/frame.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/file.h"

union control {
	struct cmsghdr align;
	char bytes[CMSG_SPACE(FRAME_FILES_MAX * sizeof(int))];
};

static void put_files(struct msghdr *message, union control *control, const int *files,
		      unsigned count)
{
	struct cmsghdr *header;

	memset(control, 0, sizeof(*control));
	message->msg_control = control->bytes;
	message->msg_controllen = CMSG_SPACE(count * sizeof(int));
	header = CMSG_FIRSTHDR(message);
	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(count * sizeof(int));
	memcpy(CMSG_DATA(header), files, count * sizeof(int));
}

int frame_send(int fd, enum frame_type type, struct text head, struct text body, uint32_t more,
	       const int *files, unsigned file_count, int flags)
{
	struct frame_head start = { .type = (uint32_t)type, .more = more };
	struct iovec parts[3] = {
		{ .iov_base = &start, .iov_len = sizeof(start) },
		{ .iov_base = (void *)(uintptr_t)head.bytes, .iov_len = head.size },
		{ .iov_base = (void *)(uintptr_t)body.bytes, .iov_len = body.size },
	};
	struct msghdr message = { .msg_iov = parts, .msg_iovlen = 3 };
	union control control;
	ssize_t sent;

	if (head.size + body.size > FRAME_PACKET_BYTES || file_count > FRAME_FILES_MAX) {
		errno = EMSGSIZE;
		return -1;
	}
	if (file_count)
		put_files(&message, &control, files, file_count);
	do
		sent = sendmsg(fd, &message, flags | MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	return sent < 0 ? -1 : 0;
}

int frame_send_message(int fd, enum frame_type type, struct text message)
{
	size_t at = 0;

	if (message.size > FRAME_MESSAGE_BYTES_MAX) {
		errno = EMSGSIZE;
		return -1;
	}
	do {
		size_t left = message.size - at;
		size_t size = left < FRAME_PACKET_BYTES ? left : FRAME_PACKET_BYTES;
		struct text part = { size ? message.bytes + at : "", size };

		if (frame_send(fd, type, part, TEXT_NONE, size < left, NULL, 0, 0) < 0)
			return -1;
		at += size;
	} while (at < message.size);
	return 0;
}

static void take_files(struct frame *frame, struct msghdr *message)
{
	struct cmsghdr *header;

	for (header = CMSG_FIRSTHDR(message); header; header = CMSG_NXTHDR(message, header)) {
		size_t count;

		if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
			continue;
		count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		if (count > FRAME_FILES_MAX - frame->file_count)
			count = FRAME_FILES_MAX - frame->file_count;
		memcpy(frame->files + frame->file_count, CMSG_DATA(header), count * sizeof(int));
		frame->file_count += (unsigned)count;
	}
}

int frame_receive(int fd, struct frame *frame, bool takes_files, int flags)
{
	struct iovec parts[2] = {
		{ .iov_base = &frame->head, .iov_len = sizeof(frame->head) },
		{ .iov_base = frame->bytes, .iov_len = sizeof(frame->bytes) },
	};
	struct msghdr message = { .msg_iov = parts, .msg_iovlen = 2 };
	union control control;
	ssize_t got;

	frame->file_count = 0;
	frame->size = 0;
	if (takes_files) {
		message.msg_control = control.bytes;
		message.msg_controllen = sizeof(control.bytes);
	}
	do
		got = recvmsg(fd, &message, flags | MSG_CMSG_CLOEXEC);
	while (got < 0 && errno == EINTR);
	if (got < 0 && errno == ECONNRESET)
		return 0;
	if (got <= 0)
		return (int)got;
	if (takes_files)
		take_files(frame, &message);
	if ((size_t)got < sizeof(frame->head) || (message.msg_flags & MSG_TRUNC)) {
		frame_close_files(frame);
		errno = EBADMSG;
		return -1;
	}
	frame->size = (size_t)got - sizeof(frame->head);
	return 1;
}

void frame_close_files(struct frame *frame)
{
	for (unsigned i = 0; i < frame->file_count; i++)
		close(frame->files[i]);
	frame->file_count = 0;
}

int frame_memory_file(struct text bytes, int *fd, struct err *err)
{
	*fd = memfd_create("symgate", MFD_CLOEXEC);
	if (*fd < 0)
		return err_os(err, errno, "making a memory file");
	if (file_write_all(*fd, bytes.bytes, bytes.size, err) < 0) {
		close(*fd);
		*fd = -1;
		return err_while(err, "filling a memory file");
	}
	return 0;
}
