/* host_notes.c -- see host_notes.h. */
#include "workshop/host_notes.h"

#include "base/clock.h"
#include "base/err.h"
#include "base/log.h"
#include "fetch/fetch.h"
#include "history/hosts.h"
#include "workshop/means.h"

static const enum history_host_state states[] = {
	[FETCH_HOST_CLOSED] = HISTORY_HOST_CLOSED, [FETCH_HOST_OPEN] = HISTORY_HOST_OPEN,
	[FETCH_HOST_HALF] = HISTORY_HOST_HALF,
};

static void note_turn(void *payload, const struct fetch_host_turn *turn)
{
	struct workshop_means *means = payload;
	int64_t now = clock_unix_seconds();
	struct err err = ERR_INIT;
	const struct history_host host = {
		.host = text_of(turn->host), .source = text_of(turn->source_id),
		.owner = text_of(means->owner), .words = text_of(turn->words),
		.state = states[turn->state], .by_operator = turn->trusted,
		.since = now, .until = now + turn->blocked_millis / 1000,
	};

	means->has_host_notes = true;
	if (history_host_turned(means->store, &host, &err) < 0)
		log_message(LOG_WARN, "host_state", NULL, "%s", err.text);
}

void host_notes_begin(struct workshop_means *means)
{
	fetcher_watch_hosts(means->fetcher, note_turn, means);
}

void host_notes_end(struct workshop_means *means)
{
	struct err err = ERR_INIT;

	if (means->has_host_notes && history_host_forget_owner(means->store, text_of(means->owner), &err) < 0)
		log_message(LOG_WARN, "host_state", NULL, "%s", err.text);
}
