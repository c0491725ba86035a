/* status.c -- "symgate status": the service at a glance, from its database and board. */
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/json_writer.h"
#include "board/board.h"
#include "cache/overview.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/state.h"
#include "cli/cli_table.h"
#include "front/front_counters.h"
#include "job/job_list.h"
#include "sandbox/sandbox.h"
#include "shared/shared.h"
#include "shared/shared_counters.h"
#include "store/boot.h"
#include "store/damage.h"
#include "store/store.h"
#include "workshop/workshop_counters.h"

#define OUT_BYTES ((size_t)64 * 1024 * 1024)
#define DAY_SECONDS 86400
#define JOBS_SHOWN 20
#define STATE_COLUMNS 16u
#define NAME_COLUMNS 24u
#define COUNT_COLUMNS 12u
#define ID_COLUMNS 38u

/* Every section is written twice over: as JSON, or as lines. */
struct status {
	struct store *store;
	struct buf out;
	struct json_writer json;
	bool as_json;
	bool any;                    /* rows in this section */
	int64_t now;
};

static void heading(struct status *status, const char *name, const char *columns)
{
	status->any = false;
	if (status->as_json) {
		json_key(&status->json, name);
		json_array(&status->json);
	} else {
		buf_printf(&status->out, "\n%s\n", columns);
	}
}

static void section_end(struct status *status)
{
	if (status->as_json)
		json_array_end(&status->json);
	else if (!status->any)
		buf_add_string(&status->out, "  none\n");
}

static void add_number(struct buf *out, uint64_t number)
{
	char text[32];
	struct buf digits;

	buf_init(&digits, sizeof(text));
	buf_printf(&digits, "%llu", (unsigned long long)number);
	table_add_cell(out, buf_text(&digits), COUNT_COLUMNS);
	buf_release(&digits);
}

static void add_ago(struct status *status, int64_t at)
{
	table_add_time(&status->out, at, status->now);
}

/* --- Rows ---------------------------------------------------------------------------------- */

static int live_row(void *payload, const struct job_state_sum *sum)
{
	struct status *status = payload;

	status->any = true;
	if (status->as_json) {
		json_object(&status->json);
		json_member_text(&status->json, "state", sum->state);
		json_member_u64(&status->json, "count", sum->jobs);
		table_json_time(&status->json, "oldest_at", sum->oldest_at);
		json_object_end(&status->json);
		return 0;
	}
	buf_add_string(&status->out, "  ");
	table_add_cell(&status->out, sum->state, STATE_COLUMNS);
	add_number(&status->out, sum->jobs);
	buf_add_string(&status->out, "the oldest came ");
	add_ago(status, sum->oldest_at);
	buf_add_char(&status->out, '\n');
	return 0;
}

static int ended_row(void *payload, const struct job_state_sum *sum)
{
	struct status *status = payload;

	status->any = true;
	if (status->as_json) {
		json_object(&status->json);
		json_member_text(&status->json, "state", sum->state);
		json_member_u64(&status->json, "count", sum->jobs);
		json_member_u64(&status->json, "slowest_millis", (uint64_t)sum->slowest_millis);
		json_object_end(&status->json);
		return 0;
	}
	buf_add_string(&status->out, "  ");
	table_add_cell(&status->out, sum->state, STATE_COLUMNS);
	add_number(&status->out, sum->jobs);
	buf_printf(&status->out, "the slowest took %.1f s\n", (double)sum->slowest_millis / 1000);
	return 0;
}

static int running_row(void *payload, const struct job_line *job)
{
	struct status *status = payload;

	status->any = true;
	if (status->as_json) {
		json_object(&status->json);
		json_member_text(&status->json, "id", job->id);
		json_member_text(&status->json, "kind", job->kind);
		json_member_text(&status->json, "scope", job->scope);
		json_member_text(&status->json, "state", job->state);
		table_json_time(&status->json, "created_at", job->created_at);
		json_member_u64(&status->json, "attempt", (uint64_t)job->attempt);
		json_member_text(&status->json, "owner", job->owner);
		json_object_end(&status->json);
		return 0;
	}
	buf_add_string(&status->out, "  ");
	table_add_cell(&status->out, job->id, ID_COLUMNS);
	table_add_cell(&status->out, job->state, STATE_COLUMNS);
	add_ago(status, job->created_at);
	buf_printf(&status->out, ", attempt %lld\n", (long long)job->attempt);
	return 0;
}

static int cache_row(void *payload, const struct cache_kind_sum *sum)
{
	struct status *status = payload;

	status->any = true;
	if (status->as_json) {
		json_object(&status->json);
		json_member_text(&status->json, "kind", sum->kind);
		json_member_u64(&status->json, "version", (uint64_t)sum->version);
		json_member_bool(&status->json, "outdated", sum->is_outdated);
		json_member_u64(&status->json, "ready", sum->ready);
		json_member_u64(&status->json, "failures", sum->failures);
		json_member_u64(&status->json, "bytes", sum->bytes);
		json_object_end(&status->json);
		return 0;
	}
	buf_add_string(&status->out, "  ");
	table_add_cell(&status->out, sum->kind, NAME_COLUMNS);
	add_number(&status->out, sum->ready);
	add_number(&status->out, sum->failures);
	table_add_bytes(&status->out, sum->bytes);
	if (sum->is_outdated)
		buf_printf(&status->out, " (version %lld, made again when asked for)",
			   (long long)sum->version);
	buf_add_char(&status->out, '\n');
	return 0;
}

