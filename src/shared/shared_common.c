/* shared_common.c -- what asks and uploads have in common: orders with short limits, and what is
 * told of failures and of what waits. */
#include "shared/shared_internal.h"

#include "base/clock.h"
#include "base/log.h"
#include "shared/shared_counters.h"

void shared_show(const struct shared *shared)
{
	board_gauge_set(shared->means.board, &shared_waiting_now,
			(int64_t)(shared->queue_count + shared->upload_count));
}

void shared_log(struct shared *shared, const char *what, const struct err *why)
{
	int64_t now = clock_monotonic_millis();

	if (now - shared->told_millis < SHARED_TELL_MILLIS) {
		shared->untold++;
		log_message(LOG_DEBUG, "shared_cache", NULL, "%s: %s", what, why->text);
		return;
	}
	log_message(LOG_WARN, "shared_cache", NULL, "%s: %s (%llu more failures were not told)", what,
		    why->text, (unsigned long long)shared->untold);
	shared->told_millis = now;
	shared->untold = 0;
}

int shared_start(struct shared *shared, struct fetch_order *order, int fd, uint64_t max_bytes,
		 fetch_done_fn *done, void *payload, struct fetch **fetch, struct err *err)
{
	order->fd = fd;
	order->max_bytes = max_bytes;
	order->is_whole = true;
	order->is_once = true;
	order->connect_millis = SHARED_CONNECT_MILLIS;
	/* The answer to an upload begins when all of it was sent. */
	order->head_millis = order->file ? SHARED_TOTAL_MILLIS : SHARED_HEAD_MILLIS;
	order->total_millis = SHARED_TOTAL_MILLIS;
	return fetch_start(shared->means.fetcher, order, done, payload, fetch, err);
}
