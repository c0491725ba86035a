/*
 * history -- what the service counted, over time: samples of the board's counters, one a minute.
 *
 * The keeper writes them; whoever shows them reads a range.  A sample is what was added between two
 * looks, and how many seconds lie between them.  Where nobody looked in time (no keeper ran, it slept,
 * the clock was set), or a counter began anew, there is no sample: a gap is not a zero.  Each is added
 * to the row of its minute, its ten minutes and its hour, so that every span has its sums and its
 * histogram as they are; rows go by age.
 *
 * May include: base, config, store, board.
 */
#ifndef HISTORY_HISTORY_H
#define HISTORY_HISTORY_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

struct arena;
struct board;
struct counter_set;
struct err;
struct store;

#define HISTORY_NODE_BYTES 65u
#define HISTORY_LATENCIES 17u        /* up to 1 ms, 2 ms, ... 65.536 s: the board's but the last */
#define HISTORY_UNKNOWN (-1)         /* of HISTORY_CACHE_BYTES: nobody added them up */
#define HISTORY_SLOWEST_MILLIS 131072        /* a quantile's bound beyond the last one measured */

/* The columns of the table sample, in its order. */
enum history_field {
	HISTORY_SECONDS,             /* that were watched; 0: a gap */
	HISTORY_REQUESTS, HISTORY_FAILED,
	HISTORY_ASKED, HISTORY_COLD, /* requests that may need a job, and those that had to wait for one */
	HISTORY_JOBS_COMPLETED, HISTORY_JOBS_FAILED, HISTORY_JOBS_TIMEOUT, HISTORY_JOBS_INTERNAL,
	HISTORY_HITS, HISTORY_MISSES,
	HISTORY_DOWNLOADS_OK, HISTORY_DOWNLOADS_ABSENT, HISTORY_DOWNLOADS_FAILED,
	HISTORY_DOWNLOAD_BYTES, HISTORY_WRITTEN_BYTES,
	HISTORY_CELLS_DONE, HISTORY_CELLS_FAILED, HISTORY_CELLS_CRASHED, HISTORY_CELLS_LIMIT,
	HISTORY_CELLS_KILLED,
	HISTORY_JOBS_LIVE, HISTORY_CACHE_BYTES,      /* not sums: the most there were */
	HISTORY_TIMED,               /* requests whose time was taken */
	HISTORY_LATENCY,             /* of those: within 1 ms, 2 ms, ..., each with the ones before */
	HISTORY_FIELDS = HISTORY_LATENCY + HISTORY_LATENCIES
};

/* As the table's column is called: "jobs_live", "le_1024". */
const char *history_field_name(enum history_field field);

struct history_point { int64_t values[HISTORY_FIELDS]; };

/* The bound below which so many of a hundred requests were answered: a power of two, in milliseconds.
 * -1: none was timed. */
int64_t history_quantile(const struct history_point *point, unsigned percent);
/* One more sample of the same span: sums are added, of the others the most is kept. */
void history_point_add(struct history_point *point, const struct history_point *other);

/* --- Writing ------------------------------------------------------------------------------- */

/* Which counters make up a field.  Whoever knows what is counted has a table of these; a histogram fills
 * HISTORY_TIMED and HISTORY_LATENCY and has that field. */
#define HISTORY_ALL UINT_MAX
struct history_meter {
	enum history_field field;
	const struct counter_set *set;
	unsigned index;              /* the counter of the set; HISTORY_ALL: their sum, */
	bool (*counts)(unsigned index);      /* or of those this says; NULL: of all */
};
struct history_meters { const struct history_meter *meters; size_t count; };

/* What is not counted but there: at the time of the look. */
struct history_gauges { int64_t jobs_live, cache_bytes; };

struct history {
	struct store *store;
	const struct board *board;
	struct history_meters meters;
	int64_t (*now)(void);        /* unix seconds; NULL: the system clock (tests set their own) */
	char node[HISTORY_NODE_BYTES];       /* this machine, as it calls itself */
	int64_t looked_at;           /* the last look; 0: none yet */
	struct history_point seen;   /* what the counters said then */
};

/* Meters are borrowed.  Looks for the first time. */
void history_init(struct history *history, struct store *store, const struct board *board,
		  struct history_meters meters, int64_t (*now)(void));
/* Is the minute of the last look over?  Then it is time for history_write(). */
bool history_is_due(const struct history *history);
/* Looks, and writes the minute that is over, unless it is a gap.  -1: it could not be written, and is
 * one. */
int history_write(struct history *history, struct history_gauges gauges, struct err *err)
	__attribute__((warn_unused_result));
/* Removes rows whose time is over: minutes after a day, ten minutes after 14 days, hours after 400. */
int history_forget(struct history *history, uint64_t *removed, struct err *err)
	__attribute__((warn_unused_result));

/* --- Reading ------------------------------------------------------------------------------- */

#define HISTORY_POINTS_MAX 2000u
#define HISTORY_SERIES_MAX 16u

/* Steps from `from` on; `step` is a number of minutes, and from a multiple of it. */
struct history_range { int64_t from, step; unsigned points; };

/* The last so many steps, the one under way included. */
struct history_range history_range_until(int64_t now, int64_t step, unsigned points);

/* What one node did, a point for each step; a gap's HISTORY_SECONDS is 0. */
struct history_series {
	const char *node;
	struct history_range range;
	const struct history_point *points;
};
struct history_list {
	const struct history_series *series;         /* by name */
	unsigned count;
	bool has_more;               /* nodes beyond HISTORY_SERIES_MAX: those heard of last are here */
};

/* All of it lies in the arena.  ERR_BAD_REQUEST: a range of too many points, or none of ours. */
int history_read(struct store *store, const struct history_range *range, struct arena *arena,
		 struct history_list *list, struct err *err) __attribute__((warn_unused_result));

#endif
