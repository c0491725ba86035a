/* history_internal.h -- what the files of history share; nobody else includes this but its tests. */
#ifndef HISTORY_HISTORY_INTERNAL_H
#define HISTORY_HISTORY_INTERNAL_H

#include "base/clock.h"
#include "history/history.h"
#include "store/store.h"

#define DAY_SECONDS ((int64_t)86400)

/* The rows of a sample, the finest first. */
struct history_span { int64_t seconds, kept_seconds; };
#define HISTORY_SPANS 3u
extern const struct history_span history_spans[HISTORY_SPANS];

#endif
