/*
 * nursery process.c -- the nursery's process: forks cells, reaps them, says how they ended.
 *
 *  1. Single-threaded, holds nothing of its parent's: it can fork at any time.
 *  2. It keeps a copy of each cell's end of the channel.  When the asker closes its end the
 *     cell is killed; when the cell dies the end is said through that copy.
 *  3. It dies with its parent (or when its control socket closes), its cells die with it.
 */
#include "sandbox/nursery_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/vec.h"
#include "config/config.h"

#define OOM_SCORE "500"          /* when memory runs out cells go first */
#define CHILDREN_EXPECTED 16u
#define OTHER_POLLS 2u           /* orders and signals */
#define TRIAL_EXIT 64            /* + level: what a trial cell reports */

struct cell_child {
	pid_t pid;               /* 0: reaped */
	int channel;
	bool killed;             /* its asker left; SIGCHLD will tell */
	bool has_ending;         /* `ending` is still to be said */
	struct frame_ended ending;
};

struct nursery_state {
	struct nursery_process *process;
	struct cell_child *children;
	size_t count, capacity;
	struct pollfd *polls;
	size_t polls_capacity;
	int signals;             /* signalfd of SIGCHLD */
};

/* --- Becoming the nursery -------------------------------------------------------------- */

/* A group's SIGTERM or SIGINT ends nursery and cells at once; what is a message to servers
 * (reopen the log, finish gracefully) is none to them.  SIGXFSZ: see confine.c. */
