/* front.c -- one front process: its threads, its parker, its end. */
#include "front/front.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/guard.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/process.h"
#include "board/board.h"
#include "config/config.h"
#include "front/degraded.h"
#include "front/front_internal.h"
#include "front/polled.h"
#include "front/writer.h"
#include "sandbox/sandbox.h"
#include "store/boot.h"
#include "work/request_json.h"
#include "lookup/plan_memo.h"
#include "work/work.h"

#define SOURCES_ARENA_BYTES ((size_t)64 * 1024 * 1024)
#define WATCH_SECONDS 1
#define DESCRIPTORS_OF_OUR_OWN 128u     /* databases, the log, entries being read, ... */
#define LEAVE_MILLIS 3000        /* request threads have this long to end what they answer */

/* From ourselves SIGUSR1 only interrupts accept(); from a process manager it asks a FastCGI
 * application to end what it answers and leave: SIGTERM does just that. */
static void hear_interrupt(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	if (info->si_code != SI_TKILL)
		kill(getpid(), SIGTERM);
}

/* Signals are for the main thread. */
static void prepare_signals(sigset_t *waited)
{
	struct sigaction interrupt = { .sa_sigaction = hear_interrupt, .sa_flags = SA_SIGINFO };

	sigemptyset(waited);
	sigaddset(waited, SIGTERM);
	sigaddset(waited, SIGINT);
	sigaddset(waited, SIGHUP);
	sigaddset(waited, SIGUSR1);
	sigprocmask(SIG_BLOCK, waited, NULL);
	sigaction(SIGUSR1, &interrupt, NULL);
	signal(SIGPIPE, SIG_IGN);
}

static int parse_default_sources(struct front *front, struct err *err)
{
	struct cJSON *json;

	if (request_json_parse(text_of(front->config->sources_json), &front->arena, &json, err) < 0 ||
	    source_list_parse(json, SOURCE_OF_CONFIG, front->config, &front->arena,
			      &front->default_sources, err) < 0)
		return err_while(err, "%s", config_source_file(front->config));
	return 0;
}

static void close_state(struct front *front)
{
	if (front->parker)
		parker_stop(front->parker);
	if (front->cache)
		cache_close(front->cache);
	if (front->store)
		store_close(front->store);
	if (front->board)
		board_close(front->board);
	front->parker = NULL;
	front->cache = NULL;
	front->store = NULL;
	front->board = NULL;
}

/* What lies in the state folder: all of it, or nothing.  The main thread seldom asks it again. */
static int open_state(struct front *front, struct err *err)
{
	struct store_boot boot;

	if (board_open(&front->board, front->config, err) == 0 &&
	    store_open(&front->store, front->config, err) == 0 &&
	    store_boot_join(front->store, &boot, err) == 0 &&
	    (!front->config->web_enabled ||
	     ui_secret_read(front->config->state_dir, front->web_secret, err) == 0) &&
	    cache_open(&front->cache, front->config, front->board, front->store, err) == 0 &&
	    parker_start(&front->parker, front, err) == 0) {
		store_rest(front->store);
		return 0;
	}
	close_state(front);
	return -1;
}

static int open_front(struct front *front, struct err *err)
{
	if (guard_install() < 0)
		return err_os(err, errno, "installing the SIGBUS guard");
	if (parse_default_sources(front, err) < 0)
		return -1;
	front->memo = plan_memo_new();       /* none: requests are planned afresh */
	front->polled = polled_new();
	if (writer_start(&front->writer, err) < 0)
		return -1;
	if (open_state(front, err) < 0 && degraded_run(front, open_state, err) < 0)
		return -1;
	writer_show_on(front->writer, front->board);
	return demangler_open(&front->demangler, front->nursery, front->board, err);
}

/* The parker first: what it finishes goes back to the pool, and its replies to the writer. */
static void close_front(struct front *front)
{
	if (front->parker)
		parker_stop(front->parker);
	front->parker = NULL;
	if (front->writer)
		writer_stop(front->writer);
	front->writer = NULL;
	if (front->demangler)
		demangler_close(front->demangler);
	close_state(front);
	while (front->pool) {
		struct request *request = front->pool;

		front->pool = request->next;
		buf_release(&request->words);
		buf_release(&request->body);
		mem_give_back(request);
	}
	plan_memo_free(front->memo);
	polled_free(front->polled);
	arena_release(&front->arena);
	pthread_mutex_destroy(&front->pool_lock);
}

/* Until a signal asks us to leave, or the nursery or the database is gone (a new front is started
 * then). */
