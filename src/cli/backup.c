/* backup.c -- "symgate backup": a consistent copy of the database, while all runs. */
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/err.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/state.h"
#include "store/store.h"

static int copy(const struct cli *cli, const char *path, long long *bytes, struct err *err)
{
	struct config config;
	struct store *store;
	struct stat st;
	int rc;

	if (cli_config_load(cli, &config, err) < 0)
		return -1;
	rc = state_open(&config, &store, err);
	if (rc == 0) {
		rc = store_backup(store, path, err);
		store_close(store);
	}
	config_release(&config);
	if (rc == 0 && stat(path, &st) < 0)
		rc = err_os(err, errno, "%s", path);
	if (rc == 0)
		*bytes = (long long)st.st_size;
	return rc;
}

static int run(struct cli *cli, int argc, char **argv)
{
	struct cli_reader reader;
	struct err err = ERR_INIT;
	long long bytes = 0;

	cli_reader_init(&reader, cli, &cli_backup, argc, argv);
	if (cli_only_operands(&reader) < 0)
		return CLI_USAGE;
	if (reader.operand_count != 1)
		return cli_misused(&cli_backup, "which FILE to write?");
	if (copy(cli, argv[1], &bytes, &err) < 0)
		return cli_fail(&err);
	if (cli->json)
		printf("{\"ok\":true,\"bytes\":%lld}\n", bytes);
	else
		printf("%s: %lld bytes\n", argv[1], bytes);
	return CLI_OK;
}

const struct cli_command cli_backup = {
	.name = "backup",
	.arguments = "FILE",
	.about = "copy the database into FILE, while the service runs",
	.help =
	"The copy is consistent and appears whole or not at all; an old FILE is replaced. It\n"
	"holds jobs and the index of the caches; what the caches hold can be made again and is\n"
	"not part of it. To restore, stop the service and run `symgate repair --from FILE'.\n"
	"\n"
	"exit codes: 0 done, 1 failed, 2 wrong usage\n",
	.run = run,
};
