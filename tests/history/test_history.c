/*
 * test_history -- samples on a clock of their own: what is added, what is a gap, how long it stays.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/err.h"
#include "board/counters.h"
#include "cache/cache_counters.h"
#include "front/front_counters.h"
#include "history/history_internal.h"
#include "job/job.h"
#include "job/job_counters.h"
#include "store/state.h"
#include "supervisor/supervisor.h"
#include "support/support.h"

#define START ((int64_t)1800000000)      /* a whole hour */
#define MINUTE 60
#define HOUR 3600
#define DAY 86400
#define ARENA_BYTES ((size_t)64 << 20)

static int64_t test_now;

static int64_t now(void)
{
	return test_now;
}

struct watch {
	struct state state;
	struct history history;
	struct arena arena;
	struct history_list list;
};

static void watch_open(struct watch *watch)
{
	memset(watch, 0, sizeof(*watch));
	test_now = START;
	state_open(&watch->state);
	arena_init(&watch->arena, ARENA_BYTES);
	history_init(&watch->history, watch->state.store, watch->state.board, supervisor_meters(), now);
	snprintf(watch->history.node, sizeof(watch->history.node), "one");
}

static void watch_close(struct watch *watch)
{
	arena_release(&watch->arena);
	state_remove(&watch->state);
}

/* The clock goes on by that, and the keeper looks. */
static void pass(struct watch *watch, int64_t seconds)
{
	struct err err = ERR_INIT;

	test_now += seconds;
	ck_assert_msg(history_write(&watch->history, (struct history_gauges){ 3, 5000 }, &err) == 0, "%s",
		      err.text);
}

static void answer(struct watch *watch, unsigned requests, int64_t millis)
{
	for (unsigned i = 0; i < requests; i++) {
		board_count(watch->state.board, &route_requests, 0, 1);
		board_duration(watch->state.board, &front_durations, millis);
	}
}

static const struct history_series *read_range(struct watch *watch, struct history_range range)
{
	struct err err = ERR_INIT;

	ck_assert_msg(history_read(watch->state.store, &range, &watch->arena, &watch->list, &err) == 0, "%s",
		      err.text);
	return watch->list.series;
}

static struct history_range from_start(int64_t step, unsigned points)
{
	return (struct history_range){ START, step, points };
}

static int64_t ask(const struct watch *watch, const char *column, int64_t span, int64_t at)
{
	char sql[256];

	snprintf(sql, sizeof(sql), "SELECT %s FROM sample WHERE span = %lld AND at = %lld AND node = 'one'",
		 column, (long long)span, (long long)at);
	return state_ask(&watch->state, sql);
}

START_TEST(fields_are_the_columns_of_the_table)
{
	struct watch watch;
	char sql[256];

	watch_open(&watch);
	for (unsigned i = 0; i < HISTORY_FIELDS; i++) {
		snprintf(sql, sizeof(sql), "SELECT cid FROM pragma_table_info('sample') WHERE name = '%s'",
			 history_field_name((enum history_field)i));
		ck_assert_msg(state_ask(&watch.state, sql) == 3 + i, "%s",
			      history_field_name((enum history_field)i));
	}
	ck_assert_int_eq(state_ask(&watch.state, "SELECT count(*) FROM pragma_table_info('sample')"),
			 3 + HISTORY_FIELDS);
	watch_close(&watch);
}
END_TEST

