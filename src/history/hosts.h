/*
 * hosts -- hosts that were left alone because they kept failing, and what became of that.
 *
 * A row for each host that turned, of each workshop: it writes them when its breaker turns, and takes
 * them back when it ends.  May include: what history.h may.
 */
#ifndef HISTORY_HOSTS_H
#define HISTORY_HOSTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

struct err;
struct store;

enum history_host_state {
	HISTORY_HOST_OPEN,           /* it is not asked */
	HISTORY_HOST_HALF,           /* one transfer tries it */
	HISTORY_HOST_CLOSED,         /* it answered */
	HISTORY_HOST_STATES
};
const char *history_host_state_name(enum history_host_state state);  /* as in SQL */

struct history_host {
	struct text host;
	struct text source;          /* whose transfer turned it; TEXT_NONE: not known */
	struct text owner;           /* the workshop */
	struct text words;           /* the failure that opened it; TEXT_NONE: as before */
	enum history_host_state state;
	bool by_operator;            /* he named the host, not a request */
	int64_t since, until;        /* unix seconds; until: when it may be tried, while it is open */
};

int history_host_turned(struct store *store, const struct history_host *host, struct err *err)
	__attribute__((warn_unused_result));
/* This workshop ends, or was killed. */
int history_host_forget_owner(struct store *store, struct text owner, struct err *err)
	__attribute__((warn_unused_result));
/* For the keeper: those that have not turned for a day. */
int history_host_forget_stale(struct store *store, int64_t now, struct err *err)
	__attribute__((warn_unused_result));

/* Those that are not well first; texts are valid until the callback returns, nonzero stops. */
typedef int history_host_fn(void *payload, const struct history_host *host);
int history_each_host(struct store *store, int64_t most, history_host_fn *fn, void *payload,
		      struct err *err) __attribute__((warn_unused_result));

#endif
