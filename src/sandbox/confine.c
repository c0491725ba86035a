/* confine.c -- see confine.h. */
#include "sandbox/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/mem.h"
#include "config/config.h"

#define CPU_GRACE_SECONDS 5u         /* between SIGXCPU and the kernel's SIGKILL */
#define FILE_SLACK_BYTES ((rlim_t)1 << 30)   /* a derived file may outgrow its download */
#define STACK_PART 4u                /* of a cell's memory its stack has no more than this part */
#define PAGES_PATH "/proc/self/statm"
#define CAPABILITIES_MAX 64u         /* of the kernel's interface; it has fewer */
#define DESCRIPTORS_MAX 65536        /* closed one by one where there is no close_range */

enum sandbox_level sandbox_level_ceiling = SANDBOX_FULL;

const char *sandbox_level_name(enum sandbox_level level)
{
	static const char *const names[] = {
		[SANDBOX_PLAIN] = "plain", [SANDBOX_FILTERED] = "filtered", [SANDBOX_FULL] = "full",
	};

	return names[level];
}

void confine_die_with(pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	if (getppid() != parent)
		_exit(0);
}

/* landlock(7), by ABI version: the build's headers may be older than the kernel. */
struct landlock_ruleset { uint64_t fs, net, scoped; };
#define LANDLOCK_FS_ABI1  0x1fffu    /* execute ... make_sym */
#define LANDLOCK_FS_REFER 0x2000u    /* ABI 2 */
#define LANDLOCK_FS_TRUNCATE 0x4000u /* ABI 3 */
#define LANDLOCK_FS_IOCTL 0x8000u    /* ABI 5 */
#define LANDLOCK_NET_TCP  0x3u       /* ABI 4: bind, connect */
#define LANDLOCK_SCOPED   0x3u       /* ABI 6: abstract sockets, signals */
#define LANDLOCK_ASK_VERSION 1u

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_restrict_self 446
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif

/* Everything the kernel can forbid is forbidden, since no rule allows any of it. */
static int make_ruleset(void)
{
	struct landlock_ruleset rules = { .fs = LANDLOCK_FS_ABI1 };
	size_t size = sizeof(rules.fs);
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_ASK_VERSION);

	if (abi < 1)
		return -1;
	if (abi >= 2)
		rules.fs |= LANDLOCK_FS_REFER;
	if (abi >= 3)
		rules.fs |= LANDLOCK_FS_TRUNCATE;
	if (abi >= 4) {
		rules.net = LANDLOCK_NET_TCP;
		size = sizeof(rules.fs) + sizeof(rules.net);
	}
	if (abi >= 5)
		rules.fs |= LANDLOCK_FS_IOCTL;
	if (abi >= 6) {
		rules.scoped = LANDLOCK_SCOPED;
		size = sizeof(rules);
	}
	return (int)syscall(SYS_landlock_create_ruleset, &rules, size, 0);
}

static rlim_t ceiling_of(uint64_t configured)
{
	return configured == CONFIG_UNLIMITED ? RLIM_INFINITY : (rlim_t)configured;
}

