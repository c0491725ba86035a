/* why.c -- "symgate why": every candidate of a request or module and what became of it. */
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/json_writer.h"
#include "base/limits.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/state.h"
#include "cli/table.h"
#include "store/statements.h"
#include "store/store.h"
#include "work/json.h"
#include "work/work.h"

#define OUT_BYTES ((size_t)1 << 30)
#define ENTRIES_SHOWN 200
#define JOBS_SHOWN 5
#define FLIGHTS_SHOWN 100
#define ID_COLUMNS 8u
#define WHY_SORTS "newest|oldest|size|used|asks|id"
#define STATUS_COLUMNS 12u
#define SOURCE_COLUMNS 20u
#define KIND_COLUMNS 14u

struct why {
	struct store *store;
	struct text subject;
	bool is_request;             /* the subject is a request's id */
	bool is_everything;          /* there is no subject: what is under way */
	struct text sort;            /* of entries */
	int64_t entries_most, jobs_most;
	struct buf out;
	struct json_writer json;
	bool as_json;
	bool found;
	int64_t now, flights;
	struct err trouble;          /* of a row */
};

static void add_ago(struct why *why, int64_t at)
{
	table_add_time(&why->out, at, why->now);
}

/* --- What a request noted -------------------------------------------------------------------- */

static void show_candidate(struct why *why, const cJSON *candidate)
{
	const cJSON *download = cJSON_GetObjectItemCaseSensitive(candidate, "download");
	const cJSON *debug = cJSON_GetObjectItemCaseSensitive(candidate, "debug");
	struct buf *out = &why->out;

	buf_add_string(out, "    ");
	table_add_cell(out, cli_member(download, "status"), STATUS_COLUMNS);
	table_add_cell(out, cli_member(candidate, "source"), SOURCE_COLUMNS);
	buf_add_visible(out, cli_member(candidate, "location"));
	buf_add_char(out, '\n');
	if (cli_member(download, "details").size > 0) {
		buf_add_string(out, "                ");
		buf_add_visible(out, cli_member(download, "details"));
		buf_add_char(out, '\n');
	}
	if (debug) {
		buf_add_string(out, "                used for names: ");
		buf_add_visible(out, cli_member(debug, "status"));
		if (cli_member(debug, "details").size > 0) {
			buf_add_string(out, ", ");
			buf_add_visible(out, cli_member(debug, "details"));
		}
		buf_add_char(out, '\n');
	}
}

static void show_module(struct why *why, const cJSON *module)
{
	struct text name = cli_member(module, "code_file");
	struct buf *out = &why->out;
	const cJSON *candidate;

	if (name.size == 0)
		name = cli_member(module, "debug_file");
	buf_add_string(out, "  ");
	buf_add_visible(out, name.size > 0 ? name : text_of("(no name)"));
	buf_add_char(out, ' ');
	buf_add_visible(out, cli_member(module, "debug_id"));
	buf_add_string(out, ": ");
	buf_add_visible(out, cli_member(module, "debug_status"));
	if (cli_member(module, "details").size > 0) {
		buf_add_string(out, ", ");
		buf_add_visible(out, cli_member(module, "details"));
	}
	buf_add_char(out, '\n');
	cJSON_ArrayForEach(candidate, cJSON_GetObjectItemCaseSensitive(module, "candidates"))
		show_candidate(why, candidate);
}

/* A module of the request that is meant by the subject: by file name or id. */
static bool is_meant(const struct why *why, const cJSON *module)
{
	static const char *const keys[] = { "code_file", "debug_file", "debug_id", "code_id" };

	if (why->is_request)
		return true;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		struct text value = cli_member(module, keys[i]);

		if (value.size > 0 && (text_equal(value, why->subject) ||
				       text_equal(text_basename(value), why->subject)))
			return true;
	}
	return false;
}

static int show_modules(struct why *why, struct text candidates)
{
	const cJSON *module;
	struct arena arena;
	cJSON *json;
	int rc;

	arena_init(&arena, 4 * LIMIT_REPLY_BYTES);
	rc = request_json_parse(candidates, &arena, &json, &why->trouble);
	if (rc == 0)
		cJSON_ArrayForEach(module, cJSON_GetObjectItemCaseSensitive(json, "modules"))
			if (is_meant(why, module))
				show_module(why, module);
	arena_release(&arena);
	return rc;
}

