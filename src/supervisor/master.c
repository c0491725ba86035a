/*
 * master.c -- makes the other processes and opens nothing itself.
 *
 *  1. A child that ends is started again, after a pause that grows while it keeps failing; but
 *     some front always runs or is about to (children.h).
 *  2. Children die with the master (PDEATHSIG): nothing is left behind, kill -9 included.
 *     Only a standby outlives it, to become the master.
 *  3. What a workshop held when it died is given back at once, by a process for just that:
 *     others need not wait until its leases run out.
 *  4. A reload starts the new children first and then asks the old ones to leave; the socket
 *     holds what comes in between.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/process.h"
#include "board/board.h"
#include "config/config.h"
#include "convert/convert.h"
#include "front/front.h"
#include "keeper/keeper.h"
#include "sandbox/sandbox.h"
#include "supervisor/children.h"
#include "supervisor/crash.h"
#include "supervisor/listen.h"
#include "supervisor/master.h"
#include "supervisor/standby.h"
#include "supervisor/supervisor.h"
#include "workshop/workshop.h"

#define STOP_MILLIS 4000         /* then the rest is killed */
#define TICK_MILLIS 200
#define RETIRE_MILLIS 10000      /* for an old child to leave after a reload */

static const char *const duty_names[] = { "front", "workshop", "keeper" };

struct master {
	const struct config *config;
	int listen_fd;               /* -1: helpers on demand, no fronts */
	int lock;                    /* the helpers'; -1 */
	struct standby standby;
	supervisor_reload_fn *reload;
	void *reload_payload;
	struct child *children;
	size_t count;
	bool stopping;               /* children are asked to end: that they do is no news */
	sigset_t waited, before;
};

static void leave(int number)
{
	(void)number;
	_exit(EXIT_SUCCESS);
}

static int keep(const struct config *config, struct err *err)
{
	struct board *board;
	int rc;

	/* Everything survives being killed at any point: the keeper needs no other end, and
	 * begins anew to open its log again. */
	signal(SIGTERM, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	signal(SIGHUP, leave);
	if (board_open(&board, config, err) < 0)
		return -1;
	rc = keeper_run(config, board, supervisor_meters(), err);
	board_close(board);
	return rc < 0 ? -1 : 0;              /* 1: another keeper has the lock; asked again later */
}

static int work(const struct master *master, const struct child *child, struct nursery *nursery,
		struct err *err)
{
	char name[WORKSHOP_NAME_BYTES];

	workshop_name(name, getpid(), child->mark);
	return workshop_run(master->config, nursery, name, master->listen_fd < 0, err);
}

static int answer(const struct master *master, struct nursery *nursery, struct err *err)
{
	if (listen_prepare(master->listen_fd, err) < 0)
		return -1;
	return front_run(master->config, nursery, master->listen_fd, NULL, err);
}

static int do_duty(const struct master *master, const struct child *child, struct err *err)
{
	struct nursery *nursery = NULL;
	int rc;

	if (child->duty == DUTY_KEEPER) {
		crash_install();
		return keep(master->config, err);
	}
	if (nursery_start(&nursery, master->config, convert_operations, convert_operation_count,
			  err) < 0)
		return -1;
	crash_install();                     /* after the nursery: cells die silently */
	rc = child->duty == DUTY_FRONT ? answer(master, nursery, err) : work(master, child, nursery, err);
	nursery_stop(nursery);
	return rc;
}

/* As fork(); the child goes with its master and has nothing that is the master's alone. */
static pid_t fork_helper(struct master *master, const char *name)
{
	pid_t parent = getpid();
	pid_t pid = fork();

	if (pid < 0)
		log_message(LOG_ERROR, "master", NULL, "forking a %s: %s", name, strerror(errno));
	if (pid != 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(EXIT_FAILURE);
	standby_forget(&master->standby);
	if (master->lock >= 0)
		close(master->lock);
	prctl(PR_SET_NAME, name);
	sigprocmask(SIG_SETMASK, &master->before, NULL);
	return 0;
}

static void end_helper(const char *name, int rc, const struct err *err)
	__attribute__((noreturn));

static void end_helper(const char *name, int rc, const struct err *err)
{
	if (rc < 0)
		log_message(LOG_ERROR, name, NULL, "%s", err->text);
	exit(rc < 0 ? EXIT_FAILURE : EXIT_SUCCESS);
}

static void start(struct master *master, struct child *child)
{
	struct err err = ERR_INIT;
	pid_t pid;

	random_bytes(&child->mark, sizeof(child->mark));
	pid = fork_helper(master, duty_names[child->duty]);
	if (pid == 0)
		end_helper(duty_names[child->duty], do_duty(master, child, &err), &err);
	child->started_millis = clock_monotonic_millis();
	child->pid = pid > 0 ? pid : 0;
}

/* The dead of SIGKILL and SIGTERM were killed: what they carried is not to blame. */
static void release_dead_owner(struct master *master, const struct child *child, int signal_number)
{
	bool own_doing = signal_number != SIGKILL && signal_number != SIGTERM;
	char name[WORKSHOP_NAME_BYTES];
	struct err err = ERR_INIT;

	workshop_name(name, child->pid, child->mark);
	if (fork_helper(master, "release-dead") == 0)
		end_helper("release-dead", workshop_release_dead_owner(master->config, name, own_doing, &err), &err);
}

static void start_due(struct master *master)
{
	int64_t now = clock_monotonic_millis();

	for (size_t i = 0; i < master->count; i++) {
		struct child *child = &master->children[i];

		if (child_is_due(child, now))
			start(master, child);
	}
}

static void note_end(struct master *master, struct child *child, int status)
{
	bool has_failed = WIFEXITED(status) && WEXITSTATUS(status) != EXIT_SUCCESS;

	if (WIFSIGNALED(status) && !(master->stopping && WTERMSIG(status) == SIGTERM))
		log_message(LOG_WARN, "master", NULL, "%s %ld was ended by signal %d",
			    duty_names[child->duty], (long)child->pid, WTERMSIG(status));
	if (WIFSIGNALED(status) && child->duty == DUTY_WORKSHOP)
		release_dead_owner(master, child, WTERMSIG(status));
	child->has_left = master->listen_fd < 0 && child->duty == DUTY_WORKSHOP &&
			  WIFEXITED(status) && !has_failed;
	child_note_end(child, has_failed, clock_monotonic_millis());
}

static size_t reap(struct master *master)
{
	size_t running = 0;
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid == master->standby.pid)
			master->standby.pid = 0;
		for (size_t i = 0; i < master->count; i++)
			if (master->children[i].pid == pid)
				note_end(master, &master->children[i], status);
	}
	children_hurry_front(master->children, master->count, clock_monotonic_millis());
	for (size_t i = 0; i < master->count; i++)
		running += master->children[i].pid != 0;
	return running;
}

