/* cli_cache.c -- "symgate cache": what is remembered, and letting go of it. */
#include "cli/cli_cache.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/debugid.h"
#include "base/err.h"
#include "base/json_writer.h"
#include "board/board.h"
#include "cache/admin.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/state.h"
#include "cli/cli_table.h"
#include "job/job_list.h"
#include "store/store.h"

#define OUT_BYTES ((size_t)1 << 30)
#define LINES_SHOWN 1000
#define CACHE_SORTS "id|newest|oldest|size|used|asks"
#define JOBS_SHOWN 5
#define HASH_DIGITS_LEAST 8u         /* fewer may be a module's name */
#define ID_COLUMNS 8u
#define KIND_COLUMNS 14u
#define STATE_COLUMNS 12u
#define SOURCE_COLUMNS 18u
#define MODULE_COLUMNS 28u

struct cli_listing {
	struct store *store;
	struct buf out;
	struct json_writer json;
	bool as_json, whole;         /* whole: `show`, all there is to say */
	struct text scope;           /* of the entry that is shown */
	int64_t now, lines;
	struct err trouble;          /* of a row */
};

/* --- One entry as JSON ------------------------------------------------------------------------- */

static void member_i64(struct json_writer *json, const char *key, int64_t value)
{
	json_key(json, key);
	json_i64(json, value);
}

/* Requests of other tenants have entries of their own. */
static bool is_of_scope(const struct cli_listing *listing, struct text scope)
{
	return !listing->scope.bytes || (scope.bytes && text_equal(listing->scope, scope));
}

static int job_as_json(void *payload, const struct job_line *job)
{
	struct cli_listing *listing = payload;
	struct json_writer *json = &listing->json;

	if (!is_of_scope(listing, job->scope))
		return 0;
	json_object(json);
	json_member_text(json, "id", job->id);
	json_member_text(json, "scope", job->scope);
	json_member_text(json, "state", job->state);
	table_json_time(json, "created_at", job->created_at);
	json_object_end(json);
	return 0;
}

/* Requests that had the entry's file among their candidates, the newest first. */
static void each_job(struct cli_listing *listing, const struct cache_line *line, job_line_fn *fn)
{
	struct text location = table_location(line->key_text);

	listing->scope = line->scope;
	/* Whatever is wrong stands in `trouble`, which ends the listing. */
	if (location.size > 0 &&
	    job_list_mentioning(listing->store, location, JOBS_SHOWN, fn, listing,
				&listing->trouble) < 0)
		err_while(&listing->trouble, "looking for requests");
}

static void whole_as_json(struct cli_listing *listing, const struct cache_line *line)
{
	struct json_writer *json = &listing->json;
	struct cache_flight flight;
	int flying;

	json_member_text(json, "key", line->key_text);
	if (line->path) {
		json_member_text(json, "file", text_of(line->path));
		json_member_bool(json, "file_is_there", line->has_file);
	}
	member_i64(json, "boot", line->boot);
	json_member_text(json, "build", line->build_id);
	member_i64(json, "repeats", line->repeats);
	json_member_bool(json, "for_certain_credentials", line->is_personal);
	flying = cache_flight_of(listing->store, line, &flight, &listing->trouble);
	if (flying > 0) {
		json_key(json, "made_now");
		json_object(json);
		json_member_text(json, "owner", text_of(flight.owner));
		table_json_time(json, "since", flight.started_at);
		member_i64(json, "attempt", flight.attempt);
		json_object_end(json);
	}
	json_key(json, "requests");
	json_array(json);
	each_job(listing, line, job_as_json);
	json_array_end(json);
}

