/*
 * handle.c -- a cell as its asker sees it.
 *
 * The cell is hostile: every packet of it is measured, a cell that does not keep to the rules
 * counts as crashed, and nothing here waits for it.
 */
#include "sandbox/handle.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/mem.h"

#define INLINE_BYTES 16384u      /* longer messages travel in a memory file */

struct cell_handle {
	int channel;
	bool want_open;              /* it waits for an answer */
	bool ended;
	unsigned wants, want_max;
	uint32_t partial;            /* type of the message being put together; 0: none */
	struct buf message;
	char operation[CELL_ROLE_BYTES];
	char role[CELL_ROLE_BYTES];
};

int handle_new(struct cell_handle **handle, int channel, const struct cell_order *order,
	       struct err *err)
{
	struct cell_handle *made = mem_get(sizeof(*made));

	*handle = NULL;
	if (!made)
		return err_set(err, ERR_NO_MEMORY, "no memory for a cell");
	made->channel = channel;
	made->want_max = order->want_max ? order->want_max : LIMIT_CELL_WANTS;
	snprintf(made->operation, sizeof(made->operation), "%s", order->operation);
	buf_init(&made->message, FRAME_MESSAGE_BYTES_MAX);
	*handle = made;
	return 0;
}

int cell_channel(const struct cell_handle *handle)
{
	return handle->channel;
}

void cell_kill(struct cell_handle *handle)
{
	if (!handle)
		return;
	/* The nursery sees the channel close and kills whoever is left. */
	close(handle->channel);
	buf_release(&handle->message);
	mem_give_back(handle);
}

/* --- How it ended ----------------------------------------------------------------------- */

static int die(struct cell_handle *handle, struct cell_event *event, enum err_kind kind,
	       const char *why)
{
	handle->ended = true;
	event->kind = CELL_DIED;
	err_set(&event->status, kind, "cell %s while running %s", why, handle->operation);
	return 0;
}

static const struct { int number; const char *name; enum err_kind kind; } signals[] = {
	{ SIGSEGV, "died of SIGSEGV", ERR_CRASHED },
	{ SIGABRT, "died of SIGABRT", ERR_CRASHED },
	{ SIGBUS,  "died of SIGBUS", ERR_CRASHED },
	{ SIGILL,  "died of SIGILL", ERR_CRASHED },
	{ SIGFPE,  "died of SIGFPE", ERR_CRASHED },
	{ SIGTRAP, "died of SIGTRAP", ERR_CRASHED },
	{ SIGSYS,  "died of SIGSYS (a system call it may not make)", ERR_CRASHED },
	{ SIGXCPU, "was stopped at its CPU time limit", ERR_LIMIT },
	{ SIGXFSZ, "was stopped at its file size limit", ERR_LIMIT },
};

static int take_ended(struct cell_handle *handle, const struct frame *frame,
		      struct cell_event *event)
{
	struct frame_ended ended;
	char why[96];
	int number;

	if (frame->size != sizeof(ended))
		return die(handle, event, ERR_CRASHED, "sent nonsense");
	memcpy(&ended, frame->bytes, sizeof(ended));
	if (ended.status == -1) {
		snprintf(why, sizeof(why), "could not be forked (errno %d)", (int)ended.os_errno);
		return die(handle, event, ERR_IO, why);
	}
	if (WIFEXITED(ended.status) && WEXITSTATUS(ended.status) == FRAME_EXIT_UNHEARD)
		return die(handle, event, ERR_IO, "could not say what came of it");
	if (WIFEXITED(ended.status)) {
		snprintf(why, sizeof(why), "exited with status %d and no result",
			 WEXITSTATUS(ended.status));
		return die(handle, event, ERR_CRASHED, why);
	}
	number = WTERMSIG(ended.status);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (signals[i].number == number)
			return die(handle, event, signals[i].kind, signals[i].name);
	if (number == SIGKILL && ended.cpu_spent)
		return die(handle, event, ERR_LIMIT, "was stopped at its CPU time limit");
	snprintf(why, sizeof(why), "was ended by signal %d", number);
	return die(handle, event, ERR_IO, why);
}

/* --- What it says ----------------------------------------------------------------------- */

static void copy_words(char *out, size_t capacity, const char *words, size_t size)
{
	size_t at = 0;

	while (at < size && at < capacity - 1 && words[at]) {
		out[at] = (unsigned char)words[at] < ' ' || words[at] == 127 ? '?' : words[at];
		at++;
	}
	out[at] = '\0';
}

