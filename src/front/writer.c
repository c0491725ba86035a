/*
 * writer.c -- see writer.h.
 *
 *  1. A connection belongs to one thread: who sends, then the writer.
 *  2. A connection on which the web server may still have something to say is not closed at
 *     once: the kernel would answer that with a reset, and the reply might be lost with it.
 */
#include "front/writer.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/log.h"
#include "base/mem.h"
#include "board/board.h"
#include "front/front_counters.h"
#include "front/reply_body.h"

#define QUIET_MILLIS (WRITER_QUIET_SECONDS * 1000)
#define LINGER_MILLIS 2000           /* for the web server to end what it has to say */
#define STOP_MILLIS 2000
#define TRASH_BYTES 65536

struct writing {
	struct writing *next;
	struct reply_stream stream;
	struct reply_body body;      /* what is still to be sent lies here */
	bool is_read;
	bool is_lingering;           /* all is sent */
	int64_t quiet_until_millis;
};

struct writer {
	pthread_t thread;
	int bell;
	struct board *_Atomic board;
	pthread_mutex_t lock;        /* guards the next two */
	struct writing *inbox;       /* newest first */
	bool stopping;

	struct writing *oldest, **newest;    /* from here on the thread's own */
	size_t count;
	struct pollfd polls[WRITER_MOST + 1];
	char trash[TRASH_BYTES];
};

/* --- One connection ---------------------------------------------------------------------- */

static void drop(struct writing *writing)
{
	close(writing->stream.fd);
	reply_body_release(&writing->body);
	mem_give_back(writing);
}

/* Nobody reads it: said where people look, unless all that is missing is the other side's end. */
static void give_up(struct writer *writer, struct writing *writing)
{
	struct board *board = atomic_load(&writer->board);

	if (!writing->is_lingering) {
		log_message(LOG_WARN, "reply_cut", NULL, "the web server has read about %llu bytes of "
			    "%llu and takes no more", (unsigned long long)writing->stream.sent,
			    (unsigned long long)writing->stream.size);
		if (board)
			board_count(board, &front_replies_cut, 0, 1);
	}
	drop(writing);
}

static void linger(struct writing *writing)
{
	shutdown(writing->stream.fd, SHUT_WR);
	reply_body_release(&writing->body);
	writing->is_lingering = true;
	writing->quiet_until_millis = clock_monotonic_millis() + LINGER_MILLIS;
}

/* False: its connection can be closed. */
static bool go_on_lingering(struct writer *writer, struct writing *writing)
{
	ssize_t size = recv(writing->stream.fd, writer->trash, TRASH_BYTES, MSG_DONTWAIT);

	if (size > 0)
		writing->quiet_until_millis = clock_monotonic_millis() + LINGER_MILLIS;
	return size > 0 || (size < 0 && (errno == EAGAIN || errno == EINTR));
}

static bool go_on_sending(struct writing *writing)
{
	uint64_t before = writing->stream.sent;

	switch (reply_write_some(&writing->stream)) {
	case WRITTEN_ALL:
		linger(writing);
		return !writing->is_read;
	case WRITTEN_SOME:
		if (writing->stream.sent > before)
			writing->quiet_until_millis = clock_monotonic_millis() + QUIET_MILLIS;
		return true;
	default:
		return false;
	}
}

/* --- The thread -------------------------------------------------------------------------- */

static size_t bytes_held(const struct writer *writer)
{
	size_t bytes = 0;

	for (const struct writing *at = writer->oldest; at; at = at->next)
		bytes += reply_body_memory(&at->body);
	return bytes;
}

static void drop_oldest(struct writer *writer)
{
	struct writing *oldest = writer->oldest;

	writer->oldest = oldest->next;
	if (!writer->oldest)
		writer->newest = &writer->oldest;
	writer->count--;
	give_up(writer, oldest);
}

/* Appends what has come in, in the order it came; true when it is time to end. */
static bool take_inbox(struct writer *writer)
{
	struct writing *inbox, *turned = NULL;
	bool stopping;

	pthread_mutex_lock(&writer->lock);
	inbox = writer->inbox;
	writer->inbox = NULL;
	stopping = writer->stopping;
	pthread_mutex_unlock(&writer->lock);
	while (inbox) {
		struct writing *next = inbox->next;

		inbox->next = turned;
		turned = inbox;
		inbox = next;
	}
	*writer->newest = turned;
	for (; turned; turned = turned->next) {
		writer->newest = &turned->next;
		writer->count++;
	}
	while (writer->count > WRITER_MOST ||
	       (writer->count > 1 && bytes_held(writer) > WRITER_MOST_BYTES))
		drop_oldest(writer);
	return stopping;
}

