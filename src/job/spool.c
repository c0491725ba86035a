/*
 * spool.c -- bodies and results: STATE_DIR/spool/<id>.body, .fields and .result, mode 0600.
 *
 * Not synced: they outlive any process, and a job does not outlive the machine.
 */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/limits.h"
#include "config/config.h"
#include "job/job_internal.h"

static const char *const endings[] = {
	[JOB_SPOOL_BODY] = "body", [JOB_SPOOL_FIELDS] = "fields", [JOB_SPOOL_RESULT] = "result",
};

/* Ids come from requests: anything but a UUID could lead out of the folder. */
static bool is_id(const char *id)
{
	size_t size = 0;

	for (; id[size]; size++) {
		bool dash = size == 8 || size == 13 || size == 18 || size == 23;

		if (size >= JOB_ID_BYTES - 1 ||
		    (dash ? id[size] != '-' : ascii_hex_value(id[size]) < 0))
			return false;
	}
	return size == JOB_ID_BYTES - 1;
}

static int fit(int size, size_t capacity, const struct jobs *jobs, struct err *err)
{
	if (size >= 0 && (size_t)size < capacity)
		return 0;
	return err_set(err, ERR_IO, "state_dir is too long: %s", jobs->config->state_dir);
}

int job_spool_folder(const struct jobs *jobs, char *path, size_t capacity, struct err *err)
{
	return fit(snprintf(path, capacity, "%s/spool", jobs->config->state_dir), capacity, jobs, err);
}

int job_spool_path(const struct jobs *jobs, const char *id, enum job_spool what, char *path,
		   size_t capacity, struct err *err)
{
	if (!is_id(id))
		return err_set(err, ERR_NOT_FOUND, "that is no id of a job");
	return fit(snprintf(path, capacity, "%s/spool/%s.%s", jobs->config->state_dir, id, endings[what]),
		   capacity, jobs, err);
}

int job_spool_create(const struct jobs *jobs, char *temporary, size_t capacity, int *fd,
		     struct err *err)
{
	char folder[JOB_PATH_BYTES];

	if (job_spool_folder(jobs, folder, sizeof(folder), err) < 0)
		return -1;
	if (file_temporary(folder, temporary, capacity, fd, err) == 0)
		return 0;
	if (!err_is_absent(err))
		return -1;
	err_clear(err);
	if (file_make_folders(folder, 0700, err) < 0)
		return -1;
	return file_temporary(folder, temporary, capacity, fd, err);
}

int job_spool_write(const struct jobs *jobs, struct text bytes, char *temporary, size_t capacity,
		    struct err *err)
{
	int fd = -1;

	if (job_spool_create(jobs, temporary, capacity, &fd, err) < 0)
		return -1;
	if (file_write_all(fd, bytes.bytes, bytes.size, err) < 0) {
		close(fd);
		unlink(temporary);
		return err_while(err, "spooling %zu bytes as %s", bytes.size, temporary);
	}
	close(fd);
	return 0;
}

int job_spool_place(const char *temporary, const char *path, struct err *err)
{
	return rename(temporary, path) == 0 ? 0 : err_os(err, errno, "spooling %s", path);
}

int job_spool_read(const struct jobs *jobs, const char *id, enum job_spool what, struct buf *out,
		   struct err *err)
{
	char path[JOB_PATH_BYTES];

	if (job_spool_path(jobs, id, what, path, sizeof(path), err) < 0)
		return -1;
	return file_read_all(path, LIMIT_REPLY_BYTES, out, err);
}

void job_spool_remove(const struct jobs *jobs, const char *id, enum job_spool what)
{
	struct err err = ERR_INIT;
	char path[JOB_PATH_BYTES];

	if (job_spool_path(jobs, id, what, path, sizeof(path), &err) == 0)
		unlink(path);
}

void job_spool_remove_body(const struct jobs *jobs, const char *id)
{
	job_spool_remove(jobs, id, JOB_SPOOL_BODY);
	job_spool_remove(jobs, id, JOB_SPOOL_FIELDS);
}
