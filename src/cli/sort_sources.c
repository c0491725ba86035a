/*
 * sort_sources.c -- a source bundle of the source files that an object names and this machine has.
 *
 * The object may name any file, so what is taken is text: regular files of at most 10 MiB that are UTF-8.
 */
#include "cli/sort.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "cli/cli_cells.h"

#define SOURCE_BYTES_MAX ((size_t)10 * 1024 * 1024)
#define REPLY_BYTES      ((size_t)64 * 1024)

static bool is_wanted(struct text path)
{
	return path.size > 0 && path.size < PATH_MAX && path.bytes[0] == '/' && !text_ends_with(path, ".pch");
}

/* 1: read; 0: it is none. */
static int read_source(struct text path, struct buf *contents, struct err *err)
{
	char name[PATH_MAX];
	struct stat st;
	ssize_t got;
	char *bytes;
	int fd;

	memcpy(name, path.bytes, path.size);
	name[path.size] = '\0';
	fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return 0;
	buf_clear(contents);
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || (uint64_t)st.st_size > SOURCE_BYTES_MAX) {
		close(fd);
		return 0;
	}
	bytes = buf_reserve(contents, (size_t)st.st_size + 1);
	got = bytes ? pread(fd, bytes, (size_t)st.st_size, 0) : -1;
	close(fd);
	if (!bytes)
		return buf_check(contents, err);
	contents->size = got > 0 ? (size_t)got : 0;
	return got >= 0 && text_is_utf8(buf_text(contents));
}

static int add_all(struct bundle_writer *bundle, struct text paths, struct err *err)
{
	struct buf contents;
	struct text path;
	int rc = 0;

	buf_init(&contents, SOURCE_BYTES_MAX + 2);
	while (rc == 0 && text_take_line(&paths, &path)) {
		int is_read = is_wanted(path) ? read_source(path, &contents, err) : 0;

		rc = is_read < 0 ? -1 : is_read ? bundle_writer_add(bundle, path, buf_text(&contents), err) : 0;
	}
	buf_release(&contents);
	return rc;
}

/* How many source files are in it, or -1. */
static int write_bundle(const struct sorted_object *object, struct text paths, int fd, struct err *err)
{
	char debug_id[DEBUGID_TEXT_BYTES];
	struct bundle_attribute attributes[] = {
		{ "arch", object->arch }, { "debug_id", TEXT_NONE }, { "code_id", object->ids.code_id },
		{ "object_name", object->name },
	};
	struct bundle_writer bundle;
	int rc = bundle_writer_init(&bundle, fd, err);

	debugid_format(&object->ids.debug_id, debug_id);
	if (!debugid_is_nil(&object->ids.debug_id))
		attributes[1].value = text_of(debug_id);
	if (rc == 0)
		rc = add_all(&bundle, paths, err);
	if (rc == 0)
		rc = bundle_writer_end(&bundle, attributes, sizeof(attributes) / sizeof(attributes[0]), err);
	if (rc == 0)
		rc = (int)bundle.count;
	bundle_writer_release(&bundle);
	return rc;
}

static int list_paths(struct sort *sort, int object_fd, int list_fd, struct err *err)
{
	const struct cell_file input = { "object", object_fd }, output = { "paths", list_fd };
	const struct cell_order order = {
		.operation = "sort-sources", .inputs = &input, .input_count = 1, .outputs = &output,
		.output_count = 1,
	};
	struct buf reply;
	int rc;

	buf_init(&reply, REPLY_BYTES);
	rc = cells_run(sort->nursery, &order, NULL, NULL, &reply, err);
	buf_release(&reply);
	return rc;
}

int sort_sources(struct sort *sort, const struct sorted_object *object, struct arena *arena,
		 struct err *err)
{
	struct sorted_object bundle = *object;
	struct file_map map = { NULL, 0 };
	struct text path;
	int list = -1, file = -1, rc = -1;

	bundle.format = TEXT("sourcebundle");
	bundle.kind = TEXT("src");
	if (sort_path(sort, &bundle, FILE_TYPE_SOURCEBUNDLE, arena, &path, err) < 0)
		return -1;
	if (!path.bytes)
		return 0;                    /* the layout has no place for bundles of it */
	if (cells_temporary(&list, err) == 0 && cells_temporary(&file, err) == 0 &&
	    list_paths(sort, object->fd, list, err) == 0 && file_map_fd(&map, list, err) == 0)
		rc = write_bundle(object, (struct text){ (const char *)map.bytes, map.size }, file, err);
	if (rc > 0)
		rc = sort_place(sort, &bundle, path, file, arena, err);
	file_unmap(&map);
	if (list >= 0)
		close(list);
	if (file >= 0)
		close(file);
	return rc;
}
