/* harness.c -- see harness.h. */
#include "fetch/harness.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"

#define PATIENCE_MILLIS 60000

int port, other_port, tls_port, socks_port;
const char *certificate;

struct config plain_config(void)
{
	return (struct config){
		.connect_to_reserved_ips = true,
		.connect_timeout_millis = support_stretched(5000), .head_timeout_millis = support_stretched(10000),
		.max_download_timeout_millis = support_stretched(50000),
		.deny_list_enabled = true, .deny_list_window_millis = 60000,
		.deny_list_bucket_millis = 5000, .deny_list_block_millis = 3600000,
		.deny_list_threshold = 60,
	};
}

void on_done(void *payload, const struct err *status, uint64_t bytes)
{
	struct outcome *outcome = payload;

	ck_assert(!outcome->done);
	outcome->done = true;
	outcome->status = *status;
	outcome->bytes = bytes;
	if (outcome->fetch) {
		outcome->is_unchanged = fetch_is_unchanged(outcome->fetch);
		outcome->validators = fetch_validators(outcome->fetch);
	}
	outcome->fetch = NULL;
}

void check_live(long before)
{
	long live = atomic_load(&mem_live);

	ck_assert_int_eq(live, before);
}

struct fetcher *open_fetcher(const struct config *config)
{
	struct fetcher *fetcher;
	struct err err = ERR_INIT;

	ck_assert_msg(fetcher_open(&fetcher, config, &err) == 0, "%s", err.text);
	return fetcher;
}

struct fetch *start(struct fetcher *fetcher, struct fetch_order order,
			   struct outcome *outcome)
{
	struct fetch *fetch;
	struct err err = ERR_INIT;

	*outcome = (struct outcome){ .fd = memfd_create("download", MFD_CLOEXEC) };
	ck_assert_int_ge(outcome->fd, 0);
	order.fd = outcome->fd;
	if (order.max_bytes == 0)
		order.max_bytes = MOST_BYTES;
	ck_assert_msg(fetch_start(fetcher, &order, on_done, outcome, &fetch, &err) == 0, "%s", err.text);
	outcome->fetch = fetch;
	return fetch;
}

void run(struct fetcher *fetcher, const bool *until)
{
	int64_t end = clock_monotonic_millis() + support_stretched(PATIENCE_MILLIS);
	struct err err = ERR_INIT;

	while (until ? !*until : fetcher_active(fetcher) > 0) {
		ck_assert_msg(fetcher_step(fetcher, NULL, 0, 1000, &err) == 0, "%s", err.text);
		ck_assert_msg(clock_monotonic_millis() < end, "a download does not end");
	}
}

char *at(const char *fmt, ...)
{
	char path[4096];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(path, sizeof(path), fmt, ap);
	va_end(ap);
	return support_printf("http://127.0.0.1:%d/%s", port, path);
}

struct outcome fetch_with(struct fetcher *fetcher, struct fetch_order order)
{
	struct outcome outcome;

	start(fetcher, order, &outcome);
	run(fetcher, &outcome.done);
	return outcome;
}

struct outcome fetch_one(const struct config *config, struct fetch_order order)
{
	long live = atomic_load(&mem_live);
	struct fetcher *fetcher = open_fetcher(config);
	struct outcome outcome = fetch_with(fetcher, order);

	fetcher_close(fetcher);
	check_live(live);
	return outcome;
}

char *body_of(const struct outcome *outcome)
{
	struct stat st;
	char *body;

	ck_assert_int_eq(fstat(outcome->fd, &st), 0);
	body = support_printf("%*s", (int)st.st_size, "");
	ck_assert_int_eq(pread(outcome->fd, body, (size_t)st.st_size, 0), st.st_size);
	if (outcome->status.kind == ERR_NONE)
		ck_assert_uint_eq(outcome->bytes, (uint64_t)st.st_size);
	else
		ck_assert_int_eq(st.st_size, 0);
	return body;
}

int hits(const char *path)
{
	struct config config = plain_config();
	struct outcome outcome = fetch_one(&config, (struct fetch_order){ .url = at("hits/%s", path) });

	ck_assert_int_eq(outcome.status.kind, ERR_NONE);
	return (int)strtol(body_of(&outcome), NULL, 10);
}

void check(const struct outcome *outcome, const char *what, enum err_kind kind,
		  const char *text)
{
	ck_assert_msg(outcome->status.kind == kind, "%s: %s %s", what,
		      err_kind_name(outcome->status.kind), outcome->status.text);
	if (text)
		ck_assert_str_eq(outcome->status.text, text);
	body_of(outcome);
}

/* The server runs until its standard input ends, which is when this process does. */
static pid_t start_server(void)
{
	int to[2], from[2];
	FILE *ports;
	pid_t pid;

	/* Nobody vouches for it. */
	certificate = support_fixture("fetch-certificate",
		"openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=localhost -days 3650"
		" -keyout $DIR/key -out $DIR/cert 2>/dev/null; cat $DIR/key $DIR/cert >$OUT");

	if (pipe2(to, O_CLOEXEC) < 0 || pipe2(from, O_CLOEXEC) < 0)
		return -1;
	pid = fork();
	if (pid == 0) {
		dup2(to[0], STDIN_FILENO);
		dup2(from[1], STDOUT_FILENO);
		execlp("python3", "python3", support_source("tests/fetch/server.py"), certificate,
		       (char *)NULL);
		_exit(127);
	}
	close(to[0]);
	close(from[1]);
	ports = fdopen(from[0], "r");
	if (!ports || fscanf(ports, "%d %d %d %d", &port, &other_port, &tls_port, &socks_port) != 4)
		return -1;
	return pid;
}

int harness_main(Suite *suite)
{
	pid_t server = start_server();
	int rc;

	if (server < 0) {
		fputs("python3 does not start the server\n", stderr);
		return EXIT_FAILURE;
	}
	rc = support_main(suite);
	kill(server, SIGTERM);
	waitpid(server, NULL, 0);
	return rc;
}
