/* state.c -- see state.h. */
#include "cli/state.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/process.h"
#include "config/config.h"
#include "store/lock.h"
#include "store/store.h"

#define PATH_BYTES 4096u

static int path_in(const struct config *config, const char *name, char *path, struct err *err)
{
	int size = snprintf(path, PATH_BYTES, "%s/%s", config->state_dir, name);

	return size > 0 && (size_t)size < PATH_BYTES
		       ? 0 : err_set(err, ERR_IO, "state_dir is too long: %s", config->state_dir);
}

int state_open(const struct config *config, struct store **store, struct err *err)
{
	char path[PATH_BYTES];

	if (path_in(config, "symgate.db", path, err) < 0)
		return -1;
	if (access(path, F_OK) < 0)
		return err_set(err, errno == ENOENT || errno == ENOTDIR ? ERR_NOT_FOUND : ERR_IO,
			       "%s has no symgate.db: no service has run there; -c FILE or "
			       "--state-dir DIR name another folder", config->state_dir);
	return store_open(store, config, err);
}

int state_is_alive(const struct config *config)
{
	struct err err = ERR_INIT;
	char path[PATH_BYTES];
	int fd = -1, taken;

	if (path_in(config, "service.lock", path, &err) < 0 || access(path, F_OK) < 0)
		return false;
	taken = store_lock_try(path, true, &fd, &err);
	if (taken > 0)
		close(fd);
	return taken == 0;
}

/* Whom we became, for who wonders what could not be read. */
static char became[PATH_BYTES];

int state_take_owner(const struct config *config, struct err *err)
{
	char name[80];
	int taken = process_become_owner(config->state_dir, err);

	if (taken > 0) {
		process_name_owner(config->state_dir, name, sizeof(name));
		snprintf(became, sizeof(became), "(this ran as %s, the owner of %s, not as root)", name,
			 config->state_dir);
	}
	return taken < 0 ? -1 : 0;
}

const char *state_taken_owner(void)
{
	return became;
}

int state_refuse_others(const struct config *config, struct err *err)
{
	struct stat st;
	char name[80];

	if (stat(config->state_dir, &st) < 0 ||
	    process_owner_decide(geteuid(), &st) == PROCESS_STAYS)
		return 0;
	process_name_owner(config->state_dir, name, sizeof(name));
	return err_set(err, ERR_DENIED, "%s belongs to %s, and what root makes there that user could "
		       "neither read nor remove: start the service as that user (User= in the unit, or "
		       "setpriv --reuid=%u --regid=%u --init-groups), or give it another state_dir",
		       config->state_dir, name, (unsigned)st.st_uid, (unsigned)st.st_gid);
}
