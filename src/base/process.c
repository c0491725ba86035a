/* process.c -- see process.h. */
#include "base/process.h"

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

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
