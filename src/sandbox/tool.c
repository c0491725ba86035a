/*
 * tool.c -- see tool.h: the cell forks a guardian, which forks the program.
 *
 * The guardian is what orphans of the program fall to (PR_SET_CHILD_SUBREAPER).  It hears SIGTERM from the
 * kernel when the cell ends before it, and SIGCHLD; it kills what is left and reaps it, then says how the
 * program ended.
 */
#include "sandbox/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "sandbox/confine.h"
#include "sandbox/tool_confine.h"

#define CLEAN_MILLIS 5000                /* for what was killed to end */
#define CHILDREN_BYTES 4096u
#define EXIT_NOT_STARTED 127

/* --- The program --------------------------------------------------------------------------------- */

static int limit(__rlimit_resource_t what, uint64_t most)
{
	struct rlimit now, limit;

	if (getrlimit(what, &now) < 0)
		return -1;
	limit.rlim_cur = limit.rlim_max = most < now.rlim_max ? (rlim_t)most : now.rlim_max;
	return setrlimit(what, &limit);
}

static int set_limits(const struct tool_order *order)
{
	if (limit(RLIMIT_CORE, 0) < 0 || limit(RLIMIT_CPU, order->cpu_seconds) < 0 ||
	    limit(RLIMIT_FSIZE, order->file_bytes) < 0 || limit(RLIMIT_NOFILE, 1024) < 0)
		return -1;
#ifndef SYMGATE_SANITIZED
	/* Not RLIMIT_AS: Wine reserves far more than it uses. */
	return limit(RLIMIT_DATA, order->memory_bytes);
#else
	return 0;
#endif
}

static void default_signals(void)
{
	struct sigaction action = { .sa_handler = SIG_DFL };
	sigset_t none;

	for (int i = 1; i < NSIG; i++)
		sigaction(i, &action, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* What keeps it from starting goes to `told` as an errno. */
static void become(const struct tool_order *order, pid_t guardian, int said, int told)
{
	int keep[] = { 0, 1, 2, told };
	struct err ignored = ERR_INIT;
	int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC), why;

	confine_die_with(guardian);
	setpgid(0, 0);
	default_signals();
	if (nothing >= 0 && dup2(nothing, 0) == 0 && dup2(said, 1) == 1 && dup2(said, 2) == 2 &&
	    confine_descriptors(keep, 4, &ignored) == 0 && chdir(order->folder) == 0 &&
	    set_limits(order) == 0 && tool_confine(order) == 0)
		execve(order->command[0], (char *const *)(uintptr_t)order->command,
		       (char *const *)(uintptr_t)order->environment);
	why = errno;
	(void)!write(told, &why, sizeof(why));
	_exit(EXIT_NOT_STARTED);
}

/* --- The guardian ---------------------------------------------------------------------------------- */

struct guardian {
	const struct tool_order *order;
	struct tool_end *end;
	pid_t program;               /* 0: it was reaped */
	int signals, said;           /* what it says; -1: closed */
	size_t said_size;
	bool must_end;               /* the cell has gone */
};

static void take_status(struct guardian *guardian, int status)
{
	guardian->program = 0;
	if (guardian->end->kind == TOOL_TIMEOUT || guardian->end->kind == TOOL_NOT_STARTED)
		return;
	guardian->end->kind = WIFEXITED(status) ? TOOL_EXITED : TOOL_KILLED;
	guardian->end->code = WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status);
}

/* True: there is no child left. */
static bool reap(struct guardian *guardian)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		if (pid == guardian->program)
			take_status(guardian, status);
	return pid < 0;
}

/* Our children, as /proc tells; orphans among them. */
static void kill_children(void)
{
	char path[64], bytes[CHILDREN_BYTES];
	char *at = bytes;
	ssize_t size = 0;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		size = read(fd, bytes, sizeof(bytes) - 1);
		close(fd);
	}
	bytes[size > 0 ? size : 0] = '\0';
	for (;;) {
		char *end;
		long pid = strtol(at, &end, 10);

		/* One that was cut short is met again. */
		if (end == at || *end != ' ')
			return;
		if (pid > 1)
			kill((pid_t)pid, SIGKILL);
		at = end;
	}
}

/* Each that dies leaves its own to us. */
static void end_all(struct guardian *guardian)
{
	int64_t until = clock_monotonic_millis() + CLEAN_MILLIS;

	for (;;) {
		if (guardian->program > 0) {
			kill(-guardian->program, SIGKILL);
			kill(guardian->program, SIGKILL);
		}
		kill_children();
		if (reap(guardian) || clock_monotonic_millis() > until)
			return;
		poll(NULL, 0, 1);
	}
}

