/* shared.c -- see shared.h: opening, limits, and the steps. */
#include "shared/shared_internal.h"

#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "board/board.h"
#include "config/config.h"

#define ARENA_BYTES      ((size_t)1 << 20)
#define SHARES_AT_ONCE   32u

int shared_check(const struct config *config, struct err *err)
{
	struct source source;
	struct arena arena;
	int rc = 0;

	if (!config_has_shared_cache(config))
		return 0;
	arena_init(&arena, ARENA_BYTES);
	rc = shared_place_open(config, &arena, &source, err);
	arena_release(&arena);
	return rc;
}

static void log_place(const struct shared *shared)
{
	struct buf place;

	buf_init(&place, ARENA_BYTES);
	shared_name_place(shared->means.config, &place);
	log_message(LOG_INFO, "shared_cache", NULL, "asking %s%s", buf_string(&place),
		    shared->means.uploads ? " and telling it" : "");
	buf_release(&place);
}

int shared_open(struct shared **shared, const struct shared_means *means, struct err *err)
{
	const struct config *config = means->config;
	struct shared *made;

	*shared = NULL;
	if (!config_has_shared_cache(config))
		return 0;
	made = mem_get(sizeof(*made));
	if (made)
		made->queue = mem_get_array((size_t)config->shared.max_queued, sizeof(*made->queue));
	if (!made || !made->queue) {
		mem_give_back(made);
		return err_set(err, ERR_NO_MEMORY, "no memory for the shared cache");
	}
	made->means = *means;
	made->folder = config->shared.folder;
	made->credentials = (struct credentials){ .fetcher = means->fetcher, .most_millis = SHARED_CREDENTIAL_MILLIS };
	made->told_millis = clock_monotonic_millis() - SHARED_TELL_MILLIS;
	arena_init(&made->arena, ARENA_BYTES);
	if (shared_place_open(config, &made->arena, &made->source, err) < 0) {
		shared_close(made);
		return -1;
	}
	if (made->folder && means->uploads)
		folder_clean(made->folder);
	log_place(made);
	*shared = made;
	return 0;
}

void shared_close(struct shared *shared)
{
	if (!shared)
		return;
	shared_uploads_close(shared);
	while (shared->asks)
		shared_ask_cancel(shared->asks);
	credentials_release(&shared->credentials);
	shared_show(shared);
	arena_release(&shared->arena);
	mem_give_back(shared->queue);
	mem_give_back(shared);
}

void shared_praise(struct shared *shared, uint64_t bytes)
{
	board_count(shared->means.board, &shared_lookups, SHARED_HIT, 1);
	board_count(shared->means.board, &shared_fetched_bytes, 0, bytes);
}

void shared_refuse(struct shared *shared, const struct cache_key *key, const struct err *why)
{
	char name[SHARED_NAME_BYTES];

	shared_name(key, name);
	board_count(shared->means.board, &shared_lookups, SHARED_REFUSED, 1);
	shared_log(shared, name, why);
	shared_breaker_note(&shared->breaker, false, true, clock_monotonic_millis());
}

/* Entries in use, of which fronts and workshops put a sample on the board. */
static void offer_used(struct shared *shared)
{
	int64_t ids[SHARES_AT_ONCE];
	unsigned count = board_shared(shared->means.board, ids, SHARES_AT_ONCE);

	for (unsigned i = 0; i < count; i++) {
		struct err err = ERR_INIT;
		struct cache_key key;
		int known = cache_key_of_entry(shared->means.store, ids[i], &key, &err);

		if (known > 0)
			shared_offer(shared, &key, SHARED_REFRESH);
		else if (known < 0)
			shared_log(shared, "looking for an entry in use", &err);
	}
}

bool shared_step(struct shared *shared)
{
	int64_t now = clock_monotonic_millis();
	bool more;

	if (!shared)
		return false;
	if (shared->means.uploads)
		offer_used(shared);
	more = shared_asks_step(shared, now);
	more |= shared_uploads_step(shared, now);
	shared_show(shared);
	return more;
}

bool shared_is_idle(const struct shared *shared)
{
	return !shared || (!shared->asks && shared->queue_count + shared->upload_count == 0);
}
