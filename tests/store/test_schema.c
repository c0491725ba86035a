/* test_schema -- the schema, the steps to it, every statement's plan. */
#include <check.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "store/store_internal.h"
#include "store/state.h"
#include "support/support.h"

static sqlite3 *from_script(void (*fill)(sqlite3 *db))
{
	sqlite3 *db;

	ck_assert_int_eq(sqlite3_open(":memory:", &db), SQLITE_OK);
	fill(db);
	return db;
}

static void run_script(sqlite3 *db, const char *const *script)
{
	for (; *script; script++)
		ck_assert_msg(sqlite3_exec(db, *script, NULL, NULL, NULL) == SQLITE_OK, "%s: %s",
			      *script, sqlite3_errmsg(db));
}

static void fill_by_schema(sqlite3 *db)
{
	run_script(db, store_schema_script());
}

static void fill_by_steps(sqlite3 *db)
{
	for (unsigned i = 1; i <= store_schema_version(); i++)
		run_script(db, store_migration_script(i));
}

/* All blanks as one. */
static void squeeze(const char *sql, char *out, size_t capacity)
{
	size_t size = 0;

	for (; *sql && size + 1 < capacity; sql++) {
		bool blank = *sql == ' ' || *sql == '\n' || *sql == '\t';

		if (!blank)
			out[size++] = *sql;
		else if (size && out[size - 1] != ' ')
			out[size++] = ' ';
	}
	out[size] = '\0';
}

START_TEST(schema_is_what_the_steps_make)
{
	static const char all[] = "SELECT type, name, sql FROM sqlite_schema "
				  "WHERE name NOT LIKE 'sqlite_%' ORDER BY type, name";
	sqlite3 *dbs[2] = { from_script(fill_by_schema), from_script(fill_by_steps) };
	sqlite3_stmt *statements[2];
	int objects = 0;

	for (int i = 0; i < 2; i++)
		ck_assert_int_eq(sqlite3_prepare_v2(dbs[i], all, -1, &statements[i], NULL), SQLITE_OK);
	for (;;) {
		int code = sqlite3_step(statements[0]);

		ck_assert_int_eq(sqlite3_step(statements[1]), code);
		if (code != SQLITE_ROW)
			break;
		for (int column = 0; column < 3; column++) {
			char texts[2][8192];

			for (int i = 0; i < 2; i++)
				squeeze((const char *)sqlite3_column_text(statements[i], column),
					texts[i], sizeof(texts[i]));
			ck_assert_str_eq(texts[0], texts[1]);
		}
		objects++;
	}
	ck_assert_int_gt(objects, 10);
	for (int i = 0; i < 2; i++) {
		sqlite3_finalize(statements[i]);
		sqlite3_close(dbs[i]);
	}
}
END_TEST

/* Where walking a whole table or index is the point. */
static const struct { const char *statement, *line, *why; } allowed_scans[] = {
	{ "store_boot_latest", "SCAN boot", "backwards by id, ends after one" },
	{ "cache_total", "SCAN cache_entry", "the keeper's sum" },
	{ "cache_by_kind", "SCAN cache_entry", "a person's sum" },
	{ "cache_by_kind", "SCAN (subquery", "its few groups" },
	{ "cache_by_source", "SCAN cache_entry", "a person's sum" },
	{ "job_has_old", "SCAN job", "by number, ends after the first that is not kept" },
	{ "host_forget_owner", "SCAN host_state", "the hosts that turned in a day" },
	{ "host_forget_stale", "SCAN host_state", "the hosts that turned in a day" },
	{ "host_list", "SCAN host_state", "the hosts that turned in a day" },
	{ "job_mentioning", "SCAN job", "a person's search" },
	{ "apikey_list", "SCAN apikey", "a person's look, backwards by number" },
	{ "flight_end_all", "SCAN flight", "all of it, once per boot" },
	{ "flight_list", "SCAN flight", "a person's look; as many as there are downloads" },
	{ "flight_sweep", "SCAN flight", "the keeper's; as many as there are downloads" },
	{ "page_jobs", "SCAN job", "a person's look; as many rows as jobs are kept" },
	{ "page_kinds", "SCAN cache_entry USING COVERING INDEX cache_entry_by_space", "a person's sum" },
	{ "page_scopes", "SCAN cache_entry USING COVERING INDEX cache_entry_by_space", "a person's sum" },
	{ "page_space", "SCAN cache_entry USING COVERING INDEX cache_entry_by_space", "a person's sum" },
	{ "page_total", "SCAN cache_entry USING COVERING INDEX cache_entry_by_space", "a person's sum" },
	{ "page_failures", "SCAN cache_entry USING COVERING INDEX cache_entry_failures", "all failures" },
	{ "page_sources", "SCAN cache_entry USING INDEX cache_entry_failures", "all failures" },
	{ "page_sources", "SCAN host_state", "the hosts that turned in a day" },
	{ "page_hosts", "SCAN host_state", "the hosts that turned in a day" },
	{ "page_hits", "SCAN json_each", "the kinds of caches" },
};