START_TEST(a_sample_is_what_was_added)
{
	struct watch watch;

	watch_open(&watch);
	answer(&watch, 7, 1);
	pass(&watch, MINUTE);
	answer(&watch, 10, 3);
	board_count(watch.state.board, &front_asked, FRONT_HOT, 8);
	board_count(watch.state.board, &front_asked, FRONT_COLD, 2);
	board_count(watch.state.board, &job_ended, JOB_TIMEOUT, 4);
	board_count(watch.state.board, &cache_lookups, CACHE_HIT_ROW, 5);
	board_count(watch.state.board, &cache_lookups, CACHE_LOOKUPS + CACHE_MISS, 6);
	board_count(watch.state.board, &cache_written_bytes, 1, 1000);
	test_now += MINUTE - 1;
	ck_assert(!history_is_due(&watch.history));
	test_now++;
	ck_assert(history_is_due(&watch.history));
	pass(&watch, 0);
	ck_assert(!history_is_due(&watch.history));
	ck_assert_int_eq(state_ask(&watch.state, "SELECT count(*) FROM sample WHERE span = 60"), 2);
	ck_assert_int_eq(ask(&watch, "requests", 60, START), 7);
	ck_assert_int_eq(ask(&watch, "seconds", 60, START), 60);
	ck_assert_int_eq(ask(&watch, "requests", 60, START + MINUTE), 10);
	ck_assert_int_eq(ask(&watch, "asked", 60, START + MINUTE), 10);
	ck_assert_int_eq(ask(&watch, "cold", 60, START + MINUTE), 2);
	ck_assert_int_eq(ask(&watch, "jobs_timeout", 60, START + MINUTE), 4);
	ck_assert_int_eq(ask(&watch, "jobs_failed", 60, START + MINUTE), 0);
	ck_assert_int_eq(ask(&watch, "hits", 60, START + MINUTE), 5);
	ck_assert_int_eq(ask(&watch, "misses", 60, START + MINUTE), 6);
	ck_assert_int_eq(ask(&watch, "written_bytes", 60, START + MINUTE), 1000);
	ck_assert_int_eq(ask(&watch, "jobs_live", 60, START + MINUTE), 3);
	ck_assert_int_eq(ask(&watch, "cache_bytes", 60, START + MINUTE), 5000);
	ck_assert_int_eq(ask(&watch, "p50_millis", 60, START + MINUTE), 4);
	ck_assert_int_eq(ask(&watch, "requests", 600, START), 17);
	ck_assert_int_eq(ask(&watch, "requests", 3600, START), 17);
	ck_assert_int_eq(ask(&watch, "seconds", 3600, START), 120);
	ck_assert_int_eq(state_ask(&watch.state, "SELECT hot_percent = 80.0 AND hit_percent = 45.5 "
				   "FROM v_samples WHERE minutes = 1"), 1);
	watch_close(&watch);
}
END_TEST

/* What happened meanwhile is in no row: nobody knows when it did. */
static const struct { const char *what; int64_t first, then; int rows; } gaps[] = {
	{ "it looks every minute",        60,   60,    2 },
	{ "it looks late, but in time",   89,   31,    2 },
	{ "it slept over a whole minute", 60,   121,   1 },
	{ "it slept for a day",           60,   86400, 1 },
	{ "the clock was set back",       60,   -3600, 1 },
	{ "... a little",                 60,   -1,    1 },
};

START_TEST(who_does_not_look_leaves_a_gap)
{
	struct watch watch;

	watch_open(&watch);
	answer(&watch, 5, 1);
	pass(&watch, gaps[_i].first);
	answer(&watch, 1000, 1);
	pass(&watch, gaps[_i].then);
	ck_assert_msg(state_ask(&watch.state, "SELECT count(*) FROM sample WHERE span = 60") ==
		      gaps[_i].rows, "%s", gaps[_i].what);
	ck_assert_int_eq(state_ask(&watch.state, "SELECT sum(requests) FROM sample WHERE span = 3600"),
			 gaps[_i].rows == 2 ? 1005 : 5);
	/* After that it goes on. */
	test_now += MINUTE - test_now % MINUTE;
	pass(&watch, 0);
	answer(&watch, 3, 1);
	pass(&watch, MINUTE);
	ck_assert_int_eq(ask(&watch, "requests % 5", 60, test_now - MINUTE - test_now % MINUTE), 3);
	watch_close(&watch);
}
END_TEST

/* A new boot has a new board, and its counters begin at 0. */
START_TEST(counters_that_begin_anew_are_a_gap)
{
	struct err err = ERR_INIT;
	struct config other;
	struct board *fresh;
	struct watch watch;

	watch_open(&watch);
	answer(&watch, 100, 1);
	pass(&watch, MINUTE);
	other = watch.state.config;
	other.state_dir = watch.state.cache_folder;
	ck_assert_int_eq(mkdir(watch.state.cache_folder, 0700), 0);
	ck_assert_msg(board_open(&fresh, &other, &err) == 0, "%s", err.text);
	watch.history.board = fresh;
	board_count(fresh, &route_requests, 0, 7);
	pass(&watch, MINUTE);
	ck_assert_int_eq(state_ask(&watch.state, "SELECT count(*) FROM sample WHERE span = 60"), 1);
	board_count(fresh, &route_requests, 0, 2);
	pass(&watch, MINUTE);
	ck_assert_int_eq(ask(&watch, "requests", 60, START + 2 * MINUTE), 2);
	ck_assert_int_eq(ask(&watch, "seconds", 600, START), 120);
	board_close(fresh);
	watch_close(&watch);
}
END_TEST