static void keep_said(struct guardian *guardian, const char *bytes, size_t size)
{
	char *said = guardian->end->said;

	for (size_t i = 0; i < size && guardian->said_size < TOOL_SAID_BYTES - 1; i++) {
		unsigned char c = (unsigned char)bytes[i];

		said[guardian->said_size++] = (c < ' ' && c != '\n') || c >= 0x7f ? '?' : (char)c;
	}
	said[guardian->said_size] = '\0';
}

static void hear(struct guardian *guardian)
{
	char bytes[65536];
	ssize_t size = read(guardian->said, bytes, sizeof(bytes));

	if (size > 0) {
		keep_said(guardian, bytes, (size_t)size);
	} else if (size == 0 || (errno != EINTR && errno != EAGAIN)) {
		close(guardian->said);
		guardian->said = -1;
	}
}

/* What it said at its end, without waiting for those it left behind. */
static void hear_rest(struct guardian *guardian)
{
	struct pollfd entry = { .events = POLLIN };

	for (unsigned i = 0; i < 16 && guardian->said >= 0; i++) {
		entry.fd = guardian->said;
		if (poll(&entry, 1, 0) <= 0)
			return;
		hear(guardian);
	}
}

static void take_signals(struct guardian *guardian)
{
	struct signalfd_siginfo info;

	while (read(guardian->signals, &info, sizeof(info)) == (ssize_t)sizeof(info))
		guardian->must_end |= info.ssi_signo == SIGTERM;
}

/* Until the program ends, its time does, or the cell. */
static void watch(struct guardian *guardian)
{
	int64_t until = clock_monotonic_millis() + guardian->order->timeout_millis;

	while (guardian->program > 0 && !guardian->must_end) {
		int64_t left = until - clock_monotonic_millis();
		struct pollfd entries[] = {
			{ .fd = guardian->signals, .events = POLLIN },
			{ .fd = guardian->said, .events = POLLIN },
		};

		if (left <= 0) {
			guardian->end->kind = TOOL_TIMEOUT;
			return;
		}
		if (poll(entries, 2, left > 60000 ? 60000 : (int)left) < 0 && errno != EINTR)
			return;
		if (entries[1].revents)
			hear(guardian);
		take_signals(guardian);
		(void)reap(guardian);
	}
}

static int open_signals(struct guardian *guardian, pid_t cell)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_SETMASK, &set, NULL);
	guardian->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
	guardian->must_end = getppid() != cell;
	return guardian->signals;
}

static int start(struct guardian *guardian)
{
	int said[2], told[2], why = 0;
	pid_t self = getpid();

	if (pipe2(said, O_CLOEXEC) < 0)
		return -1;
	if (pipe2(told, O_CLOEXEC) < 0) {
		close(said[0]);
		close(said[1]);
		return -1;
	}
	guardian->program = fork();
	if (guardian->program == 0)
		become(guardian->order, self, said[1], told[1]);
	close(said[1]);
	close(told[1]);
	guardian->said = said[0];
	if (guardian->program > 0 && read(told[0], &why, sizeof(why)) == (ssize_t)sizeof(why)) {
		guardian->end->kind = TOOL_NOT_STARTED;
		guardian->end->code = why;
	}
	close(told[0]);
	return guardian->program > 0 ? 0 : -1;
}

static void guard(const struct tool_order *order, pid_t cell, int result)
{
	struct tool_end end = { .kind = TOOL_EXITED };
	struct guardian guardian = { .order = order, .end = &end, .said = -1 };

	setsid();
	prctl(PR_SET_NAME, "symgate-tool", 0, 0, 0);
	if (open_signals(&guardian, cell) < 0 || (!guardian.must_end && start(&guardian) < 0)) {
		end.kind = TOOL_NOT_STARTED;
		end.code = errno;
	}
	watch(&guardian);
	end_all(&guardian);
	hear_rest(&guardian);
	take_signals(&guardian);
	if (guardian.must_end || getppid() != cell)
		tool_remove_folder(order->scratch);
	(void)!write(result, &end, sizeof(end));
	_exit(0);
}

/* --- The cell -------------------------------------------------------------------------------------- */

int tool_run(const struct tool_order *order, struct tool_end *end, struct err *err)
{
	pid_t cell = getpid(), guardian;
	ssize_t size;
	int ends[2];

	memset(end, 0, sizeof(*end));
	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_os(err, errno, "making a pipe for a program");
	guardian = fork();
	if (guardian == 0)
		guard(order, cell, ends[1]);
	close(ends[1]);
	if (guardian < 0) {
		close(ends[0]);
		return err_os(err, errno, "starting a program");
	}
	do
		size = read(ends[0], end, sizeof(*end));
	while (size < 0 && errno == EINTR);
	close(ends[0]);
	while (waitpid(guardian, NULL, 0) < 0 && errno == EINTR)
		;
	end->said[TOOL_SAID_BYTES - 1] = '\0';
	return size == (ssize_t)sizeof(*end) ? 0 : err_set(err, ERR_IO, "what watched a program was killed");
}