static void show_job_line(struct why *why, const struct store_value *row)
{
	struct buf *out = &why->out;

	buf_add_string(out, "request ");
	buf_add_visible(out, row[0].text);
	buf_add_string(out, ": ");
	buf_add_visible(out, row[1].text);
	buf_add_char(out, ' ');
	buf_add_visible(out, row[3].text);
	buf_add_string(out, ", came ");
	add_ago(why, row[4].number);
	if (row[6].type == STORE_INT)
		buf_printf(out, ", took %.1f s", (double)row[6].number / 1000);
	if (row[7].number > 1)
		buf_printf(out, ", attempt %lld", (long long)row[7].number);
	buf_add_char(out, '\n');
}

/* --- What is under way ----------------------------------------------------------------------- */

static bool is_running(const struct store_value *job)
{
	return text_is(job[3].text, "running");
}

static void json_flight(struct why *why, const struct store_value *row)
{
	struct json_writer *json = &why->json;

	json_object(json);
	json_member_text(json, "kind", row[0].text);
	json_member_text(json, "module", row[1].text);
	json_member_text(json, "location", table_location(row[2].text));
	json_member_text(json, "owner", row[3].text);
	table_json_time(json, "since", row[4].number);
	json_member_u64(json, "attempt", (uint64_t)row[5].number);
	json_object_end(json);
}

/* "  making        symcaches   libfoo.so http://... since 2026-01-02T03:04:05Z, 3 s ago" */
static int flight_row(void *payload, const struct store_value *row, unsigned count)
{
	struct why *why = payload;
	struct buf *out = &why->out;

	(void)count;
	why->flights++;
	if (why->as_json) {
		json_flight(why, row);
		return 0;
	}
	buf_add_string(out, "  ");
	table_add_cell(out, text_is(row[0].text, "objects") ? TEXT("fetching") : TEXT("making"),
		       STATUS_COLUMNS);
	table_add_cell(out, row[0].text, KIND_COLUMNS);
	buf_add_visible(out, row[1].text.size > 0 ? row[1].text : TEXT("(no name)"));
	buf_add_char(out, ' ');
	buf_add_visible(out, table_location(row[2].text));
	buf_add_string(out, " since ");
	add_ago(why, row[4].number);
	buf_add_char(out, '\n');
	return 0;
}

/* What a workshop fetches and makes; TEXT_NONE: what all do. */
static void show_flights(struct why *why, struct text owner)
{
	struct store_value values[] = { store_int(why->now), store_text(owner),
					store_int(FLIGHTS_SHOWN) };

	why->flights = 0;
	/* Whatever is wrong stands in `trouble`, which ends the listing. */
	if (store_run(why->store, STATEMENT_cli_flights, values, 3, flight_row, why,
		      &why->trouble) < 0)
		err_while(&why->trouble, "looking for what is under way");
}

static void show_under_way(struct why *why, const struct store_value *job)
{
	if (!is_running(job)) {
		buf_add_string(&why->out, "  it waits for a workshop to take it up\n");
		return;
	}
	buf_add_string(&why->out, "  under way; its workshop (");
	buf_add_visible(&why->out, job[9].text);
	buf_add_string(&why->out, ") is\n");
	show_flights(why, job[9].text);
	if (why->flights == 0)
		buf_add_string(&why->out, "  neither fetching nor making anything at this moment\n");
}

static void json_job(struct why *why, const struct store_value *row)
{
	struct json_writer *json = &why->json;

	json_object(json);
	json_member_text(json, "id", row[0].text);
	json_member_text(json, "kind", row[1].text);
	json_member_text(json, "scope", row[2].text);
	json_member_text(json, "state", row[3].text);
	table_json_time(json, "created_at", row[4].number);
	json_member_u64(json, "attempt", (uint64_t)row[7].number);
	if (row[8].text.size > 0) {
		json_key(json, "noted");
		json_raw(json, row[8].text);
	}
	if (is_running(row)) {
		json_key(json, "under_way");
		json_array(json);
		show_flights(why, row[9].text);
		json_array_end(json);
	}
	json_object_end(json);
}

static int job_row(void *payload, const struct store_value *row, unsigned count)
{
	struct why *why = payload;

	(void)count;
	why->found = true;
	if (why->as_json) {
		json_job(why, row);
		return 0;
	}
	show_job_line(why, row);
	if (row[8].text.size == 0) {
		if (row[5].type != STORE_INT)
			show_under_way(why, row);
		else
			buf_add_string(&why->out, "  it ended and noted nothing\n");
		return why->trouble.kind != ERR_NONE;
	}
	return show_modules(why, row[8].text) < 0;
}

/* --- What the caches remember ------------------------------------------------------------------ */