/* What a cell has from the start: pages its nursery, which it is forked from, has written. */
static rlim_t inherited_bytes(void)
{
	unsigned long resident = 0, of_files = 0;
	long page = sysconf(_SC_PAGESIZE);
	char text[128];
	ssize_t size;
	int fd = open(PAGES_PATH, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return 0;
	size = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (size <= 0 || page <= 0)
		return 0;
	text[size] = '\0';
	if (sscanf(text, "%*u %lu %lu", &resident, &of_files) != 2 || resident < of_files)
		return 0;
	return (rlim_t)(resident - of_files) * (rlim_t)page;
}

/* The ceiling is for all together, and the kernel counts stacks and data apart. */
static void part_memory(struct confinement *confinement)
{
	rlim_t all = confinement->memory_bytes, inherited = inherited_bytes();

	confinement->stack_bytes = LIMIT_CELL_STACK_BYTES;
	confinement->data_bytes = RLIM_INFINITY;
	if (all == RLIM_INFINITY)
		return;
	if (confinement->stack_bytes > all / STACK_PART)
		confinement->stack_bytes = all / STACK_PART;
	if (inherited > all / STACK_PART)
		inherited = all / STACK_PART;
	confinement->data_bytes = all - confinement->stack_bytes - inherited;
}

int confine_prepare(struct confinement *confinement, const struct config *config,
		    struct err *err)
{
	rlim_t file = ceiling_of(config->max_download_bytes);

	memset(confinement, 0, sizeof(*confinement));
	confinement->ruleset = -1;
	confinement->memory_bytes = ceiling_of(config->cell_memory_bytes);
	part_memory(confinement);
	confinement->cpu_seconds = config->cell_cpu_seconds > 0 ?
		(rlim_t)config->cell_cpu_seconds : LIMIT_CELL_CPU_SECONDS;
	if (file == RLIM_INFINITY)
		file = LIMIT_DOWNLOAD_BYTES;
	confinement->file_bytes = file + FILE_SLACK_BYTES;
	if (sandbox_level_ceiling >= SANDBOX_FILTERED &&
	    filter_build(&confinement->filter, &confinement->filter_count, err) < 0)
		return -1;
	if (sandbox_level_ceiling >= SANDBOX_FULL)
		confinement->ruleset = make_ruleset();
	return 0;
}

void confine_release(struct confinement *confinement)
{
	mem_give_back(confinement->filter);
	confinement->filter = NULL;
	if (confinement->ruleset >= 0)
		close(confinement->ruleset);
	confinement->ruleset = -1;
}

static int compare_ints(const void *a, const void *b)
{
	int left = *(const int *)a, right = *(const int *)b;

	return left < right ? -1 : left > right;
}

static int close_between(int first, int last)
{
	if (first > last)
		return 0;
	if (syscall(SYS_close_range, (unsigned)first, (unsigned)last, 0) == 0)
		return 0;
	if (errno != ENOSYS && errno != EPERM)
		return -1;
	for (int fd = first; fd <= last && fd < DESCRIPTORS_MAX; fd++)
		close(fd);
	return 0;
}

int confine_descriptors(const int *keep, unsigned count, struct err *err)
{
	int sorted[64];
	int next = 0;

	if (count > sizeof(sorted) / sizeof(sorted[0]))
		return err_set(err, ERR_INTERNAL, "too many descriptors to keep");
	memcpy(sorted, keep, count * sizeof(sorted[0]));
	qsort(sorted, count, sizeof(sorted[0]), compare_ints);
	for (unsigned i = 0; i < count; i++) {
		if (sorted[i] < next)
			continue;
		if (close_between(next, sorted[i] - 1) < 0)
			return err_os(err, errno, "closing descriptors");
		next = sorted[i] + 1;
	}
	if (close_between(next, INT32_MAX) < 0)
		return err_os(err, errno, "closing descriptors");
	return 0;
}

static int set_limit(__rlimit_resource_t what, const char *name, rlim_t soft, rlim_t hard,
		     struct err *err)
{
	struct rlimit now, limit = { .rlim_cur = soft, .rlim_max = hard };

	/* A stricter ceiling from outside stays. */
	if (getrlimit(what, &now) < 0)
		return err_os(err, errno, "reading the %s limit", name);
	if (limit.rlim_max > now.rlim_max)
		limit.rlim_max = now.rlim_max;
	if (limit.rlim_cur > limit.rlim_max)
		limit.rlim_cur = limit.rlim_max;
	if (setrlimit(what, &limit) < 0)
		return err_os(err, errno, "setting the %s limit", name);
	return 0;
}

/*
 * Where the service itself may write less than a cell would (`ulimit -f`), a write that fails is no
 * fault of the file that is read: SIGXFSZ stays ignored, and EFBIG is an error of our own disk.
 */
static int limit_files(const struct confinement *confinement, struct err *err)
{
	struct rlimit now;

	if (getrlimit(RLIMIT_FSIZE, &now) < 0)
		return err_os(err, errno, "reading the file size limit");
	if (now.rlim_cur < confinement->file_bytes)
		return 0;
	signal(SIGXFSZ, SIG_DFL);
	return set_limit(RLIMIT_FSIZE, "file size", confinement->file_bytes,
			 confinement->file_bytes, err);
}

static int set_limits(const struct confinement *confinement, struct err *err)
{
	rlim_t cpu = confinement->cpu_seconds;

	if (set_limit(RLIMIT_CORE, "core", 0, 0, err) < 0 ||
	    set_limit(RLIMIT_CPU, "CPU", cpu, cpu + CPU_GRACE_SECONDS, err) < 0 ||
	    limit_files(confinement, err) < 0)
		return -1;
	if (set_limit(RLIMIT_NPROC, "thread", LIMIT_CELL_TASKS, LIMIT_CELL_TASKS, err) < 0)
		return -1;
#ifndef SYMGATE_SANITIZED
	/* Not RLIMIT_AS: mapping an input of 15 GB is legal.  Sanitizers keep shadow memory. */
	if (set_limit(RLIMIT_DATA, "memory", confinement->data_bytes,
		      confinement->data_bytes, err) < 0 ||
	    set_limit(RLIMIT_STACK, "stack", confinement->stack_bytes,
		      confinement->stack_bytes, err) < 0)
		return -1;
#endif
	return 0;
}

/* Of a service that runs as root: what is left of it may do no more than any user's process.
 * Whoever has none may be refused these calls; what counts is what is there afterwards. */
static int drop_capabilities(struct err *err)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = { { 0, 0, 0 } };

	for (unsigned long i = 0; i < CAPABILITIES_MAX; i++)
		if (prctl(PR_CAPBSET_READ, i, 0, 0, 0) == 1)
			(void)prctl(PR_CAPBSET_DROP, i, 0, 0, 0);
	(void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	if (syscall(SYS_capset, &header, sets) == 0)
		return 0;
	if (syscall(SYS_capget, &header, sets) < 0)
		return err_os(err, errno, "reading the capabilities");
	for (size_t i = 0; i < _LINUX_CAPABILITY_U32S_3; i++)
		if (sets[i].effective || sets[i].permitted)
			return err_set(err, ERR_IO, "giving up the capabilities: the kernel refuses");
	return 0;
}

/* The one thing of the filter that differs between cells is who they are. */
static bool install_filter(const struct confinement *confinement)
{
	struct sock_fprog program = { .len = confinement->filter_count,
				      .filter = confinement->filter };

	for (unsigned i = 0; i < program.len; i++)
		if (program.filter[i].k == FILTER_OWN_PID)
			program.filter[i].k = (uint32_t)getpid();
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

int confine_self(const struct confinement *confinement, enum sandbox_level *reached,
		 struct err *err)
{
	bool landlocked;

	*reached = SANDBOX_PLAIN;
	if (set_limits(confinement, err) < 0 || drop_capabilities(err) < 0)
		return -1;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return err_os(err, errno, "giving up new privileges");
	landlocked = confinement->ruleset >= 0 &&
		syscall(SYS_landlock_restrict_self, confinement->ruleset, 0) == 0;
	if (confinement->ruleset >= 0)
		close(confinement->ruleset);
	if (confinement->filter && install_filter(confinement))
		*reached = landlocked ? SANDBOX_FULL : SANDBOX_FILTERED;
	return 0;
}

int confine_open(const struct confinement *confinement, struct err *err)
{
	if (confinement->ruleset >= 0)
		close(confinement->ruleset);
	if (set_limit(RLIMIT_CORE, "core", 0, 0, err) < 0 || drop_capabilities(err) < 0)
		return -1;
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0
	       ? err_os(err, errno, "giving up new privileges") : 0;
}
