/* hosts.c -- see hosts.h. */
#include "history/hosts.h"

#include "base/err.h"
#include "history/history_internal.h"
#include "store/statements.h"

static const char *const states[HISTORY_HOST_STATES] = {
	[HISTORY_HOST_OPEN] = "open", [HISTORY_HOST_HALF] = "half", [HISTORY_HOST_CLOSED] = "closed",
};

const char *history_host_state_name(enum history_host_state state)
{
	return states[state];
}

int history_host_turned(struct store *store, const struct history_host *host, struct err *err)
{
	struct store_value values[8] = {
		store_text(host->host), store_text(text_of(host->by_operator ? "operator" : "request")),
		store_text(host->owner), store_text(host->source), store_text(text_of(states[host->state])),
		store_int(host->since), { .type = STORE_NULL }, store_text(host->words),
	};

	if (host->state == HISTORY_HOST_OPEN)
		values[6] = store_int(host->until);
	return store_run(store, STATEMENT_host_turned, values, 8, NULL, NULL, err) < 0
	       ? err_while(err, "noting that host %.*s turned", (int)host->host.size, host->host.bytes) : 0;
}

int history_host_forget_owner(struct store *store, struct text owner, struct err *err)
{
	const struct store_value value = store_text(owner);

	return store_run(store, STATEMENT_host_forget_owner, &value, 1, NULL, NULL, err) < 0 ? -1 : 0;
}

int history_host_forget_stale(struct store *store, int64_t now, struct err *err)
{
	const struct store_value values[2] = { store_int(now - DAY_SECONDS), store_int(now + DAY_SECONDS) };

	return store_run(store, STATEMENT_host_forget_stale, values, 2, NULL, NULL, err) < 0 ? -1 : 0;
}

struct host_reader { history_host_fn *fn; void *payload; };

static int read_host(void *payload, const struct store_value *columns, unsigned count)
{
	const struct host_reader *reader = payload;
	struct history_host host = {
		.host = columns[COLUMN_host_list_host].text,
		.source = columns[COLUMN_host_list_source].text,
		.owner = columns[COLUMN_host_list_owner].text,
		.words = columns[COLUMN_host_list_words].text,
		.by_operator = text_is(columns[COLUMN_host_list_named_by].text, "operator"),
		.since = columns[COLUMN_host_list_since].number,
		.until = columns[COLUMN_host_list_until].number,
	};

	(void)count;
	while (host.state < HISTORY_HOST_CLOSED &&
	       !text_is(columns[COLUMN_host_list_state].text, states[host.state]))
		host.state++;
	return reader->fn(reader->payload, &host);
}

int history_each_host(struct store *store, int64_t most, history_host_fn *fn, void *payload,
		      struct err *err)
{
	const struct store_value value = store_int(most);
	struct host_reader reader = { fn, payload };

	return store_run(store, STATEMENT_host_list, &value, 1, read_host, &reader, err) < 0 ? -1 : 0;
}