/* What a statement of the page found in a way that was looked at by itself. */
static const char *const parts_of_pages[] = { "SCAN found", "SCAN shown", "SCAN parts", "SCAN hosts" };

static bool is_allowed(const char *statement, const char *line)
{
	for (size_t i = 0; i < sizeof(allowed_scans) / sizeof(allowed_scans[0]); i++)
		if (strcmp(allowed_scans[i].statement, statement) == 0 &&
		    strncmp(allowed_scans[i].line, line, strlen(allowed_scans[i].line)) == 0)
			return true;
	for (size_t i = 0; i < sizeof(parts_of_pages) / sizeof(parts_of_pages[0]); i++)
		if (strncmp(statement, "page_", 5) == 0 && strcmp(line, parts_of_pages[i]) == 0)
			return true;
	/* A constant row, or the result of a part that was looked at by itself. */
	return strstr(line, "CONSTANT ROW") != NULL;
}

/* Of every version before, with something in it. */
START_TEST(older_databases_are_brought_up_to_date)
{
	struct state state = { 0 };
	struct store *store;
	struct err err = ERR_INIT;
	char sql[64];
	sqlite3 *db;

	for (unsigned version = 1; version < store_schema_version(); version++) {
		state_make(&state);
		ck_assert_int_eq(sqlite3_open(state_path(&state, "symgate.db"), &db), SQLITE_OK);
		for (unsigned i = 1; i <= version; i++)
			run_script(db, store_migration_script(i));
		snprintf(sql, sizeof(sql), "PRAGMA user_version = %u", version);
		ck_assert_int_eq(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
		sqlite3_close(db);
		state_sql(&state, "INSERT INTO cache_entry (kind, version, hash, credentials, state, "
			  "size_bytes, details, boot, build_id, made_at, used_at) VALUES ('objects', 1, "
			  "zeroblob(32), zeroblob(32), 'not_found', 0, 'old', 1, 'x', 1, 1)");
		ck_assert_msg(store_open(&store, &state.config, &err) == 0, "%u: %s", version, err.text);
		store_close(store);
		ck_assert_int_eq(state_ask(&state, "PRAGMA user_version"), store_schema_version());
		ck_assert_int_eq(state_ask(&state, "SELECT count(*) FROM v_negative"), 1);
		state_remove(&state);
	}
}
END_TEST

START_TEST(every_statement_uses_an_index)
{
	struct state state = { 0 };
	char explain[4096];

	state_open(&state);
	for (unsigned i = 0; i < STATEMENTS; i++) {
		sqlite3_stmt *statement = NULL;

		snprintf(explain, sizeof(explain), "EXPLAIN QUERY PLAN %s", store_statement_sql(i));
		ck_assert_msg(sqlite3_prepare_v2(state.store->db, explain, -1, &statement, NULL) ==
			      SQLITE_OK, "%s: %s", store_statement_name(i),
			      sqlite3_errmsg(state.store->db));
		while (sqlite3_step(statement) == SQLITE_ROW) {
			const char *line = (const char *)sqlite3_column_text(statement, 3);

			ck_assert_msg(strncmp(line, "SCAN", 4) != 0 ||
				      is_allowed(store_statement_name(i), line),
				      "%s: %s", store_statement_name(i), line);
			ck_assert_msg(!strstr(line, "AUTOMATIC"), "%s: %s", store_statement_name(i), line);
		}
		sqlite3_finalize(statement);
	}
	state_remove(&state);
}
END_TEST

static void read_view(struct state *state, const char *name)
{
	char sql[128];

	snprintf(sql, sizeof(sql), "SELECT * FROM %s", name);
	state_sql(state, sql);
}

START_TEST(views_can_be_read)
{
	static const char all[] = "SELECT name FROM sqlite_schema WHERE type = 'view'";
	struct state state = { 0 };
	sqlite3 *db = from_script(fill_by_schema);
	sqlite3_stmt *views;
	unsigned count = 0;

	state_open(&state);
	ck_assert_int_eq(sqlite3_prepare_v2(db, all, -1, &views, NULL), SQLITE_OK);
	for (; sqlite3_step(views) == SQLITE_ROW; count++)
		read_view(&state, (const char *)sqlite3_column_text(views, 0));
	ck_assert_uint_ge(count, 10);
	sqlite3_finalize(views);
	sqlite3_close(db);
	state_remove(&state);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("schema");
	TCase *tcase = tcase_create("schema");

	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, schema_is_what_the_steps_make);
	tcase_add_test(tcase, older_databases_are_brought_up_to_date);
	tcase_add_test(tcase, every_statement_uses_an_index);
	tcase_add_test(tcase, views_can_be_read);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
