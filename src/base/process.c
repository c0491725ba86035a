/* process.c -- see process.h. */
#include "base/process.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/err.h"
#include "base/log.h"

void process_protect(void)
{
	const struct rlimit none = { 0, 0 };

	(void)setrlimit(RLIMIT_CORE, &none);
	signal(SIGXFSZ, SIG_IGN);
}

void process_warn_of_root(void)
{
	if (geteuid() == 0)
		log_message(LOG_WARN, "root", NULL, "the service runs as root, and nothing of it needs "
			    "to: give it a user of its own (User= in the unit, doc/deploy.md)");
}

size_t process_raise_descriptors(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &limit);
	}
	return process_descriptors();
}

size_t process_descriptors(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur > SIZE_MAX / 2)
		return SIZE_MAX / 2;
	return (size_t)limit.rlim_cur;
}

/* --- Whose files root makes --------------------------------------------------------------- */

enum process_owner process_owner_decide(uid_t me, const struct stat *folder)
{
	return me == 0 && folder && folder->st_uid != 0 ? PROCESS_BECOMES_OWNER : PROCESS_STAYS;
}

void process_name_owner(const char *folder, char *name, size_t capacity)
{
	const struct passwd *user;
	struct stat st;

	if (stat(folder, &st) < 0) {
		snprintf(name, capacity, "somebody");
		return;
	}
	user = getpwuid(st.st_uid);
	if (user)
		snprintf(name, capacity, "%s (uid %u)", user->pw_name, (unsigned)st.st_uid);
	else
		snprintf(name, capacity, "uid %u", (unsigned)st.st_uid);
}

/* The user's own groups; of a user without a name, the folder's group alone. */
static int take_groups(const struct stat *folder)
{
	const struct passwd *user = getpwuid(folder->st_uid);

	if (user)
		return initgroups(user->pw_name, user->pw_gid) < 0 ? -1 : setgid(user->pw_gid);
	return setgroups(0, NULL) < 0 ? -1 : setgid(folder->st_gid);
}

int process_become_owner(const char *folder, struct err *err)
{
	struct stat st;
	char name[80];

	if (stat(folder, &st) < 0 || process_owner_decide(geteuid(), &st) == PROCESS_STAYS)
		return 0;
	if (take_groups(&st) == 0 && setuid(st.st_uid) == 0 && setuid(0) < 0)
		return 1;
	process_name_owner(folder, name, sizeof(name));
	return err_set(err, ERR_DENIED, "%s belongs to %s, and root cannot become that user here (%s): "
		       "run this as that user", folder, name, strerror(errno));
}
