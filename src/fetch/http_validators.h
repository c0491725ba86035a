/*
 * http_validators -- by what a head names the version of a file (RFC 9110, section 8.8): kept to ask with
 * whether it is still the same.
 *
 * Pure.  Private to fetch.
 */
#ifndef FETCH_HTTP_VALIDATORS_H
#define FETCH_HTTP_VALIDATORS_H

#include <stdbool.h>

#include "fetch/fetch.h"

/* False: the header is none of those.  A value that is not in form counts as none. */
bool http_validators_header(struct fetch_validators *validators, struct text name, struct text value);
/* It may be compared byte by byte: a range may be asked for by it. */
static inline bool http_validators_are_strong(const struct fetch_validators *validators)
{
	return validators->etag[0] == '"';
}

#endif
