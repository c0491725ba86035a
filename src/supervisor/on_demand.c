/*
 * on_demand.c -- see on_demand.h.
 *
 *  1. The starter is forked while this process has one thread and no state open; it does
 *     nothing but fork, one byte each, and it dies with its front.
 *  2. What it forks is detached: a session of its own, a child of init, no descriptor of the
 *     web server's, so that neither's end or restart waits for the other.
 *  3. The helpers' lock is taken by the helpers themselves: many fronts may ask at once, all
 *     but one of the answers leave again.  It ends with its holder, whatever ends that.
 *  4. A front asks again while there is something to do, so a request to helpers that were
 *     just leaving is only late.
 */
#include "supervisor/on_demand.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/process.h"
#include "config/config.h"
#include "supervisor/master.h"
#include "job/job.h"
#include "store/boot.h"
#include "store/lock.h"

#define PATH_BYTES 4096u
#define NOTE_BYTES 160u
#define ASK_AGAIN_MILLIS 200     /* a busy front asks no oftener */
#define LOG_KEPT_BYTES ((off_t)8 * 1024 * 1024)

struct on_demand {
	const struct config *config;
	int starter;                 /* a byte here starts helpers */
	pid_t pid;
	char lock_path[PATH_BYTES];
	_Atomic int64_t asked_millis;
	atomic_bool knows_build;     /* the helpers are of our build, or were told to leave */
};

/* --- The helpers ------------------------------------------------------------------------- */

static void reset_signals(void)
{
	struct sigaction action = { .sa_handler = SIG_DFL };
	sigset_t none;

	for (int number = 1; number < NSIG; number++)
		sigaction(number, &action, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	process_protect();
}

/* Nothing of the web server's stays: not its listening socket, not its log, not its folder. */
static int leave_the_web_server(const struct config *config)
{
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
	int log = log_descriptor();

	if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(nothing, STDOUT_FILENO) < 0 ||
	    (config->log_path && dup2(nothing, STDERR_FILENO) < 0) || chdir("/") < 0)
		return -1;
	/* Where the call is missing (before Linux 5.9) O_CLOEXEC of others has to do. */
	if (log > STDERR_FILENO + 1)
		(void)close_range(STDERR_FILENO + 1, (unsigned)log - 1, 0);
	(void)close_range(log > STDERR_FILENO ? (unsigned)log + 1 : STDERR_FILENO + 1, ~0u, 0);
	return 0;
}

/* Nobody rotates the log of an account on a shared machine: one old one is kept. */
static void rotate_log(const struct config *config)
{
	char old[PATH_BYTES];
	struct stat st;

	if (!config->log_path || stat(config->log_path, &st) < 0 || st.st_size < LOG_KEPT_BYTES ||
	    !S_ISREG(st.st_mode) ||
	    (size_t)snprintf(old, sizeof(old), "%s.1", config->log_path) >= sizeof(old))
		return;
	if (rename(config->log_path, old) == 0)
		log_reopen();
}

/* Whose they are, for a front of another build; the file's time says when they were last here. */
static void sign_lock(int lock)
{
	char note[NOTE_BYTES];
	int size = snprintf(note, sizeof(note), "%ld %s\n", (long)getpid(), store_build_id());

	if (ftruncate(lock, 0) == 0 && size > 0 && (size_t)size < sizeof(note))
		(void)!pwrite(lock, note, (size_t)size, 0);
}

static void be_helpers(const struct on_demand *on_demand)
{
	const struct config *config = on_demand->config;
	struct err err = ERR_INIT;
	int lock = -1, taken;

	prctl(PR_SET_NAME, "symgate-helpers");
	reset_signals();
	if (leave_the_web_server(config) < 0 ||
	    file_make_folders(config->state_dir, 0700, &err) < 0)
		_exit(EXIT_FAILURE);
	taken = store_lock_try(on_demand->lock_path, true, &lock, &err);
	if (taken == 0)
		_exit(EXIT_SUCCESS);
	rotate_log(config);
	if (taken > 0) {
		sign_lock(lock);
		if (master_run_helpers(config, lock, &err) == 0) {
			sign_lock(lock);
			_exit(EXIT_SUCCESS);
		}
	}
	log_message(LOG_ERROR, "helpers", NULL, "%s", err.text);
	_exit(EXIT_FAILURE);
}

/* --- The starter -------------------------------------------------------------------------- */

static void detach_helpers(const struct on_demand *on_demand)
{
	pid_t pid = fork();

	if (pid == 0) {
		if (setsid() < 0 || fork() != 0)
			_exit(EXIT_SUCCESS);
		be_helpers(on_demand);
	}
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

static void be_starter(const struct on_demand *on_demand, int orders, pid_t front)
{
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
	char order;
	ssize_t size;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != front || nothing < 0 || dup2(nothing, STDIN_FILENO) < 0)
		_exit(EXIT_FAILURE);
	prctl(PR_SET_NAME, "symgate-starter");
	signal(SIGHUP, SIG_IGN);
	signal(SIGUSR1, SIG_IGN);
	signal(SIGUSR2, SIG_IGN);
	while ((size = recv(orders, &order, 1, 0)) > 0 || (size < 0 && errno == EINTR))
		if (size > 0)
			detach_helpers(on_demand);
	_exit(EXIT_SUCCESS);
}

