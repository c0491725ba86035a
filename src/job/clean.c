/* clean.c -- the keeper's part: overdue jobs, results past retention, lost spool files. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/limits.h"
#include "base/mem.h"
#include "config/config.h"
#include "job/job_internal.h"
#include "store/statements.h"

#define ORPHAN_SECONDS 120         /* longer than a body waits for its row */

struct ids {
	char (*ids)[JOB_ID_BYTES];
	unsigned count;
};

static int collect(void *payload, const struct store_value *columns, unsigned count)
{
	struct ids *ids = payload;
	struct text id = columns[COLUMN_job_overdue_id].text;

	(void)count;
	if (id.size != JOB_ID_BYTES - 1)
		return 0;
	memcpy(ids->ids[ids->count], id.bytes, id.size);
	ids->ids[ids->count++][id.size] = '\0';
	return ids->count >= JOB_BATCH;
}

/* --- Jobs nobody will end ------------------------------------------------------------------ */

static int end_all(struct jobs *jobs, unsigned statement, const struct store_value *values,
		   unsigned count, enum job_state state, struct ids *ids, struct err *err)
{
	ids->count = 0;
	if (store_run(jobs->store, statement, values, count, collect, ids, err) < 0)
		return -1;
	if (ids->count == 0)
		return 0;
	if (store_begin(jobs->store, STORE_TURN_JOB, TEXT_NONE, err) < 0)
		return -1;
	/* Now that nobody else writes: some may have ended meanwhile. */
	ids->count = 0;
	if (store_run(jobs->store, statement, values, count, collect, ids, err) < 0)
		goto undo;
	for (unsigned i = 0; i < ids->count; i++)
		if (job_end_row(jobs, ids->ids[i], state, err) < 0)
			goto undo;
	if (store_commit(jobs->store, err) < 0)
		return -1;
	for (unsigned i = 0; i < ids->count; i++) {
		job_spool_remove_body(jobs, ids->ids[i]);
		job_tell_end(jobs, ids->ids[i], state);
	}
	return 0;
undo:
	store_rollback(jobs->store);
	return -1;
}

static int end_overdue(struct jobs *jobs, struct ids *ids, struct err *err)
{
	int64_t now = job_now(jobs);
	struct store_value overdue[2] = { store_int(now), store_int(JOB_BATCH) };
	/* The holder that dies last counts too: two lapses are written, the third is this. */
	struct store_value lapsed[3] = { store_int(now), store_int(JOB_LAPSES_MAX - 1),
					 store_int(JOB_BATCH) };

	if (end_all(jobs, STATEMENT_job_overdue, overdue, 2, JOB_TIMEOUT, ids, err) < 0)
		return -1;
	return end_all(jobs, STATEMENT_job_lapsed_for_good, lapsed, 3, JOB_INTERNAL_ERROR, ids, err);
}

/* --- Retention ---------------------------------------------------------------------------- */

/* Files first: a row that still names a result finds it gone, never the other way. */
static int drop_results(struct jobs *jobs, const struct ids *ids, uint64_t *removed, struct err *err)
{
	if (ids->count == 0)
		return 0;
	for (unsigned i = 0; i < ids->count; i++)
		job_spool_remove(jobs, ids->ids[i], JOB_SPOOL_RESULT);
	if (store_begin(jobs->store, STORE_TURN_JOB, TEXT_NONE, err) < 0)
		return -1;
	for (unsigned i = 0; i < ids->count; i++) {
		struct store_value id = store_text(text_of(ids->ids[i]));

		if (store_run(jobs->store, STATEMENT_job_result_gone, &id, 1, NULL, NULL, err) < 0) {
			store_rollback(jobs->store);
			return -1;
		}
	}
	*removed += ids->count;
	return store_commit(jobs->store, err);
}

static int forget_results(struct jobs *jobs, struct ids *ids, uint64_t *removed, struct err *err)
{
	int64_t now = job_now(jobs);
	struct store_value old[2] = { store_int(now - LIMIT_RESULT_SECONDS), store_int(JOB_BATCH) };
	struct store_value kept[3] = { store_int(now), store_int(now - LIMIT_RESULT_SECONDS),
				       store_int(JOB_BATCH) };

	ids->count = 0;
	if (store_run(jobs->store, STATEMENT_job_with_old_result, old, 2, collect, ids, err) < 0 ||
	    drop_results(jobs, ids, removed, err) < 0)
		return -1;
	ids->count = 0;
	if (store_run(jobs->store, STATEMENT_job_no_longer_kept, kept, 3, collect, ids, err) < 0)
		return -1;
	return drop_results(jobs, ids, removed, err);
}

/* The newest are counted first; those that no longer fit are collected, but not before any result would
 * go. */
struct kept { struct ids ids; uint64_t bytes, most_bytes; unsigned count; int64_t before; };

