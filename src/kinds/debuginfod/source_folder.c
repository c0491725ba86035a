/*
 * source_folder.c -- source files below the operator's folders (debuginfod.source_folders).
 *
 * The path is cut to pieces before (no `..` is left in it); what symbolic links lead out of a folder is not
 * given away: the kernel is told to stay below it.
 */
#include "kinds/debuginfod/buildid_source.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "config/config.h"

struct source_folder { struct text prefix; const char *folder; };

/* "/usr/src/debug" is where it is named; of "/usr/src/debug=/srv/sources" the second is. */
static struct source_folder place_of(const char *words)
{
	const char *equals = strchr(words, '=');
	struct source_folder place = { text_of(words), equals ? equals + 1 : words };

	if (equals)
		place.prefix.size = (size_t)(equals - words);
	while (place.prefix.size > 0 && place.prefix.bytes[place.prefix.size - 1] == '/')
		place.prefix.size--;
	return place;
}

static bool lies_below(struct text path, struct text prefix)
{
	return path.size > prefix.size + 1 && path.bytes[prefix.size] == '/' &&
	       memcmp(path.bytes, prefix.bytes, prefix.size) == 0;
}

static int open_below(const char *folder, const char *path)
{
	struct open_how how = {
		.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS,
	};
	int at = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int fd = at < 0 ? -1 : (int)syscall(SYS_openat2, at, path, &how, sizeof(how));

	if (at >= 0)
		close(at);
	return fd;
}

/* 1: read; 0: there is none to be given away. */
static int read_file(int fd, uint64_t most, struct arena *arena, struct text *contents,
		     int64_t *modified_at, struct err *err)
{
	struct stat st;
	size_t size = 0;
	char *bytes;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || (uint64_t)st.st_size > most)
		return 0;
	bytes = arena_alloc_raw(arena, (size_t)st.st_size + 1, 1);
	if (!bytes)
		return err_no_memory(err);
	while (size < (size_t)st.st_size) {
		ssize_t got = pread(fd, bytes + size, (size_t)st.st_size - size, (off_t)size);

		if (got < 0)
			return err_os(err, errno, "reading a source file");
		if (got == 0)
			break;
		size += (size_t)got;
	}
	*contents = (struct text){ bytes, size };
	*modified_at = st.st_mtim.tv_sec;
	return 1;
}

int source_folder_read(const struct config *config, struct text path, struct arena *arena,
		       struct text *contents, int64_t *modified_at, struct err *err)
{
	const char *whole = arena_strndup(arena, path.bytes, path.size);
	int rc = 0;

	*contents = TEXT_NONE;
	if (!whole)
		return err_no_memory(err);
	for (size_t i = 0; i < config->debuginfod_source_folder_count && rc == 0; i++) {
		struct source_folder place = place_of(config->debuginfod_source_folders[i]);
		int fd = lies_below(path, place.prefix)
			 ? open_below(place.folder, whole + place.prefix.size + 1) : -1;

		if (fd < 0)
			continue;
		rc = read_file(fd, config->source_max_bytes, arena, contents, modified_at, err);
		close(fd);
	}
	return rc < 0 ? -1 : 0;
}
