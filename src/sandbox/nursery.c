/* nursery.c -- the asking side of the nursery: start, order, stop. */
#include "sandbox/sandbox.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "sandbox/nursery_process.h"
#include "sandbox/handle.h"

#define START_MILLIS 10000       /* a nursery that takes longer will never be ready */
#define ORDER_SECONDS 10

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif

struct nursery {
	int control;
	pid_t pid;
	int pidfd;                   /* -1: the kernel has none */
	enum sandbox_level level;
};

enum sandbox_level nursery_level(const struct nursery *nursery)
{
	return nursery->level;
}

bool nursery_is_alive(const struct nursery *nursery)
{
	struct pollfd entry = { .fd = nursery->control };

	return poll(&entry, 1, 0) == 0;
}

bool nursery_is_lost(const struct nursery *nursery)
{
	sigset_t pending;

	if (nursery_is_alive(nursery))
		return false;
	sigemptyset(&pending);
	sigpending(&pending);
	return !sigismember(&pending, SIGTERM) && !sigismember(&pending, SIGINT);
}

/* --- Start and stop --------------------------------------------------------------------- */

static int wait_ready(struct nursery *nursery, struct err *err)
{
	struct pollfd entry = { .fd = nursery->control, .events = POLLIN };
	struct frame_ready ready;
	struct frame frame;
	int rc;

	do
		rc = poll(&entry, 1, START_MILLIS);
	while (rc < 0 && errno == EINTR);
	if (rc == 0)
		return err_set(err, ERR_IO, "the nursery does not get ready");
	if (frame_receive(nursery->control, &frame, false, 0) <= 0 ||
	    frame.head.type != FRAME_READY || frame.size != sizeof(ready))
		return err_set(err, ERR_IO, "the nursery ended before it was ready");
	memcpy(&ready, frame.bytes, sizeof(ready));
	if (!ready.ok)
		return err_set(err, (enum err_kind)ready.kind, "%.*s",
			       (int)sizeof(ready.text) - 1, ready.text);
	nursery->level = (enum sandbox_level)ready.level;
	return 0;
}

