/*
 * bench_live.c -- the operators' pages over a cache of many entries: processor time of each.
 *
 *	bench_live FOLDER [ENTRIES]
 *
 * FOLDER is made, with a database of that many entries (100,000), three in ten of them failures.  Each
 * table is asked for as it is first seen, and filtered and in the order of its last sorted column; the
 * fastest of some rounds counts.
 */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "board/board.h"
#include "config/config.h"
#include "page/live_table.h"
#include "page/page.h"
#include "store/store.h"
#include "supervisor/supervisor.h"

#define ROUNDS 7
#define JOBS 10000
#define OUT_BYTES ((size_t)64 << 20)

static const char fill[] =
	"WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < :count), "
	"e AS (SELECT i, i * 2654435761 % 4294967291 AS r, i * 1597334677 % 4294967279 AS m FROM n), "
	"f AS (SELECT i, r, m % 20000 AS m, CASE WHEN r % 10 < 4 THEN 'object_meta' WHEN r % 10 < 6 THEN 'objects' "
	"  WHEN r % 10 < 8 THEN 'symcaches' WHEN r % 10 < 9 THEN 'cficaches' ELSE 'sourcefiles' END AS kind FROM e), "
	"g AS (SELECT *, CASE WHEN (r / 10) % 10 >= iif(kind = 'object_meta', 6, 1) THEN 'ready' WHEN (r / 100) % 5 < 4 "
	"  THEN 'not_found' ELSE 'download' END AS state FROM f) "
	"INSERT INTO cache_entry (kind, version, hash, credentials, state, payload, size_bytes, details, scope, module, "
	"  source, boot, build_id, made_at, used_at, retry_at, asks, key_text, module_id) "
	"SELECT kind, 3, randomblob(32), zeroblob(32), state, NULL, iif(state = 'ready', r % 100000000, 0), "
	"  iif(state = 'ready', NULL, 'connecting to https://symbols.example/' || i || ': refused'), "
	"  iif(r % 3, NULL, 'tenant-' || (r % 20)), 'libmodule' || m || '.so', 'source-' || (r % 8), 1, '0.1-1', "
	"  unixepoch() - r % 1000000, unixepoch(), unixepoch() + 3600, r % 100, 'scope: global' || char(10) || char(10) || "
	"  'source: source-' || (r % 8) || char(10) || 'location: https://symbols.example/a/path/of/some/length/' || i || "
	"  char(10) || iif(kind = 'sourcefiles', 'form: js' || char(10), ''), printf('%032x', m * 77777777) FROM g";
static const char fill_jobs[] =
	"WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < :count) "
	"INSERT INTO job (id, kind, scope, state, body_bytes, created_at, arrived_millis, deadline_at, claimed_at, "
	"  finished_at, millis) "
	"SELECT printf('%036d', i), 'symbolicate', iif(i % 3, NULL, 'tenant-1'), iif(i % 10, 'completed', 'failed'), "
	"  i * 7919 % 100000, unixepoch() - i, 0, 0, unixepoch() - i + 1, unixepoch() - i + 2, i * 7919 % 5000 FROM n";

static int run_sql(const char *folder, const char *sql, int64_t count)
{
	char path[4096];
	sqlite3 *db = NULL;
	sqlite3_stmt *statement = NULL;
	int code;

	snprintf(path, sizeof(path), "%s/symgate.db", folder);
	code = sqlite3_open(path, &db);
	if (code == SQLITE_OK)
		code = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
	if (code == SQLITE_OK) {
		sqlite3_bind_int64(statement, 1, count);
		code = sqlite3_step(statement);
	}
	if (code != SQLITE_DONE)
		fprintf(stderr, "bench_live: %s\n", sqlite3_errmsg(db));
	sqlite3_finalize(statement);
	sqlite3_close(db);
	return code == SQLITE_DONE ? 0 : -1;
}

static double cpu_millis(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* table NULL: the page above them. */
static int write_page(const struct live_view *view, const struct live_table *table, struct buf *out, struct err *err)
{
	const struct page_look look = { .root = "../../", .title = TEXT("bench") };
	struct html_writer html;

	buf_clear(out);
	html_writer_init(&html, out);
	return table ? live_table_page(&html, &look, view, table, err) : live_overview_page(&html, &look, view, err);
}

static int measure(const struct live_view *view, const struct live_table *table, const char *name, struct err *err)
{
	double fastest = 1e9;
	struct buf out;
	int rc = 0;

	buf_init(&out, OUT_BYTES);
	for (int round = 0; rc == 0 && round < ROUNDS; round++) {
		double start = cpu_millis(), spent;

		rc = write_page(view, table, &out, err);
		spent = cpu_millis() - start;
		fastest = spent < fastest ? spent : fastest;
	}
	printf("%s\"%s\": %.1f", table ? ", " : "", name, fastest);
	buf_release(&out);
	return rc;
}

/* Part of what the first column that filters holds, the other way round by the last that sorts. */
static void hard_query(const struct live_table *table, char *query, size_t capacity)
{
	const char *filter = NULL, *sort = table->columns[0].name;

	for (unsigned i = 0; i < live_column_count(table); i++) {
		if (!filter && (table->columns[i].flags & LIVE_FILTERS))
			filter = table->columns[i].name;
		if (table->columns[i].flags & LIVE_SORTS)
			sort = table->columns[i].name;
	}
	snprintf(query, capacity, "%s=e&sort=%s", filter, sort);
}

static int measure_all(struct live_view *view, struct err *err)
{
	int rc = measure(view, NULL, "overview", err);

	for (size_t i = 0; rc == 0 && i < live_table_count; i++) {
		char query[256], name[512];

		view->query = TEXT("");
		rc = measure(view, &live_tables[i], live_tables[i].name, err);
		hard_query(&live_tables[i], query, sizeof(query));
		snprintf(name, sizeof(name), "%s?%s", live_tables[i].name, query);
		view->query = text_of(query);
		if (rc == 0)
			rc = measure(view, &live_tables[i], name, err);
	}
	return rc;
}

int main(int argc, char **argv)
{
	struct config config = { .state_dir = argc > 1 ? argv[1] : NULL, .cache_dir = argc > 1 ? argv[1] : NULL };
	struct live_view view = { .config = &config, .now = clock_unix_seconds(), .token = TEXT("token"),
				  .sandbox = "full", .quota_bytes = CONFIG_UNLIMITED };
	struct board *board = NULL;
	struct err err = ERR_INIT;
	int rc = -1;

	if (argc < 2 || mkdir(argv[1], 0700) < 0) {
		fprintf(stderr, "usage: bench_live FOLDER [ENTRIES]; FOLDER may not be there\n");
		return 1;
	}
	supervisor_register_counters();
	if (store_open(&view.store, &config, &err) == 0 && board_open(&board, &config, &err) == 0 &&
	    run_sql(argv[1], fill, argc > 2 ? strtoll(argv[2], NULL, 10) : 100000) == 0 &&
	    run_sql(argv[1], fill_jobs, JOBS) == 0) {
		view.board = board;
		printf("{");
		rc = measure_all(&view, &err);
		printf("}\n");
	}
	if (rc < 0)
		fprintf(stderr, "bench_live: %s\n", err.text);
	if (board)
		board_close(board);
	if (view.store)
		store_close(view.store);
	return rc < 0;
}
