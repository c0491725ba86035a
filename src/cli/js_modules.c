/* js_modules.c -- see js_modules.h. */
#include "cli/js_modules.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/limits.h"
#include "cli/cli.h"
#include "cli/cli_cells.h"

#define NAME_END ".js"

/* "http://host/12.js" is in module 12. */
static bool module_of(const cJSON *frame, uint64_t *id)
{
	struct text path = cli_member(frame, "abs_path");
	const char *slash = path.size ? memrchr(path.bytes, '/', path.size) : NULL;

	if (slash)
		path = text_from(path, (size_t)(slash - path.bytes) + 1);
	if (!text_ends_with(path, NAME_END))
		return false;
	path.size -= strlen(NAME_END);
	return text_to_u64(path, 10, id) && *id <= UINT32_MAX;
}

/* A line for each frame that is in a module: its number. */
static void list_modules(const cJSON *traces, struct buf *out)
{
	const cJSON *trace, *frame;
	uint64_t id;

	cJSON_ArrayForEach(trace, traces)
		cJSON_ArrayForEach(frame, cJSON_GetObjectItemCaseSensitive(trace, "frames"))
			if (module_of(frame, &id))
				buf_printf(out, "%llu\n", (unsigned long long)id);
}

/* `lines` has one for each of them: a number, "-", or nothing.  A line in a module that is in no map leads
 * nowhere. */
static void move_frames(cJSON *traces, struct text lines)
{
	const cJSON *trace, *frame;
	struct text line;
	uint64_t id, first;

	cJSON_ArrayForEach(trace, traces) {
		cJSON_ArrayForEach(frame, cJSON_GetObjectItemCaseSensitive(trace, "frames")) {
			cJSON *lineno = cJSON_GetObjectItemCaseSensitive(frame, "lineno");

			if (!module_of(frame, &id) || !text_take_line(&lines, &line))
				continue;
			if (cJSON_IsNumber(lineno) && text_to_u64(line, 10, &first))
				cJSON_SetNumberValue(lineno, lineno->valuedouble + (double)first);
			else if (cJSON_IsNumber(lineno) && text_is(line, "-"))
				cJSON_SetNumberValue(lineno, 0);
		}
	}
}

static int ask(struct nursery *nursery, const char *map, struct text modules, struct buf *lines, struct err *err)
{
	struct cell_file inputs[] = { { "map", -1 }, { "minified", -1 } };
	struct cell_order order = {
		.operation = cells_operation_sourcemap_text.name, .inputs = inputs, .input_count = 1,
	};
	struct buf parameters;
	int rc;

	buf_init(&parameters, 2 * LIMIT_SYMBOLICATE_BODY_BYTES);
	buf_add_string(&parameters, "modules\ntext\n0\n");
	buf_add_text(&parameters, modules);
	order.parameters = buf_text(&parameters);
	inputs[0].fd = open(map, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	rc = inputs[0].fd < 0 ? err_os(err, errno, "%s", map) : buf_check(&parameters, err);
	if (rc == 0)
		rc = cells_run(nursery, &order, NULL, NULL, lines, err);
	if (inputs[0].fd >= 0)
		close(inputs[0].fd);
	buf_release(&parameters);
	return rc;
}

int js_modules_place(struct nursery *nursery, const char *map, cJSON *traces, struct err *err)
{
	struct buf modules, lines;
	int rc;

	buf_init(&modules, LIMIT_SYMBOLICATE_BODY_BYTES);
	buf_init(&lines, LIMIT_SYMBOLICATE_BODY_BYTES);
	list_modules(traces, &modules);
	rc = buf_check(&modules, err);
	if (rc == 0 && modules.size)
		rc = ask(nursery, map, buf_text(&modules), &lines, err);
	if (rc == 0)
		move_frames(traces, buf_text(&lines));
	buf_release(&lines);
	buf_release(&modules);
	return rc;
}