static void signal_all(const struct master *master, int number)
{
	for (size_t i = 0; i < master->count; i++)
		if (master->children[i].pid > 0)
			kill(master->children[i].pid, number);
}

/* The next signal until a child is due, within a tick, or 0. */
static int next_signal(const struct master *master)
{
	int64_t millis = children_next_due(master->children, master->count,
					   clock_monotonic_millis(), TICK_MILLIS);
	const struct timespec tick = { .tv_nsec = millis * 1000000L };
	int number = sigtimedwait(&master->waited, NULL, &tick);

	return number > 0 ? number : 0;
}

static void stop_all(struct master *master)
{
	int64_t until = clock_monotonic_millis() + STOP_MILLIS;

	master->stopping = true;
	standby_dismiss(&master->standby);
	signal_all(master, SIGTERM);
	while (reap(master) > 0 && clock_monotonic_millis() < until)
		next_signal(master);
	signal_all(master, SIGKILL);
	while (waitpid(-1, NULL, 0) > 0)
		;
}

/* --- Reload -------------------------------------------------------------------------------- */

static size_t children_of(const struct config *config, bool with_fronts)
{
	return (size_t)((with_fronts ? config->pool_processes : 0) + config->workshop_processes + 1);
}

static void fill_children(struct child *children, const struct config *config, bool with_fronts)
{
	size_t at = 0;

	for (uint64_t i = 0; with_fronts && i < config->pool_processes; i++)
		children[at++].duty = DUTY_FRONT;
	for (uint64_t i = 0; i < config->workshop_processes; i++)
		children[at++].duty = DUTY_WORKSHOP;
	children[at].duty = DUTY_KEEPER;
}

static int may_change_to(const struct config *now, const struct config *next, struct err *err)
{
	if (strcmp(now->state_dir, next->state_dir) != 0)
		return err_set(err, ERR_UNSUPPORTED, "state_dir changes from %s to %s: that needs a "
			       "restart", now->state_dir, next->state_dir);
	return 0;
}

/* The new children beside the living old ones, which are asked to leave. */
static int replace_children(struct master *master, const struct config *next, struct err *err)
{
	size_t fresh = children_of(next, true), at = fresh;
	struct child *children = mem_get_array(fresh + master->count, sizeof(*children));

	if (!children)
		return err_set(err, ERR_NO_MEMORY, "no room for %zu processes", fresh);
	fill_children(children, next, true);
	for (size_t i = 0; i < master->count; i++) {
		if (master->children[i].pid == 0)
			continue;
		children[at] = master->children[i];
		if (children[at].kill_at_millis == 0)
			children[at].kill_at_millis = clock_monotonic_millis() + RETIRE_MILLIS;
		at++;
	}
	mem_give_back(master->children);
	master->children = children;
	master->count = at;
	master->config = next;
	start_due(master);
	for (size_t i = fresh; i < at; i++)
		kill(children[i].pid, SIGTERM);
	return 0;
}

