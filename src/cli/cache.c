/* cache.c -- "symgate cache" and "symgate cleanup": what is remembered, and letting go of it. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/json_writer.h"
#include "board/board.h"
#include "cache/admin.h"
#include "cli/cli.h"
#include "cli/state.h"
#include "cli/table.h"
#include "keeper/keeper.h"
#include "store/store.h"

#define OUT_BYTES ((size_t)1 << 30)
#define LINES_SHOWN 1000
#define ID_COLUMNS 8u
#define KIND_COLUMNS 14u
#define STATE_COLUMNS 12u
#define SOURCE_COLUMNS 18u
#define MODULE_COLUMNS 28u

struct listing {
	struct buf out;
	struct json_writer json;
	bool as_json, whole;
	int64_t now, lines;
};

/* --- Lines ----------------------------------------------------------------------------------- */

static void line_as_json(struct json_writer *json, const struct cache_line *line)
{
	json_object(json);
	json_member_u64(json, "id", (uint64_t)line->id);
	json_member_text(json, "kind", line->kind);
	json_member_text(json, "state", line->state);
	json_member_u64(json, "bytes", line->size_bytes);
	json_member_text(json, "scope", line->scope);
	json_member_text(json, "module", line->module);
	json_member_text(json, "source", line->source);
	json_member_text(json, "details", line->details);
	json_member_u64(json, "made_at", (uint64_t)line->made_at);
	json_member_u64(json, "used_at", (uint64_t)line->used_at);
	if (line->retry_at > 0)
		json_member_u64(json, "retry_at", (uint64_t)line->retry_at);
	json_member_u64(json, "asks", (uint64_t)line->asks);
	json_object_end(json);
}

static void add_retry(struct listing *listing, const struct cache_line *line)
{
	if (text_is(line->state, "ready"))
		return;
	table_add_text(&listing->out, line->details);
	if (line->retry_at > listing->now) {
		buf_add_string(&listing->out, " (again in ");
		table_add_age(&listing->out, line->retry_at - listing->now);
		buf_add_char(&listing->out, ')');
	}
}

static void line_for_people(struct listing *listing, const struct cache_line *line)
{
	char id[24];

	snprintf(id, sizeof(id), "%lld", (long long)line->id);
	table_add_cell(&listing->out, text_of(id), ID_COLUMNS);
	table_add_cell(&listing->out, line->kind, KIND_COLUMNS);
	table_add_cell(&listing->out, line->state, STATE_COLUMNS);
	table_add_cell(&listing->out, line->source.bytes ? line->source : TEXT("-"), SOURCE_COLUMNS);
	table_add_cell(&listing->out, line->module.bytes ? line->module : TEXT("-"), MODULE_COLUMNS);
	if (text_is(line->state, "ready"))
		table_add_bytes(&listing->out, line->size_bytes);
	add_retry(listing, line);
	buf_add_char(&listing->out, '\n');
}

static int add_line(void *payload, const struct cache_line *line)
{
	struct listing *listing = payload;

	listing->lines++;
	if (listing->as_json)
		line_as_json(&listing->json, line);
	else
		line_for_people(listing, line);
	return listing->out.failed;
}

/* --- The state folder of a command ------------------------------------------------------------- */

struct opened {
	struct config config;
	struct board *board;
	struct store *store;
	struct cache *cache;
};

static void close_all(struct opened *opened)
{
	if (opened->cache)
		cache_close(opened->cache);
	if (opened->store)
		store_close(opened->store);
	if (opened->board)
		board_close(opened->board);
	config_release(&opened->config);
}

static int open_all(const struct cli *cli, struct opened *opened, struct err *err)
{
	memset(opened, 0, sizeof(*opened));
	if (cli_config_load(cli, &opened->config, err) < 0)
		return -1;
	if (state_open(&opened->config, &opened->store, err) == 0 &&
	    board_open(&opened->board, &opened->config, err) == 0 &&
	    cache_open(&opened->cache, &opened->config, opened->board, opened->store, err) == 0)
		return 0;
	close_all(opened);
	return -1;
}

/* --- list, show, drop, retry --------------------------------------------------------------------- */

static int list(const struct cli *cli, const struct cache_filter *filter, struct err *err)
{
	struct listing listing = { .as_json = cli->json, .now = clock_unix_seconds() };
	struct opened opened;
	int rc = -1;

	buf_init(&listing.out, OUT_BYTES);
	json_writer_init(&listing.json, &listing.out);
	if (open_all(cli, &opened, err) < 0)
		return -1;
	if (cli->json)
		json_array(&listing.json);
	if (cache_list(opened.store, filter, LINES_SHOWN, add_line, &listing, err) < 0)
		goto done;
	if (cli->json) {
		json_array_end(&listing.json);
		buf_add_char(&listing.out, '\n');
	} else if (listing.lines == LINES_SHOWN) {
		buf_printf(&listing.out, "only the first %d; say which\n", LINES_SHOWN);
	}
	rc = table_write(&listing.out, err);
	if (rc == 0 && listing.lines == 0)
		rc = CLI_NOTHING;
done:
	buf_release(&listing.out);
	close_all(&opened);
	return rc;
}

static void tell_round(const struct cli *cli, const struct cache_round *round, bool dry_run)
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

