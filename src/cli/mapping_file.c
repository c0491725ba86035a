/* mapping_file.c -- see mapping_file.h. */
#include "cli/mapping_file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "cli/cli_cells.h"
#include "config/config.h"
#include "convert/convert.h"

#define REPLY_BYTES 65536u

static int convert(struct nursery *nursery, const struct config *config, int in, int out, struct err *err)
{
	const struct cell_file input = { "file", in }, output = { "proguard", out };
	const struct convert_proguard wish = { .max_bytes = config->max_download_bytes };
	struct cell_order order = {
		.operation = "proguard", .inputs = &input, .input_count = 1, .outputs = &output, .output_count = 1,
	};
	struct buf parameters, reply;
	int rc;

	buf_init(&parameters, REPLY_BYTES);
	buf_init(&reply, REPLY_BYTES);
	rc = convert_proguard_parameters(&wish, &parameters, err);
	order.parameters = buf_text(&parameters);
	if (rc == 0)
		rc = cells_run(nursery, &order, NULL, NULL, &reply, err);
	buf_release(&parameters);
	buf_release(&reply);
	return rc;
}

int mapping_file_open(struct mapping_file *file, struct nursery *nursery, const struct config *config,
		      const char *path, struct err *err)
{
	int in = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK), out = -1, rc = -1;

	*file = (struct mapping_file){ { NULL, 0 }, { .has_line_info = false } };
	if (in < 0)
		return err_os(err, errno, "%s", path);
	if (cells_temporary(&out, err) == 0)
		rc = convert(nursery, config, in, out, err);
	if (rc == 0)
		rc = file_map_fd(&file->cache, out, err);
	if (rc == 0)
		rc = proguard_open(&file->mapping, file->cache.bytes, file->cache.size, err);
	close(in);
	if (out >= 0)
		close(out);
	return rc < 0 ? err_while(err, "%s", path) : 0;
}

void mapping_file_release(struct mapping_file *file)
{
	file_unmap(&file->cache);
}
