/* standby.c -- see standby.h. */
#include "supervisor/standby.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"

#define LOOK_MILLIS 100          /* where there is no pidfd */

void standby_init(struct standby *standby, bool is_spawned)
{
	*standby = (struct standby){ .web_server_fd = -1, .leash = -1 };
	if (!is_spawned)
		return;
	standby->web_server = getppid();
#ifdef SYS_pidfd_open
	standby->web_server_fd = (int)syscall(SYS_pidfd_open, standby->web_server, 0);
#endif
}

static bool has_died(const struct standby *standby)
{
	struct pollfd ended = { .fd = standby->web_server_fd, .events = POLLIN };

	if (standby->web_server_fd >= 0)
		return poll(&ended, 1, 0) > 0;
	return kill(standby->web_server, 0) < 0 && errno == ESRCH;
}

/* The next web server must not take what is ending for a pool it can use. */
static void end_pool(int listen_fd, pid_t master)
{
	shutdown(listen_fd, SHUT_RDWR);
	kill(master, SIGTERM);
	_exit(EXIT_SUCCESS);
}

static void stand_by(const struct standby *standby, int leash, int listen_fd, pid_t master)
{
	struct pollfd watched[] = {
		{ .fd = leash, .events = POLLIN },
		{ .fd = standby->web_server_fd, .events = POLLIN },
	};

	prctl(PR_SET_NAME, "symgate-standby");
	signal(SIGHUP, SIG_IGN);
	signal(SIGUSR1, SIG_IGN);
	signal(SIGUSR2, SIG_IGN);
	for (;;) {
		poll(watched, 2, standby->web_server_fd < 0 ? LOOK_MILLIS : -1);
		if (has_died(standby))
			end_pool(listen_fd, master);
		if (watched[0].revents)
			return;
	}
}

/* The signals the master waits for are blocked in it, and end its standby. */
static void stand_by_with_signals(const struct standby *standby, int leash, int listen_fd, pid_t master)
{
	sigset_t none, before;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, &before);
	stand_by(standby, leash, listen_fd, master);
	sigprocmask(SIG_SETMASK, &before, NULL);
	signal(SIGHUP, SIG_DFL);
	signal(SIGUSR1, SIG_DFL);
	signal(SIGUSR2, SIG_DFL);
	prctl(PR_SET_NAME, "symgate");
}

int standby_appoint(struct standby *standby, int listen_fd)
{
	pid_t master = getpid(), pid;
	int ends[2];

	if (standby->leash >= 0)
		close(standby->leash);
	standby->leash = -1;
	if (pipe2(ends, O_CLOEXEC) < 0)
		return 0;                    /* tried again at the next tick */
	pid = fork();
	if (pid == 0) {
		close(ends[1]);
		stand_by_with_signals(standby, ends[0], listen_fd, master);
		close(ends[0]);
		standby->pid = 0;
		log_message(LOG_WARN, "master", NULL, "process %ld is dead: its standby takes over",
			    (long)master);
		return 1;
	}
	close(ends[0]);
	standby->leash = ends[1];
	standby->pid = pid > 0 ? pid : 0;
	return 0;
}

void standby_dismiss(struct standby *standby)
{
	if (standby->pid > 0)
		kill(standby->pid, SIGKILL);
}

void standby_forget(struct standby *standby)
{
	if (standby->leash >= 0)
		close(standby->leash);
	if (standby->web_server_fd >= 0)
		close(standby->web_server_fd);
}
