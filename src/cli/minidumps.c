/* minidumps.c -- see minidumps.h. */
#include "cli/minidumps.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "cli/cli_cells.h"
#include "cli/cli.h"

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

static int list_path(struct cli *cli, struct nursery *nursery, const struct config *config, void *payload,
		     struct err *err)
{
	const char *path = *(const char **)payload;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int rc;

	(void)cli, (void)config;
	rc = fd < 0 ? err_os(err, errno, "opening it") : list_raw(nursery, fd, err);
	if (fd >= 0)
		close(fd);
	return rc < 0 ? err_while(err, "%s", path) : CLI_OK;
}

int minidumps_list(struct cli *cli, const char *path)
{
	return cells_command(cli, list_path, &path);
}
