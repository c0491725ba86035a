/* cleanup.c -- "symgate cleanup": one round of the keeper. */
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "board/board.h"
#include "cache/cache.h"
#include "cli/cache.h"
#include "cli/cli.h"
#include "keeper/keeper.h"

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
		cache_tell_round(cli, &round, dry_run);
	return rc;
}

static int run_cleanup(struct cli *cli, int argc, char **argv)
{
	bool dry_run = argc == 2 && !strcmp(argv[1], "--dry-run");
	struct err err = ERR_INIT;

	if (argc > 1 && !dry_run)
		return cli_misused(&cli_cleanup, "unknown argument `%s`", argv[1]);
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
	"exit codes: 0 done, 1 failed, 2 wrong usage\n",
	.run = run_cleanup,
};
