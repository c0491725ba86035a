/*
 * sendfile.c -- files of cache_dir that the web server sends itself: X-Sendfile (lighttpd's mod_fastcgi,
 * Apache's mod_xsendfile) with the path, X-Accel-Redirect (nginx) with a URI.
 *
 *  1. The name is the kernel's for the descriptor we would send, and leads to the same file: whatever
 *     links there are, what is named lies in cache_dir.
 *  2. It is written without any character that somebody might read otherwise.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "config/config.h"
#include "front/front_internal.h"

static bool name_of_folder(const char *path, char name[PATH_MAX])
{
	int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	bool named = fd >= 0 && file_name_of(fd, name, PATH_MAX);

	if (fd >= 0)
		close(fd);
	return named;
}

static bool is_plain(const char *path)
{
	for (; *path; path++)
		if (!ascii_is_digit(*path) && (ascii_lower(*path) < 'a' || ascii_lower(*path) > 'z') &&
		    !strchr("/._-", *path))
			return false;
	return true;
}

static bool leads_to(const char *path, const struct stat *file)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_dev == file->st_dev &&
	       st.st_ino == file->st_ino;
}

bool reply_may_hand_over(const struct config *config, const struct reply *reply, char *path, size_t capacity)
{
	const struct reply_body *body = &reply->body;
	char name[PATH_MAX], folder[PATH_MAX];
	struct stat st;
	size_t size;

	if (config->sendfile == CONFIG_SENDFILE_NONE || reply->status != 200 || body->file < 0 ||
	    body->offset != 0 || fstat(body->file, &st) < 0 || (uint64_t)st.st_size != body->size ||
	    !name_of_folder(config->cache_dir, folder) || !file_name_of(body->file, name, sizeof(name)))
		return false;
	size = strlen(folder);
	if (strncmp(name, folder, size) != 0 || name[size] != '/' || !is_plain(name) ||
	    strstr(name, "/../") || strlen(name + size + 1) >= capacity || !leads_to(name, &st))
		return false;
	memcpy(path, name + size + 1, strlen(name + size + 1) + 1);
	return true;
}

void reply_hand_over(const struct config *config, struct reply *reply, const char *path)
{
	bool is_accel = config->sendfile == CONFIG_SENDFILE_X_ACCEL;
	char name[PATH_MAX], value[PATH_MAX];
	int size = -1;

	if (is_accel)
		size = snprintf(value, sizeof(value), "%s%s", config->sendfile_prefix, path);
	else if (name_of_folder(config->cache_dir, name))
		size = snprintf(value, sizeof(value), "%s/%s", name, path);
	if (size < 0 || (size_t)size >= sizeof(value) ||
	    !reply_has_room(reply, (size_t)size))
		return;              /* we send it */
	reply_header(reply, is_accel ? "X-Accel-Redirect" : "X-Sendfile", value);
	reply_body_clear(&reply->body);
	reply->is_handed_over = true;
}
