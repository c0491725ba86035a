/*
 * metrics -- which counter a request, a look-up or a cell's end belongs to.
 *
 * metrics.def spells the counters out one by one; the functions here turn what a caller has
 * in hand (a status number, a cache kind) into one of them.
 */
#ifndef BOARD_METRICS_H
#define BOARD_METRICS_H

#include "base/err.h"
#include "board/board.h"

/* In the order of metrics.def. */
enum board_endpoint {
	BOARD_ENDPOINT_SYMBOLICATE, BOARD_ENDPOINT_MINIDUMP, BOARD_ENDPOINT_APPLECRASH,
	BOARD_ENDPOINT_COREDUMP, BOARD_ENDPOINT_ANY, BOARD_ENDPOINT_REQUESTS, BOARD_ENDPOINT_HEALTHCHECK,
	BOARD_ENDPOINT_READYZ, BOARD_ENDPOINT_METRICS, BOARD_ENDPOINT_OTHER,
	BOARD_ENDPOINTS
};
enum board_lookup {
	BOARD_LOOKUP_HIT_MEMORY, BOARD_LOOKUP_HIT_ROW, BOARD_LOOKUP_MISS,
	BOARD_LOOKUPS
};
#define BOARD_CACHE_KINDS 12u    /* as many as enum cache_kind has, in its order */

/* A status without a counter of its own is counted as "other". */
enum board_counter board_counter_of_request(enum board_endpoint endpoint, int status);
/* `kind` is an enum cache_kind. */
enum board_counter board_counter_of_lookup(unsigned kind, enum board_lookup lookup);
enum board_counter board_counter_of_cache_bytes(unsigned kind);
/* How a transfer ended: ERR_NONE is ok. */
enum board_counter board_counter_of_download(enum err_kind kind);
/* How a cell died: ERR_CRASHED, ERR_LIMIT, or anything else (killed). */
enum board_counter board_counter_of_cell_death(enum err_kind kind);

#endif