/* One keeper after the other in the same minute: both saw a part of it. */
START_TEST(parts_of_a_minute_are_added)
{
	struct watch watch;

	watch_open(&watch);
	pass(&watch, 20);
	history_init(&watch.history, watch.state.store, watch.state.board, supervisor_meters(), now);
	snprintf(watch.history.node, sizeof(watch.history.node), "one");
	answer(&watch, 4, 1);
	pass(&watch, 40);
	ck_assert_int_eq(ask(&watch, "seconds", 60, START), 40);
	watch.history.looked_at = START + 30;
	watch.history.seen.values[HISTORY_REQUESTS] -= 2;
	pass(&watch, 0);
	ck_assert_int_eq(ask(&watch, "seconds", 60, START), 70);
	ck_assert_int_eq(ask(&watch, "requests", 60, START), 6);
	watch_close(&watch);
}
END_TEST

START_TEST(a_minute_that_cannot_be_written_is_tried_again)
{
	struct err err = ERR_INIT;
	struct watch watch;

	watch_open(&watch);
	answer(&watch, 9, 1);
	state_sql(&watch.state, "CREATE TRIGGER no BEFORE INSERT ON sample WHEN new.span = 600 "
		  "BEGIN SELECT raise(ABORT, 'full'); END");
	test_now += MINUTE;
	ck_assert_int_eq(history_write(&watch.history, (struct history_gauges){ 0, 0 }, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "writing a sample"));
	ck_assert_int_eq(state_ask(&watch.state, "SELECT count(*) FROM sample"), 0);
	state_sql(&watch.state, "DROP TRIGGER no");
	pass(&watch, 1);
	ck_assert_int_eq(ask(&watch, "requests", 60, START), 9);
	ck_assert_int_eq(ask(&watch, "seconds", 60, START), 61);
	watch_close(&watch);
}
END_TEST

/* Whatever is added up: sums are the same in all spans, a quantile of many lies between theirs. */
START_TEST(coarser_rows_keep_sums_and_bounds)
{
	static const unsigned percents[] = { 50, 95, 99 };
	const struct history_series *fine, *coarse;
	struct history_point sum = { { 0 } };
	struct watch watch;

	watch_open(&watch);
	srand(4);
	for (int minute = 0; minute < 120; minute++) {
		for (int i = rand() % 50; i > 0; i--)
			answer(&watch, 1, (int64_t)1 << (rand() % 18));
		pass(&watch, MINUTE);
	}
	fine = read_range(&watch, from_start(MINUTE, 120));
	coarse = read_range(&watch, from_start(2 * HOUR, 1));
	sum.values[HISTORY_CACHE_BYTES] = HISTORY_UNKNOWN;
	for (int i = 0; i < 120; i++)
		history_point_add(&sum, &fine->points[i]);
	ck_assert_int_eq(memcmp(&sum, &coarse->points[0], sizeof(sum)), 0);
	for (unsigned k = 0; k < 3; k++) {
		int64_t whole = history_quantile(coarse->points, percents[k]), least = INT64_MAX, most = 0;

		for (int i = 0; i < 120; i++) {
			int64_t one = history_quantile(&fine->points[i], percents[k]);

			least = one >= 0 && one < least ? one : least;
			most = one > most ? one : most;
		}
		ck_assert_int_ge(whole, least);
		ck_assert_int_le(whole, most);
	}
	watch_close(&watch);
}
END_TEST

/* The table's own columns and history_quantile() say the same. */
static const struct { const char *what; int64_t millis[5]; int64_t p50, p95, p99; } quantiles[] = {
	{ "none",            { -1, -1, -1, -1, -1 }, -1, -1, -1 },
	{ "one",             { 5, -1, -1, -1, -1 }, 8, 8, 8 },
	{ "at once",         { 0, 1, 0, 1, 0 }, 1, 1, 1 },
	{ "one is slow",     { 2, 2, 2, 2, 900 }, 2, 1024, 1024 },
	{ "longer than all", { 2, 70000, 80000, 1 << 30, 3 }, 131072, 131072, 131072 },
	{ "two and two",     { 2, 2, 4, 4, -1 }, 2, 4, 4 },
};

