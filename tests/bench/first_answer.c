/*
 * first_answer.c -- how long after exec does a service give its first hot answer?
 *
 *	first_answer ROUNDS SOCKET BODY-FILE PROGRAM ARGUMENT...
 *
 * Each round runs the program, asks over its FastCGI socket as soon as it listens, and stops
 * it with SIGTERM.  Prints milliseconds from exec to the whole reply, one per line.
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"

#define REPLY_BYTES_MAX ((size_t)64 << 20)
#define RECORD_BYTES_MAX 65528u
#define PATIENCE_MICROS 10000000
#define KNOCK_NANOS 200000

/* FastCGI 1.0 §8 */
enum { BEGIN_REQUEST = 1, END_REQUEST = 3, PARAMS = 4, STDIN = 5, STDOUT = 6, RESPONDER = 1 };
#define HEAD_BYTES 8u

static _Noreturn void fail(const char *what)
{
	fprintf(stderr, "first_answer: %s\n", what);
	exit(1);
}

static void add_record(struct buf *out, uint8_t type, const void *bytes, size_t size)
{
	const uint8_t head[HEAD_BYTES] = { 1, type, 0, 1, (uint8_t)(size >> 8), (uint8_t)size };

	buf_add(out, head, sizeof(head));
	if (size)
		buf_add(out, bytes, size);
}

static void add_param(struct buf *out, const char *name, const char *value)
{
	buf_add_char(out, (char)strlen(name));
	buf_add_char(out, (char)strlen(value));
	buf_add_string(out, name);
	buf_add_string(out, value);
}

static void make_request(struct buf *out, const uint8_t *body, size_t size)
{
	static const uint8_t begin[8] = { 0, RESPONDER };
	struct buf params;
	char length[24];

	snprintf(length, sizeof(length), "%zu", size);
	buf_init(&params, RECORD_BYTES_MAX);
	add_param(&params, "REQUEST_METHOD", "POST");
	add_param(&params, "SCRIPT_NAME", "/symbolicate");
	add_param(&params, "REQUEST_URI", "/symbolicate");
	add_param(&params, "QUERY_STRING", "");
	add_param(&params, "CONTENT_TYPE", "application/json");
	add_param(&params, "CONTENT_LENGTH", length);
	add_record(out, BEGIN_REQUEST, begin, sizeof(begin));
	add_record(out, PARAMS, params.bytes, params.size);
	add_record(out, PARAMS, NULL, 0);
	for (size_t at = 0; at < size; at += RECORD_BYTES_MAX)
		add_record(out, STDIN, body + at,
			   size - at < RECORD_BYTES_MAX ? size - at : RECORD_BYTES_MAX);
	add_record(out, STDIN, NULL, 0);
	buf_release(&params);
}

static int knock(const char *path, int64_t started)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const struct timespec pause = { .tv_nsec = KNOCK_NANOS };

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	while (clock_monotonic_micros() - started < PATIENCE_MICROS) {
		int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

		if (fd >= 0 && connect(fd, (struct sockaddr *)(void *)&address,
				       sizeof(address)) == 0)
			return fd;
		close(fd);
		nanosleep(&pause, NULL);
	}
	fail("it does not listen");
}

static void ask(int fd, const struct buf *request, struct buf *reply)
{
	size_t sent = 0;
	ssize_t done = 1;

	buf_clear(reply);
	while (sent < request->size && done > 0) {
		done = send(fd, request->bytes + sent, request->size - sent, MSG_NOSIGNAL);
		sent += done > 0 ? (size_t)done : 0;
	}
	while (done > 0) {
		char *capacity = buf_reserve(reply, RECORD_BYTES_MAX);

		done = capacity ? recv(fd, capacity, RECORD_BYTES_MAX, 0) : -1;
		reply->size += done > 0 ? (size_t)done : 0;
	}
	close(fd);
	if (done < 0 || !memmem(reply->bytes, reply->size, "\"status\":\"completed\"", 20))
		fail("no completed answer: the caches are not warm, or it does not work");
}

static double run_once(const char *socket_path, const struct buf *request, struct buf *reply,
		       char **command)
{
	int64_t started, ended;
	pid_t pid;

	unlink(socket_path);
	started = clock_monotonic_micros();
	pid = vfork();
	if (pid == 0) {
		execv(command[0], command);
		_exit(127);
	}
	if (pid < 0)
		fail("no process");
	ask(knock(socket_path, started), request, reply);
	ended = clock_monotonic_micros();
	kill(pid, SIGTERM);
	waitpid(pid, NULL, 0);
	return (double)(ended - started) / 1000;
}

int main(int argc, char **argv)
{
	struct file_map map = { 0 };
	struct err err = ERR_INIT;
	struct buf request, reply;

	if (argc < 5) {
		fprintf(stderr, "usage: first_answer ROUNDS SOCKET BODY-FILE PROGRAM ARGUMENT...\n");
		return 2;
	}
	buf_init(&request, REPLY_BYTES_MAX);
	buf_init(&reply, REPLY_BYTES_MAX);
	if (file_map_path(&map, argv[3], &err) < 0)
		fail(err.text);
	make_request(&request, map.bytes, map.size);
	file_unmap(&map);
	for (unsigned long i = strtoul(argv[1], NULL, 10); i > 0; i--)
		printf("%.2f\n", run_once(argv[2], &request, &reply, &argv[4]));
	buf_release(&request);
	buf_release(&reply);
	return 0;
}
