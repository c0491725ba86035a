/*
 * http_freshness -- how long an answer counts as it is, by what its head says (RFC 9111, section 4.2).
 *
 * Pure: header lines in, seconds out.  Private to fetch.
 */
#ifndef FETCH_HTTP_FRESHNESS_H
#define FETCH_HTTP_FRESHNESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

struct http_freshness {
	bool is_stale;               /* no-store, no-cache, or a lifetime that makes no sense */
	bool is_not_kept;            /* no-store: not even to ask whether it has changed */
	bool has_max_age, has_expires, has_date;
	int64_t max_age_seconds, age_seconds;
	int64_t expires_at, date_at;         /* unix seconds, by its server's clock */
};

/* False: the header is none of those that count. */
bool http_freshness_header(struct http_freshness *freshness, struct text name, struct text value);
/* From now on, 0 or more; -1: the head does not say. */
int64_t http_freshness_seconds(const struct http_freshness *freshness, int64_t now);

#endif
