/*
 * http_load.c -- posts one body again and again over kept connections; or, with - for the body,
 * gets the path.
 *
 *	http_load PORT PATH BODY-FILE|- CONNECTIONS SECONDS|COUNTn
 *
 * For so many seconds, or until so many requests ("1000n") are answered.  Prints requests,
 * seconds, and the median, 99th percentile and longest latency in microseconds; then the
 * bytes of one reply's body.  Anything but 200 ends it.
 */
#include <arpa/inet.h>
#include <limits.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"

#define CONNECTIONS_MAX 256
#define REPLY_BYTES_MAX ((size_t)64 << 20)
#define READ_BYTES 65536
#define BUCKETS 1000000                  /* one per microsecond; the last takes the rest */

static struct buf request;
static uint16_t port;
static int64_t until_micros = INT64_MAX;
static atomic_long left = LONG_MAX;
static atomic_uint latencies[BUCKETS];
static atomic_size_t body_bytes;

static _Noreturn void fail(const char *what)
{
	fprintf(stderr, "http_load: %s\n", what);
	exit(1);
}

static int connect_to(void)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET, .sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;

	if (fd < 0 || connect(fd, (struct sockaddr *)(void *)&address, sizeof(address)) < 0)
		fail("nobody listens there");
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	return fd;
}

static void send_request(int fd)
{
	size_t sent = 0;

	while (sent < request.size) {
		ssize_t done = send(fd, request.bytes + sent, request.size - sent, MSG_NOSIGNAL);

		if (done <= 0)
			fail("the connection broke while sending");
		sent += (size_t)done;
	}
}

/* Bytes of head and body together, once the head is there; 0 until then. */
static size_t whole_size(const struct buf *reply)
{
	const char *end = strstr(buf_string(reply), "\r\n\r\n");
	const char *length = end ? strcasestr(reply->bytes, "\r\ncontent-length:") : NULL;
	size_t body;

	if (!end)
		return 0;
	if (strncmp(reply->bytes, "HTTP/1.1 200", 12) != 0)
		fail(reply->bytes);
	if (!length || length > end)
		fail("a reply without a length");
	body = strtoul(length + sizeof("\r\ncontent-length:") - 1, NULL, 10);
	atomic_store(&body_bytes, body);
	return (size_t)(end + 4 - reply->bytes) + body;
}

/* Returns whether the server keeps the connection. */
static bool read_reply(int fd, struct buf *reply)
{
	size_t whole = 0;

	buf_clear(reply);
	while (!whole || reply->size < whole) {
		char *capacity = buf_reserve(reply, READ_BYTES);
		ssize_t got = capacity ? recv(fd, capacity, READ_BYTES, 0) : -1;

		if (got <= 0)
			fail("the connection broke before the reply's end");
		reply->size += (size_t)got;
		reply->bytes[reply->size] = '\0';
		if (!whole)
			whole = whole_size(reply);
	}
	return !strcasestr(reply->bytes, "\r\nconnection: close");
}

static void *work(void *payload)
{
	struct buf reply;
	int fd = -1;

	(void)payload;
	buf_init(&reply, REPLY_BYTES_MAX);
	while (clock_monotonic_micros() < until_micros && atomic_fetch_sub(&left, 1) > 0) {
		int64_t started = clock_monotonic_micros(), micros;

		if (fd < 0)
			fd = connect_to();
		send_request(fd);
		if (!read_reply(fd, &reply)) {
			close(fd);
			fd = -1;
		}
		micros = clock_monotonic_micros() - started;
		atomic_fetch_add(&latencies[micros < BUCKETS ? micros : BUCKETS - 1], 1);
	}
	if (fd >= 0)
		close(fd);
	buf_release(&reply);
	return NULL;
}

static void report(int64_t micros)
{
	unsigned long total = 0, seen = 0;
	long median = -1, high = -1, longest = 0;

	for (long i = 0; i < BUCKETS; i++)
		total += latencies[i];
	for (long i = 0; i < BUCKETS; i++) {
		seen += latencies[i];
		if (median < 0 && 2 * seen >= total)
			median = i;
		if (high < 0 && 100 * seen >= 99 * total)
			high = i;
		if (latencies[i])
			longest = i;
	}
	printf("%lu %.6f %ld %ld %ld %zu\n", total, (double)micros / 1e6, median, high, longest,
	       (size_t)body_bytes);
}

static void prepare(char **argv)
{
	struct file_map map = { 0 };
	struct err err = ERR_INIT;
	char *end;
	double amount = strtod(argv[5], &end);

	port = (uint16_t)strtoul(argv[1], NULL, 10);
	buf_init(&request, REPLY_BYTES_MAX);
	if (strcmp(argv[3], "-") == 0) {
		buf_printf(&request, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", argv[2]);
	} else {
		if (file_map_path(&map, argv[3], &err) < 0)
			fail(err.text);
		buf_printf(&request, "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
			   "application/json\r\nContent-Length: %zu\r\n\r\n", argv[2], map.size);
		buf_add(&request, map.bytes, map.size);
		file_unmap(&map);
	}
	if (*end == 'n')
		atomic_store(&left, (long)amount);
	else
		until_micros = clock_monotonic_micros() + (int64_t)(amount * 1e6);
}

int main(int argc, char **argv)
{
	pthread_t threads[CONNECTIONS_MAX];
	unsigned long count = argc == 6 ? strtoul(argv[4], NULL, 10) : 0;
	int64_t started;

	if (!count || count > CONNECTIONS_MAX) {
		fprintf(stderr, "usage: http_load PORT PATH BODY-FILE|- CONNECTIONS SECONDS|COUNTn\n");
		return 2;
	}
	prepare(argv);
	started = clock_monotonic_micros();
	for (unsigned long i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, work, NULL))
			fail("no thread");
	for (unsigned long i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	report(clock_monotonic_micros() - started);
	buf_release(&request);
	return 0;
}