static int source_row(void *payload, const struct cache_source_sum *sum)
{
	const struct { const char *key; uint64_t count; } counts[] = {
		{ "ready", sum->ready }, { "not_found", sum->not_found }, { "denied", sum->denied },
		{ "failed", sum->failed },
	};
	struct status *status = payload;

	status->any = true;
	if (status->as_json) {
		json_object(&status->json);
		json_member_text(&status->json, "source", sum->source);
		for (unsigned i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
			json_member_u64(&status->json, counts[i].key, counts[i].count);
		json_object_end(&status->json);
		return 0;
	}
	buf_add_string(&status->out, "  ");
	table_add_cell(&status->out, sum->source, NAME_COLUMNS);
	for (unsigned i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		add_number(&status->out, counts[i].count);
	add_ago(status, sum->newest_at);
	buf_add_char(&status->out, '\n');
	return 0;
}

static int show_boot(struct status *status, struct err *err)
{
	char since[CLOCK_TEXT_BYTES];
	struct store_boot boot;

	if (store_boot(status->store, &boot, err) < 0)
		return -1;
	if (boot.number == 0)
		return 0;
	clock_format_utc(boot.started_at, since);
	if (status->as_json) {
		json_key(&status->json, "boot");
		json_object(&status->json);
		json_member_u64(&status->json, "number", (uint64_t)boot.number);
		json_member_string(&status->json, "build", boot.build_id);
		json_member_string(&status->json, "started", since);
		json_object_end(&status->json);
		return 0;
	}
	buf_printf(&status->out, "boot     %lld, since %s, build ", (long long)boot.number, since);
	buf_add_visible(&status->out, text_of(boot.build_id));
	buf_add_char(&status->out, '\n');
	return 0;
}

/* --- Sections -------------------------------------------------------------------------------- */

static void show_gauges(struct status *status, const struct board *board)
{
	static const struct { const struct counter_set *gauge; const char *key; } gauges[] = {
		{ &front_parked_now, "parked_requests" }, { &workshop_jobs_now, "running_jobs" },
		{ &workshop_cells_now, "cells" },            { &workshop_downloads_now, "downloads" },
	};
	int level = board_sandbox_level(board);
	const char *name = level < 0 ? "unknown" : sandbox_level_name((enum sandbox_level)level);

	if (status->as_json)
		json_member_string(&status->json, "sandbox", name);
	else
		buf_printf(&status->out, "sandbox  %s\nnow     ", name);
	for (size_t i = 0; i < sizeof(gauges) / sizeof(gauges[0]); i++) {
		int64_t value = board_gauge(board, gauges[i].gauge);

		if (status->as_json) {
			json_key(&status->json, gauges[i].key);
			json_i64(&status->json, value);
		} else {
			buf_printf(&status->out, "%s%lld ", i > 0 ? ", " : " ", (long long)value);
			for (const char *c = gauges[i].key; *c; c++)
				buf_add_char(&status->out, *c == '_' ? ' ' : *c);
		}
	}
	if (!status->as_json)
		buf_add_char(&status->out, '\n');
}

/* What became of asking and telling it, since the board was made. */
static void show_shared_cache(struct status *status, const struct config *config,
			      const struct board *board)
{
	static const struct { enum shared_lookup lookup; const char *key; } counters[] = {
		{ SHARED_HIT, "hits" },       { SHARED_MISS, "misses" },
		{ SHARED_ERROR, "errors" },   { SHARED_REFUSED, "refused" },
		{ SHARED_BLOCKED, "blocked" },
	};
	uint64_t told = 0;
	uint64_t waiting = (uint64_t)board_gauge(board, &shared_waiting_now);
	struct buf place;

	if (!config_has_shared_cache(config))
		return;
	buf_init(&place, OUT_BYTES);
	shared_name_place(config, &place);
	for (unsigned reason = 0; reason < SHARED_REASONS; reason++)
		told += board_counter(board, &shared_uploads, reason * SHARED_RESULTS + SHARED_STORED);
	if (status->as_json) {
		json_key(&status->json, "shared_cache");
		json_object(&status->json);
		json_member_text(&status->json, "place", buf_text(&place));
		for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
			json_member_u64(&status->json, counters[i].key,
					board_counter(board, &shared_lookups, counters[i].lookup));
		json_member_u64(&status->json, "told", told);
		json_member_u64(&status->json, "waiting", waiting);
		json_object_end(&status->json);
	} else {
		buf_add_string(&status->out, "shared   ");
		buf_add_visible(&status->out, buf_text(&place));
		for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
			buf_printf(&status->out, "%s%llu %s", i > 0 ? ", " : ": ",
				   (unsigned long long)board_counter(board, &shared_lookups, counters[i].lookup),
				   counters[i].key);
		buf_printf(&status->out, "; %llu told, %llu waiting\n", (unsigned long long)told,
			   (unsigned long long)waiting);
	}
	buf_release(&place);
}

/* Somebody met it, though what is shown here may all be readable. */
static void show_damage(struct status *status, const struct config *config)
{
	char words[STORE_DAMAGE_WORDS];

	if (!store_damage_is_known(config->state_dir, words))
		return;
	if (status->as_json) {
		json_member_text(&status->json, "damage", text_of(words));
		return;
	}
	buf_add_string(&status->out, "database is damaged (");
	buf_add_visible(&status->out, text_of(words));
	buf_add_string(&status->out, "): stop the service, then: symgate repair\n");
}

static int show_board(struct status *status, const struct config *config, struct err *err)
{
	bool alive = state_is_alive(config);
	struct board *board;

	if (status->as_json) {
		json_member_string(&status->json, "state_dir", config->state_dir);
		json_member_bool(&status->json, "running", alive);
	} else {
		buf_add_string(&status->out, "state    ");
		buf_add_visible(&status->out, text_of(config->state_dir));
		buf_printf(&status->out, "\nservice  %s\n", alive ? "running" : "not running");
	}
	show_damage(status, config);
	if (show_boot(status, err) < 0)
		return -1;
	if (!alive)
		return 0;
	if (board_open(&board, config, err) < 0)
		return -1;
	show_gauges(status, board);
	show_shared_cache(status, config, board);
	board_close(board);
	return 0;
}

static int show_jobs(struct status *status, struct err *err)
{
	heading(status, "live", "jobs under way");
	if (job_sum_live(status->store, live_row, status, err) < 0)
		return -1;
	section_end(status);
	heading(status, "jobs", "  id                                    state           came");
	if (job_list_under_way(status->store, JOBS_SHOWN, running_row, status, err) < 0)
		return -1;
	section_end(status);
	heading(status, "ended", "jobs that ended in the last day");
	if (job_sum_ended(status->store, status->now - DAY_SECONDS, ended_row, status, err) < 0)
		return -1;
	section_end(status);
	return 0;
}

static int show_caches(struct status *status, struct err *err)
{
	heading(status, "caches", "  cache                   ready       failures    size");
	if (cache_sum_kinds(status->store, cache_row, status, err) < 0)
		return -1;
	section_end(status);
	heading(status, "sources",
		"  source                  ready       not found   denied      failed      last");
	if (cache_sum_sources(status->store, source_row, status, err) < 0)
		return -1;
	section_end(status);
	return 0;
}

static int show_all(struct status *status, const struct config *config, struct err *err)
{
	if (status->as_json)
		json_object(&status->json);
	if (show_board(status, config, err) < 0 || show_jobs(status, err) < 0 ||
	    show_caches(status, err) < 0)
		return -1;
	if (status->as_json) {
		json_object_end(&status->json);
		buf_add_char(&status->out, '\n');
	}
	return 0;
}

static int run(struct cli *cli, int argc, char **argv)
{
	struct status status = { .now = clock_unix_seconds() };
	struct cli_reader reader;
	struct config config;
	struct err err = ERR_INIT;
	int rc;

	cli_reader_init(&reader, cli, &cli_status, argc, argv);
	if (cli_only_operands(&reader) < 0)
		return CLI_USAGE;
	if (reader.operand_count > 0)
		return cli_misused(&cli_status, "what is `%s`?", argv[1]);
	if (cli_config_load(cli, &config, &err) < 0)
		return cli_fail(&err);
	status.as_json = cli->json;
	buf_init(&status.out, OUT_BYTES);
	json_writer_init(&status.json, &status.out);
	rc = state_take_owner(&config, &err);
	if (rc == 0)
		rc = state_open(&config, &status.store, &err);
	if (rc == 0) {
		rc = show_all(&status, &config, &err);
		store_close(status.store);
	}
	if (rc == 0)
		rc = table_write(&status.out, &err);
	buf_release(&status.out);
	config_release(&config);
	return rc < 0 ? cli_fail(&err) : CLI_OK;
}

const struct cli_command cli_status = {
	.name = "status",
	.arguments = "",
	.about = "jobs, caches, sources and the sandbox of a service",
	.help =
	"Looks at the state folder that -c FILE or --state-dir DIR name; the service may be\n"
	"running or not. `failures' are remembered until they may be tried again; `symgate why\n"
	"MODULE' tells them one by one. The same facts and more stand in the database's views:\n"
	"sqlite3 -box STATE_DIR/symgate.db 'SELECT * FROM v_jobs'\n"
	"\n"
	"exit codes: 0 done, 1 there is no such state folder or it cannot be read, 2 wrong usage\n",
	.run = run,
};
