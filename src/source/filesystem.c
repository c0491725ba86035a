/*
 * filesystem.c -- sources that are folders of this machine.
 *
 * A request may name folders only below the operator's roots.  Two checks, since the tree may
 * hold symbolic links: the path as written lies below a root and has no `..`; and the file
 * it leads to, asked from the kernel once it is held by an O_PATH descriptor (which neither
 * waits for a FIFO nor wakes a device), lies below one as well.
 */
#include "source/absence.h"
#include "source/kind.h"
#include "source/pointer.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/file.h"
#include "config/config.h"

struct filesystem {
	struct text path;            /* as written */
	const struct config *config; /* NULL: the operator named it, no roots apply */
	bool is_below_root;          /* so is everything below it, but for `..` */
};

/* It may be mounted later: no reason not to start. */
static void look_at_folder(const struct shape *shape, const char *path)
{
	struct stat st;

	if (!shape->report)
		return;
	if (path[0] != '/')
		shape_warn(shape, "path", "`%s` depends on the folder symgate is started in", path);
	if (stat(path, &st) < 0)
		shape_warn(shape, "path", "%s: %s", path, strerrordesc_np(errno));
	else if (!S_ISDIR(st.st_mode))
		shape_warn(shape, "path", "%s is not a folder", path);
	else if (access(path, R_OK | X_OK) < 0)
		shape_warn(shape, "path", "%s: %s for this user", path, strerrordesc_np(errno));
}

static int join(const struct filesystem *files, const char *prefix, struct text path,
		struct arena *arena, struct text *joined, struct err *err)
{
	bool has_slash = files->path.size == 0 || text_ends_with(files->path, "/");

	joined->bytes = arena_printf(arena, "%s%s%s%.*s", prefix, files->path.bytes,
				     has_slash ? "" : "/", (int)path.size, path.bytes);
	joined->size = joined->bytes ? strlen(joined->bytes) : 0;
	return joined->bytes ? 0 : err_set(err, ERR_NO_MEMORY, "no room for a location");
}

static int name_location(const struct source *source, struct text path, struct arena *arena,
			 struct text *uri, struct err *err)
{
	return join(source->state, "file://", path, arena, uri, err);
}

static bool has_parent_component(const char *path)
{
	if (!strstr(path, ".."))
		return false;
	while (*path) {
		size_t size = strcspn(path, "/");

		if (size == 2 && path[0] == '.' && path[1] == '.')
			return true;
		path += size + (path[size] == '/');
	}
	return false;
}

/* Does `path` lie in the folder, component by component?  Empty and `.` components of
 * either do not count. */
static bool lies_below(const char *path, const char *folder)
{
	for (;;) {
		size_t path_size, folder_size;

		while (*folder == '/' || (folder[0] == '.' && (folder[1] == '/' || !folder[1])))
			folder++;
		while (*path == '/' || (path[0] == '.' && (path[1] == '/' || !path[1])))
			path++;
		if (!*folder)
			return true;
		path_size = strcspn(path, "/");
		folder_size = strcspn(folder, "/");
		if (path_size != folder_size || memcmp(path, folder, path_size) != 0)
			return false;
		path += path_size;
		folder += folder_size;
	}
}

static bool lies_below_real(const char *target, const char *root)
{
	char real[PATH_MAX];
	int fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	bool below = fd >= 0 && file_name_of(fd, real, PATH_MAX) && lies_below(target, real);

	if (fd >= 0)
		close(fd);
	return below;
}

static int refuse_outside(struct err *err)
{
	return err_set(err, ERR_DENIED, "filesystem source outside filesystem_source_roots");
}

static bool has_root(const struct config *config, const char *path,
		     bool (*below)(const char *path, const char *root))
{
	for (size_t i = 0; i < config->filesystem_root_count; i++)
		if (below(path, config->filesystem_roots[i]))
			return true;
	return false;
}

static bool allows_everything(const struct config *config)
{
	for (size_t i = 0; i < config->filesystem_root_count; i++)
		if (strcmp(config->filesystem_roots[i], "/") == 0)
			return true;
	return false;
}

/* Before anything is opened: the path as it is written. */
static bool is_written_well(const struct filesystem *files, const char *path)
{
	if (!files->config)
		return true;
	if (path[0] != '/' || has_parent_component(path))
		return false;
	return files->is_below_root || has_root(files->config, path, lies_below);
}

static int configure(struct source *source, const struct shape *shape,
		     const struct source_setup *setup, struct err *err)
{
	struct filesystem *files = arena_alloc(shape->arena, 1, sizeof(*files));

	if (!files)
		return err_set(err, ERR_NO_MEMORY, "no room for the sources");
	source->state = files;
	files->config = setup->origin == SOURCE_OF_REQUEST ? setup->config : NULL;
	if (shape_string(shape, "path", SHAPE_REQUIRED, &files->path, err) < 0)
		return -1;
	files->is_below_root = is_written_well(files, files->path.bytes);
	look_at_folder(shape, files->path.bytes);
	return 0;
}


/* What the path led to. */
static int check_held(const struct filesystem *files, int held, struct err *err)
{
	char target[PATH_MAX];
	struct stat st;

	if (fstat(held, &st) < 0)
		return err_os(err, errno, "looking at a source's file");
	if (files->config && !allows_everything(files->config) &&
	    (!file_name_of(held, target, PATH_MAX) || !has_root(files->config, target, lies_below_real)))
		return refuse_outside(err);
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_DENIED, "not a regular file");
	return 0;
}

static bool is_absence(int os_errno)
{
	return os_errno == ENOENT || os_errno == ENOTDIR || os_errno == ENAMETOOLONG;
}