static void line_as_json(struct cli_listing *listing, const struct cache_line *line)
{
	struct json_writer *json = &listing->json;
	char hex[2 * HASH_SHA256_BYTES + 1];
	bool failed = !text_is(line->state, "ready");

	hex_format(line->hash, sizeof(line->hash), hex);
	json_object(json);
	json_member_u64(json, "id", (uint64_t)line->id);
	json_member_text(json, "kind", line->kind);
	member_i64(json, "version", line->version);
	json_member_bool(json, "outdated", line->is_outdated);
	json_member_bool(json, "expired", line->is_expired);
	json_member_text(json, "state", line->state);
	json_member_text(json, "hash", text_of(hex));
	json_member_u64(json, "bytes", line->size_bytes);
	json_member_text(json, "scope", line->scope);
	json_member_text(json, "module", line->module);
	json_member_text(json, "module_id", line->module_id);
	json_member_text(json, "location", table_location(line->key_text));
	json_member_text(json, "source", line->source);
	json_member_text(json, "details", line->details);
	table_json_time(json, "made_at", line->made_at);
	table_json_time(json, "used_at", line->used_at);
	if (line->expires_at > 0)
		table_json_time(json, failed ? "retry_at" : "expires_at", line->expires_at);
	json_member_u64(json, "asks", (uint64_t)line->asks);
	if (listing->whole)
		whole_as_json(listing, line);
	json_object_end(json);
}

/* --- One entry for people ----------------------------------------------------------------------- */

static void add_retry(struct cli_listing *listing, const struct cache_line *line)
{
	buf_add_visible(&listing->out, line->details);
	if (line->is_expired) {
		buf_add_string(&listing->out, " (tried again when asked for)");
	} else if (line->expires_at > listing->now) {
		buf_add_string(&listing->out, " (again in ");
		table_add_age(&listing->out, line->expires_at - listing->now);
		buf_add_char(&listing->out, ')');
	}
}

/* Which build it is, and where it came from, below the rest. */
static void line_place(struct cli_listing *listing, const struct cache_line *line)
{
	struct text location = table_location(line->key_text);

	if (line->module_id.size == 0 && location.size == 0)
		return;
	buf_printf(&listing->out, "%*s", (int)ID_COLUMNS, "");
	buf_add_visible(&listing->out, line->module_id);
	if (line->module_id.size > 0 && location.size > 0)
		buf_add_char(&listing->out, ' ');
	buf_add_visible(&listing->out, location);
	buf_add_char(&listing->out, '\n');
}

static void line_for_people(struct cli_listing *listing, const struct cache_line *line)
{
	char id[24];

	snprintf(id, sizeof(id), "%lld", (long long)line->id);
	table_add_cell(&listing->out, text_of(id), ID_COLUMNS);
	table_add_cell(&listing->out, line->kind, KIND_COLUMNS);
	table_add_cell(&listing->out, line->state, STATE_COLUMNS);
	table_add_cell(&listing->out, line->source.bytes ? line->source : TEXT("-"), SOURCE_COLUMNS);
	table_add_cell(&listing->out, line->module.bytes ? line->module : TEXT("-"), MODULE_COLUMNS);
	if (!text_is(line->state, "ready"))
		add_retry(listing, line);
	else
		table_add_bytes(&listing->out, line->size_bytes);
	buf_add_string(&listing->out, ", made ");
	table_add_time(&listing->out, line->made_at, listing->now);
	if (line->is_outdated)
		buf_add_string(&listing->out, " (of an older version)");
	if (line->scope.bytes) {
		buf_add_string(&listing->out, ", scope ");
		buf_add_visible(&listing->out, line->scope);
	}
	buf_add_char(&listing->out, '\n');
	line_place(listing, line);
}

static void field_time(struct cli_listing *listing, const char *name, int64_t at)
{
	struct buf value;

	buf_init(&value, 128);
	table_add_time(&value, at, listing->now);
	table_add_field(&listing->out, name, buf_text(&value));
	buf_release(&value);
}

static void field_payload(struct cli_listing *listing, const struct cache_line *line)
{
	struct buf value;

	buf_init(&value, 8192);
	table_add_bytes(&value, line->size_bytes);
	table_add_field(&listing->out, "size", buf_text(&value));
	buf_clear(&value);
	if (!line->path)
		buf_add_string(&value, "none: the payload stands in the row");
	else
		buf_printf(&value, "%s%s", line->path, line->has_file ? "" : " (gone: as good as absent)");
	table_add_field(&listing->out, "file", buf_text(&value));
	buf_release(&value);
}