static void json_entry(struct why *why, const struct store_value *row)
{
	struct json_writer *json = &why->json;

	json_object(json);
	json_member_text(json, "kind", row[0].text);
	json_member_text(json, "state", row[1].text);
	json_member_text(json, "source", row[2].text);
	json_member_text(json, "scope", row[3].text);
	json_member_u64(json, "bytes", (uint64_t)row[4].number);
	json_member_text(json, "details", row[5].text);
	json_member_u64(json, "id", (uint64_t)row[10].number);
	json_member_text(json, "module_id", row[12].text);
	json_member_text(json, "location", table_location(row[11].text));
	table_json_time(json, "made_at", row[6].number);
	if (row[7].type == STORE_INT)
		table_json_time(json, "retry_at", row[7].number);
	json_member_u64(json, "repeats", (uint64_t)row[8].number);
	json_member_u64(json, "asks", (uint64_t)row[9].number);
	json_object_end(json);
}

static int entry_row(void *payload, const struct store_value *row, unsigned count)
{
	struct why *why = payload;
	struct buf *out = &why->out;
	char id[24];

	(void)count;
	why->found = true;
	if (why->as_json) {
		json_entry(why, row);
		return 0;
	}
	snprintf(id, sizeof(id), "%lld", (long long)row[10].number);
	buf_add_string(out, "  ");
	table_add_cell(out, text_of(id), ID_COLUMNS);
	table_add_cell(out, row[0].text, KIND_COLUMNS);
	table_add_cell(out, row[1].text, STATUS_COLUMNS);
	table_add_cell(out, row[2].text.size > 0 ? row[2].text : text_of("-"), SOURCE_COLUMNS);
	add_ago(why, row[6].number);
	if (row[7].type == STORE_INT) {
		buf_add_string(out, row[7].number > why->now ? ", asked again in "
							     : ", asked again when wanted");
		if (row[7].number > why->now)
			table_add_age(out, row[7].number - why->now);
	}
	if (row[3].text.size > 0) {
		buf_add_string(out, ", scope ");
		buf_add_visible(out, row[3].text);
	}
	if (row[5].text.size > 0) {
		buf_add_string(out, ": ");
		buf_add_visible(out, row[5].text);
	}
	buf_add_char(out, '\n');
	if (row[12].text.size > 0 || row[11].text.size > 0) {
		buf_printf(out, "  %*s", (int)ID_COLUMNS, "");
		buf_add_visible(out, row[12].text);
		buf_add_string(out, row[12].text.size > 0 ? " " : "");
		buf_add_visible(out, table_location(row[11].text));
		buf_add_char(out, '\n');
	}
	return 0;
}

/* --- The whole ------------------------------------------------------------------------------------ */

static int ask(struct why *why, unsigned statement, const struct store_value *values,
	       unsigned count, store_row_fn *row, struct err *err)
{
	if (store_run(why->store, statement, values, count, row, why, err) < 0)
		return -1;
	if (why->trouble.kind != ERR_NONE) {
		*err = why->trouble;
		return err_while(err, "what a request noted");
	}
	return 0;
}

static void begin_list(struct why *why, const char *name)
{
	if (!why->as_json)
		return;
	json_key(&why->json, name);
	json_array(&why->json);
}

static void end_list(struct why *why)
{
	if (why->as_json)
		json_array_end(&why->json);
}

static int ask_about_entries(struct why *why, struct err *err)
{
	const struct store_value values[] = { store_text(why->subject), store_text(why->sort),
					      store_int(why->entries_most) };

	if (!why->as_json && why->found)
		buf_add_char(&why->out, '\n');
	begin_list(why, "entries");
	if (ask(why, STATEMENT_cli_entries_of_module, values, 3, entry_row, err) < 0)
		return -1;
	end_list(why);
	return 0;
}

/* Every job that has not ended, and everything that is fetched and made. */
static int ask_everything(struct why *why, struct err *err)
{
	const struct store_value values[] = { store_int(why->jobs_most) };

	begin_list(why, "requests");
	if (ask(why, STATEMENT_cli_jobs_under_way, values, 1, job_row, err) < 0)
		return -1;
	end_list(why);
	if (!why->found && !why->as_json)
		buf_add_string(&why->out, "no request is under way\n");
	why->found = true;
	return 0;
}

static int ask_subject(struct why *why, struct err *err)
{
	const struct store_value values[] = { store_text(why->subject), store_int(why->jobs_most) };

	begin_list(why, "requests");
	if (why->is_request && ask(why, STATEMENT_cli_job, values, 1, job_row, err) < 0)
		return -1;
	/* Debug ids look like request ids. */
	why->is_request = why->is_request && why->found;
	if (!why->is_request &&
	    ask(why, STATEMENT_cli_jobs_mentioning, values, 2, job_row, err) < 0)
		return -1;
	end_list(why);
	return why->is_request ? 0 : ask_about_entries(why, err);
}