static int collect_beyond(void *payload, const struct store_value *columns, unsigned count)
{
	struct kept *kept = payload;

	kept->bytes += (uint64_t)columns[COLUMN_job_kept_result_bytes].number;
	if ((++kept->count <= JOB_KEPT_MAX && kept->bytes <= kept->most_bytes) ||
	    columns[COLUMN_job_kept_finished_at].number > kept->before)
		return 0;
	return collect(&kept->ids, columns, count);
}

int job_clean_kept(struct jobs *jobs, uint64_t *removed, struct err *err)
{
	struct kept kept = { .ids = { mem_get_array(JOB_BATCH, JOB_ID_BYTES), 0 },
			     .most_bytes = jobs->config->web_keep_bytes,
			     .before = job_now(jobs) - LIMIT_RESULT_SECONDS };
	int rc;

	*removed = 0;
	if (!kept.ids.ids)
		return err_set(err, ERR_NO_MEMORY, "no memory to clean up results");
	rc = store_run(jobs->store, STATEMENT_job_kept, NULL, 0, collect_beyond, &kept, err) < 0 ? -1 : 0;
	if (rc == 0)
		rc = drop_results(jobs, &kept.ids, removed, err);
	mem_give_back(kept.ids.ids);
	return rc < 0 ? err_while(err, "cleaning up results that were kept") : 0;
}

static int read_flag(void *payload, const struct store_value *columns, unsigned count)
{
	(void)count;
	*(bool *)payload = columns[COLUMN_job_has_old_is_any].number != 0;
	return 1;
}

static int forget_rows(struct jobs *jobs, uint64_t *removed, struct err *err)
{
	struct store_value which[2] = { store_int(job_now(jobs) - JOB_ROW_SECONDS),
					store_int(JOB_ROWS_MAX) };
	bool any = false;
	int64_t now = job_now(jobs);
	struct store_value old[2] = { store_int(now - JOB_ROW_SECONDS), store_int(JOB_BATCH) };
	struct store_value many[3] = { store_int(JOB_ROWS_MAX), store_int(now - 2 * LIMIT_RESULT_SECONDS),
				       store_int(JOB_BATCH) };
	int64_t rows;

	if (store_run(jobs->store, STATEMENT_job_has_old, which, 2, read_flag, &any, err) < 0)
		return -1;
	if (!any)
		return 0;
	rows = store_run(jobs->store, STATEMENT_job_forget_old, old, 2, NULL, NULL, err);
	if (rows < 0)
		return -1;
	*removed += (uint64_t)rows;
	rows = store_run(jobs->store, STATEMENT_job_forget_many, many, 3, NULL, NULL, err);
	if (rows < 0)
		return -1;
	*removed += (uint64_t)rows;
	return 0;
}

int job_clean(struct jobs *jobs, uint64_t *removed, struct err *err)
{
	struct ids ids = { mem_get_array(JOB_BATCH, JOB_ID_BYTES), 0 };
	int rc;

	*removed = 0;
	if (!ids.ids)
		return err_set(err, ERR_NO_MEMORY, "no memory to clean up jobs");
	rc = end_overdue(jobs, &ids, err);
	if (rc == 0)
		rc = forget_results(jobs, &ids, removed, err);
	if (rc == 0)
		rc = forget_rows(jobs, removed, err);
	mem_give_back(ids.ids);
	return rc < 0 ? err_while(err, "cleaning up jobs") : 0;
}

/* --- Lost files --------------------------------------------------------------------------- */

/* Who died between writing a file and its row, or between a row and its file. */
static bool is_wanted(struct jobs *jobs, const char *name, struct err *err)
{
	const char *dot = strrchr(name, '.');
	char id[JOB_ID_BYTES];
	enum job_state state;

	if (!dot || dot - name != JOB_ID_BYTES - 1)
		return false;
	memcpy(id, name, sizeof(id) - 1);
	id[sizeof(id) - 1] = '\0';
	/* When the database cannot say, it stays. */
	if (job_look(jobs, id, &state, err) < 0)
		return true;
	return strcmp(dot, ".result") == 0 ? state != JOB_UNKNOWN
					   : state == JOB_QUEUED || state == JOB_RUNNING;
}

int job_repair_spool(struct jobs *jobs, uint64_t *removed, struct err *err)
{
	char path[JOB_PATH_BYTES];
	struct dirent *entry;
	struct stat st;
	DIR *folder;

	*removed = 0;
	snprintf(path, sizeof(path), "%s/spool", jobs->config->state_dir);
	folder = opendir(path);
	if (!folder)
		return errno == ENOENT ? 0 : err_os(err, errno, "opening %s", path);
	while ((entry = readdir(folder)) != NULL) {
		struct err ignored = ERR_INIT;

		if (entry->d_name[0] == '.' ||
		    fstatat(dirfd(folder), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
		    !S_ISREG(st.st_mode) || job_now(jobs) - st.st_mtime < ORPHAN_SECONDS ||
		    is_wanted(jobs, entry->d_name, &ignored))
			continue;
		if (unlinkat(dirfd(folder), entry->d_name, 0) == 0)
			(*removed)++;
	}
	closedir(folder);
	return 0;
}