static void field_kind(struct cli_listing *listing, const struct cache_line *line)
{
	struct buf value;

	buf_init(&value, 256);
	buf_add_text(&value, line->kind);
	buf_printf(&value, ", version %lld%s", (long long)line->version,
		   line->is_outdated ? " (older: answers until it is made again)" : "");
	table_add_field(&listing->out, "kind", buf_text(&value));
	buf_release(&value);
}

/* The key's text begins with the scope's line; a field for each line after it. */
static void field_key(struct cli_listing *listing, struct text key)
{
	const char *name = "key";
	struct text line;

	while (text_take_line(&key, &line)) {
		if (line.size == 0)
			continue;
		table_add_field(&listing->out, name, line);
		name = "";
	}
}

static void field_failure(struct cli_listing *listing, const struct cache_line *line)
{
	char number[64];

	table_add_field(&listing->out, "because", line->details);
	snprintf(number, sizeof(number), "%lld time%s", (long long)line->asks,
		 line->asks == 1 ? "" : "s");
	table_add_field(&listing->out, "asked for", text_of(number));
	if (line->repeats > 0) {
		snprintf(number, sizeof(number), "%lld times in a row", (long long)line->repeats + 1);
		table_add_field(&listing->out, "failed", text_of(number));
	}
	if (line->is_personal)
		table_add_field(&listing->out, "counts for", TEXT("requests with the same credentials"));
}

static void field_flight(struct cli_listing *listing, const struct cache_line *line)
{
	struct cache_flight flight;

	if (cache_flight_of(listing->store, line, &flight, &listing->trouble) <= 0)
		return;
	table_add_field(&listing->out, "made now by", text_of(flight.owner));
	field_time(listing, "", flight.started_at);
}

static int job_for_people(void *payload, const struct job_line *job)
{
	struct cli_listing *listing = payload;
	struct buf value;

	if (!is_of_scope(listing, job->scope))
		return 0;
	buf_init(&value, 4096);
	buf_add_text(&value, job->id);
	buf_printf(&value, ", %.*s, ", (int)job->state.size, job->state.bytes);
	table_add_time(&value, job->created_at, listing->now);
	table_add_field(&listing->out, "asked by", buf_text(&value));
	buf_release(&value);
	return 0;
}

static void whole_for_people(struct cli_listing *listing, const struct cache_line *line)
{
	bool failed = !text_is(line->state, "ready");
	char hex[2 * HASH_SHA256_BYTES + 1];

	hex_format(line->hash, sizeof(line->hash), hex);
	buf_printf(&listing->out, "entry %lld: ", (long long)line->id);
	buf_add_visible(&listing->out, line->state);
	buf_add_string(&listing->out, line->is_expired ? ", expired\n" : "\n");
	field_kind(listing, line);
	table_add_field(&listing->out, "scope", line->scope.bytes ? line->scope : TEXT("(global)"));
	table_add_field(&listing->out, "module", line->module);
	table_add_field(&listing->out, "of build", line->module_id);
	table_add_field(&listing->out, "source", line->source);
	field_key(listing, line->key_text);
	table_add_field(&listing->out, "hash", text_of(hex));
	if (failed)
		field_failure(listing, line);
	else
		field_payload(listing, line);
	field_time(listing, "made", line->made_at);
	table_add_field(&listing->out, "by build", line->build_id);
	if (!failed)
		field_time(listing, "last used", line->used_at);
	if (line->expires_at > 0)
		field_time(listing, failed ? "tried again" : "goes", line->expires_at);
	field_flight(listing, line);
	each_job(listing, line, job_for_people);
}

static int add_line(void *payload, const struct cache_line *line)
{
	struct cli_listing *listing = payload;

	listing->lines++;
	if (listing->as_json)
		line_as_json(listing, line);
	else if (listing->whole)
		whole_for_people(listing, line);
	else
		line_for_people(listing, line);
	return listing->out.failed || listing->trouble.kind != ERR_NONE;
}

/* --- The state folder of a command ------------------------------------------------------------- */

struct cli_opened {
	struct config config;
	struct board *board;
	struct store *store;
	struct cache *cache;
};

static void close_all(struct cli_opened *opened)
{
	if (opened->cache)
		cache_close(opened->cache);
	if (opened->store)
		store_close(opened->store);
	if (opened->board)
		board_close(opened->board);
	config_release(&opened->config);
}