int on_demand_open(struct on_demand **out, const struct config *config, struct err *err)
{
	struct on_demand *on_demand = mem_get(sizeof(*on_demand));
	pid_t front = getpid();
	int ends[2];

	if (!on_demand)
		return err_set(err, ERR_NO_MEMORY, "no room for the starter of helpers");
	on_demand->config = config;
	if ((size_t)snprintf(on_demand->lock_path, PATH_BYTES, "%s/helpers.lock",
			     config->state_dir) >= PATH_BYTES) {
		err_set(err, ERR_IO, "state_dir is too long: %s", config->state_dir);
		goto failed;
	}
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0) {
		err_os(err, errno, "making a socket pair");
		goto failed;
	}
	on_demand->starter = ends[0];
	on_demand->pid = fork();
	if (on_demand->pid == 0) {
		close(ends[0]);
		be_starter(on_demand, ends[1], front);
	}
	close(ends[1]);
	if (on_demand->pid > 0) {
		*out = on_demand;
		return 0;
	}
	err_os(err, errno, "forking the starter of helpers");
	close(ends[0]);
failed:
	mem_give_back(on_demand);
	return -1;
}

void on_demand_close(struct on_demand *on_demand)
{
	kill(on_demand->pid, SIGKILL);
	while (waitpid(on_demand->pid, NULL, 0) < 0 && errno == EINTR)
		;
	close(on_demand->starter);
	mem_give_back(on_demand);
}

/* --- The front's side ---------------------------------------------------------------------- */

/* After an upgrade the helpers of before would go on as long as there is work.  Asked once in a
 * front's life, so that fronts of two builds do not chase each other's helpers. */
static void retire_other_build(struct on_demand *on_demand)
{
	char note[NOTE_BYTES], *build;
	ssize_t size;
	long pid;
	int fd;

	if (atomic_load(&on_demand->knows_build))
		return;
	fd = open(on_demand->lock_path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return;
	size = pread(fd, note, sizeof(note) - 1, 0);
	close(fd);
	if (size <= 0 || note[size - 1] != '\n')
		return;                      /* not signed yet: next time */
	note[size - 1] = '\0';
	pid = strtol(note, &build, 10);
	if (atomic_exchange(&on_demand->knows_build, true) || pid <= 1 || *build != ' ' ||
	    strcmp(build + 1, store_build_id()) == 0)
		return;
	log_message(LOG_INFO, "helpers", NULL, "process %ld is of another build and has to leave", pid);
	kill((pid_t)pid, SIGTERM);           /* it lives: it holds the lock */
}

/* Starts the helpers unless they live. */
static void want(void *payload)
{
	struct on_demand *on_demand = payload;
	int64_t now = clock_monotonic_millis();
	int64_t asked = atomic_load(&on_demand->asked_millis);
	struct err err = ERR_INIT;
	int lock = -1, taken;

	if ((asked != 0 && now - asked < ASK_AGAIN_MILLIS) ||
	    !atomic_compare_exchange_strong(&on_demand->asked_millis, &asked, now))
		return;
	taken = store_lock_try(on_demand->lock_path, true, &lock, &err);
	if (taken < 0) {
		log_message(LOG_ERROR, "helpers", NULL, "%s", err.text);
		return;
	}
	if (taken == 0) {
		retire_other_build(on_demand);
		return;
	}
	close(lock);
	if (send(on_demand->starter, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL) == 1 || errno == EAGAIN)
		return;
	/* Threads are running, so another cannot be forked: another front will have one. */
	log_message(LOG_ERROR, "helpers", NULL, "the starter is gone, this front leaves");
	kill(getpid(), SIGTERM);
}

/* Without jobs too the caches need a keeper now and then. */
static bool is_keeper_overdue(const struct on_demand *on_demand)
{
	int64_t interval = on_demand->config->cache_cleanup_interval_seconds;
	struct stat st;

	if (stat(on_demand->lock_path, &st) < 0)
		return true;
	return clock_unix_seconds() - (int64_t)st.st_mtime >
	       (interval > 0 ? interval : 0) + on_demand->config->workshop_idle_seconds;
}

/* Wants helpers when jobs wait for them or the keeper is overdue. */
static void look(void *payload, struct jobs *jobs)
{
	struct on_demand *on_demand = payload;
	struct err err = ERR_INIT;
	uint64_t live = 0;

	if (job_count_live(jobs, &live, &err) < 0)
		log_message(LOG_ERROR, "helpers", NULL, "%s", err.text);
	if (live > 0 || is_keeper_overdue(on_demand))
		want(on_demand);
}

struct front_helpers on_demand_helpers(struct on_demand *on_demand)
{
	return (struct front_helpers){ .want = want, .look = look, .payload = on_demand };
}
