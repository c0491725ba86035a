/* minidumps.c -- "symgate minidump": what a crash left behind. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "cli/cli_cells.h"
#include "cli/cli.h"
#include "cli/options.h"

#define REPLY_BYTES ((size_t)64 * 1024)

static int list_raw(struct nursery *nursery, int fd, struct err *err)
{
	struct cell_file input = { "minidump", fd }, output = { "text", -1 };
	struct cell_order order = {
		.operation = "minidump-raw",
		.inputs = &input, .input_count = 1, .outputs = &output, .output_count = 1,
	};
	struct buf reply;
	int rc;

	if (cells_temporary(&output.fd, err) < 0)
		return -1;
	buf_init(&reply, REPLY_BYTES);
	rc = cells_run(nursery, &order, NULL, NULL, &reply, err);
	buf_release(&reply);
	if (rc == 0)
		rc = cells_copy_out(output.fd, err);
	close(output.fd);
	return rc;
}

static int list_file(struct cli *cli, const char *path)
{
	struct nursery *nursery = NULL;
	struct config config;
	struct err err = ERR_INIT;
	int fd, rc = -1;

	if (cli_config_load(cli, &config, &err) < 0)
		return cli_fail(&err);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		err_os(&err, errno, "opening it");
	else if (cells_start(&nursery, &config, &err) == 0)
		rc = list_raw(nursery, fd, &err);
	if (rc < 0)
		err_while(&err, "%s", path);
	if (nursery)
		nursery_stop(nursery);
	if (fd >= 0)
		close(fd);
	config_release(&config);
	return rc < 0 ? cli_fail(&err) : CLI_OK;
}

enum option { OPTION_RAW = 1 };
static const struct cli_option options[] = {
	{ OPTION_RAW, 0, "raw", NULL }, CLI_OPTIONS_END
};

static int run(struct cli *cli, int argc, char **argv)
{
	struct cli_reader reader;
	bool raw = false;
	const char *value;
	int option;

	cli_reader_init(&reader, cli, &cli_minidump, argc, argv);
	while ((option = cli_next_option(&reader, &value)) > 0)
		raw = true;
	if (option < 0)
		return CLI_USAGE;
	if (!raw)
		return cli_misused(&cli_minidump, "--raw is missing");
	if (reader.operand_count != 1)
		return cli_misused(&cli_minidump, "which FILE?");
	return list_file(cli, argv[1]);
}

const struct cli_command cli_minidump = {
	.name = "minidump",
	.arguments = "--raw FILE",
	.about = "list what a minidump holds",
	.help =
	"FILE is a minidump of either byte order, as Windows, Breakpad, Crashpad and Mozilla\n"
	"write them.\n"
	"\n"
	"  --raw   header, directory and the fields of every stream as they stand there; what\n"
	"          follows from them is in parentheses (registers, ids of modules, the crash\n"
	"          reason). Streams nobody published are shown as bytes, at most 1024 of each.\n"
	"\n"
	"What cannot be read is said at the end, after `lost`.\n"
	"\n"
	"exit codes: 0 done, 1 failed (it is no minidump), 2 wrong usage\n",
	.options = options,
	.only_files = true,
	.run = run,
};