static int open_failed(int os_errno, const char *doing, struct err *err)
{
	if (is_absence(os_errno))
		return err_set(err, ERR_NOT_FOUND, "no such file");
	switch (os_errno) {
	case EACCES:
	case EPERM:
	case ELOOP:
		return err_set(err, ERR_DENIED, "%s", strerrordesc_np(os_errno));
	default:
		return err_os(err, os_errno, "%s", doing);
	}
}

/* Opens for reading what is held already: the name is not looked up again. */
static int open_held(int held, int *fd, struct err *err)
{
	char link[48];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", held);
	*fd = open(link, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (*fd >= 0)
		return 0;
	return errno == ENOENT ? err_os(err, errno, "opening a source's file")
			       : open_failed(errno, "opening a source's file", err);
}

int source_open_below(const char *folder, const char *path, int *fd, struct err *err)
{
	int held = open(path, O_PATH | O_CLOEXEC), rc;
	char target[PATH_MAX];
	struct stat st;

	*fd = -1;
	if (held < 0)
		return open_failed(errno, "finding a source's file", err);
	if (fstat(held, &st) < 0)
		rc = err_os(err, errno, "looking at a source's file");
	else if (!S_ISREG(st.st_mode))
		rc = err_set(err, ERR_DENIED, "not a regular file");
	else if (!file_name_of(held, target, PATH_MAX) || !lies_below_real(target, folder))
		rc = err_set(err, ERR_DENIED, "a link leads out of %s", folder);
	else
		rc = open_held(held, fd, err);
	close(held);
	return rc;
}

static int reach(const struct location *location, struct text credential, struct arena *arena,
		 enum source_access *access, int *fd, struct fetch_order *order, struct err *err)
{
	const struct filesystem *files = location->source->state;
	struct text path;
	int held, rc;

	(void)credential, (void)order;
	*access = SOURCE_OPENED;
	*fd = -1;
	if (join(files, "", location->path, arena, &path, err) < 0 ||
	    (!is_written_well(files, path.bytes) && refuse_outside(err) < 0))
		return -1;
	held = open(path.bytes, O_PATH | O_CLOEXEC);
	if (held < 0)
		return open_failed(errno, "finding a source's file", err);
	rc = check_held(files, held, err);
	if (rc == 0)
		rc = open_held(held, fd, err);
	close(held);
	return rc;
}

static bool lacks(const struct location *location, struct source_absences *absences)
{
	const struct filesystem *files = location->source->state;
	const struct text folder = files->path, name = location->path;
	char path[PATH_MAX];
	size_t root_size = folder.size, begin = folder.size, size;

	while (root_size > 0 && folder.bytes[root_size - 1] == '/')
		root_size--;
	begin += begin > 0 && root_size == begin;
	size = begin + name.size;
	if (size >= sizeof(path))
		return true;         /* no file has such a name */
	memcpy(path, folder.bytes, folder.size);
	if (begin > folder.size)
		path[folder.size] = '/';
	memcpy(path + begin, name.bytes, name.size);
	path[size] = '\0';
	return is_written_well(files, path) && absence_is_sure(absences, path, size, root_size);
}

/* --- Build ids of which only the beginning is known ------------------------------------------------- */

#define FOLDER_DIGITS 2u             /* of a build id, in the folder's name */
#define NAMES_LOOKED_AT 65536u

/* The digits that `name` begins with, in lower case, if they begin with those of `beginning`. */
static bool read_digits(const char *name, struct text beginning, char out[SOURCE_BUILD_ID_BYTES])
{
	size_t size = 0;

	while (ascii_hex_value(name[size]) >= 0 && size < SOURCE_BUILD_ID_BYTES - FOLDER_DIGITS - 1) {
		out[size] = ascii_lower(name[size]);
		size++;
	}
	out[size] = '\0';
	return (name[size] == '\0' || name[size] == '.') && size >= beginning.size &&
	       memcmp(out, beginning.bytes, beginning.size) == 0;
}

static bool look_through(DIR *folder, struct text beginning, char out[SOURCE_BUILD_ID_BYTES])
{
	struct text rest = text_from(beginning, FOLDER_DIGITS);
	char digits[SOURCE_BUILD_ID_BYTES];
	const struct dirent *entry;
	bool is_found = false;

	for (size_t i = 0; i < NAMES_LOOKED_AT && (entry = readdir(folder)); i++) {
		if (!read_digits(entry->d_name, rest, digits) ||
		    (is_found && strcmp(digits, out + FOLDER_DIGITS) >= 0))
			continue;
		memcpy(out, beginning.bytes, FOLDER_DIGITS);
		memcpy(out + FOLDER_DIGITS, digits, strlen(digits) + 1);
		is_found = true;
	}
	return is_found;
}

static bool find_build_id(const struct source *source, struct text beginning,
			  char out[SOURCE_BUILD_ID_BYTES])
{
	const struct filesystem *files = source->state;
	char path[PATH_MAX];
	bool is_found = false;
	DIR *folder;

	if (files->config || beginning.size <= FOLDER_DIGITS)
		return false;
	for (unsigned i = 0; i < 2 && !is_found; i++) {
		char (*as)(char) = i ? ascii_upper : ascii_lower;

		if (snprintf(path, sizeof(path), "%s/%c%c", files->path.bytes, as(beginning.bytes[0]),
			     as(beginning.bytes[1])) >= (int)sizeof(path))
			return false;
		folder = opendir(path);
		is_found = folder && look_through(folder, beginning, out);
		if (folder)
			closedir(folder);
	}
	return is_found;
}

const struct source_kind source_kind_filesystem = {
	.name = "filesystem",
	.is_local = true,
	.configure = configure,
	.name_location = name_location,
	.reach = reach,
	.lacks = lacks,
	.find_build_id = find_build_id,
};
