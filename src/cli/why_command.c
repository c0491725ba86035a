/* why_command.c -- "symgate why": every candidate of a request or module and what became of it. */
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
#include "cache/overview.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/state.h"
#include "cli/cli_table.h"
#include "job/job_list.h"
#include "store/store.h"
#include "why/why.h"
#include "work/request_json.h"
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

/* "    no source has its debug file: Put ..." */
static void show_words(struct why *why, struct why_words words)
{
	if (words.is_good)
		return;
	buf_add_string(&why->out, "    ");
	buf_add_string(&why->out, words.meaning);
	if (words.advice) {
		buf_add_string(&why->out, ".  ");
		buf_add_string(&why->out, words.advice);
	}
	buf_add_char(&why->out, '\n');
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
	show_words(why, why_module(cli_member(module, "debug_status")));
	cJSON_ArrayForEach(candidate, cJSON_GetObjectItemCaseSensitive(module, "candidates"))
		show_candidate(why, candidate);
}

/* Of JavaScript a file, of Java a mapping that was wanting. */
static void show_error(struct why *why, const cJSON *error)
{
	struct text uuid = cli_member(error, "uuid"), type = cli_member(error, "type");
	struct buf *out = &why->out;

	buf_add_string(out, "  ");
	buf_add_visible(out, uuid.size > 0 ? uuid : cli_member(error, "abs_path"));
	buf_add_string(out, ": ");
	buf_add_visible(out, type);
	buf_add_char(out, '\n');
	show_words(why, uuid.size > 0 ? why_mapping(type) : why_js_error(type));
}

/* A module of the request that is meant by the subject: by file name or id. */
static bool is_meant(const struct why *why, const cJSON *module)
{
	static const char *const keys[] = { "code_file", "debug_file", "debug_id", "code_id", "abs_path", "uuid" };

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
	const cJSON *module, *error;
	struct arena arena;
	cJSON *json;
	int rc;

	arena_init(&arena, 4 * LIMIT_REPLY_BYTES);
	rc = request_json_parse(candidates, &arena, &json, &why->trouble);
	if (rc == 0) {
		cJSON_ArrayForEach(module, cJSON_GetObjectItemCaseSensitive(json, "modules"))
			if (is_meant(why, module))
				show_module(why, module);
		cJSON_ArrayForEach(error, cJSON_GetObjectItemCaseSensitive(json, "errors"))
			if (is_meant(why, error))
				show_error(why, error);
	}
	arena_release(&arena);
	return rc;
}

static void show_job_line(struct why *why, const struct job_line *job)
{
	struct buf *out = &why->out;

	buf_add_string(out, "request ");
	buf_add_visible(out, job->id);
	buf_add_string(out, ": ");
	buf_add_visible(out, job->kind);
	buf_add_char(out, ' ');
	buf_add_visible(out, job->state);
	buf_add_string(out, ", came ");
	add_ago(why, job->created_at);
	if (job->has_millis)
		buf_printf(out, ", took %.1f s", (double)job->millis / 1000);
	if (job->attempt > 1)
		buf_printf(out, ", attempt %lld", (long long)job->attempt);
	buf_add_char(out, '\n');
}

/* --- What is under way ----------------------------------------------------------------------- */

static bool is_running(const struct job_line *job)
{
	return text_is(job->state, "running");
}

static void json_flight(struct why *why, const struct cache_flight_line *flight)
{
	struct json_writer *json = &why->json;

	json_object(json);
	json_member_text(json, "kind", flight->kind);
	json_member_text(json, "module", flight->module);
	json_member_text(json, "location", table_location(flight->key_text));
	json_member_text(json, "owner", flight->owner);
	table_json_time(json, "since", flight->started_at);
	json_member_u64(json, "attempt", (uint64_t)flight->attempt);
	json_object_end(json);
}

/* "  making        symcaches   libfoo.so http://... since 2026-01-02T03:04:05Z, 3 s ago" */
static int flight_row(void *payload, const struct cache_flight_line *flight)
{
	struct why *why = payload;
	struct buf *out = &why->out;

	why->flights++;
	if (why->as_json) {
		json_flight(why, flight);
		return 0;
	}
	buf_add_string(out, "  ");
	table_add_cell(out, text_is(flight->kind, "objects") ? TEXT("fetching") : TEXT("making"),
		       STATUS_COLUMNS);
	table_add_cell(out, flight->kind, KIND_COLUMNS);
	buf_add_visible(out, flight->module.size > 0 ? flight->module : TEXT("(no name)"));
	buf_add_char(out, ' ');
	buf_add_visible(out, table_location(flight->key_text));
	buf_add_string(out, " since ");
	add_ago(why, flight->started_at);
	buf_add_char(out, '\n');
	return 0;
}

/* What a workshop fetches and makes; TEXT_NONE: what all do. */
static void show_flights(struct why *why, struct text owner)
{
	why->flights = 0;
	/* Whatever is wrong stands in `trouble`, which ends the listing. */
	if (cache_list_flights(why->store, owner, why->now, FLIGHTS_SHOWN, flight_row, why,
			       &why->trouble) < 0)
		err_while(&why->trouble, "looking for what is under way");
}

static void show_under_way(struct why *why, const struct job_line *job)
{
	if (!is_running(job)) {
		buf_add_string(&why->out, "  it waits for a workshop to take it up\n");
		return;
	}
	buf_add_string(&why->out, "  under way; its workshop (");
	buf_add_visible(&why->out, job->owner);
	buf_add_string(&why->out, ") is\n");
	show_flights(why, job->owner);
	if (why->flights == 0)
		buf_add_string(&why->out, "  neither fetching nor making anything at this moment\n");
}