START_TEST(quantiles_are_bounds)
{
	struct history_point point;
	struct watch watch;

	watch_open(&watch);
	for (int i = 0; i < 5; i++)
		if (quantiles[_i].millis[i] >= 0)
			answer(&watch, 1, quantiles[_i].millis[i]);
	pass(&watch, MINUTE);
	point = read_range(&watch, from_start(MINUTE, 1))->points[0];
	ck_assert_msg(history_quantile(&point, 50) == quantiles[_i].p50, "%s", quantiles[_i].what);
	ck_assert_int_eq(history_quantile(&point, 95), quantiles[_i].p95);
	ck_assert_int_eq(history_quantile(&point, 99), quantiles[_i].p99);
	ck_assert_int_eq(ask(&watch, "coalesce(p50_millis, -1)", 60, START), quantiles[_i].p50);
	ck_assert_int_eq(ask(&watch, "coalesce(p95_millis, -1)", 60, START), quantiles[_i].p95);
	ck_assert_int_eq(ask(&watch, "coalesce(p99_millis, -1)", 60, START), quantiles[_i].p99);
	watch_close(&watch);
}
END_TEST

static const struct { int64_t after; int minutes, tens, hours; } ages[] = {
	{ MINUTE,            1, 1, 1 },
	{ DAY,               1, 1, 1 },
	{ DAY + 1,           0, 1, 1 },
	{ 14 * DAY,          0, 1, 1 },
	{ 14 * DAY + 1,      0, 0, 1 },
	{ 400 * DAY,         0, 0, 1 },
	{ 400 * DAY + 1,     0, 0, 0 },
	{ -2 * HOUR,         0, 0, 0 },          /* the clock was wrong when they were written */
};

START_TEST(rows_go_by_age)
{
	struct err err = ERR_INIT;
	struct watch watch;
	uint64_t removed;

	watch_open(&watch);
	answer(&watch, 1, 1);
	pass(&watch, MINUTE);
	test_now = START + ages[_i].after;
	ck_assert_int_eq(history_forget(&watch.history, &removed, &err), 0);
	ck_assert_int_eq(state_ask(&watch.state, "SELECT count(*) FROM sample WHERE span = 60"),
			 ages[_i].minutes);
	ck_assert_int_eq(state_ask(&watch.state, "SELECT count(*) FROM sample WHERE span = 600"),
			 ages[_i].tens);
	ck_assert_int_eq(state_ask(&watch.state, "SELECT count(*) FROM sample WHERE span = 3600"),
			 ages[_i].hours);
	ck_assert_int_eq((int64_t)removed, 3 - ages[_i].minutes - ages[_i].tens - ages[_i].hours);
	watch_close(&watch);
}
END_TEST

START_TEST(gaps_are_told_from_zeros)
{
	const struct history_series *series;
	struct watch watch;

	watch_open(&watch);
	pass(&watch, MINUTE);
	pass(&watch, 5 * MINUTE);
	answer(&watch, 2, 1);
	pass(&watch, MINUTE);
	series = read_range(&watch, from_start(MINUTE, 10));
	ck_assert_uint_eq(watch.list.count, 1);
	ck_assert_str_eq(series->node, "one");
	for (int i = 0; i < 10; i++) {
		ck_assert_int_eq(series->points[i].values[HISTORY_SECONDS], i == 0 || i == 6 ? 60 : 0);
		ck_assert_int_eq(series->points[i].values[HISTORY_REQUESTS], i == 6 ? 2 : 0);
		ck_assert_int_eq(series->points[i].values[HISTORY_CACHE_BYTES],
				 i == 0 || i == 6 ? 5000 : HISTORY_UNKNOWN);
	}
	series = read_range(&watch, from_start(600, 1));
	ck_assert_int_eq(series->points[0].values[HISTORY_SECONDS], 120);
	read_range(&watch, (struct history_range){ START - DAY, MINUTE, 10 });
	ck_assert_uint_eq(watch.list.count, 0);
	watch_close(&watch);
}
END_TEST

START_TEST(what_nobody_added_up_is_unknown)
{
	struct err err = ERR_INIT;
	struct watch watch;

	watch_open(&watch);
	test_now += MINUTE;
	ck_assert_int_eq(history_write(&watch.history, (struct history_gauges){ 0, HISTORY_UNKNOWN }, &err), 0);
	ck_assert_int_eq(ask(&watch, "cache_bytes IS NULL", 60, START), 1);
	ck_assert_int_eq(read_range(&watch, from_start(MINUTE, 1))->points[0].values[HISTORY_CACHE_BYTES],
			 HISTORY_UNKNOWN);
	pass(&watch, MINUTE);
	ck_assert_int_eq(ask(&watch, "cache_bytes", 600, START), 5000);
	watch_close(&watch);
}
END_TEST

