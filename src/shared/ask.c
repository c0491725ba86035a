/* ask.c -- one entry asked of the shared cache. */
#include "shared/shared_internal.h"

#include <errno.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "board/board.h"
#include "config/config.h"
#include "source/source.h"

#define ORDER_ARENA_BYTES ((size_t)2 << 20)

struct shared_ask {
	struct credential_wait credential;       /* first: told() gets back here */
	struct shared *shared;
	struct shared_ask *next;
	char name[SHARED_NAME_BYTES];
	bool is_probe;
	int fd;
	uint64_t max_bytes;
	shared_told_fn *told;
	void *payload;
	struct fetch *fetch;
	struct shared_copy copy;     /* from -1: it comes by a fetch */
};

static void take_out(struct shared_ask *ask)
{
	struct shared_ask **at = &ask->shared->asks;

	while (*at && *at != ask)
		at = &(*at)->next;
	if (*at)
		*at = ask->next;
}

static void free_ask(struct shared_ask *ask)
{
	credentials_leave(&ask->credential);
	if (ask->fetch)
		fetch_cancel(ask->shared->means.fetcher, ask->fetch);
	if (ask->copy.from >= 0)
		close(ask->copy.from);
	mem_give_back(ask);
}

void shared_ask_cancel(struct shared_ask *ask)
{
	if (!ask)
		return;
	shared_breaker_forget(&ask->shared->breaker, ask->is_probe);
	take_out(ask);
	free_ask(ask);
}

static void log_breaker(struct shared *shared, const struct err *why)
{
	if (shared->breaker.is_open)
		log_message(LOG_WARN, "shared_cache", NULL, "it is left alone for %lld s: %s",
			    (long long)shared->breaker.pause_millis / 1000, why->text);
	else
		log_message(LOG_INFO, "shared_cache", NULL, "it answers again");
}

/* What an answer says about the place itself.  Being denied is no failure of it: a bucket whose
 * names one may not list says that of every object it does not have. */
static void note(struct shared_ask *ask, const struct err *status)
{
	struct shared *shared = ask->shared;
	bool is_ours = status->kind == ERR_NO_MEMORY || (status->kind == ERR_IO && !shared->folder);
	bool failed = status->kind != ERR_NONE && status->kind != ERR_NOT_FOUND &&
		      status->kind != ERR_DENIED;

	if (failed || status->kind == ERR_DENIED) {
		board_count(shared->means.board, &shared_lookups, SHARED_ERROR, 1);
		shared_log(shared, ask->name, status);
	} else if (status->kind == ERR_NOT_FOUND) {
		board_count(shared->means.board, &shared_lookups, SHARED_MISS, 1);
	}
	if (status->kind == ERR_DENIED && ask->credential.source)
		credentials_doubt(&shared->credentials, &shared->source);
	if (is_ours)
		shared_breaker_forget(&shared->breaker, ask->is_probe);
	else if (shared_breaker_note(&shared->breaker, ask->is_probe, failed,
				     clock_monotonic_millis()))
		log_breaker(shared, status);
}

static void end(struct shared_ask *ask, const struct err *status)
{
	shared_told_fn *told = ask->told;
	void *payload = ask->payload;
	bool is_hit = status->kind == ERR_NONE;

	note(ask, status);
	take_out(ask);
	free_ask(ask);
	told(payload, is_hit);
}

/* --- From a bucket -------------------------------------------------------------------------- */

static void fetched(void *payload, const struct err *status, uint64_t bytes)
{
	struct shared_ask *ask = payload;

	(void)bytes;
	ask->fetch = NULL;
	end(ask, status);
}

static int order(struct shared_ask *ask, struct text credential, struct err *err);

static void credential_told(struct credential_wait *wait, struct text credential, const struct err *failure)
{
	struct shared_ask *ask = (struct shared_ask *)(void *)wait;
	struct err err = ERR_INIT;

	if (failure)
		end(ask, failure);
	else if (order(ask, credential, &err) < 0)
		end(ask, &err);
}

