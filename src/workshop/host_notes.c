/* host_notes.c -- see host_notes.h. */
#include "workshop/host_notes.h"

#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/log.h"
#include "base/mem.h"
#include "fetch/fetch.h"
#include "history/hosts.h"
#include "workshop/means.h"
#include "workshop/verb_queue.h"

static const enum history_host_state states[] = {
	[FETCH_HOST_CLOSED] = HISTORY_HOST_CLOSED, [FETCH_HOST_OPEN] = HISTORY_HOST_OPEN,
	[FETCH_HOST_HALF] = HISTORY_HOST_HALF,
};

struct host_note {
	struct queued_verb verb;     /* first: it gets back here */
	struct history_host host;
	char bytes[];                /* its texts */
};

static int run_note(struct queued_verb *verb, struct verb_means *means, struct err *err)
{
	const struct host_note *note = (struct host_note *)(void *)verb;

	return history_host_turned(means->store, &note->host, err);
}

static void note_told(struct queued_verb *verb)
{
	if (verb->rc < 0)
		log_message(LOG_WARN, "host_state", NULL, "%s", verb->err.text);
	mem_give_back(verb);
}

static size_t size_of(const char *words)
{
	return words ? strlen(words) : 0;
}

static struct text copy(char **at, const char *words)
{
	struct text copied = { words ? *at : NULL, size_of(words) };

	if (words)
		memcpy(*at, words, copied.size);
	*at += copied.size;
	return copied;
}

static void note_turn(void *payload, const struct fetch_host_turn *turn)
{
	struct workshop_means *means = payload;
	struct host_note *note = mem_get(sizeof(*note) + size_of(turn->host) + size_of(turn->source_id) +
					 size_of(turn->words));
	int64_t now = clock_unix_seconds();
	char *at;

	if (!note) {
		log_message(LOG_WARN, "host_state", NULL, "no memory for a row of %s", turn->host);
		return;
	}
	at = note->bytes;
	note->host = (struct history_host){
		.owner = text_of(means->owner), .state = states[turn->state], .by_operator = turn->trusted,
		.since = now, .until = now + turn->blocked_millis / 1000,
	};
	note->host.host = copy(&at, turn->host);
	note->host.source = copy(&at, turn->source_id);
	note->host.words = copy(&at, turn->words);
	note->verb = (struct queued_verb){ .run = run_note, .told = note_told, .whose = means };
	means->has_host_notes = true;
	verb_queue_ask(means->verbs, &note->verb);
}

void host_notes_begin(struct workshop_means *means)
{
	fetcher_watch_hosts(means->fetcher, note_turn, means);
}

void host_notes_end(struct workshop_means *means, struct store *store)
{
	struct err err = ERR_INIT;

	if (means->has_host_notes && history_host_forget_owner(store, text_of(means->owner), &err) < 0)
		log_message(LOG_WARN, "host_state", NULL, "%s", err.text);
}
