/* prefetch.c -- "symgate prefetch": the debug files of some modules, fetched and converted ahead. */
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/limits.h"
#include "cli/cli_cells.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/state.h"
#include "cli/cli_table.h"
#include "kinds/kinds.h"
#include "work/request_json.h"
#include "work/work.h"
#include "workshop/workshop.h"

#define STATUS_COLUMNS 16u

struct prefetch {
	struct cli *cli;
	struct config config;
	struct nursery *nursery;
	size_t found, others;
};

/*
 * A request as it would be posted, or as it came: its modules and sources count.  One frame on
 * each module makes all of them wanted.
 */
static int make_request(struct text body, struct arena *arena, struct buf *out, struct err *err)
{
	struct json_writer json;
	struct cJSON *request;
	const cJSON *modules, *sources;
	char *text;

	if (request_json_parse(body, arena, &request, err) < 0)
		return -1;
	modules = cJSON_GetObjectItemCaseSensitive(request, "modules");
	sources = cJSON_GetObjectItemCaseSensitive(request, "sources");
	if (!cJSON_IsArray(modules))
		return err_set(err, ERR_BAD_SHAPE, "modules: a list is expected");
	json_writer_init(&json, out);
	json_object(&json);
	json_key(&json, "modules");
	text = cJSON_PrintUnformatted(modules);
	json_raw(&json, text_of(text));
	cJSON_free(text);
	if (sources) {
		json_key(&json, "sources");
		text = cJSON_PrintUnformatted(sources);
		json_raw(&json, text_of(text));
		cJSON_free(text);
	}
	json_key(&json, "stacktraces");
	json_array(&json);
	json_object(&json);
	json_key(&json, "frames");
	json_array(&json);
	for (int i = 0; i < cJSON_GetArraySize(modules); i++) {
		char mode[32];

		snprintf(mode, sizeof(mode), "rel:%d", i);
		json_object(&json);
		json_member_string(&json, "addr_mode", mode);
		json_member_string(&json, "instruction_addr", "0x0");
		json_object_end(&json);
	}
	json_array_end(&json);
	json_object_end(&json);
	json_array_end(&json);
	json_object_end(&json);
	return buf_check(out, err);
}

/* One line per module: what became of it. */
static int show_modules(struct prefetch *prefetch, struct text reply, struct arena *arena,
			struct err *err)
{
	const cJSON *module;
	struct cJSON *json;
	struct buf out;
	int rc = -1;

	buf_init(&out, LIMIT_REPLY_BYTES);
	if (request_json_parse(reply, arena, &json, err) < 0)
		goto done;
	cJSON_ArrayForEach(module, cJSON_GetObjectItemCaseSensitive(json, "modules")) {
		struct text status = cli_member(module, "debug_status");
		struct text name = cli_member(module, "debug_file");

		if (text_is(status, "found"))
			prefetch->found++;
		else
			prefetch->others++;
		if (prefetch->cli->json)
			continue;
		table_add_cell(&out, status, STATUS_COLUMNS);
		if (!name.bytes)
			name = cli_member(module, "code_file");
		buf_add_visible(&out, name.bytes ? text_basename(name) : TEXT("-"));
		buf_add_char(&out, ' ');
		buf_add_visible(&out, cli_member(module, "debug_id"));
		buf_add_char(&out, '\n');
	}
	if (prefetch->cli->json) {
		buf_add_text(&out, reply);
		buf_add_char(&out, '\n');
	}
	rc = table_write(&out, err);
done:
	buf_release(&out);
	return rc;
}

static int fetch_one(struct prefetch *prefetch, const char *path, struct err *err)
{
	size_t most = (size_t)prefetch->config.symbolicate_body_max_bytes;
	struct buf body, request, reply;
	struct work_body sent;
	struct arena arena;
	int rc = -1;

	buf_init(&body, most);
	buf_init(&request, 2 * LIMIT_REPLY_BYTES);
	buf_init(&reply, LIMIT_REPLY_BYTES);
	arena_init(&arena, LIMIT_REQUEST_ARENA_BYTES);
	if (file_read_all(path, most, &body, err) == 0 &&
	    make_request(buf_text(&body), &arena, &request, err) == 0) {
		sent = work_body_of(buf_text(&request));
		progress_start("fetching");
		rc = workshop_answer(&prefetch->config, prefetch->nursery, &request_kind_symbolicate,
				     &sent, &reply, NULL, err);
		progress_stop();
	}
	if (rc == 0)
		rc = show_modules(prefetch, buf_text(&reply), &arena, err);
	arena_release(&arena);
	buf_release(&body);
	buf_release(&request);
	buf_release(&reply);
	return rc < 0 ? err_while(err, "%s", path) : 0;
}

static int fetch_all(struct prefetch *prefetch, int count, char **paths, struct err *err)
{
	int rc = 0;

	if (cells_start(&prefetch->nursery, &prefetch->config, err) < 0)
		return -1;
	for (int i = 0; i < count && rc == 0; i++)
		rc = fetch_one(prefetch, paths[i], err);
	nursery_stop(prefetch->nursery);
	return rc;
}

static int run(struct cli *cli, int argc, char **argv)
{
	struct prefetch prefetch = { .cli = cli };
	struct cli_reader reader;
	struct err err = ERR_INIT;
	int rc;

	cli_reader_init(&reader, cli, &cli_prefetch, argc, argv);
	if (cli_only_operands(&reader) < 0)
		return CLI_USAGE;
	if (reader.operand_count == 0)
		return cli_misused(&cli_prefetch, "which requests?");
	if (cli_config_load(cli, &prefetch.config, &err) < 0)
		return cli_fail(&err);
	if (!prefetch.config.log_path)
		prefetch.config.log_level = LOG_ERROR;
	if (state_take_owner(&prefetch.config, &err) < 0) {
		config_release(&prefetch.config);
		return cli_fail(&err);
	}
	rc = log_open(prefetch.config.log_path, prefetch.config.log_level, prefetch.config.log_format);
	if (rc < 0)
		err_set(&err, ERR_IO, "opening the log %s", prefetch.config.log_path);
	else
		rc = fetch_all(&prefetch, reader.operand_count, argv + 1, &err);
	config_release(&prefetch.config);
	if (rc < 0)
		return cli_fail(&err);
	if (!cli->json)
		printf("%zu of %zu modules are ready\n", prefetch.found, prefetch.found + prefetch.others);
	return prefetch.found > 0 ? CLI_OK : CLI_NOTHING;
}

const struct cli_command cli_prefetch = {
	.name = "prefetch",
	.arguments = "REQUEST.json...",
	.about = "fetch and convert the debug files of requests ahead of time",
	.help =
	"Every module of the requests is looked for on their sources (or the config's), fetched and\n"
	"converted into the caches of the state folder, whether a frame names it or not. A service\n"
	"on the same folder answers from them at once; with `offline: true` in the config it goes\n"
	"on doing so where no symbol server can be reached.\n"
	"\n"
	"exit codes: 0 something is ready, 1 failed, 2 wrong usage, 3 nothing was found\n",
	.run = run,
};
