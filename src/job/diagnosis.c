/*
 * diagnosis.c -- crash files that came to no answer, for whoever looks into that:
 * STATE_DIR/diagnostics/<id>.<kind>, mode 0600 as the bodies they were.
 *
 * They stay as long as caches.diagnostics.retention says, within caches.diagnostics.max_size: then the
 * oldest go.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/vec.h"
#include "config/config.h"
#include "job/job_internal.h"

#define NAME_BYTES 128u

struct kept_file {
	char name[NAME_BYTES];
	int64_t at;                  /* unix seconds */
	uint64_t bytes;
};

struct kept_files {
	struct kept_file *items;
	size_t count, capacity;
};

static int folder_path(const struct jobs *jobs, char path[JOB_PATH_BYTES], struct err *err)
{
	int size = snprintf(path, JOB_PATH_BYTES, "%s/diagnostics", jobs->config->state_dir);

	if (size < 0 || (size_t)size >= JOB_PATH_BYTES - NAME_BYTES)
		return err_set(err, ERR_IO, "state_dir is too long: %s", jobs->config->state_dir);
	return 0;
}

/* --- Which go ------------------------------------------------------------------------------ */

static int note(struct kept_files *files, const char *name, const struct stat *st, struct err *err)
{
	struct kept_file *file;

	if (vec_reserve(&files->items, &files->capacity, files->count + 1, sizeof(*file)) < 0)
		return err_set(err, ERR_NO_MEMORY, "no memory for %zu files", files->count + 1);
	file = &files->items[files->count++];
	*file = (struct kept_file){ .at = st->st_mtime, .bytes = (uint64_t)st->st_size };
	snprintf(file->name, sizeof(file->name), "%.*s", (int)sizeof(file->name) - 1, name);
	return 0;
}

static int list(DIR *folder, struct kept_files *files, struct err *err)
{
	struct dirent *entry;
	struct stat st;

	while ((entry = readdir(folder)) != NULL)
		if (strlen(entry->d_name) < NAME_BYTES &&
		    fstatat(dirfd(folder), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISREG(st.st_mode) && note(files, entry->d_name, &st, err) < 0)
			return -1;
	return 0;
}

static int youngest_first(const void *a, const void *b)
{
	const struct kept_file *left = a, *right = b;

	if (left->at != right->at)
		return left->at > right->at ? -1 : 1;
	return strcmp(left->name, right->name);
}

/* What is from the future counts as expired. */
static bool is_expired(const struct jobs *jobs, const struct kept_file *file)
{
	int64_t most = jobs->config->diagnostics_seconds, age = job_now(jobs) - file->at;

	return most != CONFIG_NEVER && (age >= most || age < -1);
}

static void remove_some(const struct jobs *jobs, int folder, const struct kept_files *files,
			uint64_t *removed)
{
	uint64_t left = jobs->config->diagnostics_max_bytes;

	for (size_t i = 0; i < files->count; i++) {
		const struct kept_file *file = &files->items[i];

		if (!is_expired(jobs, file) && file->bytes <= left) {
			left -= file->bytes;
			continue;
		}
		left = 0;            /* what is older goes, too */
		if (unlinkat(folder, file->name, 0) == 0)
			(*removed)++;
	}
}

int job_clean_diagnosis(struct jobs *jobs, uint64_t *removed, struct err *err)
{
	struct kept_files files = { .items = NULL };
	char path[JOB_PATH_BYTES];
	DIR *folder;
	int rc;

	*removed = 0;
	if (folder_path(jobs, path, err) < 0)
		return -1;
	folder = opendir(path);
	if (!folder)
		return errno == ENOENT ? 0 : err_os(err, errno, "opening %s", path);
	rc = list(folder, &files, err);
	if (rc == 0 && files.count > 0) {
		qsort(files.items, files.count, sizeof(*files.items), youngest_first);
		remove_some(jobs, dirfd(folder), &files, removed);
	}
	mem_give_back(files.items);
	closedir(folder);
	return rc;
}

/* --- One more ------------------------------------------------------------------------------ */

int job_keep_for_diagnosis(struct jobs *jobs, const struct job *job, struct err *err)
{
	char body[JOB_PATH_BYTES], path[JOB_PATH_BYTES];
	uint64_t removed;
	size_t size;
	bool is_refresh;

	if (jobs->config->diagnostics_seconds == 0)
		return 0;
	if (job_spool_path(jobs, job->id, JOB_SPOOL_BODY, body, sizeof(body), err) < 0 ||
	    folder_path(jobs, path, err) < 0 || file_make_folders(path, 0700, err) < 0)
		return -1;
	size = strlen(path);
	snprintf(path + size, sizeof(path) - size, "/%s.%s", job->id,
		 job_asked_kind(job->kind, &is_refresh));
	if (link(body, path) < 0 && errno != EEXIST)
		return err_os(err, errno, "keeping %s", path);
	/* Its age begins now.  Where that cannot be said it is a little older. */
	(void)utimensat(AT_FDCWD, path, NULL, 0);
	return job_clean_diagnosis(jobs, &removed, err);
}
