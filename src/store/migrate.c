/* migrate.c -- the schema's steps, applied in order by one process. */
#include <stdio.h>
#include <sys/stat.h>

#include "base/err.h"
#include "store/store_internal.h"

static int refuse_newer(const struct store *store, int64_t version, struct err *err)
{
	if (version <= (int64_t)store_schema_version())
		return 0;
	return err_set(err, ERR_UNSUPPORTED, "the database is of a newer symgate (%lld > %u): run "
		       "that version, or give this one another state_dir than %s",
		       (long long)version, store_schema_version(), store->state_dir);
}

static int apply_step(struct store *store, unsigned version, struct err *err)
{
	char sql[64];

	for (const char *const *at = store_migration_script(version); *at; at++)
		if (store_execute(store, *at, "bringing the database up to date", err) < 0)
			return err_while(err, "step %u", version);
	snprintf(sql, sizeof(sql), "PRAGMA user_version = %u", version);
	return store_execute(store, sql, "bringing the database up to date", err);
}

/* Under the exclusive lock; somebody else may have done it while we waited for that. */
static int apply_missing(struct store *store, struct err *err)
{
	int64_t version;

	if (store_ask_number(store, "PRAGMA user_version", &version, err) < 0 ||
	    refuse_newer(store, version, err) < 0)
		return -1;
	for (unsigned next = (unsigned)version + 1; next <= store_schema_version(); next++)
		if (apply_step(store, next, err) < 0)
			return -1;
	return 0;
}

int store_migrate(struct store *store, struct err *err)
{
	int64_t version;

	if (store_ask_number(store, "PRAGMA user_version", &version, err) < 0 ||
	    refuse_newer(store, version, err) < 0)
		return -1;
	if (version < 0)
		return err_set(err, ERR_IO, "%s is not a database of symgate (version %lld)",
			       store->path, (long long)version);
	if (version == (int64_t)store_schema_version())
		return 0;
	/* New: nobody else may read it, whatever the folder's mode. */
	if (version == 0 && chmod(store->path, 0600) < 0)
		return err_set(err, ERR_IO, "%s belongs to somebody else", store->path);
	if (store_execute(store, "BEGIN EXCLUSIVE", "bringing the database up to date", err) < 0)
		return -1;
	if (apply_missing(store, err) < 0) {
		store_rollback(store);
		return -1;
	}
	return store_commit(store, err);
}
