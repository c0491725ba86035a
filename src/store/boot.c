/* boot.c -- see boot.h. */
#include "store/boot.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/hash.h"
#include "config/config.h"
#include "store/build_id.h"
#include "store/lock.h"
#include "store/store_internal.h"

#define JOIN_MILLIS      10000
#define JOIN_TRY_MILLIS  5
#define KERNEL_ID_BYTES  36u
#define KEY_BYTES        32u
#define KEY_TRIES        3

const char *store_build_id(void)
{
	return BUILD_ID;
}

/* --- The row -------------------------------------------------------------------------- */

struct latest {
	struct store_boot boot;
	bool is_our_build;
};

static int read_latest(void *payload, const struct store_value *columns, unsigned count)
{
	struct latest *latest = payload;

	(void)count;
	latest->boot.number = columns[COLUMN_store_boot_latest_id].number;
	latest->is_our_build = text_is(columns[COLUMN_store_boot_latest_build_id].text, BUILD_ID);
	snprintf(latest->boot.build_id, sizeof(latest->boot.build_id), "%.*s",
		 (int)columns[COLUMN_store_boot_latest_build_id].text.size,
		 columns[COLUMN_store_boot_latest_build_id].text.bytes);
	latest->boot.started_at = columns[COLUMN_store_boot_latest_started_at].number;
	return 1;
}

static int find_latest(struct store *store, struct latest *latest, struct err *err)
{
	memset(latest, 0, sizeof(*latest));
	return store_run(store, STATEMENT_store_boot_latest, NULL, 0, read_latest, latest, err) < 0
	       ? -1 : 0;
}

static int kernel_boot_id(struct buf *id, struct err *err)
{
	buf_init(id, 128);
	if (file_read_all("/proc/sys/kernel/random/boot_id", 127, id, err) < 0) {
		buf_release(id);
		return -1;
	}
	if (id->size > KERNEL_ID_BYTES)
		id->size = KERNEL_ID_BYTES;
	return 0;
}

static int add_row(struct store *store, int64_t previous, struct err *err)
{
	struct buf kernel;
	struct store_value values[3], forget = store_int(previous);
	int64_t rows = -1;

	if (kernel_boot_id(&kernel, err) < 0)
		return -1;
	values[0] = store_text(buf_text(&kernel));
	values[1] = store_text(text_of(BUILD_ID));
	values[2] = store_int(clock_unix_seconds());
	if (store_run(store, STATEMENT_store_boot_forget, &forget, 1, NULL, NULL, err) >= 0)
		rows = store_run(store, STATEMENT_store_boot_add, values, 3, NULL, NULL, err);
	buf_release(&kernel);
	return rows < 0 ? -1 : 0;
}

/* What the dead held is free at once, without waiting for leases to run out. */
static int free_what_was_held(struct store *store, struct err *err)
{
	if (store_run(store, STATEMENT_job_requeue_all, NULL, 0, NULL, NULL, err) < 0 ||
	    store_run(store, STATEMENT_flight_end_all, NULL, 0, NULL, NULL, err) < 0)
		return -1;
	return 0;
}

/* `alone`: nobody lives, so the newest row is of a life that has ended. */
static int settle_row(struct store *store, bool alone, struct store_boot *boot, struct err *err)
{
	struct latest latest;

	if (store_begin(store, STORE_TURN_SERVICE, TEXT_NONE, err) < 0)
		return -1;
	if (find_latest(store, &latest, err) < 0)
		goto undo;
	if (alone || latest.boot.number == 0 || !latest.is_our_build) {
		if (add_row(store, latest.boot.number, err) < 0 ||
		    find_latest(store, &latest, err) < 0)
			goto undo;
	}
	if (alone && free_what_was_held(store, err) < 0)
		goto undo;
	*boot = latest.boot;
	return store_commit(store, err);
undo:
	store_rollback(store);
	return -1;
}

/* --- The lock ------------------------------------------------------------------------- */