static void reload(struct master *master)
{
	struct err err = ERR_INIT;
	const struct config *next = master->reload(master->reload_payload, master->config, &err);

	if (!next || may_change_to(master->config, next, &err) < 0 ||
	    replace_children(master, next, &err) < 0)
		log_message(LOG_ERROR, "reload", NULL, "nothing has changed: %s", err.text);
	else
		log_message(LOG_INFO, "reload", NULL, "new processes read %s",
			    next->path ? next->path : "the defaults");
}

static void kill_overdue(const struct master *master)
{
	int64_t now = clock_monotonic_millis();

	for (size_t i = 0; i < master->count; i++) {
		const struct child *child = &master->children[i];

		if (child->pid > 0 && child->kill_at_millis != 0 && child->kill_at_millis <= now)
			kill(child->pid, SIGKILL);
	}
}

/* --- Running -------------------------------------------------------------------------------- */

/* Helpers go when their workshops have left, or when there is nothing left to help. */
static bool is_done(const struct master *master)
{
	size_t workshops = 0, left = 0;

	if (master->listen_fd >= 0)
		return false;
	for (size_t i = 0; i < master->count; i++) {
		workshops += master->children[i].duty == DUTY_WORKSHOP;
		left += master->children[i].has_left;
	}
	return left == workshops || access(master->config->state_dir, F_OK) < 0;
}

/* What a dead master started dies with it; what it was about to start is ours to start. */
static void take_over(struct master *master)
{
	for (size_t i = 0; i < master->count; i++) {
		struct child *child = &master->children[i];

		*child = (struct child){ .duty = child->duty, .kill_at_millis = child->kill_at_millis };
	}
}

static void run_until_stopped(struct master *master)
{
	while (!is_done(master)) {
		int number;

		if (master->standby.web_server > 0 && master->standby.pid == 0 &&
		    standby_appoint(&master->standby, master->listen_fd) > 0) {
			take_over(master);
			continue;
		}
		start_due(master);
		number = next_signal(master);
		if (number == SIGTERM || number == SIGINT)
			return;
		reap(master);
		kill_overdue(master);
		if (number == SIGHUP) {
			log_reopen();
			signal_all(master, SIGHUP);
		}
		if (number == SIGUSR2 && master->reload)
			reload(master);
	}
}

static int run(struct master *master, struct err *err)
{
	bool with_fronts = master->listen_fd >= 0;

	if (file_make_folders(master->config->state_dir, 0700, err) < 0)
		return err_while(err, "making state_dir");
	master->count = children_of(master->config, with_fronts);
	master->children = mem_get_array(master->count, sizeof(*master->children));
	if (!master->children)
		return err_set(err, ERR_NO_MEMORY, "no room for %zu processes", master->count);
	fill_children(master->children, master->config, with_fronts);
	sigemptyset(&master->waited);
	sigaddset(&master->waited, SIGTERM);
	sigaddset(&master->waited, SIGINT);
	sigaddset(&master->waited, SIGHUP);
	sigaddset(&master->waited, SIGUSR2);
	sigaddset(&master->waited, SIGCHLD);
	sigprocmask(SIG_BLOCK, &master->waited, &master->before);
	log_message(LOG_INFO, with_fronts ? "master_ready" : "helpers_ready", NULL,
		    "%zu processes, state in %s", master->count, master->config->state_dir);
	run_until_stopped(master);
	stop_all(master);
	log_message(LOG_INFO, with_fronts ? "master_end" : "helpers_end", NULL,
		    "all processes have ended");
	mem_give_back(master->children);
	return 0;
}

int supervisor_run(const struct config *config, int listen_fd, bool is_spawned,
		   supervisor_reload_fn *reload_config, void *payload, struct err *err)
{
	struct master master = { .config = config, .listen_fd = listen_fd, .lock = -1,
				 .reload = reload_config, .reload_payload = payload };

	process_warn_of_root();
	(void)process_raise_descriptors();
	standby_init(&master.standby, is_spawned);
	return run(&master, err);
}

int master_run_helpers(const struct config *config, int lock, struct err *err)
{
	struct master master = { .config = config, .listen_fd = -1, .lock = lock };

	standby_init(&master.standby, false);
	return run(&master, err);
}
