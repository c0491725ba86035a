/* upload_join.c -- see upload_join.h. */
#include "kinds/symbfile/upload_join.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/checksum.h"
#include "base/err.h"
#include "base/file.h"

#define PATH_BYTES 4096u

const char *upload_join_name(const struct upload_list *list, struct arena *arena)
{
	struct checksum checksum;

	checksum_init(&checksum);
	for (uint32_t i = 0; i < list->part_count; i++)
		checksum_add(&checksum, list->parts[i], strlen(list->parts[i]) + 1);
	return arena_printf(arena, "joined-%016llx", (unsigned long long)checksum_value(&checksum));
}

static int append(int in, int out, uint64_t *total, struct err *err)
{
	struct file_map map;
	int rc;

	if (file_map_fd(&map, in, err) < 0)
		return -1;
	*total += map.size;
	rc = *total > LIMIT_SYMBFILE_JOINED_BYTES
	     ? err_set(err, ERR_LIMIT, "its parts have more than %llu bytes together",
		       (unsigned long long)LIMIT_SYMBFILE_JOINED_BYTES)
	     : file_write_all(out, map.bytes, map.size, err);
	file_unmap(&map);
	return rc;
}

struct upload_joining { const char *folder; const struct upload_list *list; };

static int append_all(int out, void *payload, struct err *err)
{
	const struct upload_joining *joining = payload;
	const struct upload_list *list = joining->list;
	char path[PATH_BYTES];
	uint64_t total = 0;

	for (uint32_t i = 0; i < list->part_count; i++) {
		int in, rc;

		if (snprintf(path, sizeof(path), "%s/%s", joining->folder, list->parts[i]) >= (int)sizeof(path))
			return err_set(err, ERR_IO, "the path is too long: %s", joining->folder);
		in = open(path, O_RDONLY | O_CLOEXEC);
		if (in < 0)
			return err_os(err, errno, "opening %s", path);
		rc = append(in, out, &total, err);
		close(in);
		if (rc < 0)
			return -1;
	}
	return 0;
}

int upload_join(const char *folder, const struct upload_list *list, const char *name, struct err *err)
{
	char path[PATH_BYTES];

	if (snprintf(path, sizeof(path), "%s/%s", folder, name) >= (int)sizeof(path))
		return err_set(err, ERR_IO, "the path is too long: %s", folder);
	if (access(path, F_OK) == 0)
		return 0;
	return file_make(folder, path, 0600, append_all, &(struct upload_joining){ folder, list }, err);
}
