/* core_files.c -- see core_files.h. */
#include "cli/core_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/limits.h"
#include "cli/cli.h"
#include "cli/cli_cells.h"
#include "cli/standalone.h"
#include "coredump/coredump.h"

#define ARENA_BYTES   ((size_t)256 << 20)
#define FOUND_MAX     64u            /* modules; each candidate is a cell */
#define REPLY_BYTES   1024u

/* --- In a cell --------------------------------------------------------------------------- */

static const struct coredump_module *module_at(const struct coredump *core, uint64_t base)
{
	for (size_t i = 0; i < core->module_count; i++)
		if (core->modules[i].base == base)
			return &core->modules[i];
	return NULL;
}

static int match_files(struct text parameters, const struct file_map *core_file,
		       const struct file_map *file, struct arena *arena, struct err *err)
{
	const struct coredump_module *module;
	struct coredump core;
	uint64_t base;

	if (coredump_open(&core, core_file->bytes, core_file->size, arena, err) < 0)
		return -1;
	module = text_to_u64(parameters, 16, &base) ? module_at(&core, base) : NULL;
	if (!module)
		return err_set(err, ERR_NOT_FOUND, "no module of the core begins there");
	return coredump_match(&core, module, file->bytes, file->size, arena, err);
}

static int match_core(struct cell *cell, struct err *err)
{
	struct file_map core = { NULL, 0 }, file = { NULL, 0 };
	struct arena arena;
	int rc = -1;

	arena_init(&arena, ARENA_BYTES);
	if (file_map_fd(&core, cell_input(cell, "core"), err) == 0 &&
	    file_map_fd(&file, cell_input(cell, "file"), err) == 0)
		rc = match_files(cell->parameters, &core, &file, &arena, err);
	arena_release(&arena);
	file_unmap(&file);
	file_unmap(&core);
	return rc;
}

const struct cell_operation cells_operation_match_core = { "match-core", match_core, NULL };

/* --- One module --------------------------------------------------------------------------- */

struct file_search {
	struct standalone *alone;
	int core_fd;
	struct text base;            /* in hex, without 0x */
	struct local_file file;      /* found */
	bool has_found;
};

static bool is_mapped_from(const struct file_search *search, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), rc = -1;
	const struct cell_file inputs[] = { { "core", search->core_fd }, { "file", fd } };
	const struct cell_order order = {
		.operation = cells_operation_match_core.name, .parameters = search->base,
		.inputs = inputs, .input_count = 2,
	};
	struct err why = ERR_INIT;
	struct buf reply;
	struct stat st;

	if (fd < 0)
		return false;
	buf_init(&reply, REPLY_BYTES);
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		rc = cells_run(search->alone->nursery, &order, NULL, NULL, &reply, &why);
	buf_release(&reply);
	close(fd);
	return rc == 0;
}

static int take_path(struct file_search *search, const char *path, struct err *err)
{
	int rc = is_mapped_from(search, path) ? local_add(&search->alone->local, path, &search->file, err)
					      : 0;

	search->has_found = rc > 0;
	return rc < 0 ? -1 : 0;
}

static void take_found(void *payload, const struct local_file *file)
{
	struct file_search *search = payload;

	if (search->has_found || !is_mapped_from(search, file->path.bytes))
		return;
	search->file = *file;
	search->has_found = true;
}

static int search_for(struct file_search *search, struct text path, struct err *err)
{
	struct standalone *alone = search->alone;
	char below[2 * PATH_MAX];

	if (path.bytes[0] == '/' && take_path(search, path.bytes, err) < 0)
		return -1;
	for (size_t i = 0; i < alone->folder_count && !search->has_found; i++) {
		if (path.bytes[0] == '/' &&
		    (size_t)snprintf(below, sizeof(below), "%s%s", alone->folder_list[i], path.bytes) <
			    sizeof(below) &&
		    take_path(search, below, err) < 0)
			return -1;
		if (!search->has_found &&
		    local_add_folder(&alone->local, alone->folder_list[i], &path, 1, take_found, search,
				     err) < 0)
			return -1;
	}
	return 0;
}

/* --- All ----------------------------------------------------------------------------------- */

static void write_found(const struct file_search *search, struct text address, struct json_writer *json)
{
	json_object(json);
	json_member_string(json, "type", "elf");
	json_member_text(json, "image_addr", address);
	json_member_text(json, "code_id", search->file.code_id);
	json_member_text(json, "debug_id", search->file.debug_id);
	json_object_end(json);
}

int core_files_find(struct standalone *alone, const struct cJSON *modules, int core_fd,
		    struct buf *named, struct err *err)
{
	const struct cJSON *module;
	struct json_writer json;
	unsigned found = 0;

	json_writer_init(&json, named);
	json_array(&json);
	cJSON_ArrayForEach(module, modules) {
		struct text path = cli_member(module, "code_file");
		struct text address = cli_member(module, "image_addr");
		struct file_search search = { .alone = alone, .core_fd = core_fd };

		if (cli_member(module, "code_id").size > 0 || path.size == 0 ||
		    !text_starts_with(address, "0x") || found == FOUND_MAX)
			continue;
		search.base = text_from(address, 2);
		if (search_for(&search, path, err) < 0)
			return -1;
		if (!search.has_found)
			continue;
		write_found(&search, address, &json);
		found++;
	}
	json_array_end(&json);
	if (found == 0)
		buf_clear(named);
	return buf_check(named, err);
}