static int open_all(const struct cli *cli, struct cli_opened *opened, struct err *err)
{
	memset(opened, 0, sizeof(*opened));
	if (cli_config_load(cli, &opened->config, err) < 0)
		return -1;
	if (state_take_owner(&opened->config, err) == 0 &&
	    state_open(&opened->config, &opened->store, err) == 0 &&
	    board_open(&opened->board, &opened->config, err) == 0 &&
	    cache_open(&opened->cache, &opened->config, opened->board, opened->store, err) == 0)
		return 0;
	close_all(opened);
	return -1;
}

/* --- list, show, drop, retry --------------------------------------------------------------------- */

static int list(const struct cli *cli, const struct cache_filter *filter, bool whole, int64_t most,
		struct err *err)
{
	struct cli_listing listing = { .as_json = cli->json, .whole = whole, .now = clock_unix_seconds() };
	struct cli_opened opened;
	int rc = -1;

	buf_init(&listing.out, OUT_BYTES);
	json_writer_init(&listing.json, &listing.out);
	if (open_all(cli, &opened, err) < 0)
		return -1;
	listing.store = opened.store;
	if (cli->json)
		json_array(&listing.json);
	if (cache_list(opened.cache, opened.store, filter, most, add_line, &listing, err) < 0)
		goto done;
	if (listing.trouble.kind != ERR_NONE) {
		*err = listing.trouble;
		goto done;
	}
	if (cli->json) {
		json_array_end(&listing.json);
		buf_add_char(&listing.out, '\n');
	} else if (listing.lines == most) {
		buf_printf(&listing.out, "only the first %lld; say which, or --limit\n", (long long)most);
	}
	rc = table_write(&listing.out, err);
	if (rc == 0 && listing.lines == 0)
		rc = CLI_NOTHING;
done:
	buf_release(&listing.out);
	close_all(&opened);
	return rc;
}

void cache_tell_round(const struct cli *cli, const struct cache_round *round, bool dry_run)
{
	if (cli->json)
		printf("{\"dry_run\":%s,\"removed_entries\":%llu,\"removed_bytes\":%llu,"
		       "\"orphan_files\":%llu,\"kept_entries\":%llu,\"kept_bytes\":%llu}\n",
		       dry_run ? "true" : "false", (unsigned long long)round->removed_entries,
		       (unsigned long long)round->removed_bytes, (unsigned long long)round->orphan_files,
		       (unsigned long long)round->kept_entries, (unsigned long long)round->kept_bytes);
	else
		printf("%s %llu entries, %llu bytes\n", dry_run ? "would remove" : "removed",
		       (unsigned long long)round->removed_entries,
		       (unsigned long long)round->removed_bytes);
}

/* On a terminal somebody is asked; a script has said what it wants. */
static bool may_drop(struct cli_opened *opened, const struct cache_filter *filter, int *rc,
		     struct err *err)
{
	struct cache_round round;
	char reply[8];

	if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO))
		return true;
	*rc = cache_drop(opened->cache, opened->store, filter, true, &round, err);
	if (*rc < 0 || round.removed_entries == 0)
		return *rc == 0;             /* nothing to ask about */
	fprintf(stderr, "drop %llu entries, %llu bytes? [y/N] ",
		(unsigned long long)round.removed_entries, (unsigned long long)round.removed_bytes);
	if (fgets(reply, sizeof(reply), stdin) && (reply[0] == 'y' || reply[0] == 'Y'))
		return true;
	*rc = err_set(err, ERR_BAD_REQUEST, "nothing was dropped");
	return false;
}

static int drop(const struct cli *cli, const struct cache_filter *filter, bool dry_run, bool sure,
		struct err *err)
{
	struct cache_round round = { 0 };
	struct cli_opened opened;
	int rc = 0;

	if (open_all(cli, &opened, err) < 0)
		return -1;
	if (dry_run || sure || may_drop(&opened, filter, &rc, err))
		rc = cache_drop(opened.cache, opened.store, filter, dry_run, &round, err);
	close_all(&opened);
	if (rc < 0)
		return -1;
	cache_tell_round(cli, &round, dry_run);
	return round.removed_entries > 0 ? CLI_OK : CLI_NOTHING;
}

