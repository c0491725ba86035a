/* cleanup.c -- "symgate cleanup": one round of the keeper. */
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "board/board.h"
#include "cache/cache.h"
#include "cli/cli_cache.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/state.h"
#include "keeper/keeper.h"

static int clean_up(const struct cli *cli, bool dry_run, struct err *err)
{
	struct cache_round round;
	struct config config;
	struct board *board;
	int rc;

	if (cli_config_load(cli, &config, err) < 0)
		return -1;
	rc = state_take_owner(&config, err);
	if (rc == 0)
		rc = board_open(&board, &config, err);
	if (rc == 0) {
		rc = keeper_once(&config, board, dry_run, &round, err);
		board_close(board);
	}
	config_release(&config);
	if (rc == 0)
		cache_tell_round(cli, &round, dry_run);
	return rc;
}

enum { OPTION_DRY_RUN = 1 };
static const struct cli_option options[] = {
	{ OPTION_DRY_RUN, 0, "dry-run", NULL }, CLI_OPTIONS_END
};

static int run_cleanup(struct cli *cli, int argc, char **argv)
{
	struct cli_reader reader;
	struct err err = ERR_INIT;
	bool dry_run = false;
	const char *value;
	int option;

	cli_reader_init(&reader, cli, &cli_cleanup, argc, argv);
	while ((option = cli_next_option(&reader, &value)) > 0)
		dry_run = true;
	if (option < 0)
		return CLI_USAGE;
	if (reader.operand_count > 0)
		return cli_misused(&cli_cleanup, "what is `%s`?", argv[1]);
	return clean_up(cli, dry_run, &err) < 0 ? cli_fail(&err) : CLI_OK;
}

const struct cli_command cli_cleanup = {
	.name = "cleanup",
	.arguments = "[--dry-run]",
	.about = "one round of the keeper: what is expired, over the quota or orphaned goes",
	.help =
	"The keeper of a running service does this by itself; this is for cron where none runs, and\n"
	"to see what would go.\n"
	"\n"
	"  --dry-run   say what would go, and keep it\n"
	"\n"
	"exit codes: 0 done, 1 failed, 2 wrong usage\n",
	.options = options,
	.run = run_cleanup,
};