static void reset_signals(void)
{
	static const int ignored[] = { SIGHUP, SIGUSR1, SIGUSR2, SIGPIPE, SIGXFSZ };
	struct sigaction action;
	sigset_t none;

	memset(&action, 0, sizeof(action));
	action.sa_handler = SIG_DFL;
	for (int i = 1; i < NSIG; i++)
		sigaction(i, &action, NULL);
	action.sa_handler = SIG_IGN;
	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		sigaction(ignored[i], &action, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Descriptor 0 of a FastCGI process is its listening socket: not even the nursery keeps it. */
static int drop_descriptors(const struct nursery_process *process, struct err *err)
{
	int keep[] = { 0, 1, 2, process->control };
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (nothing < 0)
		return err_os(err, errno, "opening /dev/null");
	if (dup2(nothing, 0) < 0 || dup2(nothing, 1) < 0)
		return err_os(err, errno, "filling the standard descriptors");
	if (fcntl(2, F_GETFD) < 0 && dup2(nothing, 2) < 0)
		return err_os(err, errno, "filling the standard descriptors");
	return confine_descriptors(keep, 4, err);
}

static void offer_to_the_oom_killer(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	/* Where it cannot be had cells are judged like anybody else. */
	(void)!write(fd, OOM_SCORE, sizeof(OOM_SCORE) - 1);
	close(fd);
}

/* What the kernel really gives is found out by a cell that does nothing. */
static int find_level(struct nursery_process *process, struct err *err)
{
	enum sandbox_level reached;
	int status = 0;
	pid_t pid = fork();

	if (pid < 0)
		return err_os(err, errno, "forking a trial cell");
	if (pid == 0) {
		struct err ignored = ERR_INIT;

		if (confine_self(&process->confinement, &reached, &ignored) < 0)
			_exit(1);
		_exit(TRIAL_EXIT + (int)reached);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (!WIFEXITED(status) || WEXITSTATUS(status) < TRIAL_EXIT)
		return err_set(err, ERR_UNSUPPORTED, "a cell cannot be confined here (a trial cell "
			       "ended with status %#x)", (unsigned)status);
	process->confinement.level = (enum sandbox_level)(WEXITSTATUS(status) - TRIAL_EXIT);
	if (process->config->sandbox == CONFIG_SANDBOX_FULL &&
	    process->confinement.level < SANDBOX_FULL)
		return err_set(err, ERR_UNSUPPORTED, "sandbox.require is full, but this kernel "
			       "gives only %s (no %s): use a newer kernel, or sandbox.require: best",
			       sandbox_level_name(process->confinement.level),
			       process->confinement.level == SANDBOX_PLAIN ? "seccomp" : "landlock");
	return 0;
}

/* Room is made before there is a child to put there: the loop itself needs no memory. */
static int reserve(struct nursery_state *state, size_t children)
{
	if (vec_reserve(&state->children, &state->capacity, children, sizeof(*state->children)) < 0)
		return -1;
	return vec_reserve(&state->polls, &state->polls_capacity, children + OTHER_POLLS,
			sizeof(*state->polls));
}

static int open_state(struct nursery_state *state, struct err *err)
{
	sigset_t chld;

	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	sigprocmask(SIG_BLOCK, &chld, NULL);
	state->signals = signalfd(-1, &chld, SFD_CLOEXEC | SFD_NONBLOCK);
	if (state->signals < 0)
		return err_os(err, errno, "making a signal descriptor");
	if (reserve(state, CHILDREN_EXPECTED) < 0)
		return err_set(err, ERR_NO_MEMORY, "no memory for the nursery");
	return 0;
}

static int say_ready(const struct nursery_process *process, int rc, const struct err *err)
{
	struct frame_ready ready = { .ok = rc == 0, .level = (uint32_t)process->confinement.level };

	if (rc < 0) {
		ready.kind = (uint32_t)err->kind;
		memcpy(ready.text, err->text, sizeof(ready.text));
	}
	return frame_send(process->control, FRAME_READY, FRAME_TEXT(ready), TEXT_NONE, 0, NULL, 0, 0);
}

/* --- Orders ---------------------------------------------------------------------------- */

static bool is_order(const struct frame *frame)
{
	struct frame_order order;

	if (frame->head.type != FRAME_ORDER || frame->size < sizeof(order))
		return false;
	memcpy(&order, frame->bytes, sizeof(order));
	return order.input_count <= CELL_FILES_MAX && order.output_count <= CELL_FILES_MAX &&
		frame->file_count == 1u + (order.parameters.in_file ? 1u : 0u) + order.input_count +
			order.output_count;
}

/* Takes the order's first file for itself: the copy of the cell's end. */
static void spawn(struct nursery_state *state, struct frame *frame)
{
	struct cell_child *child;
	pid_t pid;

	if (reserve(state, state->count + 1) < 0) {
		struct frame_ended ended = { .status = -1, .os_errno = ENOMEM };

		(void)frame_send(frame->files[0], FRAME_ENDED, FRAME_TEXT(ended), TEXT_NONE, 0,
				 NULL, 0, MSG_DONTWAIT);
		return;
	}
	pid = fork();
	if (pid == 0)
		cell_begin(state->process, frame);
	child = &state->children[state->count++];
	memset(child, 0, sizeof(*child));
	child->channel = frame->files[0];
	frame->files[0] = frame->files[--frame->file_count];
	child->pid = pid > 0 ? pid : 0;
	if (pid < 0) {
		child->has_ending = true;
		child->ending.status = -1;
		child->ending.os_errno = errno;
	}
}

/* False when the asker's process has gone. */
static bool take_order(struct nursery_state *state)
{
	struct frame frame;
	int got = frame_receive(state->process->control, &frame, true, MSG_DONTWAIT);

	if (got == 0)
		return false;
	if (got > 0 && is_order(&frame))
		spawn(state, &frame);
	frame_close_files(&frame);
	return true;
}

/* --- Endings --------------------------------------------------------------------------- */

static void note_ending(struct nursery_state *state, pid_t pid, int status, const struct rusage *used)
{
	uint64_t micros = (uint64_t)(used->ru_utime.tv_sec + used->ru_stime.tv_sec) * 1000000 +
		(uint64_t)(used->ru_utime.tv_usec + used->ru_stime.tv_usec);

	for (size_t i = 0; i < state->count; i++) {
		struct cell_child *child = &state->children[i];

		if (child->pid != pid)
			continue;
		child->pid = 0;
		child->has_ending = true;
		child->ending.status = status;
		child->ending.cpu_spent =
			micros / 1000000 >= state->process->confinement.cpu_seconds;
	}
}

static void reap(struct nursery_state *state)
{
	struct signalfd_siginfo ignored;
	struct rusage used;
	int status;
	pid_t pid;

	while (read(state->signals, &ignored, sizeof(ignored)) > 0)
		;
	while ((pid = wait4(-1, &status, WNOHANG, &used)) > 0)
		note_ending(state, pid, status, &used);
}

/* Says how the cell ended; a full channel keeps it for later, a closed one makes it moot. */
static void say_ending(struct cell_child *child)
{
	if (frame_send(child->channel, FRAME_ENDED, FRAME_TEXT(child->ending), TEXT_NONE, 0,
		       NULL, 0, MSG_DONTWAIT) == 0 || errno != EAGAIN)
		child->has_ending = false;
}

static void look_after(struct cell_child *child, short events)
{
	if (child->pid > 0 && !child->killed && (events & (POLLHUP | POLLERR))) {
		kill(child->pid, SIGKILL);   /* ours, not yet waited for: the pid is its own */
		child->killed = true;
	}
	if (child->has_ending)
		say_ending(child);
}

static void forget_ended(struct nursery_state *state)
{
	size_t kept = 0;

	for (size_t i = 0; i < state->count; i++) {
		struct cell_child *child = &state->children[i];

		if (child->pid > 0 || child->has_ending)
			state->children[kept++] = *child;
		else
			close(child->channel);
	}
	state->count = kept;
}

/* --- The loop -------------------------------------------------------------------------- */

static int wait_for_work(struct nursery_state *state)
{
	state->polls[0] = (struct pollfd){ .fd = state->process->control, .events = POLLIN };
	state->polls[1] = (struct pollfd){ .fd = state->signals, .events = POLLIN };
	for (size_t i = 0; i < state->count; i++) {
		struct cell_child *child = &state->children[i];
		struct pollfd *entry = &state->polls[OTHER_POLLS + i];

		*entry = (struct pollfd){ .fd = child->channel };
		if (child->has_ending)
			entry->events = POLLOUT;
		else if (child->killed)
			entry->fd = -1;
	}
	return poll(state->polls, (nfds_t)(state->count + OTHER_POLLS), -1);
}

static void nursery_loop(struct nursery_state *state)
{
	for (;;) {
		size_t polled = state->count;
		int rc = wait_for_work(state);

		if (rc < 0 && errno != EINTR && errno != EAGAIN)
			return;
		if (rc <= 0)
			continue;
		reap(state);
		for (size_t i = 0; i < polled; i++)
			look_after(&state->children[i], state->polls[OTHER_POLLS + i].revents);
		if ((state->polls[0].revents & (POLLIN | POLLHUP)) && !take_order(state))
			return;
		forget_ended(state);
	}
}

void nursery_process_run(struct nursery_process *process, pid_t parent)
{
	struct nursery_state state = { .process = process, .signals = -1 };
	struct err err = ERR_INIT;
	int rc;

	confine_die_with(parent);
	process->pid = getpid();
	prctl(PR_SET_NAME, "symgate-nursery", 0, 0, 0);
	reset_signals();
	rc = drop_descriptors(process, &err);
	if (rc == 0)
		rc = confine_prepare(&process->confinement, process->config, &err);
	if (rc == 0)
		rc = find_level(process, &err);
	if (rc == 0)
		rc = open_state(&state, &err);
	offer_to_the_oom_killer();
	if (say_ready(process, rc, &err) == 0 && rc == 0)
		nursery_loop(&state);
	_exit(rc == 0 ? 0 : 1);
}
