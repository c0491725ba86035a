/*
 * degraded.c -- a front whose state cannot be opened still says so.
 *
 * A corrupt database, a read-only or full state folder: /healthcheck answers, /readyz says
 * what is wrong, everything else is 503 with the same words, until the state can be opened.
 */
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/json_writer.h"
#include "base/log.h"
#include "front/degraded.h"
#include "front/front_internal.h"

#define RETRY_MILLIS 1000

static void answer_not_ready(struct reply *reply, const struct err *why)
{
	struct json_writer json;

	json_writer_init(&json, reply_json(reply));
	json_object(&json);
	json_member_bool(&json, "ready", false);
	json_key(&json, "database");
	json_object(&json);
	json_member_bool(&json, "ok", false);
	json_member_string(&json, "reason", why->text);
	json_object_end(&json);
	json_object_end(&json);
	reply_not_ready(reply);
}

static void answer(const struct config *config, struct writer *writer, struct request *request,
		   struct reply *reply, const struct err *why)
{
	struct err err = ERR_INIT;

	reply_reset(reply);
	if (request_read(request, &err) < 0)
		reply_error(reply, &err);
	else if (text_is(request->path, "/healthcheck"))
		reply_text(reply, 200, "ok");
	else if (text_is(request->path, "/readyz"))
		answer_not_ready(reply, why);
	else
		reply_busy(reply, RETRY_BROKEN_SECONDS, why->text);
	reply_sign(config, request, reply);
	reply_send(writer, request, reply);
	request_end(request);
	log_set_request_id(NULL);
}

static volatile sig_atomic_t asked_to_stop;

static void note_stop(int number)
{
	(void)number;
	asked_to_stop = 1;
}

static void note_nothing(int number)
{
	(void)number;
}

/* SIGTERM gets through here, so that it also ends a wait in accept().  So does an alarm: another
 * front may have taken what poll() saw, and who waits for the next one would not see that the
 * state is there again. */
static void hear_signals(sigset_t *before)
{
	struct sigaction action = { .sa_handler = note_stop };
	struct sigaction alarm_action = { .sa_handler = note_nothing };
	sigset_t ends;

	sigaction(SIGALRM, &alarm_action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	sigemptyset(&ends);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGINT);
	pthread_sigmask(SIG_UNBLOCK, &ends, before);
}

static void set_alarm(int millis)
{
	const struct timeval every = { .tv_sec = millis / 1000, .tv_usec = millis % 1000 * 1000 };
	const struct itimerval timer = { .it_interval = every, .it_value = every };

	setitimer(ITIMER_REAL, &timer, NULL);
}

static void serve_for_a_while(struct front *front, struct request *request, struct reply *reply,
			      const struct err *why)
{
	int64_t until = clock_monotonic_millis() + RETRY_MILLIS;

	for (int64_t left = RETRY_MILLIS; left > 0 && !asked_to_stop;
	     left = until - clock_monotonic_millis()) {
		struct pollfd listening = { .fd = front->listen_fd, .events = POLLIN };
		int fd;

		if (poll(&listening, 1, (int)left) <= 0)
			continue;
		fd = accept4(front->listen_fd, NULL, NULL, SOCK_CLOEXEC);
		if (fd >= 0 && request_accept(request, fd, front->config))
			answer(front->config, front->writer, request, reply, why);
	}
}

int degraded_run(struct front *front, int (*reopen)(struct front *front, struct err *err),
		 const struct err *first)
{
	struct request *request = front_request_take(front);
	struct err why = *first;
	struct reply reply;
	sigset_t before;
	int rc = -1;

	if (!request)
		return -1;
	hear_signals(&before);
	set_alarm(RETRY_MILLIS);
	log_message(LOG_ERROR, "front_degraded", NULL, "%s", why.text);
	reply_init(&reply);
	while (rc < 0 && !asked_to_stop) {
		serve_for_a_while(front, request, &reply, &why);
		err_clear(&why);
		rc = asked_to_stop ? -1 : reopen(front, &why);
	}
	set_alarm(0);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (rc == 0)
		log_message(LOG_INFO, "front_recovered", NULL, "the state can be opened again");
	reply_release(&reply);
	front_request_give_back(front, request);
	return rc;
}
