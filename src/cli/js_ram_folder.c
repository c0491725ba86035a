/* js_ram_folder.c -- see js_ram_folder.h. */
#include "cli/js_ram_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/text.h"

#define MARK "js-modules/UNBUNDLE"
#define MAP_END ".map"

/* The number an indexed one begins with, little endian. */
static const unsigned char magic[] = { 0xe5, 0xd1, 0x0b, 0xfb };

static bool is_ram_folder(const char *dir)
{
	unsigned char bytes[sizeof(magic)];
	char path[PATH_MAX];
	bool is = false;
	int fd;

	if ((size_t)snprintf(path, sizeof(path), "%s/" MARK, dir) >= sizeof(path))
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd >= 0) {
		is = read(fd, bytes, sizeof(bytes)) == (ssize_t)sizeof(bytes) &&
		     memcmp(bytes, magic, sizeof(magic)) == 0;
		close(fd);
	}
	return is;
}

/* "index.android.bundle.map", with "index.android.bundle" beside it. */
static bool is_map_of_startup(const char *dir, const char *name)
{
	char path[PATH_MAX];
	struct stat st;

	return text_ends_with(text_of(name), MAP_END) &&
	       (size_t)snprintf(path, sizeof(path), "%s/%.*s", dir, (int)(strlen(name) - strlen(MAP_END)), name) <
	       sizeof(path) && stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

int js_ram_folder_map(const char *dir, char map[PATH_MAX], struct err *err)
{
	DIR *listing = is_ram_folder(dir) ? opendir(dir) : NULL;
	const struct dirent *entry;
	int count = 0;

	if (!listing)
		return 0;
	while (count < 2 && (entry = readdir(listing)) != NULL)
		if (is_map_of_startup(dir, entry->d_name) &&
		    (size_t)snprintf(map, PATH_MAX, "%s/%s", dir, entry->d_name) < PATH_MAX)
			count++;
	closedir(listing);
	return count < 2 ? count : err_set(err, ERR_BAD_REQUEST, "%s has several maps: name one by --map", dir);
}