START_TEST(rows_written_by_hand_do_no_harm)
{
	const struct history_series *series;
	struct watch watch;
	char sql[2048];
	int size;

	watch_open(&watch);
	for (int minute = 0; minute < 60; minute++) {
		size = snprintf(sql, sizeof(sql), "INSERT INTO sample SELECT 60, %lld, 'one'",
				(long long)(START + minute * MINUTE));
		for (unsigned i = 0; i < HISTORY_FIELDS; i++)
			size += snprintf(sql + size, sizeof(sql) - (size_t)size, i % 2 || i == HISTORY_TIMED ||
					 i >= HISTORY_LATENCY || i == 0 ? ", 0x7fffffffffffffff" : ", -0x7fffffffffffffff");
		state_sql(&watch.state, sql);
	}
	series = read_range(&watch, from_start(59 * MINUTE, 1));
	for (unsigned i = 0; i < HISTORY_FIELDS; i++)
		ck_assert_int_ge(series->points[0].values[i], 0);
	ck_assert_int_eq(history_quantile(&series->points[0], 99), 1);
	watch_close(&watch);
}
END_TEST

/* A state folder that moved: a series for each machine, by name; of too many the last ones. */
START_TEST(each_node_has_a_series)
{
	struct watch watch;

	watch_open(&watch);
	for (unsigned i = 0; i < HISTORY_SERIES_MAX + 4; i++) {
		snprintf(watch.history.node, sizeof(watch.history.node), "node-%02u", 50 - i);
		answer(&watch, i + 1, 1);
		pass(&watch, MINUTE);
	}
	read_range(&watch, from_start(MINUTE, 2));
	ck_assert_uint_eq(watch.list.count, 2);
	ck_assert(!watch.list.has_more);
	ck_assert_str_eq(watch.list.series[0].node, "node-49");
	ck_assert_int_eq(watch.list.series[0].points[0].values[HISTORY_SECONDS], 0);
	ck_assert_int_eq(watch.list.series[0].points[1].values[HISTORY_REQUESTS], 2);
	ck_assert_int_eq(watch.list.series[1].points[0].values[HISTORY_REQUESTS], 1);
	read_range(&watch, from_start(MINUTE, 60));
	ck_assert_uint_eq(watch.list.count, HISTORY_SERIES_MAX);
	ck_assert(watch.list.has_more);
	ck_assert_str_eq(watch.list.series[0].node, "node-31");
	ck_assert_str_eq(watch.list.series[HISTORY_SERIES_MAX - 1].node, "node-46");
	watch_close(&watch);
}
END_TEST

static const struct { const char *what; struct history_range range; } refused[] = {
	{ "no points",         { START, MINUTE, 0 } },
	{ "too many",          { START, MINUTE, HISTORY_POINTS_MAX + 1 } },
	{ "no step",           { START, 0, 10 } },
	{ "backwards",         { START, -60, 10 } },
	{ "seconds",           { START, 30, 10 } },
	{ "between minutes",   { START + 1, MINUTE, 10 } },
	{ "before all time",   { -60, MINUTE, 10 } },
	{ "after all time",    { INT64_MAX - 7, MINUTE, 10 } },
	{ "steps of ages",     { 0, (INT64_MAX / 60 - 1) * 60, 1 } },
};

START_TEST(odd_ranges_are_refused)
{
	struct err err = ERR_INIT;
	struct watch watch;

	watch_open(&watch);
	ck_assert_msg(history_read(watch.state.store, &refused[_i].range, &watch.arena, &watch.list, &err) < 0,
		      "%s", refused[_i].what);
	ck_assert_int_eq(err.kind, ERR_BAD_REQUEST);
	watch_close(&watch);
}
END_TEST

START_TEST(a_range_ends_with_the_step_under_way)
{
	struct history_range range = history_range_until(START + 61, MINUTE, 2);

	ck_assert_int_eq(range.from, START);
	range = history_range_until(START + 59, MINUTE, 2);
	ck_assert_int_eq(range.from, START - MINUTE);
}
END_TEST

