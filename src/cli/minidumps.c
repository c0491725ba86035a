/* minidumps.c -- see minidumps.h. */
#include "cli/minidumps.h"

#include "cli/cli.h"
#include "cli/cli_cells.h"

static int list_raw(struct cli *cli, struct nursery *nursery, const struct config *config, void *payload,
		    struct err *err)
{
	const char *path = *(const char **)payload;

	(void)cli, (void)config;
	return cells_show_file(nursery, "minidump-raw", "minidump", path, TEXT_NONE, err);
}

int minidumps_list(struct cli *cli, const char *path)
{
	return cells_command(cli, list_raw, &path);
}
