/*
 * breaker -- a circuit breaker for each host: one that keeps failing is not asked for a while.
 *
 * Failures are counted per host in buckets of time.  At the threshold the host is blocked;
 * after the block one transfer at a time tries it again (the probe) while others wait for
 * what becomes of it.  Private to fetch; one per fetcher.
 */
#ifndef FETCH_BREAKER_H
#define FETCH_BREAKER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "fetch/fetch.h"

struct config;
struct err;

/* Called when a host turned; of the turn, what breakers know. */
struct breaker {
	const struct config *config;
	struct map hosts;
	fetch_host_fn *turned;       /* NULL: nobody asks */
	void *payload;
};

enum breaker_answer {
	BREAKER_GO,
	BREAKER_PROBE,           /* go, and tell breaker_report() that it was the probe */
	BREAKER_WAIT,            /* a probe is on its way */
	BREAKER_REFUSED          /* err is set */
};

void breaker_init(struct breaker *breaker, const struct config *config);
void breaker_release(struct breaker *breaker);

/* has_waited: was told BREAKER_WAIT before; refused when the probe failed. */
enum breaker_answer breaker_ask(struct breaker *breaker, const char *host, int64_t now_millis,
				bool has_waited, struct err *err);

/* How a transfer ended: failure NULL when the host did its part. */
void breaker_report(struct breaker *breaker, const char *host, bool was_probe,
		    const struct err *failure, int64_t now_millis);
/* The name did not resolve: for a few seconds that is answered without another look-up, whether blocking is
 * configured or not.  It does not count as a failure of the host. */
void breaker_note_nameless(struct breaker *breaker, const char *host, const struct err *failure,
			   int64_t now_millis);
/* The probe was cancelled: another transfer may be the next one. */
void breaker_forget_probe(struct breaker *breaker, const char *host);

#endif
