/* symbolicate.c -- "symgate symbolicate": one request, answered without a service. */
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/limits.h"
#include "cli/cells.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/sources.h"
#include "cli/state.h"
#include "cli/table.h"
#include "cli/trace.h"
#include "symbolicate/symbolicate.h"
#include "workshop/workshop.h"

#define PATH_BYTES 4096u
#define SOURCE_BYTES 65536u
#define READ_BYTES 65536u
#define TREE_DESCRIPTORS 16

struct wish { const char *path, *symbols; };

/* --- The request ------------------------------------------------------------------------- */

static int read_input(struct buf *body, size_t most, struct err *err)
{
	ssize_t got;

	do {
		char *room = buf_reserve(body, READ_BYTES);

		if (!room)
			return buf_check(body, err);
		got = read(STDIN_FILENO, room, READ_BYTES);
		if (got < 0)
			return err_os(err, errno, "reading standard input");
		body->size += (size_t)got;
		if (body->size > most)
			return err_set(err, ERR_TOO_LARGE, "standard input is over %zu bytes", most);
	} while (got > 0);
	return 0;
}

static int read_body(const struct config *config, const struct wish *wish, struct buf *body,
		     struct err *err)
{
	size_t most = (size_t)config->symbolicate_body_max_bytes;

	if (strcmp(wish->path, "-") == 0)
		return read_input(body, most, err);
	return file_read_all(wish->path, most, body, err);
}

/* What is no JSON goes through: the refusal has the words for it. */
static bool is_json(struct text body)
{
	struct err err = ERR_INIT;
	struct arena arena;
	struct cJSON *json;
	bool fine;

	arena_init(&arena, LIMIT_REQUEST_ARENA_BYTES);
	fine = request_json_parse(body, &arena, &json, &err) == 0;
	arena_release(&arena);
	return fine;
}

static int make_body(const struct config *config, const struct wish *wish, struct buf *body,
		     struct err *err)
{
	struct buf read_bytes, source;
	int rc = -1;

	buf_init(&read_bytes, LIMIT_REPLY_BYTES);
	buf_init(&source, SOURCE_BYTES);
	if (read_body(config, wish, &read_bytes, err) < 0)
		goto done;
	if (wish->symbols && sources_local(wish->symbols, &source, err) < 0)
		goto done;
	if (wish->symbols && is_json(buf_text(&read_bytes)))
		sources_add(buf_text(&read_bytes), buf_text(&source), text_of(config->sources_json),
			    body);
	else
		buf_add_text(body, buf_text(&read_bytes));
	rc = buf_check(body, err);
done:
	buf_release(&read_bytes);
	buf_release(&source);
	return rc;
}

/* --- A state folder for this once ---------------------------------------------------------- */

static int make_folder(char path[PATH_BYTES], struct err *err)
{
	const char *folder = getenv("TMPDIR");

	if (!folder || folder[0] != '/')
		folder = "/tmp";
	if ((size_t)snprintf(path, PATH_BYTES, "%s/symgate-XXXXXX", folder) >= PATH_BYTES)
		return err_set(err, ERR_IO, "TMPDIR is too long");
	if (!mkdtemp(path))
		return err_os(err, errno, "making a folder in %s", folder);
	return 0;
}

static int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *walk)
{
	(void)st;
	(void)kind;
	(void)walk;
	return remove(path);
}

/* --- The answer ----------------------------------------------------------------------------- */

static int show_answer(struct cli *cli, struct text reply, bool *found, struct err *err)
{
	struct buf out;
	int rc;

	buf_init(&out, 4 * LIMIT_REPLY_BYTES);
	rc = trace_show(reply, cli->colour, &out, found, err);
	if (cli->json) {
		buf_clear(&out);
		buf_add_text(&out, reply);
		buf_add_char(&out, '\n');
	}
	if (cli->json || rc == 0) {
		struct err write_err = ERR_INIT;

		if (table_write(&out, &write_err) < 0) {
			*err = write_err;
			rc = -1;
		}
	}
	buf_release(&out);
	return rc;
}

static int answer(struct cli *cli, const struct config *config, const struct wish *wish,
		  bool *found, struct err *err)
{
	struct nursery *nursery = NULL;
	struct buf body, reply;
	int rc = -1;

	buf_init(&body, 2 * LIMIT_REPLY_BYTES);
	buf_init(&reply, LIMIT_REPLY_BYTES);
	if (make_body(config, wish, &body, err) < 0 || cells_start(&nursery, config, err) < 0)
		goto done;
	progress_start("symbolicating");
	rc = workshop_answer(config, nursery, &request_kind_symbolicate, buf_text(&body), &reply,
			     NULL, err);
	progress_stop();
	nursery_stop(nursery);
	if (rc == 0)
		rc = show_answer(cli, buf_text(&reply), found, err);
done:
	buf_release(&body);
	buf_release(&reply);
	return rc;
}

