/* test_live.c -- tables of the page: what query strings may ask for, and names from outside. */
#include "page/live_table.h"

#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/json_reader.h"
#include "board/counters.h"
#include "cache/cache.h"
#include "cache/cache_counters.h"
#include "page/page.h"
#include "store/state.h"
#include "store/statements.h"
#include "store/store_internal.h"
#include "support/support.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define OUT_BYTES ((size_t)64 << 20)
#define ROWS 250

static struct state state;
static struct buf out;

/* Formatted; lives until the next few calls. */
static const char *words(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static const char *words(const char *fmt, ...)
{
	static char texts[8][1024];
	static unsigned next;
	char *text = texts[next++ % COUNT(texts)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(texts[0]), fmt, ap);
	va_end(ap);
	return text;
}

/* An operator's, of one table. */
static struct live_view view_of(const char *query)
{
	return (struct live_view){
		.store = state.store, .board = state.board, .config = &state.config, .query = text_of(query),
		.token = TEXT("to\"ken"), .now = clock_unix_seconds(), .sandbox = "full",
		.quota_bytes = CONFIG_UNLIMITED,
	};
}

static const struct live_table *table_named(const char *name)
{
	struct live_view view = view_of("");
	const struct live_table *table = live_find(&view, text_of(name));

	ck_assert_msg(table != NULL, "%s", name);
	return table;
}

static const char *page_of(const struct live_view *view, const struct live_table *table)
{
	const struct page_look look = { .root = "../../", .title = live_title(table), .person = TEXT("eve") };
	struct html_writer html;
	struct err err = ERR_INIT;

	buf_clear(&out);
	html_writer_init(&html, &out);
	ck_assert_msg(live_table_page(&html, &look, view, table, &err) == 0, "%s: %s", table->name, err.text);
	ck_assert_uint_eq(html.depth, 0);
	return buf_string(&out);
}

static const char *json_of(const struct live_view *view, const struct live_table *table)
{
	struct json_reader json;
	struct err err = ERR_INIT;

	buf_clear(&out);
	ck_assert_msg(live_table_json(&out, view, table, &err) == 0, "%s: %s", table->name, err.text);
	json = json_reader_over("the table", buf_text(&out));
	json_reader_skip(&json);
	ck_assert_msg(json_reader_at_end(&json) && text_is_utf8(buf_text(&out)), "%s", buf_string(&out));
	return buf_string(&out);
}

static const char *json_asked(const char *name, const char *query)
{
	struct live_view view = view_of(query);

	return json_of(&view, table_named(name));
}

static uint64_t total_of(const char *name, const char *query)
{
	const char *at = strstr(json_asked(name, query), "\"total\":");

	ck_assert_ptr_nonnull(at);
	return strtoull(at + strlen("\"total\":"), NULL, 10);
}

/* --- Rows of every table, their texts all made of one ---------------------------------------------- */

/* `text` and a number that makes rows differ, as a bound value of each column of texts. */
static void run_bound(sqlite3 *db, const char *sql, const char *text, int text_size, int number)
{
	sqlite3_stmt *statement = NULL;
	int parameter;

	ck_assert_msg(sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK, "%s", sqlite3_errmsg(db));
	parameter = sqlite3_bind_parameter_index(statement, ":text");
	if (parameter)
		sqlite3_bind_text(statement, parameter, text, text_size, SQLITE_STATIC);
	parameter = sqlite3_bind_parameter_index(statement, ":n");
	if (parameter)
		sqlite3_bind_int(statement, parameter, number);
	ck_assert_msg(sqlite3_step(statement) == SQLITE_DONE, "%s: %s", sql, sqlite3_errmsg(db));
	sqlite3_finalize(statement);
}

#define ENTRY(kind, state, key) \
	"INSERT INTO cache_entry (kind, version, hash, credentials, state, size_bytes, details, scope, module, " \
	"source, boot, build_id, made_at, used_at, retry_at, repeats, asks, key_text, module_id, release) " \
	"VALUES ('" kind "', 1, randomblob(32), zeroblob(32), '" state "', 0, :text, :text || (:n % 3), " \
	":text || :n, :text, 1, 'b', unixepoch() - :n, 1, unixepoch() + :n, :n, :n, " key ", :text || :n, :text)"
#define KEY "'scope: x' || char(10) || 'location: ' || :text || char(10) || 'form: js' || char(10)"

static const char *const rows_of_tables[] = {
	ENTRY("object_meta", "not_found", KEY),
	ENTRY("objects", "download", KEY),
	ENTRY("sourcefiles", "not_found", KEY),
	ENTRY("proguard", "not_found", KEY),
	"INSERT INTO cache_entry (kind, version, hash, credentials, state, size_bytes, scope, module, source, boot, "
	"build_id, made_at, used_at) VALUES ('symcaches', 1, randomblob(32), zeroblob(32), 'ready', 1000 * :n, "
	":text || (:n % 3), :text, :text, 1, 'b', 1, 1)",
	"INSERT INTO job (id, kind, scope, state, owner, lease_until, body_bytes, created_at, deadline_at, attempt, "
	"x_request_id) VALUES (printf('a%035d', :n), :text, :text || (:n % 3), 'running', :text, 1, :n, "
	"unixepoch() - :n, 1, 1, :text)",
	"INSERT INTO job (id, kind, scope, state, body_bytes, created_at, deadline_at, claimed_at, finished_at, millis, "
	"x_request_id) VALUES (printf('b%035d', :n), :text, :text || (:n % 3), 'failed', :n, 1000, 1, 1000 + :n, 2000, "
	":n * 7, :text)",
	"INSERT INTO host_state (host, named_by, owner, source, state, since, until, words) VALUES "
	"(:text || :n, 'request', :text, :text, 'open', :n, unixepoch() + 60, :text)",
};

static void fill(const char *text, int text_size, int rows)
{
	sqlite3 *db;

	ck_assert_int_eq(sqlite3_open(state_path(&state, "symgate.db"), &db), SQLITE_OK);
	ck_assert_int_eq(sqlite3_exec(db, "BEGIN", NULL, NULL, NULL), SQLITE_OK);
	for (int n = 1; n <= rows; n++)
		for (size_t i = 0; i < COUNT(rows_of_tables); i++)
			run_bound(db, rows_of_tables[i], text, text_size, n);
	ck_assert_int_eq(sqlite3_exec(db, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

static void begin(void)
{
	memset(&state, 0, sizeof(state));
	state_open(&state);
	buf_init(&out, OUT_BYTES);
}

static void end(void)
{
	buf_release(&out);
	state_remove(&state);
}

/* --- The list ---------------------------------------------------------------------------------------- */

static void check_parameters(const struct live_table *table, sqlite3_stmt *statement)
{
	int at = 1;

	if (table->facts)
		ck_assert_str_eq(sqlite3_bind_parameter_name(statement, at++), ":facts");
	if (!table->is_for_operators)
		ck_assert_str_eq(sqlite3_bind_parameter_name(statement, at++), ":own");
	for (unsigned i = 0; i < live_column_count(table); i++)
		if (table->columns[i].flags & LIVE_FILTERS)
			ck_assert_str_eq(sqlite3_bind_parameter_name(statement, at++) + 1, table->columns[i].name);
	ck_assert_str_eq(sqlite3_bind_parameter_name(statement, at++), ":sort");
	ck_assert_str_eq(sqlite3_bind_parameter_name(statement, at++), ":count");
	ck_assert_str_eq(sqlite3_bind_parameter_name(statement, at++), ":skip");
	ck_assert_int_eq(sqlite3_bind_parameter_count(statement), at - 1);
}

static void check_columns(const struct live_table *table, sqlite3_stmt *statement)
{
	unsigned count = live_column_count(table), filters = 0;

	ck_assert_int_eq(sqlite3_column_count(statement), (int)count + 1);
	ck_assert_str_eq(sqlite3_column_name(statement, (int)count), "total");
	for (unsigned i = 0; i < count; i++) {
		const struct live_column *column = &table->columns[i];

		ck_assert_str_eq(sqlite3_column_name(statement, (int)i), column->name);
		ck_assert(strcmp(column->name, "sort") != 0 && strcmp(column->name, "page") != 0);
		filters += (column->flags & LIVE_FILTERS) != 0;
		if (column->flags & LIVE_SORTS) {
			ck_assert_msg(strstr(sqlite3_sql(statement), words("WHEN '%s'", column->name)) != NULL &&
				      strstr(sqlite3_sql(statement), words("WHEN '-%s'", column->name)) != NULL,
				      "%s does not sort by %s", table->name, column->name);
		}
	}
	ck_assert_uint_le(filters, LIVE_FILTERS_MAX);
}

START_TEST(each_table_is_what_its_statement_says)
{
	begin();
	for (size_t i = 0; i < live_table_count; i++) {
		const struct live_table *table = &live_tables[i];
		struct live_view view = view_of("");
		sqlite3_stmt *statement = NULL;
		struct live_query query;
		struct err err = ERR_INIT;

		ck_assert_msg(sqlite3_prepare_v2(state.store->db, store_statement_sql(table->statement), -1,
						 &statement, NULL) == SQLITE_OK, "%s", sqlite3_errmsg(state.store->db));
		check_parameters(table, statement);
		check_columns(table, statement);
		sqlite3_finalize(statement);
		ck_assert_int_eq(live_query_read(&query, &view, table, &err), 0);
		ck_assert_str_eq(words("%s%s", query.is_descending ? "-" : "", query.sort->name), table->sort);
		if (table->view)
			state_sql(&state, words("SELECT * FROM %s", table->view));
	}
	end();
}
END_TEST

START_TEST(an_empty_table_says_what_that_means)
{
	begin();
	for (size_t i = 0; i < live_table_count; i++) {
		struct live_view view = view_of("");

		if (!live_tables[i].facts) {
			ck_assert_ptr_nonnull(strstr(page_of(&view, &live_tables[i]), live_tables[i].empty));
			ck_assert_uint_eq(total_of(live_tables[i].name, ""), 0);
		}
		view.query = TEXT("kind=nothing&file=nothing&host=nothing&mapping=nothing&scope=nothing&source=nothing"
				  "&module=nothing");
		ck_assert_ptr_nonnull(strstr(page_of(&view, &live_tables[i]), "Nothing passes these filters."));
	}
	end();
}
END_TEST

/* --- Order, filters, pages ------------------------------------------------------------------------------ */

/* The numbers or texts of that column, as JSON writes them, one after the other. */
static size_t values_of(const char *json, const char *column, const char *values[], size_t most)
{
	const char *key = words("\"%s\":", column);
	size_t count = 0;

	for (const char *at = strstr(json, key); at && count < most; at = strstr(at, key))
		values[count++] = at += strlen(key);
	return count;
}

static int compare(const char *a, const char *b)
{
	if (*a != '"')
		return (atof(a) > atof(b)) - (atof(a) < atof(b));
	for (a++, b++; *a != '"' && *a == *b; a++)
		b++;
	return (*a == '"' ? 0 : *a) - (*b == '"' ? 0 : *b);
}

START_TEST(each_column_sorts_both_ways)
{
	const char *values[LIVE_PAGE_ROWS];

	begin();
	fill("x", 1, 30);
	for (size_t i = 0; i < live_table_count; i++) {
		for (unsigned at = 0; at < live_column_count(&live_tables[i]); at++) {
			const struct live_column *column = &live_tables[i].columns[at];

			for (int down = 0; (column->flags & LIVE_SORTS) && down < 2; down++) {
				const char *query = words("sort=%s%s", down ? "-" : "", column->name);
				size_t count = values_of(json_asked(live_tables[i].name, query), column->name,
							 values, LIVE_PAGE_ROWS);

				ck_assert_msg(count > 1 || strcmp(live_tables[i].name, "missing-mappings") != 0, "%s", query);
				for (size_t row = 1; row < count; row++)
					ck_assert_msg(compare(values[row - 1], values[row]) * (down ? -1 : 1) <= 0,
						      "%s %s, row %zu", live_tables[i].name, query, row);
			}
		}
	}
	end();
}
END_TEST

static const struct { const char *what, *query; uint64_t total; } filters[] = {
	{ "nothing",                 "", 6 },
	{ "part of a name",          "module=lib", 4 },
	{ "a wildcard",              "module=%25", 1 },
	{ "the other wildcard",      "module=b_c", 1 },
	{ "a backslash",             "module=%5C", 1 },
	{ "a plus",                  "module=a+b", 1 },
	{ "a quote",                 "module=%27", 1 },
	{ "the end of a statement",  "module=%27;DROP%20TABLE%20cache_entry;--", 0 },
	{ "a condition",             "module=x%27%20OR%20%271%27=%271", 0 },
	{ "a column of no filter",   "details=nothing", 6 },
	{ "no column at all",        "hash=00", 6 },
	{ "an order of no column",   "sort=details", 6 },
	{ "an order in SQL",         "sort=made_at;DROP%20TABLE%20job", 6 },
	{ "a page that is none",     "page=-1", 6 },
	{ "two of them",             "module=lib&state=down", 1 },
	{ "the last of two counts",  "module=nothing&module=lib", 4 },
	{ "NUL",                     "module=%00lib", 6 },
	{ "no UTF-8",                "module=%ff", 0 },
	{ "empty pairs",             "&&=&=x&module&module=&", 6 },
};

START_TEST(filters_are_values)
{
	static const char *const names[] = { "liba.so", "lib%b.so", "libb_c.so", "lib\\.so", "a b", "it's" };

	begin();
	for (size_t i = 0; i < COUNT(names); i++) {
		sqlite3 *db;

		ck_assert_int_eq(sqlite3_open(state_path(&state, "symgate.db"), &db), SQLITE_OK);
		run_bound(db, "INSERT INTO cache_entry (kind, version, hash, credentials, state, size_bytes, details, "
			  "module, boot, build_id, made_at, used_at) VALUES ('objects', 1, randomblob(32), zeroblob(32), "
			  "iif(:n = 0, 'download', 'not_found'), 0, 'x', :text, 1, 'b', 1, 1)", names[i], -1, (int)i);
		sqlite3_close(db);
	}
	for (size_t i = 0; i < COUNT(filters); i++)
		ck_assert_msg(total_of("failures", filters[i].query) == filters[i].total, "%s: %s", filters[i].what,
			      buf_string(&out));
	ck_assert_int_eq(state_ask(&state, "SELECT count(*) FROM cache_entry"), COUNT(names));
	ck_assert_int_eq(state_ask(&state, "SELECT count(*) FROM job"), 0);
	end();
}
END_TEST

START_TEST(pages_are_counted_and_told)
{
	struct live_view view;
	const char *page;

	begin();
	fill("x", 1, ROWS);
	ck_assert_uint_eq(total_of("missing", ""), ROWS);
	view = view_of("module=x&sort=module");
	page = page_of(&view, table_named("missing"));
	ck_assert_ptr_nonnull(strstr(page, "1 to 100 of 250"));
	ck_assert_ptr_nonnull(strstr(page, "href=\"missing?sort=module&amp;module=x&amp;page=2\""));
	ck_assert_ptr_null(strstr(page, "Previous page"));
	view = view_of("sort=module&page=3");
	page = page_of(&view, table_named("missing"));
	ck_assert_ptr_nonnull(strstr(page, "201 to 250 of 250"));
	ck_assert_ptr_nonnull(strstr(page, "Previous page"));
	ck_assert_ptr_null(strstr(page, "Next page"));
	view = view_of("page=4");
	ck_assert_ptr_nonnull(strstr(page_of(&view, table_named("missing")), "There are no rows on this page."));
	view = view_of("page=1000000");
	ck_assert_ptr_nonnull(strstr(page_of(&view, table_named("missing")), "There are no rows on this page."));
	end();
}
END_TEST

START_TEST(a_query_string_has_an_end)
{
	char query[LIVE_QUERY_BYTES_MAX + 2];
	struct live_view view;
	struct live_query read;
	struct err err = ERR_INIT;

	begin();
	memset(query, '%', sizeof(query));
	memcpy(query, "module=", 7);
	query[sizeof(query) - 1] = '\0';
	view = view_of(query);
	ck_assert_int_eq(live_query_read(&read, &view, table_named("failures"), &err), -1);
	ck_assert_int_eq(err.kind, ERR_BAD_REQUEST);
	query[7 + LIVE_FILTER_BYTES_MAX + 1] = '\0';
	view = view_of(query);
	ck_assert_int_eq(live_query_read(&read, &view, table_named("failures"), &err), -1);
	ck_assert_int_eq(err.kind, ERR_BAD_REQUEST);
	query[7 + LIVE_FILTER_BYTES_MAX] = '\0';
	view = view_of(query);
	ck_assert_uint_eq(total_of("failures", query), 0);
	(void)page_of(&view, table_named("failures"));
	end();
}
END_TEST

/* --- Names from outside ------------------------------------------------------------------------------- */

/* The names of all elements and attributes, with nothing of what they hold. */
static char *tree_of(const char *html)
{
	char *tree = malloc(strlen(html) + 1), *to = tree;
	bool in_tag = false, in_value = false;

	ck_assert_ptr_nonnull(tree);
	for (; *html; html++) {
		if (in_value) {
			in_value = *html != '"';
			continue;
		}
		if (in_tag && *html == '"')
			in_value = true;
		else if (*html == '<' || *html == '>')
			in_tag = *html == '<';
		if (in_tag || *html == '>')
			*to++ = *html;
	}
	*to = '\0';
	return tree;
}

#define HOSTILE(literal) { (literal), (int)sizeof(literal) - 1 }
static const struct { const char *text; int size; } hostile[] = {
	HOSTILE("</td></tr></table><script>alert(1)</script>"),
	HOSTILE("\"><img src=x onerror=alert(1)>"),
	HOSTILE("' onmouseover='alert(1)"),
	HOSTILE("javascript:alert(1)"),
	HOSTILE("</code></span></form><form action=//evil>"),
	HOSTILE("&lt;&#x3c;&quot;"),
	HOSTILE("\xff\xfe\xc0\xbc/td>"),
	HOSTILE("\xe2\x80\xae" "evil"),
	HOSTILE("a\x01\x1b[31m\r\n<"),
	HOSTILE("<!--"), HOSTILE("]]>"), HOSTILE("%3Cscript%3E"), HOSTILE("../../../etc/passwd"), HOSTILE("{{7*7}}"),
};

START_TEST(names_never_become_markup)
{
	for (size_t i = 0; i < COUNT(hostile); i++) {
		char *trees[2][64], harmless[128];

		ck_assert_int_lt(hostile[i].size, (int)sizeof(harmless));
		memset(harmless, 'x', sizeof(harmless));
		for (int turn = 0; turn < 2; turn++) {
			begin();
			fill(turn ? hostile[i].text : harmless, hostile[i].size, 3);
			for (size_t k = 0; k < live_table_count; k++) {
				struct live_view view = view_of("");

				trees[turn][k] = tree_of(page_of(&view, &live_tables[k]));
				(void)json_of(&view, &live_tables[k]);
			}
			end();
		}
		for (size_t k = 0; k < live_table_count; k++) {
			ck_assert_msg(strcmp(trees[0][k], trees[1][k]) == 0, "%s in %s:\n%s\n%s", hostile[i].text,
				      live_tables[k].name, trees[0][k], trees[1][k]);
			free(trees[0][k]);
			free(trees[1][k]);
		}
	}
}
END_TEST

START_TEST(what_was_asked_for_never_becomes_markup)
{
	begin();
	fill("x", 1, 3);
	for (size_t k = 0; k < live_table_count; k++) {
		char *trees[2];

		for (int turn = 0; turn < 2; turn++) {
			const char *value = turn ? "\"><script>'&<" : "xxxxxxxxxxxxxxx";
			struct live_view view = view_of(words(
				"module=%s&kind=%s&file=%s&mapping=%s&host=%s&scope=%s&source=%s&sort=%s&page=%s&%s", value,
				value, value, value, value, value, value, value, value, value));

			trees[turn] = tree_of(page_of(&view, &live_tables[k]));
		}
		ck_assert_str_eq(trees[0], trees[1]);
		free(trees[0]);
		free(trees[1]);
	}
	end();
}
END_TEST

START_TEST(a_long_name_is_cut_on_the_page_alone)
{
	static char name[65537];
	struct live_view view;

	begin();
	memset(name, 'x', sizeof(name) - 1);
	fill(name, 65536, 2);
	view = view_of("");
	ck_assert_uint_lt(strlen(page_of(&view, table_named("failures"))), 128 * 1024);
	ck_assert_ptr_nonnull(strstr(json_of(&view, table_named("failures")), name));
	end();
}
END_TEST

/* --- Who sees what ------------------------------------------------------------------------------------- */

START_TEST(people_see_their_scope_alone)
{
	struct live_view view;

	begin();
	fill("x", 1, 30);
	for (size_t i = 0; i < live_table_count; i++) {
		const char *json;

		view = view_of("");
		view.own = TEXT("x1");
		view.token = TEXT_NONE;
		ck_assert_msg(!live_find(&view, text_of(live_tables[i].name)) == live_tables[i].is_for_operators, "%s",
			      live_tables[i].name);
		if (live_tables[i].is_for_operators)
			continue;
		json = json_of(&view, &live_tables[i]);
		ck_assert_msg(!strstr(json, "\"x0\"") && !strstr(json, "\"x2\"") && !strstr(json, "\"total\":0}"), "%s",
			      json);
		ck_assert_msg(!strstr(json, "\"id\":") && !strstr(json, "x_request_id"), "%s", json);
		json = page_of(&view, &live_tables[i]);
		ck_assert_msg(!strstr(json, "../r/") && !strstr(json, "method=\"post\""), "%s", json);
	}
	view.query = TEXT("scope=x0&sort=id");
	ck_assert_ptr_nonnull(strstr(json_of(&view, table_named("jobs")), "\"total\":0}"));
	end();
}
END_TEST

START_TEST(forms_stand_beside_failures)
{
	struct live_view view;
	const char *page;

	begin();
	fill("x", 1, 1);
	view = view_of("sort=asks&module=x");
	page = page_of(&view, table_named("failures"));
	ck_assert_ptr_nonnull(strstr(page, "action=\"failures\""));
	ck_assert_ptr_nonnull(strstr(page, "name=\"token\" value=\"to&quot;ken\""));
	ck_assert_ptr_nonnull(strstr(page, "name=\"query\" value=\"sort=asks&amp;module=x\""));
	ck_assert_ptr_null(strstr(page_of(&view, table_named("missing")), "method=\"post\""));
	view.token = TEXT_NONE;
	ck_assert_ptr_null(strstr(page_of(&view, table_named("failures")), "method=\"post\""));
	buf_clear(&out);
	view = view_of("x=1&module=a%0d%0aSet-Cookie:b&sort=-asks&page=2");
	live_back(&out, &view, table_named("failures"));
	ck_assert_str_eq(buf_string(&out), "failures?sort=-asks&module=a%0D%0ASet-Cookie%3Ab&page=2");
	end();
}
END_TEST

START_TEST(hits_are_those_counted)
{
	begin();
	board_count(state.board, &cache_lookups, CACHE_SYMCACHES * CACHE_LOOKUPS + CACHE_HIT_ROW, 3);
	board_count(state.board, &cache_lookups, CACHE_SYMCACHES * CACHE_LOOKUPS + CACHE_MISS, 1);
	ck_assert_ptr_nonnull(strstr(json_asked("hits", "kind=symcaches"),
				     "\"from_memory\":0,\"from_row\":3,\"misses\":1,\"permille\":750"));
	end();
}
END_TEST

/* --- The page above them ------------------------------------------------------------------------------- */

static const char *overview_of(const struct live_view *view)
{
	const struct page_look look = { .root = "../../", .title = TEXT("Service"), .person = TEXT("eve") };
	struct html_writer html;
	struct err err = ERR_INIT;

	buf_clear(&out);
	html_writer_init(&html, &out);
	ck_assert_msg(live_overview_page(&html, &look, view, &err) == 0, "%s", err.text);
	return buf_string(&out);
}

START_TEST(the_first_page_says_whether_all_is_well)
{
	const struct live_health health[] = { { "database", true, "" }, { "disk", false, "it is <full>" } };
	struct live_view view;
	struct err err = ERR_INIT;
	struct json_reader json;

	begin();
	fill("x", 1, 3);
	view = view_of("");
	view.health = health;
	view.health_count = 1;
	view.quota_bytes = 5000000;
	ck_assert_ptr_nonnull(strstr(overview_of(&view), "The service is ready."));
	view.health_count = 2;
	ck_assert_ptr_nonnull(strstr(overview_of(&view), "The service is not ready."));
	ck_assert_ptr_nonnull(strstr(buf_string(&out), "it is &lt;full&gt;"));
	ck_assert_ptr_nonnull(strstr(buf_string(&out), "<data value=\"5000000\">5.0 MB</data>"));
	ck_assert_ptr_nonnull(strstr(buf_string(&out), "href=\"scopes\""));
	buf_clear(&out);
	ck_assert_int_eq(live_overview_json(&out, &view, &err), 0);
	json = json_reader_over("the overview", buf_text(&out));
	json_reader_skip(&json);
	ck_assert(json_reader_at_end(&json));
	ck_assert_ptr_nonnull(strstr(buf_string(&out), "\"ready\":false"));
	view.own = TEXT("x1");
	ck_assert_ptr_null(strstr(overview_of(&view), "The service is"));
	ck_assert_ptr_null(strstr(buf_string(&out), "href=\"scopes\""));
	ck_assert_ptr_nonnull(strstr(buf_string(&out), "href=\"jobs\""));
	end();
}
END_TEST

/* --- Memory -------------------------------------------------------------------------------------------- */

static int write_all(void *payload, struct err *err)
{
	const struct page_look look = { .root = "../../", .title = TEXT("Failures"), .person = TEXT("eve") };
	struct live_view view = view_of("module=x&sort=-asks");
	struct html_writer html;
	struct buf written;
	int rc;

	(void)payload;
	buf_init(&written, OUT_BYTES);
	html_writer_init(&html, &written);
	rc = live_table_page(&html, &look, &view, table_named("failures"), err);
	buf_clear(&written);
	if (rc == 0)
		rc = live_table_json(&written, &view, table_named("hits"), err);
	html_writer_init(&html, &written);
	if (rc == 0)
		rc = live_overview_page(&html, &look, &view, err);
	buf_clear(&written);
	if (rc == 0)
		rc = live_overview_json(&written, &view, err);
	buf_release(&written);
	return rc;
}

START_TEST(survives_every_allocation_failure)
{
	begin();
	fill("x", 1, 3);
	support_every_allocation_failure(write_all, NULL, 10000);
	end();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("live");
	TCase *tcase = tcase_create("live");

	tcase_add_test(tcase, each_table_is_what_its_statement_says);
	tcase_add_test(tcase, an_empty_table_says_what_that_means);
	tcase_add_test(tcase, each_column_sorts_both_ways);
	tcase_add_test(tcase, filters_are_values);
	tcase_add_test(tcase, pages_are_counted_and_told);
	tcase_add_test(tcase, a_query_string_has_an_end);
	tcase_add_test(tcase, names_never_become_markup);
	tcase_add_test(tcase, what_was_asked_for_never_becomes_markup);
	tcase_add_test(tcase, a_long_name_is_cut_on_the_page_alone);
	tcase_add_test(tcase, people_see_their_scope_alone);
	tcase_add_test(tcase, forms_stand_beside_failures);
	tcase_add_test(tcase, hits_are_those_counted);
	tcase_add_test(tcase, the_first_page_says_whether_all_is_well);
	tcase_add_test(tcase, survives_every_allocation_failure);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
