/*
 * counters -- what is counted and measured, by those who do.
 *
 * A component that counts has a `struct counter_set` for each metric: its name, its kind, its labels,
 * and how many counters it has.  Whoever links them all registers their lists, always in the same order; the
 * board lays its counters out by them and knows none by name.  All but `first` is constant.
 */
#ifndef BOARD_COUNTERS_H
#define BOARD_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

#define COUNTER_LABELS 2u
#define COUNTER_GAUGES 15u           /* of all components: a process's share of each fits into its slot */
#define COUNTER_BUCKETS 18u          /* of durations: up to 1 ms, 2 ms, ... 65.536 s, more */
#define COUNTER_DURATIONS_COUNT (COUNTER_BUCKETS + 1)    /* and their sum in milliseconds */

enum counter_kind {
	COUNTER_TOTAL,               /* only grows */
	COUNTER_GAUGE,               /* the sum of what each living process has set; without labels */
	COUNTER_DURATIONS,           /* a histogram, without labels; count: COUNTER_DURATIONS_COUNT */
};

struct board;

struct counter_set {
	const char *name, *help;     /* "symgate_..._total", and one sentence */
	const char *labels[COUNTER_LABELS];  /* their names; NULL: there are no more */
	enum counter_kind kind;
	unsigned count;              /* of counters; 1 without labels */
	/* The values of the labels of counter `index`, which are there as long as the program; they
	 * hold no `"`, `\` or line break.  False: that counter is not used, and not shown.  NULL only
	 * without labels. */
	bool (*describe)(unsigned index, struct text values[COUNTER_LABELS]);
	size_t first;                /* the place of counter 0, of a gauge in each slot; written when it is
				      * registered */
};

/* Once, before a board is opened and before there are threads.  `lists` ends with NULL, and so does
 * each list; they are borrowed for good.  A set that is not among them may not be counted. */
void board_register_counters(struct counter_set *const *const *lists);

/* One atomic addition; `at` is a place that board_register_counters() gave. */
void board_add(struct board *board, size_t at, uint64_t by);

static inline void board_count(struct board *board, const struct counter_set *set, unsigned index,
			       uint64_t by)
{
	board_add(board, set->first + index, by);
}

uint64_t board_counter(const struct board *board, const struct counter_set *set, unsigned index);

/* Sets this process's share of a gauge (its slot is taken at first use). */
void    board_gauge_set(struct board *board, const struct counter_set *gauge, int64_t value);
int64_t board_gauge(const struct board *board, const struct counter_set *gauge);
/* All gauges there are, for people. */
typedef void board_gauge_fn(void *payload, const char *name, const char *help, int64_t value);
void    board_each_gauge(const struct board *board, board_gauge_fn *fn, void *payload);
/* One more duration. */
void    board_duration(struct board *board, const struct counter_set *durations, int64_t millis);

#endif