static int ask_all(struct why *why, struct err *err)
{
	if (why->as_json)
		json_object(&why->json);
	if ((why->is_everything ? ask_everything(why, err) : ask_subject(why, err)) < 0)
		return -1;
	if (why->as_json) {
		json_object_end(&why->json);
		buf_add_char(&why->out, '\n');
	}
	return 0;
}

static bool is_request_id(const char *word)
{
	return strlen(word) == HASH_UUID_TEXT_BYTES - 1 && word[8] == '-' && word[13] == '-' &&
	       word[14] == '4';
}

static int open_and_ask(struct cli *cli, struct why *why, struct err *err)
{
	struct config config;
	int rc;

	if (cli_config_load(cli, &config, err) < 0)
		return -1;
	rc = state_take_owner(&config, err);
	if (rc == 0)
		rc = state_open(&config, &why->store, err);
	if (rc == 0) {
		rc = ask_all(why, err);
		store_close(why->store);
	}
	config_release(&config);
	return rc;
}

enum { OPTION_SORT = 1, OPTION_LIMIT };
static const struct cli_option options[] = {
	{ OPTION_SORT, 0, "sort", WHY_SORTS }, { OPTION_LIMIT, 0, "limit", "N" }, CLI_OPTIONS_END
};

static int read_options(struct why *why, struct cli_reader *reader)
{
	const char *value;
	int option;

	while ((option = cli_next_option(reader, &value)) > 0) {
		if (option == OPTION_SORT && !table_is_choice(WHY_SORTS, text_of(value)))
			return cli_misused(&cli_why, "--sort %s is none of " WHY_SORTS, value);
		if (option == OPTION_SORT)
			why->sort = text_of(value);
		else if (!table_read_limit(value, &why->entries_most))
			return cli_misused(&cli_why, "--limit %s is no number of lines", value);
		if (option == OPTION_LIMIT)
			why->jobs_most = why->entries_most;
	}
	if (option < 0)
		return CLI_USAGE;
	if (reader->operand_count > 1 || (reader->operand_count == 1 && !reader->argv[1][0]))
		return cli_misused(&cli_why, "which REQUEST_ID or MODULE?");
	return CLI_OK;
}

static void take_subject(struct why *why, const char *word)
{
	why->is_everything = !word;
	if (!word)
		return;
	why->is_request = is_request_id(word);
	why->subject = why->is_request ? text_of(word) : text_basename(text_of(word));
}

static int run(struct cli *cli, int argc, char **argv)
{
	struct why why = { .now = clock_unix_seconds(), .sort = TEXT("newest"),
			   .entries_most = ENTRIES_SHOWN, .jobs_most = JOBS_SHOWN };
	struct cli_reader reader;
	struct err err = ERR_INIT;
	int rc;

	cli_reader_init(&reader, cli, &cli_why, argc, argv);
	rc = read_options(&why, &reader);
	if (rc != CLI_OK)
		return rc;
	why.as_json = cli->json;
	take_subject(&why, reader.operand_count > 0 ? argv[1] : NULL);
	buf_init(&why.out, OUT_BYTES);
	json_writer_init(&why.json, &why.out);
	rc = open_and_ask(cli, &why, &err);
	if (rc == 0 && (why.found || cli->json))
		rc = table_write(&why.out, &err);
	buf_release(&why.out);
	if (rc < 0)
		return cli_fail(&err);
	if (!why.found)
		fprintf(stderr, "symgate: nothing is known about %s: no request and no cache entry "
			"names it\n", argv[1]);
	return why.found ? CLI_OK : CLI_NOTHING;
}

const struct cli_command cli_why = {
	.name = "why",
	.arguments = "[--sort ORDER] [--limit N] [REQUEST_ID | MODULE]",
	.about = "every file considered for a request or module, and what became of it",
	.help =
	"Without an argument: the requests that are under way, and what is fetched and made for\n"
	"them.\n"
	"\n"
	"REQUEST_ID is what /symbolicate answered; shown are its modules, each with every place\n"
	"that might hold its debug file. MODULE is a file name, a debug id or a code id; shown\n"
	"are the newest requests that had it and what the caches remember of it: failures with\n"
	"the time after which they are tried again.\n"
	"\n"
	"  --sort ORDER   of entries: newest (default), oldest, size, used, asks or id\n"
	"  --limit N      so many entries and requests (default: 200 and 5)\n"
	"\n"
	"Requests that never had to wait leave no trace unless jobs.record is `all'.\n"
	"\n"
	"exit codes: 0 something was found, 1 failed, 2 wrong usage, 3 nothing is known\n",
	.options = options,
	.run = run,
};