static int wait_for_credential(struct shared_ask *ask, struct err *err)
{
	struct text credential;
	int had;

	ask->credential.told = credential_told;
	ask->credential.source = &ask->shared->source;
	had = credentials_ask(&ask->shared->credentials, &ask->credential, &credential, err);
	return had > 0 ? order(ask, credential, err) : had;
}

static int order(struct shared_ask *ask, struct text credential, struct err *err)
{
	struct shared *shared = ask->shared;
	const struct location location = { .source = &shared->source, .path = text_of(ask->name) };
	struct fetch_order order = { .fd = -1 };
	enum source_access access = SOURCE_ORDERED;
	struct arena arena;
	int fd, rc;

	arena_init(&arena, ORDER_ARENA_BYTES);
	rc = source_reach_with(&location, credential, &arena, &access, &fd, &order, err);
	if (rc == 0 && access == SOURCE_ORDERED)
		rc = shared_start(shared, &order, ask->fd, ask->max_bytes, fetched, ask, &ask->fetch,
				  err);
	arena_release(&arena);
	if (rc == 0 && access == SOURCE_NEEDS_CREDENTIAL)
		rc = credential.bytes ? err_set(err, ERR_INTERNAL, "a pass is no pass")
				: wait_for_credential(ask, err);
	return rc;
}

/* --- From a folder -------------------------------------------------------------------------- */

static int open_copy(struct shared_ask *ask, struct err *err)
{
	struct shared_copy *copy = &ask->copy;

	if (folder_open_entry(ask->shared->folder, ask->name, &copy->from, &copy->bytes, err) < 0)
		return -1;
	copy->to = ask->fd;
	copy->deadline_millis = clock_monotonic_millis() + SHARED_TOTAL_MILLIS;
	return copy->bytes <= ask->max_bytes ? 0
	       : err_set(err, ERR_MALFORMED, "Maximum file size exceeded");
}

bool shared_asks_step(struct shared *shared, int64_t now_millis)
{
	if (!shared->folder)
		return false;
	for (struct shared_ask *ask = shared->asks; ask; ask = ask->next) {
		struct err err = ERR_INIT;
		int rc = shared_copy_step(&ask->copy, now_millis, &err);

		if (rc < 0 && ftruncate(ask->fd, 0) < 0)
			err_os(&err, errno, "emptying a file");
		if (rc == 0)
			continue;
		end(ask, &err);              /* who is told may ask again: the list is another */
		return true;
	}
	return shared->asks != NULL;
}

/* --- Both ----------------------------------------------------------------------------------- */

static struct shared_ask *make(struct shared *shared, const struct cache_key *key, bool is_probe)
{
	struct shared_ask *ask = mem_get(sizeof(*ask));

	if (!ask)
		return NULL;
	shared_name(key, ask->name);
	ask->shared = shared;
	ask->is_probe = is_probe;
	ask->copy.from = -1;
	ask->next = shared->asks;
	shared->asks = ask;
	return ask;
}

bool shared_ask(struct shared *shared, const struct cache_key *key, int fd, uint64_t max_bytes,
		shared_told_fn *told, void *payload, struct shared_ask **made)
{
	struct err err = ERR_INIT;
	struct shared_ask *ask;
	enum breaker_says says;
	int rc;

	*made = NULL;
	if (!shared || (shared->means.config->offline && !shared->folder))
		return false;
	says = shared_breaker_ask(&shared->breaker, clock_monotonic_millis());
	if (says == BREAKER_LEAVE) {
		board_count(shared->means.board, &shared_lookups, SHARED_BLOCKED, 1);
		return false;
	}
	ask = make(shared, key, says == BREAKER_PROBE);
	if (!ask) {
		shared_breaker_forget(&shared->breaker, says == BREAKER_PROBE);
		return false;
	}
	ask->fd = fd;
	ask->max_bytes = max_bytes;
	ask->told = told;
	ask->payload = payload;
	rc = shared->folder ? open_copy(ask, &err) : order(ask, TEXT_NONE, &err);
	if (rc == 0) {
		*made = ask;
		return true;
	}
	note(ask, &err);
	take_out(ask);
	free_ask(ask);
	return false;
}