static bool is_hash(struct text text)
{
	for (size_t i = 0; i < text.size; i++)
		if (ascii_hex_value(text.bytes[i]) < 0)
			return false;
	return text.size >= HASH_DIGITS_LEAST && text.size <= 2 * HASH_SHA256_BYTES;
}

static bool take_id(struct cache_filter *filter, struct text value)
{
	uint64_t id;

	if (!text_to_u64(value, 10, &id) || id == 0 || id >= INT64_MAX)
		return false;
	filter->id = (int64_t)id;
	return true;
}

static bool take_kind(struct cache_filter *filter, struct text value)
{
	enum cache_kind kind;

	filter->kind = value;
	return cache_kind_named(value, &kind);
}

static bool take_scope(struct cache_filter *filter, struct text value)
{
	filter->scope = value;
	return true;
}

static bool take_module(struct cache_filter *filter, struct text value)
{
	filter->module = value;
	return true;
}

static bool take_source(struct cache_filter *filter, struct text value)
{
	filter->source = value;
	return true;
}

static bool take_hash(struct cache_filter *filter, struct text value)
{
	filter->hash = value;
	return is_hash(value);
}

static bool take_sort(struct cache_filter *filter, struct text value)
{
	filter->sort = text_is(value, "id") ? TEXT_NONE : value;
	return table_is_choice(CACHE_SORTS, value);
}

enum {
	OPTION_KIND = 1, OPTION_SCOPE, OPTION_MODULE, OPTION_SOURCE, OPTION_ID, OPTION_HASH,
	OPTION_SORT, OPTION_FAILURES, OPTION_DRY_RUN, OPTION_YES, OPTION_ALL, OPTION_LIMIT,
};
static const struct cli_option options[] = {
	{ OPTION_KIND, 0, "kind", "K" },        { OPTION_SCOPE, 0, "scope", "S" },
	{ OPTION_MODULE, 0, "module", "M" },    { OPTION_SOURCE, 0, "source", "S" },
	{ OPTION_ID, 0, "id", "N" },            { OPTION_HASH, 0, "hash", "H" },
	{ OPTION_SORT, 0, "sort", CACHE_SORTS }, { OPTION_LIMIT, 0, "limit", "N" },
	{ OPTION_FAILURES, 0, "failures", NULL }, { OPTION_DRY_RUN, 0, "dry-run", NULL },
	{ OPTION_YES, 0, "yes", NULL },         { OPTION_ALL, 0, "all", NULL },
	CLI_OPTIONS_END
};

static bool (*const filters[])(struct cache_filter *filter, struct text value) = {
	[OPTION_KIND] = take_kind, [OPTION_SCOPE] = take_scope, [OPTION_MODULE] = take_module,
	[OPTION_SOURCE] = take_source, [OPTION_ID] = take_id, [OPTION_HASH] = take_hash,
	[OPTION_SORT] = take_sort,
};

/* What `show` is given without an option. */
static void take_subject(struct cache_filter *filter, struct text subject)
{
	if (take_id(filter, subject))
		return;
	if (is_hash(subject))
		filter->hash = subject;
	else
		filter->module = subject;
}

static bool is_any(const struct cache_filter *filter)
{
	return !filter->kind.bytes && !filter->scope.bytes && !filter->module.bytes &&
	       !filter->source.bytes && !filter->hash.bytes && filter->id == 0;
}

static int finish(int rc, const struct err *err)
{
	return rc < 0 ? cli_fail(err) : rc;
}

struct asked { struct cache_filter filter; bool dry_run, all, sure, shows; int64_t most; };

static void take_flag(struct asked *asked, int option)
{
	asked->filter.failures_only = asked->filter.failures_only || option == OPTION_FAILURES;
	asked->dry_run = asked->dry_run || option == OPTION_DRY_RUN;
	asked->sure = asked->sure || option == OPTION_YES;
	asked->all = asked->all || option == OPTION_ALL;
}

