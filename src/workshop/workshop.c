/* workshop.c -- see workshop.h: the loop, its bells and its ends. */
#include "workshop/workshop.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/process.h"
#include "board/board.h"
#include "config/config.h"
#include "history/hosts.h"
#include "sandbox/sandbox.h"
#include "shared/shared.h"
#include "store/store.h"
#include "workshop/doorbell.h"
#include "workshop/share.h"
#include "workshop/turn.h"

#define TURN_MILLIS 1000
#define FAULT_PAUSE_MILLIS 200

enum bell { BELL_SIGNAL, BELL_JOBS, BELL_CACHE, BELL_STOP, BELLS };

struct loop {
	struct workshop workshop;
	int signal_fd;
	struct doorbell jobs, cache, stop;
	bool leaves_when_idle;
};

static int open_signals(int *fd, struct err *err)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	*fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return *fd < 0 ? err_os(err, errno, "making a signalfd") : 0;
}

static void hear_signal(struct loop *loop)
{
	struct signalfd_siginfo info;

	while (read(loop->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		if (info.ssi_signo == SIGHUP)
			log_reopen();
		else
			loop->workshop.jobs.stopping = true;
	}
}

static bool idle_for_too_long(const struct loop *loop)
{
	const struct workshop *workshop = &loop->workshop;
	const struct config *config = workshop->means.config;
	int64_t worked = workshop->jobs.worked_millis;

	if (!loop->leaves_when_idle || workshop->jobs.count > 0 || workshop->tasks.first ||
	    workshop->jobs.claim.is_asked ||
	    !shared_is_idle(workshop->means.shared))
		return false;
	if (workshop->tasks.worked_millis > worked)
		worked = workshop->tasks.worked_millis;
	return access(config->state_dir, F_OK) < 0 ||
	       clock_monotonic_millis() - worked > config->workshop_idle_seconds * 1000;
}

/* One turn with everything that can wake it. */
static int turn(struct loop *loop, struct err *err)
{
	struct fetch_poll bells[BELLS] = {
		[BELL_SIGNAL] = { .fd = loop->signal_fd }, [BELL_JOBS] = { .fd = loop->jobs.fd },
		[BELL_CACHE] = { .fd = loop->cache.fd },   [BELL_STOP] = { .fd = loop->stop.fd },
	};

	if (running_job_claim(&loop->workshop.jobs, err) < 0)
		return -1;
	if (workshop_turn(&loop->workshop, bells, BELLS, TURN_MILLIS, err) < 0)
		return -1;
	if (bells[BELL_SIGNAL].ready)
		hear_signal(loop);
	if (bells[BELL_JOBS].ready)
		doorbell_clear(&loop->jobs);
	if (bells[BELL_CACHE].ready)
		doorbell_clear(&loop->cache);
	if (bells[BELL_STOP].ready)
		loop->workshop.jobs.stopping = true;
	task_look_again(&loop->workshop.tasks);
	return 0;
}

void workshop_name(char name[WORKSHOP_NAME_BYTES], pid_t pid, uint64_t mark)
{
	snprintf(name, WORKSHOP_NAME_BYTES, "workshop-%ld-%016llx", (long)pid,
		 (unsigned long long)mark);
}

int workshop_run(const struct config *config, struct nursery *nursery, const char *name,
		 bool leaves_when_idle, struct err *err)
{
	struct loop loop = { .signal_fd = -1, .leaves_when_idle = leaves_when_idle,
			     .jobs.fd = -1, .cache.fd = -1, .stop.fd = -1 };
	int rc = -1;

	(void)process_raise_descriptors();  /* hundreds of transfers each hold a socket and a file */
	if (open_signals(&loop.signal_fd, err) < 0)
		return -1;
	if (workshop_open(&loop.workshop, config, nursery, name, err) < 0)
		goto close_signals;
	if (doorbell_start(&loop.jobs, loop.workshop.means.board, BOARD_JOBS_NEW, err) < 0 ||
	    doorbell_start(&loop.cache, loop.workshop.means.board, BOARD_CACHE_CHANGED, err) < 0 ||
	    doorbell_start(&loop.stop, loop.workshop.means.board, BOARD_STOP, err) < 0)
		goto done;
	share_open(&loop.workshop.means, true);
	log_message(LOG_INFO, "workshop_ready", NULL, "%s", loop.workshop.means.owner);
	while (!loop.workshop.jobs.stopping && !idle_for_too_long(&loop)) {
		struct err fault = ERR_INIT;

		/* A busy or full database is a bad moment, not the end. */
		if (nursery_is_lost(nursery)) {
			err_set(err, ERR_IO, "the nursery is gone");
			goto done;           /* the jobs go back; the master starts a new workshop */
		}
		if (store_in_place(loop.workshop.means.store, err) < 0) {
			workshop_open_store_again(&loop.workshop);
			goto done;
		}
		if (turn(&loop, &fault) < 0) {
			log_message(LOG_ERROR, "workshop", NULL, "%s", fault.text);
			usleep(FAULT_PAUSE_MILLIS * 1000);
		}
	}
	rc = 0;
done:
	doorbell_stop(&loop.jobs);
	doorbell_stop(&loop.cache);
	doorbell_stop(&loop.stop);
	workshop_close(&loop.workshop);
close_signals:
	close(loop.signal_fd);
	return rc;
}

int workshop_release_dead_owner(const struct config *config, const char *name, bool own_doing, struct err *err)
{
	struct jobs jobs = { .config = config };
	struct cache *cache = NULL;
	int rc = -1;

	if (board_open(&jobs.board, config, err) == 0 &&
	    store_open(&jobs.store, config, err) == 0 &&
	    cache_open(&cache, config, jobs.board, jobs.store, err) == 0 &&
	    cache_claims_release_dead_owner(cache, jobs.store, name, err) == 0 &&
	    job_release_dead_owner(&jobs, name, own_doing, err) == 0 &&
	    history_host_forget_owner(jobs.store, text_of(name), err) == 0)
		rc = 0;
	if (cache)
		cache_close(cache);
	if (jobs.store)
		store_close(jobs.store);
	board_close(jobs.board);
	return rc;
}

int workshop_answer(const struct config *config, struct nursery *nursery,
		    const struct request_kind *kind, const struct work_body *body,
		    struct buf *reply, struct buf *candidates, struct err *err)
{
	char name[WORKSHOP_NAME_BYTES];
	struct running_job *running;
	struct workshop workshop;
	uint64_t mark;
	int rc = -1;

	(void)process_raise_descriptors();  /* hundreds of transfers each hold a socket and a file */
	random_bytes(&mark, sizeof(mark));
	workshop_name(name, getpid(), mark);
	if (workshop_open(&workshop, config, nursery, name, err) < 0)
		return -1;
	share_open(&workshop.means, false);          /* one answer is no time to tell others */
	running = running_job_new(&workshop.jobs, err);
	if (!running)
		goto done;
	running->kind = kind;
	running->body = *body;
	if (body->fd >= 0)
		running->body.fd = fcntl(body->fd, F_DUPFD_CLOEXEC, 0);
	running->reply = reply;
	running->candidates = candidates;
	while (!workshop.jobs.is_answered) {
		if (workshop_turn(&workshop, NULL, 0, TURN_MILLIS, err) < 0)
			goto done;
		task_look_again(&workshop.tasks);
	}
	*err = workshop.jobs.failure;
	rc = err->kind == ERR_NONE ? buf_check(reply, err) : -1;
done:
	workshop_close(&workshop);
	return rc;
}
