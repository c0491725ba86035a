/* tool_folder.c -- a folder a program worked in goes, whatever it left there. */
#include "sandbox/tool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEPTH_MAX 64u

static void empty(int folder, unsigned depth);

static void remove_entry(int folder, const char *name, unsigned depth)
{
	int inner;

	if (unlinkat(folder, name, 0) == 0 || depth == DEPTH_MAX)
		return;
	inner = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (inner < 0 && errno == EACCES && fchmodat(folder, name, 0700, AT_SYMLINK_NOFOLLOW) == 0)
		inner = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (inner < 0)
		return;
	(void)fchmod(inner, 0700);
	empty(inner, depth + 1);             /* closes it */
	(void)unlinkat(folder, name, AT_REMOVEDIR);
}

static void empty(int folder, unsigned depth)
{
	DIR *entries = fdopendir(folder);
	const struct dirent *entry;

	if (!entries) {
		close(folder);
		return;
	}
	while ((entry = readdir(entries)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			remove_entry(dirfd(entries), entry->d_name, depth);
	closedir(entries);
}

void tool_remove_folder(const char *path)
{
	int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (folder < 0)
		return;
	empty(folder, 0);
	(void)rmdir(path);
}