/* The verb and what `show` is asked for stay in argv. */
static int read_arguments(struct asked *asked, struct cli_reader *reader)
{
	const char *value;
	int option;

	while ((option = cli_next_option(reader, &value)) > 0) {
		if (option == OPTION_LIMIT) {
			if (!table_read_limit(value, &asked->most))
				return cli_misused(&cli_cache, "--limit %s is no number of entries", value);
		} else if ((size_t)option >= sizeof(filters) / sizeof(filters[0]))
			take_flag(asked, option);
		else if (!filters[option](&asked->filter, text_of(value)))
			return cli_misused(&cli_cache, "`%s` is no value this option knows", value);
	}
	if (option < 0)
		return CLI_USAGE;
	if (reader->operand_count == 0)
		return cli_misused(&cli_cache, "list, show, drop or retry?");
	asked->shows = !strcmp(reader->argv[1], "show");
	if (reader->operand_count > 1 + asked->shows)
		return cli_misused(&cli_cache, "unknown argument `%s`", reader->argv[2 + asked->shows]);
	if (reader->operand_count == 2 && !is_any(&asked->filter))
		return cli_misused(&cli_cache, "unknown argument `%s`", reader->argv[2]);
	if (reader->operand_count == 2)
		take_subject(&asked->filter, text_of(reader->argv[2]));
	return CLI_OK;
}

static int run_cache(struct cli *cli, int argc, char **argv)
{
	struct asked asked = { .most = LINES_SHOWN };
	struct cli_reader reader;
	struct err err = ERR_INIT;
	int rc;

	cli_reader_init(&reader, cli, &cli_cache, argc, argv);
	rc = read_arguments(&asked, &reader);
	if (rc != CLI_OK)
		return rc;
	if (asked.shows && is_any(&asked.filter) && !asked.filter.failures_only)
		return cli_misused(&cli_cache, "show which entry? Its number, its hash or a module");
	if (asked.shows || !strcmp(argv[1], "list"))
		return finish(list(cli, &asked.filter, asked.shows, asked.most, &err), &err);
	if (!strcmp(argv[1], "retry"))
		asked.filter.failures_only = asked.sure = true;
	else if (strcmp(argv[1], "drop") != 0)
		return cli_misused(&cli_cache, "unknown verb `%s`", argv[1]);
	if (is_any(&asked.filter) && !asked.all && !asked.filter.failures_only)
		return cli_misused(&cli_cache, "say which entries, or --all");
	return finish(drop(cli, &asked.filter, asked.dry_run, asked.sure, &err), &err);
}

const struct cli_command cli_cache = {
	.name = "cache",
	.arguments = "list|show|drop|retry [--kind K] [--scope S] [--module M] [--source S] [--id N] "
		     "[--hash H] [--failures] [--sort ORDER] [--limit N] [--dry-run] [--yes] [--all] [ENTRY]",
	.about = "list what is remembered, drop it, or forget failures so that they are tried again",
	.help =
	"  list     entries with their number, state, size and age, which build of a module they are of\n"
	"           and where it came from, and when a failure is tried again\n"
	"  show     all about entries: what they are made of, where their file lies, when they go,\n"
	"           which requests asked for them. ENTRY is a number, a hash or a module's name\n"
	"  drop     remove entries and their files; what is wanted again is made again\n"
	"  retry    forget failures only\n"
	"\n"
	"  --kind K      objects, object_meta, symcaches, ...\n"
	"  --scope S     of one scope; global is the global one\n"
	"  --module M    of one module, by its file name or its id\n"
	"  --source S    of one source, by its id\n"
	"  --id N        one entry, by the number `list` shows\n"
	"  --hash H      entries of one key, by the first 8 or more digits of its hash: the folder and\n"
	"                file names below cache_dir, put together\n"
	"  --failures    failures only\n"
	"  --sort ORDER  id (default), newest, oldest, size, used (last used first), asks (failures\n"
	"                asked for most often first)\n"
	"  --limit N     so many entries (default: 1000)\n"
	"  --dry-run     say what would go\n"
	"  --yes         drop without asking; only a terminal is asked\n"
	"  --all         drop everything\n"
	"\n"
	"Running processes notice at once.\n"
	"\n"
	"exit codes: 0 done, 1 failed, 2 wrong usage, 3 nothing matched\n",
	.options = options,
	.verbs = "list|show|drop|retry",
	.run = run_cache,
};