static int service_lock_path(const struct store *store, char *path, size_t capacity, struct err *err)
{
	int size = snprintf(path, capacity, "%s/service.lock", store->state_dir);

	return size > 0 && (size_t)size < capacity ? 0
	       : err_set(err, ERR_IO, "state_dir is too long: %s", store->state_dir);
}

/* Alone when we got it exclusively.  Whoever has it so is writing the row: wait for that. */
static int take_service_lock(const char *path, int *fd, bool *alone, struct err *err)
{
	static const struct timespec pause = { 0, JOIN_TRY_MILLIS * 1000000 };
	int64_t until = clock_monotonic_millis() + JOIN_MILLIS;
	int taken;

	do {
		*alone = true;
		taken = store_lock_try(path, true, fd, err);
		if (taken == 0) {
			*alone = false;
			taken = store_lock_try(path, false, fd, err);
		}
		if (taken != 0)
			return taken < 0 ? -1 : 0;
		nanosleep(&pause, NULL);
	} while (clock_monotonic_millis() < until);
	return err_set(err, ERR_BUSY, "%s: somebody else has been starting for %d s", path,
		       JOIN_MILLIS / 1000);
}

int store_boot_join(struct store *store, struct store_boot *boot, struct err *err)
{
	char path[STORE_PATH_BYTES];
	bool alone;
	int fd = -1;

	memset(boot, 0, sizeof(*boot));
	if (store->service_fd >= 0)
		return store_boot(store, boot, err);
	if (service_lock_path(store, path, sizeof(path), err) < 0 ||
	    take_service_lock(path, &fd, &alone, err) < 0)
		return -1;
	if (settle_row(store, alone, boot, err) < 0 ||
	    (alone && store_lock_share(fd, err) < 0)) {
		close(fd);
		return err_while(err, "joining the service");
	}
	store->service_fd = fd;
	return 0;
}

int store_boot(struct store *store, struct store_boot *boot, struct err *err)
{
	struct latest latest;

	if (find_latest(store, &latest, err) < 0)
		return -1;
	*boot = latest.boot;
	return 0;
}

/* --- The key of credentials ------------------------------------------------------------ */

/* Whole before anybody sees it; the first to link it has made it for all. */
static int make_key(const char *folder, const char *path, struct err *err)
{
	char temporary[STORE_PATH_BYTES];
	uint8_t bytes[KEY_BYTES];
	int fd;
	int rc;

	if (file_make_folders(folder, 0700, err) < 0 ||
	    file_temporary(folder, temporary, sizeof(temporary), &fd, err) < 0)
		return -1;
	random_bytes(bytes, sizeof(bytes));
	rc = file_write_all(fd, bytes, sizeof(bytes), err);
	if (rc == 0 && link(temporary, path) < 0 && errno != EEXIST)
		rc = err_os(err, errno, "making %s", path);
	unlink(temporary);
	close(fd);
	return rc;
}

int store_credentials_key(const struct config *config, uint8_t key[32], struct err *err)
{
	char path[STORE_PATH_BYTES];
	struct buf bytes;
	int size = snprintf(path, sizeof(path), "%s/credentials.key", config->state_dir);
	int rc = -1;

	if (size < 0 || (size_t)size >= sizeof(path))
		return err_set(err, ERR_IO, "state_dir is too long: %s", config->state_dir);
	buf_init(&bytes, KEY_BYTES + 1);
	for (int tries = 0; tries < KEY_TRIES; tries++) {
		buf_clear(&bytes);
		rc = file_read_all(path, KEY_BYTES, &bytes, err);
		if (rc == 0 || !err_is_absent(err))
			break;
		if (make_key(config->state_dir, path, err) < 0)
			break;
	}
	if (rc == 0 && bytes.size != KEY_BYTES)
		rc = err_set(err, ERR_IO, "%s is cut short: remove it", path);
	if (rc == 0) {
		memcpy(key, bytes.bytes, KEY_BYTES);
		err_clear(err);
	}
	buf_release(&bytes);
	return rc;
}