static void watch(struct front *front, const sigset_t *waited)
{
	const struct timespec pause = { .tv_sec = WATCH_SECONDS };
	struct jobs jobs = { .config = front->config, .store = front->store, .board = front->board };
	struct err err = ERR_INIT;

	for (;;) {
		int number = sigtimedwait(waited, NULL, &pause);

		if (number == SIGHUP)
			log_reopen();
		else if (number > 0)
			return;
		if (nursery_is_lost(front->nursery)) {
			log_message(LOG_ERROR, "front", NULL, "the nursery is gone");
			return;
		}
		if (store_in_place(front->store, &err) < 0) {
			log_message(LOG_ERROR, "front", NULL, "%s", err.text);
			return;
		}
		if (front->helpers)
			front->helpers->look(front->helpers->payload, &jobs);
	}
}

static void *end_hard(void *payload)
{
	const struct timespec pause = { .tv_sec = LEAVE_MILLIS / 1000 };

	(void)payload;
	nanosleep(&pause, NULL);
	log_message(LOG_WARN, "front", NULL, "a request did not end in time");
	_exit(EXIT_FAILURE);
}

/* --- Threads ------------------------------------------------------------------------------ */

static size_t worker_count(const struct config *config)
{
	return (size_t)(config->pool_threads + config->pool_large_threads);
}

/* Request threads first, then those for large bodies. */
static int start_workers(struct front *front, struct err *err)
{
	size_t small = (size_t)front->config->pool_threads;

	for (size_t i = 0; i < worker_count(front->config); i++) {
		front->workers[i].is_for_large = i >= small;
		if (worker_start(&front->workers[i], front, i < small ? worker_accepts : worker_takes_large,
				 err) < 0)
			return -1;
	}
	return relief_start(front, err);
}

/*
 * A thread may sit in accept(): it is interrupted until it has gone.  One that reads a body is
 * not, and FCGX_ShutdownPending() is not called either: both would end the body early, and who
 * uploads would be told so with a 400 (test_reload_changes_the_config_and_loses_no_request).
 * The relief leaves first: what it has accepted is for the others to answer.
 */
static void stop_workers(struct front *front)
{
	pthread_t last_resort;

	atomic_store(&front->stopping, true);
	if (pthread_create(&last_resort, NULL, end_hard, NULL) == 0)
		pthread_detach(last_resort);
	relief_stop(front);
	lane_close(&front->small);
	lane_close(&front->large);
	for (size_t i = 0; i < worker_count(front->config); i++) {
		struct worker *worker = &front->workers[i];

		if (!worker->is_started)
			continue;
		while (pthread_tryjoin_np(worker->thread, NULL) == EBUSY) {
			if (atomic_load(&worker->accepting))
				pthread_kill(worker->thread, SIGUSR1);
			usleep(2000);
		}
		worker_release(worker);
	}
	relief_free(front);
}

/* Every request holds a descriptor, from its accept to its reply. */
static void share_descriptors(struct front *front)
{
	const struct config *config = front->config;
	size_t all = process_descriptors();
	size_t waiting = (size_t)config->pool_waiting, large = (size_t)config->pool_large_waiting;
	size_t taken;

	if (waiting > all / 8)
		waiting = all / 8;
	if (large > all / 8)
		large = all / 8;
	taken = DESCRIPTORS_OF_OUR_OWN + WRITER_MOST + waiting + large;
	front->most_parked = all > taken ? all - taken : 0;
	if (front->most_parked < config->pool_parked)
		log_message(LOG_WARN, "descriptors", NULL, "of %zu descriptors %zu are left for waiting "
			    "requests: pool.parked is %llu (LimitNOFILE=, ulimit -Hn)", all,
			    front->most_parked, (unsigned long long)config->pool_parked);
	else
		front->most_parked = (size_t)config->pool_parked;
	lane_init(&front->small, waiting);
	lane_init(&front->large, large);
}

int front_run(const struct config *config, struct nursery *nursery, int listen_fd,
	      const struct front_helpers *helpers, struct err *err)
{
	struct front front = { .config = config, .nursery = nursery, .listen_fd = listen_fd,
			       .helpers = helpers };
	sigset_t waited;
	int rc = -1;

	front.workers = mem_get_array(worker_count(config), sizeof(*front.workers));
	if (!front.workers)
		return err_set(err, ERR_NO_MEMORY, "no room for %zu threads", worker_count(config));
	pthread_mutex_init(&front.pool_lock, NULL);
	arena_init(&front.arena, SOURCES_ARENA_BYTES);
	share_descriptors(&front);
	if (FCGX_Init() != 0) {
		err_set(err, ERR_IO, "the FastCGI library could not start");
		goto done;
	}
	prepare_signals(&waited);
	if (open_front(&front, err) < 0)
		goto done;
	rc = start_workers(&front, err);
	if (rc == 0) {
		log_message(LOG_INFO, "front_ready", NULL, "%llu threads, and %llu for large bodies",
			    (unsigned long long)config->pool_threads,
			    (unsigned long long)config->pool_large_threads);
		watch(&front, &waited);
	}
	stop_workers(&front);
done:
	close_front(&front);
	lane_release(&front.small);
	lane_release(&front.large);
	mem_give_back(front.workers);
	return rc;
}