static int fork_nursery(struct nursery *nursery, struct nursery_process *process, struct err *err)
{
	struct timeval patience = { .tv_sec = ORDER_SECONDS };
	pid_t parent = getpid();
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return err_os(err, errno, "making the nursery's socket");
	nursery->control = ends[0];
	process->control = ends[1];
	setsockopt(ends[0], SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	nursery->pid = fork();
	if (nursery->pid < 0) {
		int why = errno;

		close(ends[1]);
		return err_os(err, why, "forking the nursery");
	}
	if (nursery->pid == 0)
		nursery_process_run(process, parent);
	close(ends[1]);
	nursery->pidfd = (int)syscall(SYS_pidfd_open, nursery->pid, 0);
	return 0;
}

int nursery_start(struct nursery **nursery, const struct config *config,
		  const struct cell_operation *operations, size_t count, struct err *err)
{
	struct nursery_process process = { .control = -1, .config = config, .operations = operations,
			       .operation_count = count };
	struct nursery *made = mem_get(sizeof(*made));

	*nursery = NULL;
	if (!made)
		return err_set(err, ERR_NO_MEMORY, "no memory for a nursery");
	made->control = made->pidfd = -1;
	if (fork_nursery(made, &process, err) < 0 || wait_ready(made, err) < 0) {
		nursery_stop(made);
		return -1;
	}
	*nursery = made;
	return 0;
}

/* By descriptor where there is one: some other part of the process may have waited for all
 * children, and the pid may be somebody else's by now. */
static void end_process(const struct nursery *nursery)
{
	siginfo_t info;
	int rc;

	if (nursery->pidfd >= 0)
		syscall(SYS_pidfd_send_signal, nursery->pidfd, SIGKILL, NULL, 0);
	else
		kill(nursery->pid, SIGKILL);
	do
		rc = nursery->pidfd >= 0 ?
			waitid((idtype_t)3 /* P_PIDFD */, (id_t)nursery->pidfd, &info, WEXITED) :
			waitpid(nursery->pid, NULL, 0);
	while (rc < 0 && errno == EINTR);
}

void nursery_stop(struct nursery *nursery)
{
	if (!nursery)
		return;
	if (nursery->pid > 0)
		end_process(nursery);        /* the kernel kills its cells with it */
	if (nursery->pidfd >= 0)
		close(nursery->pidfd);
	if (nursery->control >= 0)
		close(nursery->control);
	mem_give_back(nursery);
}

/* --- Orders ----------------------------------------------------------------------------- */

struct spawn_order {
	struct frame_order order;
	struct text parameters;              /* what of them travels in the packet */
	int files[FRAME_FILES_MAX];
	unsigned file_count;
	unsigned copies_at, copy_count;      /* those of them that are ours to close */
};

static int add_role(struct spawn_order *spawn_order, unsigned at, const char *role, struct err *err)
{
	size_t size = strnlen(role, CELL_ROLE_BYTES);

	if (size == CELL_ROLE_BYTES)
		return err_set(err, ERR_INTERNAL, "a role's name is too long");
	memcpy(spawn_order->order.roles[at], role, size);
	return 0;
}

static int add_files(struct spawn_order *spawn_order, const struct cell_order *order, struct err *err)
{
	unsigned at = 0;

	spawn_order->copies_at = spawn_order->file_count;
	for (unsigned i = 0; i < order->input_count; i++, at++) {
		if (add_role(spawn_order, at, order->inputs[i].role, err) < 0 ||
		    handle_open_for_reading(order->inputs[i].fd,
					    &spawn_order->files[spawn_order->file_count], err) < 0)
			return err_while(err, "input \"%.*s\"", (int)CELL_ROLE_BYTES,
					 order->inputs[i].role);
		spawn_order->file_count++;
		spawn_order->copy_count++;
		if (order->seals)
			spawn_order->order.seals[i] = order->seals[i];
	}
	for (unsigned i = 0; i < order->output_count; i++, at++) {
		if (add_role(spawn_order, at, order->outputs[i].role, err) < 0)
			return -1;
		spawn_order->files[spawn_order->file_count++] = order->outputs[i].fd;
	}
	return 0;
}

/* Fills the order; files[0], the cell's end of its channel, is the caller's. */
static int write_letter(struct spawn_order *spawn_order, const struct cell_order *order, int *parameter_file,
			struct err *err)
{
	if (order->input_count > CELL_FILES_MAX || order->output_count > CELL_FILES_MAX)
		return err_set(err, ERR_INTERNAL, "too many files for one cell");
	if (strlen(order->operation) >= sizeof(spawn_order->order.operation))
		return err_set(err, ERR_INTERNAL, "cells know no operation \"%s\"",
			       order->operation);
	memcpy(spawn_order->order.operation, order->operation, strlen(order->operation));
	spawn_order->order.input_count = order->input_count;
	spawn_order->order.output_count = order->output_count;
	spawn_order->file_count = 1;
	if (handle_body(order->parameters, &spawn_order->order.parameters, &spawn_order->parameters,
			parameter_file, err) < 0)
		return -1;
	if (*parameter_file >= 0)
		spawn_order->files[spawn_order->file_count++] = *parameter_file;
	return add_files(spawn_order, order, err);
}

static int post_spawn_order(struct nursery *nursery, const struct spawn_order *spawn_order, struct err *err)
{
	if (frame_send(nursery->control, FRAME_ORDER, FRAME_TEXT(spawn_order->order),
		       spawn_order->parameters, 0, spawn_order->files, spawn_order->file_count, 0) == 0)
		return 0;
	if (errno == EPIPE || errno == ECONNRESET || errno == ECONNREFUSED)
		return err_set(err, ERR_IO, "the nursery is gone: no cell can be started");
	return err_os(err, errno, "ordering a cell");
}

int nursery_spawn(struct nursery *nursery, const struct cell_order *order,
		  struct cell_handle **handle, struct err *err)
{
	struct spawn_order spawn_order = { .file_count = 0 };
	int ends[2] = { -1, -1 };
	int parameter_file = -1;
	int rc = -1;

	*handle = NULL;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return err_os(err, errno, "making a cell's channel");
	spawn_order.files[0] = ends[1];
	if (write_letter(&spawn_order, order, &parameter_file, err) == 0 &&
	    post_spawn_order(nursery, &spawn_order, err) == 0)
		rc = handle_new(handle, ends[0], order, err);

	close(ends[1]);
	if (rc < 0)
		close(ends[0]);
	if (parameter_file >= 0)
		close(parameter_file);
	for (unsigned i = 0; i < spawn_order.copy_count; i++)
		close(spawn_order.files[spawn_order.copies_at + i]);
	return rc;
}