/* A cell may say what it found out about its file, not what we remember about the world. */
static enum err_kind believable(uint32_t kind)
{
	switch (kind) {
	case ERR_MALFORMED:
	case ERR_UNSUPPORTED:
	case ERR_NOT_FOUND:
	case ERR_LIMIT:
	case ERR_IO:
	case ERR_NO_MEMORY:
		return (enum err_kind)kind;
	default:
		return ERR_INTERNAL;
	}
}

static int take_failed(struct cell_handle *handle, const struct frame *frame,
		       struct cell_event *event)
{
	struct frame_failed failed;

	if (frame->size != sizeof(failed))
		return die(handle, event, ERR_CRASHED, "sent nonsense");
	memcpy(&failed, frame->bytes, sizeof(failed));
	handle->ended = true;
	event->kind = CELL_FAILED;
	event->status.kind = believable(failed.kind);
	event->status.os_errno = failed.os_errno;
	copy_words(event->status.text, sizeof(event->status.text), failed.text, sizeof(failed.text));
	if (!event->status.text[0])
		err_set(&event->status, event->status.kind, "%s failed without words",
			handle->operation);
	return 0;
}

static bool is_role(const char role[CELL_ROLE_BYTES])
{
	size_t at = 0;

	for (; at < CELL_ROLE_BYTES && role[at]; at++) {
		char c = role[at];

		if (!(c >= 'a' && c <= 'z') && !ascii_is_digit(c) && c != '_' && c != '-')
			return false;
	}
	return at > 0 && at < CELL_ROLE_BYTES;
}

static int take_want(struct cell_handle *handle, const struct frame *frame,
		     struct cell_event *event, struct err *err)
{
	struct frame_want want;
	const char *words;

	if (frame->size < sizeof(want))
		return die(handle, event, ERR_CRASHED, "sent nonsense");
	memcpy(&want, frame->bytes, sizeof(want));
	if (!is_role(want.role) || want.id_size > FRAME_WANT_ID_BYTES ||
	    want.name_size > FRAME_WANT_NAME_BYTES ||
	    sizeof(want) + want.id_size + want.name_size != frame->size)
		return die(handle, event, ERR_CRASHED, "sent nonsense");
	if (handle->want_open)
		return die(handle, event, ERR_CRASHED, "asked twice without waiting");
	if (++handle->wants > handle->want_max)
		return die(handle, event, ERR_LIMIT, "asked for too many files");
	buf_clear(&handle->message);
	buf_add(&handle->message, frame->bytes + sizeof(want), want.id_size + want.name_size);
	if (buf_check(&handle->message, err) < 0)
		return -1;
	words = buf_string(&handle->message);
	handle->want_open = true;
	event->kind = CELL_WANTS;
	memcpy(event->role, want.role, sizeof(event->role));
	event->id = want.has & FRAME_WANT_HAS_ID ?
		(struct text){ words, want.id_size } : TEXT_NONE;
	event->name = want.has & FRAME_WANT_HAS_NAME ?
		(struct text){ words + want.id_size, want.name_size } : TEXT_NONE;
	return 0;
}

/* Part of a reply or message: 0, with news when it is whole. */
static int take_part(struct cell_handle *handle, const struct frame *frame,
		     struct cell_event *event, struct err *err)
{
	if (handle->partial && handle->partial != frame->head.type)
		return die(handle, event, ERR_CRASHED, "mixed its messages up");
	if (!handle->partial)
		buf_clear(&handle->message);
	if (handle->message.size + frame->size > FRAME_MESSAGE_BYTES_MAX)
		return die(handle, event, ERR_LIMIT, "sent too long a message");
	buf_add(&handle->message, frame->bytes, frame->size);
	if (buf_check(&handle->message, err) < 0)
		return -1;
	handle->partial = frame->head.more ? frame->head.type : 0;
	if (handle->partial)
		return 0;
	event->reply = (struct text){ buf_string(&handle->message), handle->message.size };
	event->kind = frame->head.type == FRAME_DONE ? CELL_DONE : CELL_MESSAGE;
	handle->ended = frame->head.type == FRAME_DONE;
	return 0;
}

static int take_packet(struct cell_handle *handle, const struct frame *frame,
		       struct cell_event *event, struct err *err)
{
	switch (frame->head.type) {
	case FRAME_ENDED:
		return take_ended(handle, frame, event);
	case FRAME_FAILED:
		return take_failed(handle, frame, event);
	case FRAME_WANT:
		return take_want(handle, frame, event, err);
	case FRAME_DONE:
	case FRAME_MESSAGE:
		return take_part(handle, frame, event, err);
	default:
		return die(handle, event, ERR_CRASHED, "sent nonsense");
	}
}