/* Of all that is kept after 400 days, with values as large as a busy service has. */
START_TEST(the_database_stays_small)
{
	static const char *const rows[] = { "60, 1440", "600, 2016", "3600, 9600" };
	struct watch watch;
	int64_t before, after;
	char sql[4096];

	watch_open(&watch);
	before = state_ask(&watch.state, "PRAGMA page_count");
	for (size_t i = 0; i < 3; i++) {
		int size = snprintf(sql, sizeof(sql), "WITH RECURSIVE kept(span, rows) AS (VALUES (%s)), "
				    "i(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM i, kept WHERE n + 1 < rows) "
				    "INSERT INTO sample SELECT span, %lld + n * span, 'symgate-7d9f6b7c5-x2x8q.example.org'",
				    rows[i], (long long)START);

		for (unsigned field = 0; field < HISTORY_FIELDS; field++)
			size += snprintf(sql + size, sizeof(sql) - (size_t)size, field == HISTORY_SECONDS ? ", span"
					 : field == HISTORY_TIMED || strstr(history_field_name(field), "bytes")
					 ? ", 1000000 + abs(random() %% 1000000000)" : ", abs(random() %% 30000)");
		snprintf(sql + size, sizeof(sql) - (size_t)size, " FROM i, kept");
		state_sql(&watch.state, sql);
	}
	after = state_ask(&watch.state, "PRAGMA page_count");
	ck_assert_int_eq(state_ask(&watch.state, "SELECT count(*) FROM sample"), 1440 + 2016 + 9600);
	ck_assert_int_le((after - before) * state_ask(&watch.state, "PRAGMA page_size"), 4 << 20);
	watch_close(&watch);
}
END_TEST

static int write_and_read(void *payload, struct err *err)
{
	struct watch *watch = payload;
	struct history_range range = from_start(MINUTE, 100);
	struct history_list list;
	struct arena arena;
	uint64_t removed;
	int rc;

	test_now = START + MINUTE;
	watch->history.looked_at = START;
	arena_init(&arena, ARENA_BYTES);
	rc = history_write(&watch->history, (struct history_gauges){ 1, 1 }, err);
	if (rc == 0)
		rc = history_forget(&watch->history, &removed, err);
	if (rc == 0)
		rc = history_read(watch->state.store, &range, &arena, &list, err);
	arena_release(&arena);
	return rc;
}

START_TEST(survives_every_allocation_failure)
{
	struct watch watch;

	watch_open(&watch);
	support_every_allocation_failure(write_and_read, &watch, 100);
	watch_close(&watch);
}
END_TEST

START_TEST(an_arena_that_is_full_is_no_answer)
{
	struct history_range range = from_start(MINUTE, HISTORY_POINTS_MAX);
	struct err err = ERR_INIT;
	struct history_list list;
	struct watch watch;
	struct arena small;

	watch_open(&watch);
	pass(&watch, MINUTE);
	arena_init(&small, 100000);
	ck_assert_int_eq(history_read(watch.state.store, &range, &small, &list, &err), -1);
	ck_assert_int_eq(err.kind, ERR_NO_MEMORY);
	ck_assert_uint_eq(list.count, 0);
	arena_release(&small);
	watch_close(&watch);
}
END_TEST

#define LOOP(test, table) \
	tcase_add_loop_test(tcase, test, 0, (int)(sizeof(table) / sizeof((table)[0])))

int main(void)
{
	Suite *suite = suite_create("history");
	TCase *tcase = tcase_create("history");

	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, fields_are_the_columns_of_the_table);
	tcase_add_test(tcase, a_sample_is_what_was_added);
	LOOP(who_does_not_look_leaves_a_gap, gaps);
	tcase_add_test(tcase, counters_that_begin_anew_are_a_gap);
	tcase_add_test(tcase, parts_of_a_minute_are_added);
	tcase_add_test(tcase, a_minute_that_cannot_be_written_is_tried_again);
	tcase_add_test(tcase, coarser_rows_keep_sums_and_bounds);
	LOOP(quantiles_are_bounds, quantiles);
	LOOP(rows_go_by_age, ages);
	tcase_add_test(tcase, gaps_are_told_from_zeros);
	tcase_add_test(tcase, what_nobody_added_up_is_unknown);
	tcase_add_test(tcase, rows_written_by_hand_do_no_harm);
	tcase_add_test(tcase, each_node_has_a_series);
	LOOP(odd_ranges_are_refused, refused);
	tcase_add_test(tcase, a_range_ends_with_the_step_under_way);
	tcase_add_test(tcase, the_database_stays_small);
	tcase_add_test(tcase, survives_every_allocation_failure);
	tcase_add_test(tcase, an_arena_that_is_full_is_no_answer);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