static int drop(const struct cli *cli, const struct cache_filter *filter, bool dry_run, struct err *err)
{
	struct cache_round round;
	struct opened opened;
	int rc;

	if (open_all(cli, &opened, err) < 0)
		return -1;
	rc = cache_drop(opened.cache, opened.store, filter, dry_run, &round, err);
	close_all(&opened);
	if (rc < 0)
		return -1;
	tell_round(cli, &round, dry_run);
	return round.removed_entries > 0 ? CLI_OK : CLI_NOTHING;
}

/* One option and its value into the filter; 0 when it is none of them, -1 when it is wrong. */
static int take_option(struct cache_filter *filter, const char *name, const char *value)
{
	enum cache_kind kind;
	uint64_t id;

	if (!strcmp(name, "--kind")) {
		filter->kind = text_of(value);
		return value && cache_kind_named(filter->kind, &kind) ? 1 : -1;
	}
	if (!strcmp(name, "--scope"))
		filter->scope = text_of(value);
	else if (!strcmp(name, "--module"))
		filter->module = text_of(value);
	else if (!strcmp(name, "--source"))
		filter->source = text_of(value);
	else if (!strcmp(name, "--id") && value && text_to_u64(text_of(value), 10, &id) && id < INT64_MAX)
		filter->id = (int64_t)id;
	else
		return !strcmp(name, "--id") ? -1 : 0;
	return value ? 1 : -1;
}

static bool is_any(const struct cache_filter *filter)
{
	return !filter->kind.bytes && !filter->scope.bytes && !filter->module.bytes &&
	       !filter->source.bytes && filter->id == 0;
}

static int finish(int rc, const struct err *err)
{
	return rc < 0 ? cli_fail(err) : rc;
}

static int run_cache(struct cli *cli, int argc, char **argv)
{
	struct cache_filter filter = { 0 };
	bool dry_run = false, all = false;
	struct err err = ERR_INIT;

	if (argc < 2)
		return cli_misused(&cli_cache, "list, drop or retry?");
	for (int i = 2; i < argc; i++) {
		int taken = take_option(&filter, argv[i], i + 1 < argc ? argv[i + 1] : NULL);

		if (taken < 0)
			return cli_misused(&cli_cache, "%s needs a value it knows", argv[i]);
		if (taken > 0)
			i++;
		else if (!strcmp(argv[i], "--failures"))
			filter.failures_only = true;
		else if (!strcmp(argv[i], "--dry-run"))
			dry_run = true;
		else if (!strcmp(argv[i], "--all"))
			all = true;
		else
			return cli_misused(&cli_cache, "unknown argument `%s`", argv[i]);
	}
	if (!strcmp(argv[1], "list"))
		return finish(list(cli, &filter, &err), &err);
	if (!strcmp(argv[1], "retry"))
		filter.failures_only = true;
	else if (strcmp(argv[1], "drop") != 0)
		return cli_misused(&cli_cache, "unknown verb `%s`", argv[1]);
	if (is_any(&filter) && !all && !filter.failures_only)
		return cli_misused(&cli_cache, "say which entries, or --all");
	return finish(drop(cli, &filter, dry_run, &err), &err);
}

const struct cli_command cli_cache = {
	.name = "cache",
	.arguments = "list|drop|retry [--kind K] [--scope S] [--module M] [--source S] [--id N] "
		     "[--failures] [--dry-run] [--all]",
	.about = "list what is remembered, drop it, or forget failures so that they are tried again",
	.help =
	"  list     entries with their state, size, and when a failure is tried again\n"
	"  drop     remove entries and their files; what is wanted again is made again\n"
	"  retry    forget failures only\n"
	"\n"
	"  --kind K      objects, object_meta, symcaches, ...\n"
	"  --scope S     of one scope; global is the global one\n"
	"  --module M    of one module, by its file name\n"
	"  --source S    of one source, by its id\n"
	"  --id N        one entry, by the number `list` shows\n"
	"  --failures    failures only\n"
	"  --dry-run     say what would go\n"
	"  --all         drop everything\n"
	"\n"
	"Running processes notice at once.\n"
	"\n"
	"exit codes: 0 done, 1 failed, 2 wrong usage, 3 nothing matched\n",
	.run = run_cache,
};

/* --- cleanup --------------------------------------------------------------------------------------- */

static int clean_up(const struct cli *cli, bool dry_run, struct err *err)
{
	struct cache_round round;
	struct config config;
	struct board *board;
	int rc;

	if (cli_config_load(cli, &config, err) < 0)
		return -1;
	rc = board_open(&board, &config, err);
	if (rc == 0) {
		rc = keeper_once(&config, board, dry_run, &round, err);
		board_close(board);
	}
	config_release(&config);
	if (rc == 0)
		tell_round(cli, &round, dry_run);
	return rc;
}

static int run_cleanup(struct cli *cli, int argc, char **argv)
{
	bool dry_run = argc == 2 && !strcmp(argv[1], "--dry-run");
	struct err err = ERR_INIT;

	if (argc > 1 && !dry_run)
		return cli_misused(&cli_cleanup, "unknown argument `%s`", argv[1]);
	return finish(clean_up(cli, dry_run, &err), &err);
}

const struct cli_command cli_cleanup = {
	.name = "cleanup",
	.arguments = "[--dry-run]",
	.about = "one round of the keeper: what is expired, over the quota or orphaned goes",
	.help =
	"The keeper of a running service does this by itself; this is for cron where none runs, and\n"
	"to see what would go.\n"
	"\n"
	"exit codes: 0 done, 1 failed, 2 wrong usage\n",
	.run = run_cleanup,
};
