/*
 * bench_charts.c -- the page of charts over a full history of one node: processor time and size of each span.
 *
 *	bench_charts FOLDER
 *
 * FOLDER is made, with a database of all samples that 400 days leave.  Reading them counts; the fastest
 * of some rounds does.
 */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "config/config.h"
#include "page/chart.h"
#include "page/live.h"
#include "page/page.h"
#include "store/store.h"
#include "supervisor/supervisor.h"

#define ROUNDS 9
#define OUT_BYTES ((size_t)64 << 20)
#define PATH_BYTES 4096u
#define SQL_BYTES 4096u

static int fill(const char *folder, int64_t span, int64_t rows)
{
	char path[PATH_BYTES], sql[SQL_BYTES];
	sqlite3 *db = NULL;
	int size, code;

	size = snprintf(sql, sizeof(sql), "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < %lld) "
			"INSERT INTO sample SELECT %lld, (unixepoch() / %lld - i) * %lld, 'symgate.example.org'",
			(long long)rows, (long long)span, (long long)span, (long long)span);
	for (unsigned i = 0; i < HISTORY_FIELDS; i++)
		size += snprintf(sql + size, sizeof(sql) - (size_t)size,
				 i == HISTORY_SECONDS ? ", %lld" : i == HISTORY_TIMED ? ", 2000 * %lld"
				 : i >= HISTORY_LATENCY ? ", min(%lld * 110 * %u + abs(random() %% 5000), 2000 * %lld)" : ", abs(random() %% 100) * %lld",
				 (long long)span, i - HISTORY_LATENCY + 1, (long long)span);
	snprintf(sql + size, sizeof(sql) - (size_t)size, " FROM n");
	snprintf(path, sizeof(path), "%s/symgate.db", folder);
	code = sqlite3_open(path, &db);
	if (code == SQLITE_OK)
		code = sqlite3_exec(db, sql, NULL, NULL, NULL);
	if (code != SQLITE_OK)
		fprintf(stderr, "bench_charts: %s\n", sqlite3_errmsg(db));
	sqlite3_close(db);
	return code == SQLITE_OK ? 0 : -1;
}

static double cpu_millis(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static int write_page(const struct live_view *view, const struct chart_span *span, struct buf *out,
		      struct err *err)
{
	const struct page_look look = { .root = "../../", .title = TEXT("Charts") };
	const struct history_range range = history_range_until(clock_unix_seconds(), span->step, span->points);
	struct history_list list;
	struct html_writer html;
	struct arena arena;
	int rc;

	buf_clear(out);
	html_writer_init(&html, out);
	arena_init(&arena, OUT_BYTES);
	rc = history_read(view->store, &range, &arena, &list, err);
	if (rc == 0)
		page_charts_page(&html, &look, view, span, &list);
	arena_release(&arena);
	return rc < 0 ? -1 : buf_check(out, err);
}

static int measure(const struct live_view *view, const char *name, struct err *err)
{
	const struct chart_span *span = chart_span_find(text_of(name));
	double fastest = 1e9;
	struct buf out;
	int rc = 0;

	buf_init(&out, OUT_BYTES);
	for (int round = 0; rc == 0 && round < ROUNDS; round++) {
		double start = cpu_millis(), spent;

		rc = write_page(view, span, &out, err);
		spent = cpu_millis() - start;
		fastest = spent < fastest ? spent : fastest;
	}
	printf("%s\"%s\": [%.2f, %zu]", text_is(text_of(name), "hour") ? "" : ", ", name, fastest, out.size);
	buf_release(&out);
	return rc;
}

int main(int argc, char **argv)
{
	static const char *const names[] = { "hour", "day", "14-days", "400-days" };
	struct config config = { .state_dir = argc > 1 ? argv[1] : NULL, .cache_dir = argc > 1 ? argv[1] : NULL };
	struct live_view view = { .config = &config };
	struct err err = ERR_INIT;
	int rc;

	if (argc < 2) {
		fprintf(stderr, "usage: bench_charts FOLDER\n");
		return EXIT_FAILURE;
	}
	supervisor_register_counters();
	if (mkdir(argv[1], 0700) < 0 || store_open(&view.store, &config, &err) < 0 ||
	    fill(argv[1], 60, 1440) < 0 || fill(argv[1], 600, 2016) < 0 || fill(argv[1], 3600, 9600) < 0) {
		fprintf(stderr, "bench_charts: %s: %s\n", argv[1], err.text);
		return EXIT_FAILURE;
	}
	printf("{");
	rc = 0;
	for (size_t i = 0; rc == 0 && i < sizeof(names) / sizeof(names[0]); i++)
		rc = measure(&view, names[i], &err);
	printf("}\n");
	if (rc < 0)
		fprintf(stderr, "bench_charts: %s\n", err.text);
	store_close(view.store);
	return rc < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