/* Whoever runs this could read any file and reach any address without us. */
static void allow_what_the_user_may(struct cli *cli, struct config *config)
{
	static const char *const everywhere[] = { "/" };

	config->filesystem_roots = everywhere;
	config->filesystem_root_count = 1;
	if (cli->config_count == 0)
		config->connect_to_reserved_ips = true;
}

/* Blobs belong beside the database that knows them. */
static int keep_together(struct config *config, struct err *err)
{
	config->cache_dir = arena_printf(&config->arena, "%s/cache", config->state_dir);
	config->cache_is_of_boot = false;
	return config->cache_dir ? 0 : err_set(err, ERR_NO_MEMORY, "no room for a path");
}

static int run_in_state(struct cli *cli, const struct wish *wish, bool *found, struct err *err)
{
	struct config config;
	int rc = -1;

	if (cli_config_load(cli, &config, err) < 0)
		return -1;
	if (!config.log_path && cli->config_count == 0)
		config.log_level = LOG_ERROR;
	if (state_take_owner(&config, err) < 0)
		goto done;
	if (log_open(config.log_path, config.log_level, config.log_format) < 0)
		err_set(err, ERR_IO, "opening the log %s", config.log_path);
	else if (keep_together(&config, err) == 0 &&
		 file_make_folders(config.state_dir, 0700, err) == 0) {
		allow_what_the_user_may(cli, &config);
		rc = answer(cli, &config, wish, found, err);
	}
done:
	config_release(&config);
	return rc;
}

enum { OPTION_SYMBOLS = 1 };
static const struct cli_option options[] = {
	{ OPTION_SYMBOLS, 0, "symbols", "DIR" }, CLI_OPTIONS_END
};

static int run(struct cli *cli, int argc, char **argv)
{
	struct wish wish = { 0 };
	char folder[PATH_BYTES];
	struct err err = ERR_INIT;
	struct cli_reader reader;
	bool found = false, temporary;
	const char *value;
	int option, rc;

	cli_reader_init(&reader, cli, &cli_symbolicate, argc, argv);
	while ((option = cli_next_option(&reader, &value)) > 0)
		wish.symbols = value;
	if (option < 0)
		return CLI_USAGE;
	temporary = !cli->state_dir;
	if (reader.operand_count > 1)
		return cli_misused(&cli_symbolicate, "what is `%s`?", argv[2]);
	wish.path = argv[1];
	if (reader.operand_count == 0)
		return cli_misused(&cli_symbolicate, "which FILE? (- is standard input)");
	if (temporary) {
		if (make_folder(folder, &err) < 0)
			return cli_fail(&err);
		cli->state_dir = folder;
	}
	rc = run_in_state(cli, &wish, &found, &err);
	if (temporary)
		nftw(folder, remove_entry, TREE_DESCRIPTORS, FTW_DEPTH | FTW_PHYS);
	if (rc < 0)
		return cli_fail(&err);
	return found ? CLI_OK : CLI_NOTHING;
}

const struct cli_command cli_symbolicate = {
	.name = "symbolicate",
	.arguments = "[--symbols [LAYOUT:]DIR] FILE.json",
	.about = "answer one request as the service would, and show its stack traces",
	.help =
	"FILE.json is what would be posted to /symbolicate: stacktraces, modules, sources. -\n"
	"is standard input. No service is needed; the sources of the configuration file (-c)\n"
	"are used unless the request names its own.\n"
	"\n"
	"  --symbols [LAYOUT:]DIR   a folder of debug files, as one more source. LAYOUT is\n"
	"                           unified (default), native, symstore, symstore_index2,\n"
	"                           ssqp, debuginfod or slashsymbols\n"
	"\n"
	"What is downloaded and converted is forgotten afterwards, unless --state-dir names a\n"
	"folder to keep it in. Filesystem sources may name any folder, and without -c sources\n"
	"on this machine and in private networks may be asked.\n"
	"\n"
	"With --json the service's reply as it is.\n"
	"\n"
	"exit codes: 0 some frame got a name, 1 failed, 2 wrong usage, 3 no frame got a name\n",
	.options = options,
	.run = run,
};