static void json_job(struct why *why, const struct job_line *job)
{
	struct json_writer *json = &why->json;

	json_object(json);
	json_member_text(json, "id", job->id);
	json_member_text(json, "kind", job->kind);
	json_member_text(json, "scope", job->scope);
	json_member_text(json, "state", job->state);
	table_json_time(json, "created_at", job->created_at);
	json_member_u64(json, "attempt", (uint64_t)job->attempt);
	if (job->candidates.size > 0) {
		json_key(json, "noted");
		json_raw(json, job->candidates);
	}
	if (is_running(job)) {
		json_key(json, "under_way");
		json_array(json);
		show_flights(why, job->owner);
		json_array_end(json);
	}
	json_object_end(json);
}

static int job_row(void *payload, const struct job_line *job)
{
	struct why *why = payload;

	why->found = true;
	if (why->as_json) {
		json_job(why, job);
		return 0;
	}
	show_job_line(why, job);
	if (job->candidates.size == 0) {
		if (!job->has_ended)
			show_under_way(why, job);
		else
			buf_add_string(&why->out, "  it ended and noted nothing\n");
		return why->trouble.kind != ERR_NONE;
	}
	return show_modules(why, job->candidates) < 0;
}

/* --- What the caches remember ------------------------------------------------------------------ */

static void json_entry(struct why *why, const struct cache_remembered *entry)
{
	struct json_writer *json = &why->json;

	json_object(json);
	json_member_text(json, "kind", entry->kind);
	json_member_text(json, "state", entry->state);
	json_member_text(json, "source", entry->source);
	json_member_text(json, "scope", entry->scope);
	json_member_u64(json, "bytes", (uint64_t)entry->size_bytes);
	json_member_text(json, "details", entry->details);
	json_member_u64(json, "id", (uint64_t)entry->id);
	json_member_text(json, "module_id", entry->module_id);
	json_member_text(json, "location", table_location(entry->key_text));
	table_json_time(json, "made_at", entry->made_at);
	if (entry->has_retry)
		table_json_time(json, "retry_at", entry->retry_at);
	json_member_u64(json, "repeats", (uint64_t)entry->repeats);
	json_member_u64(json, "asks", (uint64_t)entry->asks);
	json_object_end(json);
}

static int entry_row(void *payload, const struct cache_remembered *entry)
{
	struct why *why = payload;
	struct buf *out = &why->out;
	char id[24];

	why->found = true;
	if (why->as_json) {
		json_entry(why, entry);
		return 0;
	}
	snprintf(id, sizeof(id), "%lld", (long long)entry->id);
	buf_add_string(out, "  ");
	table_add_cell(out, text_of(id), ID_COLUMNS);
	table_add_cell(out, entry->kind, KIND_COLUMNS);
	table_add_cell(out, entry->state, STATUS_COLUMNS);
	table_add_cell(out, entry->source.size > 0 ? entry->source : text_of("-"), SOURCE_COLUMNS);
	add_ago(why, entry->made_at);
	if (entry->has_retry) {
		buf_add_string(out, entry->retry_at > why->now ? ", asked again in "
							     : ", asked again when wanted");
		if (entry->retry_at > why->now)
			table_add_age(out, entry->retry_at - why->now);
	}
	if (entry->scope.size > 0) {
		buf_add_string(out, ", scope ");
		buf_add_visible(out, entry->scope);
	}
	if (entry->details.size > 0) {
		buf_add_string(out, ": ");
		buf_add_visible(out, entry->details);
	}
	buf_add_char(out, '\n');
	if (entry->module_id.size > 0 || entry->key_text.size > 0) {
		buf_printf(out, "  %*s", (int)ID_COLUMNS, "");
		buf_add_visible(out, entry->module_id);
		buf_add_string(out, entry->module_id.size > 0 ? " " : "");
		buf_add_visible(out, table_location(entry->key_text));
		buf_add_char(out, '\n');
	}
	return 0;
}

/* --- The whole ------------------------------------------------------------------------------------ */

/* What a verb returned, or what went wrong while its rows were shown. */
static int told(const struct why *why, int rc, struct err *err)
{
	if (rc < 0)
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
	if (!why->as_json && why->found)
		buf_add_char(&why->out, '\n');
	begin_list(why, "entries");
	if (told(why, cache_of_module(why->store, why->subject, why->sort, why->entries_most,
				      entry_row, why, err), err) < 0)
		return -1;
	end_list(why);
	return 0;
}

/* Every job that has not ended, and everything that is fetched and made. */
static int ask_everything(struct why *why, struct err *err)
{
	begin_list(why, "requests");
	if (told(why, job_list_under_way(why->store, why->jobs_most, job_row, why, err), err) < 0)
		return -1;
	end_list(why);
	if (!why->found && !why->as_json)
		buf_add_string(&why->out, "no request is under way\n");
	why->found = true;
	return 0;
}

static int ask_subject(struct why *why, struct err *err)
{
	begin_list(why, "requests");
	if (why->is_request &&
	    told(why, job_find(why->store, why->subject, job_row, why, err), err) < 0)
		return -1;
	/* Debug ids look like request ids. */
	why->is_request = why->is_request && why->found;
	if (!why->is_request &&
	    told(why, job_list_mentioning(why->store, why->subject, why->jobs_most, job_row, why, err),
		 err) < 0)
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