/* Until something can be done for one of them, or one's time is up. */
static void wait_for_any(struct writer *writer, int64_t until)
{
	int64_t now = clock_monotonic_millis();
	uint64_t rung;
	nfds_t count = 1;

	writer->polls[0] = (struct pollfd){ .fd = writer->bell, .events = POLLIN };
	for (const struct writing *at = writer->oldest; at; at = at->next) {
		writer->polls[count++] = (struct pollfd){
			.fd = at->stream.fd, .events = at->is_lingering ? POLLIN : POLLOUT,
		};
		if (at->quiet_until_millis < until)
			until = at->quiet_until_millis;
	}
	if (poll(writer->polls, count, until == INT64_MAX ? -1 : until > now ? (int)(until - now) : 0) < 0)
		return;
	if (writer->polls[0].revents)
		(void)!read(writer->bell, &rung, sizeof(rung));
}

/* In the order of polls. */
static void serve_all(struct writer *writer)
{
	int64_t now = clock_monotonic_millis();
	struct writing **at = &writer->oldest;

	for (size_t i = 1; *at; i++) {
		struct writing *writing = *at;
		bool is_quiet = writer->polls[i].revents == 0;

		if (is_quiet ? now < writing->quiet_until_millis
		    : writing->is_lingering ? go_on_lingering(writer, writing)
					    : go_on_sending(writing)) {
			at = &writing->next;
			continue;
		}
		*at = writing->next;
		writer->count--;
		if (is_quiet)
			give_up(writer, writing);
		else
			drop(writing);
	}
	writer->newest = at;
}

static void show(struct writer *writer)
{
	struct board *board = atomic_load(&writer->board);
	int64_t sending = 0;

	for (const struct writing *at = writer->oldest; at; at = at->next)
		sending += !at->is_lingering;
	if (board)
		board_gauge_set(board, &front_writing_now, sending);
}

static void *write_all(void *payload)
{
	struct writer *writer = payload;
	int64_t stop_at = INT64_MAX;

	for (;;) {
		bool stopping = take_inbox(writer);

		if (stopping && stop_at == INT64_MAX)
			stop_at = clock_monotonic_millis() + STOP_MILLIS;
		show(writer);
		if (stopping && (!writer->oldest || clock_monotonic_millis() >= stop_at))
			break;
		wait_for_any(writer, stop_at);
		serve_all(writer);
	}
	while (writer->oldest)
		drop_oldest(writer);
	return NULL;
}

/* --- From other threads ------------------------------------------------------------------ */

int writer_start(struct writer **out, struct err *err)
{
	struct writer *writer = mem_get(sizeof(*writer));
	sigset_t all, before;
	int rc;

	if (!writer)
		return err_set(err, ERR_NO_MEMORY, "no room for the writer");
	writer->newest = &writer->oldest;
	pthread_mutex_init(&writer->lock, NULL);
	writer->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (writer->bell < 0) {
		err_os(err, errno, "making an eventfd");
		goto failed;
	}
	sigfillset(&all);                    /* signals are for those who wait for them */
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(&writer->thread, NULL, write_all, writer);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (rc == 0) {
		*out = writer;
		return 0;
	}
	err_os(err, rc, "starting the writer");
	close(writer->bell);
failed:
	pthread_mutex_destroy(&writer->lock);
	mem_give_back(writer);
	return -1;
}

void writer_show_on(struct writer *writer, struct board *board)
{
	atomic_store(&writer->board, board);
}

static void ring(struct writer *writer)
{
	const uint64_t once = 1;

	(void)!write(writer->bell, &once, sizeof(once));
}

void writer_stop(struct writer *writer)
{
	pthread_mutex_lock(&writer->lock);
	writer->stopping = true;
	pthread_mutex_unlock(&writer->lock);
	ring(writer);
	pthread_join(writer->thread, NULL);
	close(writer->bell);
	pthread_mutex_destroy(&writer->lock);
	mem_give_back(writer);
}

/* The body goes along while something in it has to be sent. */
static void hand_over(struct writer *writer, const struct reply_stream *stream,
		      struct reply_body *body, bool is_sent, bool is_read)
{
	struct writing *writing = mem_get(sizeof(*writing));

	if (!writing) {
		log_message(LOG_ERROR, "front", NULL, "no room to end a reply");
		close(stream->fd);
		return;
	}
	writing->stream = *stream;
	writing->is_read = is_read;
	writing->quiet_until_millis = clock_monotonic_millis() + QUIET_MILLIS;
	reply_body_init(&writing->body);
	if (is_sent)
		linger(writing);
	else
		reply_body_move(&writing->body, body);
	pthread_mutex_lock(&writer->lock);
	writing->next = writer->inbox;
	writer->inbox = writing;
	pthread_mutex_unlock(&writer->lock);
	ring(writer);
}

void writer_send(struct writer *writer, struct reply_stream *stream, struct reply_body *body,
		 bool is_read)
{
	enum written written = reply_write_some(stream);

	if (written == WRITTEN_NOTHING || (written == WRITTEN_ALL && is_read))
		close(stream->fd);
	else
		hand_over(writer, stream, body, written == WRITTEN_ALL, is_read);
}
