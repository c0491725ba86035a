/*
 * place.c -- are the files we have open still the ones under their names?
 *
 * SQLite goes on in files somebody removed as if nothing had happened, while whoever opens the
 * database afterwards works in others: two halves of a service that never hear of each other
 * (the folder was emptied), or a log that does not belong to its index (`rm symgate.db-wal`,
 * https://www.sqlite.org/howtocorrupt.html section 1.4).  So the files are looked at before
 * every write, and once a second by each process (test_store_files_that_vanish in
 * tests/faults/test_state.py).
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/log.h"
#include "store/internal.h"

static const char *const endings[STORE_FILES] = {
	[STORE_FILE_MAIN] = "", [STORE_FILE_WAL] = "-wal", [STORE_FILE_SHM] = "-shm",
};

enum presence { AS_BEFORE, MISSING, ANOTHER };

static enum presence look_at(const struct store *store, unsigned which, struct store_file *now)
{
	char path[STORE_PATH_BYTES + 8];
	struct stat st;

	*now = (struct store_file){ 0, 0 };
	snprintf(path, sizeof(path), "%s%s", store->path, endings[which]);
	if (stat(path, &st) < 0)
		return errno == ENOENT || errno == ENOTDIR ? MISSING : AS_BEFORE;
	*now = (struct store_file){ st.st_dev, st.st_ino };
	return now->dev == store->files[which].dev && now->ino == store->files[which].ino
	       ? AS_BEFORE : ANOTHER;
}

void store_note_files(struct store *store)
{
	for (unsigned i = 0; i < STORE_FILES; i++)
		look_at(store, i, &store->files[i]);
}

/* While nobody has opened the database since, our log and its index still belong together: all
 * of it goes into the main file, where the next to open it finds it. */
static void rescue(struct store *store)
{
	int code = sqlite3_wal_checkpoint_v2(store->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);

	log_message(LOG_WARN, "store_rescue", NULL, "%s: %s", store->path,
		    code == SQLITE_OK ? "all that was committed is in it" : sqlite3_errmsg(store->db));
}

int store_in_place(struct store *store, struct err *err)
{
	enum presence worst = AS_BEFORE;
	struct store_file now;
	unsigned first = 0;

	for (unsigned i = 0; i < STORE_FILES; i++) {
		enum presence presence;

		if (store->files[i].ino == 0)
			continue;
		presence = look_at(store, i, &now);
		if (presence != AS_BEFORE && worst == AS_BEFORE)
			first = i;
		if (presence > worst)
			worst = presence;
	}
	if (worst == AS_BEFORE)
		return 0;
	if (!store->rescued && worst == MISSING && first != STORE_FILE_MAIN &&
	    sqlite3_get_autocommit(store->db)) {
		store->rescued = true;
		rescue(store);
	}
	return err_set(err, ERR_IO, "%s%s was %s while it was in use; it is opened anew", store->path,
		       endings[first], worst == MISSING ? "removed" : "replaced");
}
