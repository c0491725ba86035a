/* state.c -- see state.h. */
#include "cli/state.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "base/err.h"
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
