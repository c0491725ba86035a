/*
 * shared_breaker.c -- a place that fails is left alone for a while.
 *
 * Three failures in a row open it; after a pause one ask tries again, and each failure of that
 * one doubles the pause.  The breaker of hosts (fetch) is separate: it is configured by the operator
 * and opens after sixty failures where nothing else is configured.
 */
#include "shared/shared_internal.h"

#define FAILURES_MAX     3u
#define PAUSE_MILLIS     5000
#define PAUSE_MILLIS_MAX 300000

enum breaker_says shared_breaker_ask(struct shared_breaker *breaker, int64_t now_millis)
{
	if (!breaker->is_open)
		return BREAKER_ASK;
	if (breaker->is_probing || now_millis < breaker->until_millis)
		return BREAKER_LEAVE;
	breaker->is_probing = true;
	return BREAKER_PROBE;
}

static void open_it(struct shared_breaker *breaker, int64_t now_millis)
{
	breaker->pause_millis = breaker->is_open ? 2 * breaker->pause_millis : PAUSE_MILLIS;
	if (breaker->pause_millis > PAUSE_MILLIS_MAX)
		breaker->pause_millis = PAUSE_MILLIS_MAX;
	breaker->is_open = true;
	breaker->until_millis = now_millis + breaker->pause_millis;
}

bool shared_breaker_note(struct shared_breaker *breaker, bool is_probe, bool failed,
			 int64_t now_millis)
{
	bool was_open = breaker->is_open;

	if (was_open && !is_probe)
		return false;                /* asked before it opened: nothing new */
	breaker->is_probing = false;
	if (!failed) {
		breaker->failures = 0;
		breaker->is_open = false;
		return was_open;
	}
	if (!was_open && ++breaker->failures < FAILURES_MAX)
		return false;
	open_it(breaker, now_millis);
	return !was_open;
}

void shared_breaker_forget(struct shared_breaker *breaker, bool is_probe)
{
	if (is_probe)
		breaker->is_probing = false;
}
