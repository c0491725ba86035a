/* standalone.c -- see standalone.h. */
#include "cli/standalone.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "base/err.h"
#include "base/file.h"
#include "base/limits.h"
#include "cli/cli_cells.h"
#include "cli/cli.h"
#include "cli/cli_sources.h"
#include "cli/cli_table.h"
#include "cli/progress.h"
#include "cli/state.h"
#include "work/work.h"
#include "workshop/workshop.h"

#define PATH_BYTES 4096u
#define TREE_DESCRIPTORS 16
#define LOCAL_MODULES_MAX 1024u

/* --- Sources and modules ------------------------------------------------------------------- */

static int make_sources(struct standalone *alone, const struct standalone_symbols *symbols,
			struct err *err)
{
	for (unsigned i = 0; i < symbols->folder_count; i++) {
		char *folder = alone->folders[alone->folder_count];
		int rc = sources_local(symbols->folders[i], i, folder, &alone->sources, err);

		if (rc < 0)
			return -1;
		if (rc > 0)
			alone->folder_list[alone->folder_count++] = folder;
	}
	for (unsigned i = 0; i < symbols->url_count; i++)
		if (sources_remote(symbols->urls[i], i, &alone->sources, err) < 0)
			return -1;
	alone->has_only_links = alone->sources.size == 0;
	if (alone->sources.size > 0)
		buf_add_char(&alone->sources, ',');
	local_source(&alone->local, &alone->sources);
	return buf_check(&alone->sources, err);
}

bool standalone_has_no_source(const struct standalone *alone)
{
	return alone->has_only_links && strcmp(alone->config->sources_json, "[]") == 0;
}

int standalone_add_modules(struct standalone *alone, const struct cJSON *modules, struct err *err)
{
	static const char *const keys[] = { "code_file", "debug_file" };
	size_t count = 0, most = 2 * (size_t)cJSON_GetArraySize(modules);
	struct text *names = arena_alloc(&alone->local.arena, most + 1, sizeof(*names));
	const struct cJSON *module;
	struct local_file file;

	if (!names)
		return err_set(err, ERR_NO_MEMORY, "no room for the modules");
	cJSON_ArrayForEach(module, modules) {
		for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
			struct text path = cli_member(module, keys[i]);

			if (path.size == 0 || count >= LOCAL_MODULES_MAX)
				continue;
			names[count++] = path;
			if (path.bytes[0] == '/' &&
			    local_add(&alone->local, path.bytes, &file, err) < 0)
				return -1;
		}
	}
	for (size_t i = 0; i < alone->folder_count; i++)
		if (local_add_folder(&alone->local, alone->folder_list[i], names, count, NULL, NULL,
				     err) < 0)
			return -1;
	return 0;
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

struct standalone_task {
	const struct standalone_symbols *symbols;
	standalone_fn *fn;
	void *payload;
	bool is_temporary;           /* the state folder */
};

static int start(struct cli *cli, const struct config *config, const struct standalone_task *task,
		 struct err *err)
{
	static struct standalone alone;
	struct nursery *nursery = NULL;
	char folder[PATH_BYTES];
	int rc = -1;

	alone = (struct standalone){ .cli = cli, .config = config };
	if (cells_start(&nursery, config, err) < 0)
		return -1;
	alone.nursery = nursery;
	buf_init(&alone.sources, LIMIT_REPLY_BYTES);
	if ((size_t)snprintf(folder, sizeof(folder), "%s/local-XXXXXX", config->state_dir) >=
	    sizeof(folder))
		err_set(err, ERR_IO, "the name is too long: %s", config->state_dir);
	else if (!mkdtemp(folder))
		err_os(err, errno, "making a folder in %s", config->state_dir);
	else if (local_init(&alone.local, config, nursery, folder, err) == 0 &&
		 make_sources(&alone, task->symbols, err) == 0)
		rc = task->fn(&alone, task->payload, err);
	nftw(folder, remove_entry, TREE_DESCRIPTORS, FTW_DEPTH | FTW_PHYS);
	nursery_stop(nursery);
	local_release(&alone.local);
	buf_release(&alone.sources);
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

static int run_in_state(struct cli *cli, const struct standalone_task *task, struct err *err)
{
	struct config config;
	int rc = -1;

	if (cli_config_load(cli, &config, err) < 0)
		return -1;
	if (cli->config_count == 0) {
		config.log_path = NULL;      /* the service's, if it is a service's file at all */
		config.log_level = LOG_ERROR;
	}
	if (state_take_owner(&config, err) < 0)
		goto done;
	if (log_open(config.log_path, config.log_level, config.log_format) < 0)
		err_set(err, ERR_IO, "opening the log %s", config.log_path);
	else if (keep_together(&config, err) == 0 &&
		 file_make_folders(config.state_dir, 0700, err) == 0) {
		config.state_is_temporary = task->is_temporary;
		allow_what_the_user_may(cli, &config);
		rc = start(cli, &config, task, err);
	}
done:
	config_release(&config);
	return rc;
}

int standalone_run(struct cli *cli, const struct standalone_symbols *symbols, standalone_fn *fn,
		   void *payload, struct err *err)
{
	bool temporary = !cli->state_dir;
	const struct standalone_task task = {
		.symbols = symbols, .fn = fn, .payload = payload, .is_temporary = temporary,
	};
	char folder[PATH_BYTES];
	int rc;

	if (temporary) {
		if (make_folder(folder, err) < 0)
			return -1;
		cli->state_dir = folder;
	}
	rc = run_in_state(cli, &task, err);
	if (temporary) {
		nftw(folder, remove_entry, TREE_DESCRIPTORS, FTW_DEPTH | FTW_PHYS);
		cli->state_dir = NULL;
	}
	return rc;
}

/* --- Requests -------------------------------------------------------------------------------- */

int standalone_answer(struct standalone *alone, const struct request_kind *kind,
		      const struct work_body *body, struct buf *reply, struct err *err)
{
	int rc;

	progress_start("symbolicating");
	rc = workshop_answer(alone->config, alone->nursery, kind, body, reply, NULL, err);
	progress_stop();
	return rc;
}

int standalone_write(struct cli *cli, struct text reply, struct buf *out, int rc, struct err *err)
{
	struct err write_err = ERR_INIT;

	if (cli->json) {
		buf_clear(out);
		buf_add_text(out, reply);
		buf_add_char(out, '\n');
	}
	if ((cli->json || rc == 0) && table_write(out, &write_err) < 0) {
		*err = write_err;
		rc = -1;
	}
	return rc;
}

bool standalone_takes(struct standalone_symbols *symbols, bool is_url, const char *value)
{
	unsigned *count = is_url ? &symbols->url_count : &symbols->folder_count;

	if (*count == STANDALONE_SYMBOLS_MAX)
		return false;
	(is_url ? symbols->urls : symbols->folders)[(*count)++] = value;
	return true;
}
