/* wpa_put.c -- see kinds/wpa_put.h. */
#include "kinds/wpa_put.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/file.h"
#include "config/config.h"
#include "kinds/wpa/wpa_folder.h"
#include "work/work.h"

#define ARENA_BYTES ((size_t)64 * 1024)
#define PATH_BYTES 4096u

const struct request_kind request_kind_wpa_put = { .name = "wpa_put", .needs_key = true };

/* STATE_DIR/symcache/NAME/GUIDAGE, and the file's name. */
static bool name_place(const struct config *config, const struct wpa_path *wanted, char folder[PATH_BYTES],
		       char file[PATH_BYTES])
{
	char inner[WPA_FOLDER_PATH_BYTES], version[SEMVER_TEXT_BYTES];

	semver_format(&wanted->version, version);
	return wpa_folder_name(wanted, inner) &&
	       (size_t)snprintf(folder, PATH_BYTES, "%s/symcache/%s", config->state_dir, inner) < PATH_BYTES &&
	       (size_t)snprintf(file, PATH_BYTES, "%s/%.*s-v%s.symcache", folder, (int)wanted->name.size,
				wanted->name.bytes, version) < PATH_BYTES;
}

static int check(const struct wpa_path *wanted, int fd, struct err *err)
{
	struct stat st;

	if (wanted->version.major < 3)
		return err_set(err, ERR_BAD_REQUEST, "versions begin with 3.0.0");
	if (fstat(fd, &st) < 0)
		return err_os(err, errno, "looking at a file that was sent");
	return st.st_size > 0 ? 0 : err_set(err, ERR_BAD_REQUEST, "the file is empty");
}

static int place(const struct config *config, const struct wpa_path *wanted, const char *file, int fd,
		 struct err *err)
{
	char folder[PATH_BYTES], target[PATH_BYTES];

	if (!name_place(config, wanted, folder, target))
		return err_set(err, ERR_NOT_FOUND, "its name is too long");
	if (file_make_folders(folder, 0700, err) < 0)
		return -1;
	if (fsync(fd) < 0)
		return err_os(err, errno, "writing %s", target);
	if (link(file, target) == 0)
		return 1;
	return errno == EEXIST ? 0 : err_os(err, errno, "keeping %s", target);
}

int wpa_put(const struct config *config, struct text path, const char *file, int fd, struct err *err)
{
	struct wpa_path wanted;
	struct arena arena;
	int rc;

	arena_init(&arena, ARENA_BYTES);
	rc = wpa_path_read(path, &arena, &wanted, err);
	if (rc == 0)
		rc = err_set(err, ERR_NOT_FOUND, "no file has such a path");
	for (size_t i = 0; rc > 0 && i < wanted.name.size; i++)
		((char *)(uintptr_t)wanted.name.bytes)[i] = ascii_lower(wanted.name.bytes[i]);
	if (rc > 0)
		rc = check(&wanted, fd, err);
	if (rc >= 0)
		rc = place(config, &wanted, file, fd, err);
	arena_release(&arena);
	return rc;
}