int cell_event(struct cell_handle *handle, struct cell_event *event, struct err *err)
{
	struct frame frame;
	int got;

	memset(event, 0, sizeof(*event));
	while (event->kind == CELL_NOTHING && !handle->ended) {
		got = frame_receive(handle->channel, &frame, false, MSG_DONTWAIT);
		if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return 0;
		if (got < 0 && errno == EBADMSG)
			return die(handle, event, ERR_CRASHED, "sent nonsense");
		if (got < 0)
			return err_os(err, errno, "listening to a cell");
		if (got == 0)
			return die(handle, event, ERR_IO, "and its nursery ended");
		if (take_packet(handle, &frame, event, err) < 0)
			return -1;
	}
	return 0;
}

int cell_wait_event(struct cell_handle *handle, int millis, struct cell_event *event, struct err *err)
{
	int64_t end = clock_monotonic_millis() + millis;

	for (;;) {
		struct pollfd entry = { .fd = handle->channel, .events = POLLIN };
		int64_t left;

		if (cell_event(handle, event, err) < 0)
			return -1;
		left = end - clock_monotonic_millis();
		if (event->kind != CELL_NOTHING || handle->ended || left <= 0)
			return 0;
		if (poll(&entry, 1, (int)left) < 0 && errno != EINTR)
			return err_os(err, errno, "waiting for a cell");
	}
}

/* --- What it is told -------------------------------------------------------------------- */

static int told(int rc, struct err *err, const char *what)
{
	if (rc == 0)
		return 0;
	if (errno == EAGAIN || errno == EWOULDBLOCK)
		return err_set(err, ERR_BUSY, "%s: the cell does not read", what);
	return err_os(err, errno, "%s", what);
}

int handle_open_for_reading(int fd, int *copy, struct err *err)
{
	char path[40];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	*copy = open(path, O_RDONLY | O_CLOEXEC);
	if (*copy >= 0)
		return 0;
	/* No /proc, or a file we may no longer open: as it is, if that cannot be written. */
	if ((fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDONLY)
		*copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (*copy < 0)
		return err_os(err, errno, "opening an input for reading");
	return 0;
}

int cell_answer_want(struct cell_handle *handle, enum cell_answer answer, int fd,
		     const struct checksum_seal *seal, struct err *err)
{
	const struct frame_answer sent = {
		.answer = (uint32_t)answer,
		.seal = seal ? *seal : (struct checksum_seal){ 0, 0, false },
	};
	int copy = -1;
	int rc;

	if (!handle->want_open)
		return err_set(err, ERR_INTERNAL, "the cell did not ask for a file");
	if (fd >= 0 && handle_open_for_reading(fd, &copy, err) < 0)
		return -1;
	rc = frame_send(handle->channel, FRAME_ANSWER, FRAME_TEXT(sent), TEXT_NONE, 0, &copy, fd >= 0,
			MSG_DONTWAIT);
	rc = told(rc, err, "answering a cell");
	if (copy >= 0)
		close(copy);
	if (rc == 0)
		handle->want_open = false;
	return rc;
}

int handle_body(struct text bytes, struct frame_body *body, struct text *follows, int *file,
		struct err *err)
{
	*file = -1;
	*follows = TEXT_NONE;
	if (bytes.size > UINT32_MAX)
		return err_set(err, ERR_LIMIT, "%zu bytes are too many for a cell", bytes.size);
	*body = (struct frame_body){ .size = (uint32_t)bytes.size,
				     .in_file = bytes.size > INLINE_BYTES };
	if (!body->in_file)
		*follows = bytes;
	return body->in_file ? frame_memory_file(bytes, file, err) : 0;
}

int cell_send(struct cell_handle *handle, struct text message, struct err *err)
{
	struct frame_body body;
	struct text follows;
	int file = -1;
	int rc;

	if (handle_body(message, &body, &follows, &file, err) < 0)
		return -1;
	rc = frame_send(handle->channel, FRAME_MESSAGE, FRAME_TEXT(body), follows, 0, &file,
			file >= 0, MSG_DONTWAIT);
	rc = told(rc, err, "sending to a cell");
	if (file >= 0)
		close(file);
	return rc;
}
