/*
 * filter.c -- the system calls a cell may make: see confine.h.
 *
 *  1. An allow-list; everything else ends the process (SIGSYS).
 *  2. What libraries try and can do without gets an errno instead: opening files, sockets.
 *  3. A cell may make threads and nothing else that runs: clone is looked at, clone3 (whose
 *     arguments a filter cannot see) does not exist, so that libc falls back to clone.
 *  4. No mapping is ever executable.
 *  5. All memory is of the kind that RLIMIT_DATA counts: no shared mappings but of files for
 *     reading, no stacks that grow, no memory files, and what is writable stays so (written
 *     pages of a mapping that was made read-only would be counted no more).
 *  6. newfstatat stays, with AT_EMPTY_PATH only: it is libc's fstat.  A filter cannot see the
 *     path, so a cell could learn whether a path exists; it has nobody to tell but its asker.
 *
 * Builds with sanitizers are laxer: what is not listed gets EPERM, and pipes work, because
 * their run-time asks the kernel about addresses and descriptors on the way to a report; and
 * there is no rule 5, as they have no RLIMIT_DATA either.
 */
#include "sandbox/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

#ifdef SYMGATE_SANITIZED
#define OTHERWISE SCMP_ACT_ERRNO(EPERM)
#else
#define OTHERWISE SCMP_ACT_KILL_PROCESS
#endif

static const int allowed[] = {
	/* bytes in and out of what was given */
	SCMP_SYS(read), SCMP_SYS(readv), SCMP_SYS(pread64), SCMP_SYS(preadv), SCMP_SYS(write),
	SCMP_SYS(writev), SCMP_SYS(pwrite64), SCMP_SYS(pwritev), SCMP_SYS(lseek), SCMP_SYS(fstat),
	SCMP_SYS(ftruncate), SCMP_SYS(fallocate), SCMP_SYS(fsync), SCMP_SYS(fdatasync),
	SCMP_SYS(copy_file_range), SCMP_SYS(sendfile), SCMP_SYS(fadvise64), SCMP_SYS(close),
	SCMP_SYS(dup), SCMP_SYS(sendmsg), SCMP_SYS(recvmsg), SCMP_SYS(poll), SCMP_SYS(ppoll),
	/* memory */
	SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(madvise), SCMP_SYS(msync), SCMP_SYS(brk),
	/* threads, waiting, time */
	SCMP_SYS(futex), SCMP_SYS(rseq), SCMP_SYS(set_robust_list), SCMP_SYS(sched_yield),
	SCMP_SYS(sched_getaffinity), SCMP_SYS(getcpu), SCMP_SYS(getpid), SCMP_SYS(gettid),
	SCMP_SYS(getppid), SCMP_SYS(clock_gettime), SCMP_SYS(clock_getres), SCMP_SYS(gettimeofday),
	SCMP_SYS(time), SCMP_SYS(nanosleep), SCMP_SYS(clock_nanosleep), SCMP_SYS(restart_syscall),
	SCMP_SYS(exit), SCMP_SYS(exit_group),
	/* signals of its own */
	SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn),
	SCMP_SYS(sigaltstack),
	/* facts about itself and the machine's size */
	SCMP_SYS(getrandom), SCMP_SYS(getrusage), SCMP_SYS(getrlimit), SCMP_SYS(sysinfo),
	SCMP_SYS(getuid), SCMP_SYS(geteuid), SCMP_SYS(getgid), SCMP_SYS(getegid),
#ifdef SYMGATE_SANITIZED
	SCMP_SYS(pipe), SCMP_SYS(pipe2),
#endif
};

static const struct { int call, error; } refused[] = {
	{ SCMP_SYS(open), EACCES }, { SCMP_SYS(openat), EACCES }, { SCMP_SYS(openat2), EACCES },
	{ SCMP_SYS(creat), EACCES }, { SCMP_SYS(access), EACCES }, { SCMP_SYS(faccessat), EACCES },
	{ SCMP_SYS(faccessat2), EACCES }, { SCMP_SYS(stat), EACCES }, { SCMP_SYS(lstat), EACCES },
	{ SCMP_SYS(statx), ENOSYS }, { SCMP_SYS(readlink), EACCES },
	{ SCMP_SYS(readlinkat), EACCES }, { SCMP_SYS(getcwd), EACCES },
	{ SCMP_SYS(socket), EACCES }, { SCMP_SYS(connect), EACCES }, { SCMP_SYS(uname), EPERM },
	{ SCMP_SYS(ioctl), ENOTTY }, { SCMP_SYS(clone3), ENOSYS },
	{ SCMP_SYS(membarrier), ENOSYS }, { SCMP_SYS(mlock), EPERM },
	/* libunwind tries these out on addresses of its own process, and does without. */
	{ SCMP_SYS(mincore), ENOSYS },
#ifndef SYMGATE_SANITIZED
	{ SCMP_SYS(pipe2), EMFILE },
#endif
};

static int allow_plain(scmp_filter_ctx context)
{
	for (size_t i = 0; i < sizeof(allowed) / sizeof(allowed[0]); i++)
		if (seccomp_rule_add(context, SCMP_ACT_ALLOW, allowed[i], 0) < 0)
			return -1;
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		uint32_t action = SCMP_ACT_ERRNO((uint32_t)refused[i].error);

		/* libseccomp takes no rule that says what happens anyway. */
		if (action != OTHERWISE &&
		    seccomp_rule_add(context, action, refused[i].call, 0) < 0)
			return -1;
	}
	return 0;
}

/* mmap(2): kinds of mapping, as far as the filter looks at them. */
#define MAP_KIND (MAP_TYPE | MAP_ANONYMOUS | MAP_GROWSDOWN)

static int allow_memory(scmp_filter_ctx context)
{
#ifdef SYMGATE_SANITIZED
	const struct scmp_arg_cmp any = SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0);

	if (seccomp_rule_add(context, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 1, any) < 0)
		return -1;
	return seccomp_rule_add(context, SCMP_ACT_ALLOW, SCMP_SYS(mprotect), 1, any);
#else
	const struct { struct scmp_arg_cmp protection, kind; } mappings[] = {
		/* of its own */
		{ SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0),
		  SCMP_A3(SCMP_CMP_MASKED_EQ, MAP_TYPE | MAP_GROWSDOWN, MAP_PRIVATE) },
		/* of files, to read */
		{ SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC | PROT_WRITE, 0),
		  SCMP_A3(SCMP_CMP_MASKED_EQ, MAP_KIND, MAP_SHARED) },
	};

	for (size_t i = 0; i < sizeof(mappings) / sizeof(mappings[0]); i++)
		if (seccomp_rule_add(context, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 2,
				     mappings[i].protection, mappings[i].kind) < 0)
			return -1;
	if (seccomp_rule_add(context, SCMP_ACT_ERRNO(EACCES), SCMP_SYS(mprotect), 1,
			     SCMP_A2(SCMP_CMP_NE, PROT_READ | PROT_WRITE, 0)) < 0)
		return -1;
	return seccomp_rule_add(context, SCMP_ACT_ALLOW, SCMP_SYS(mprotect), 1,
				SCMP_A2(SCMP_CMP_EQ, PROT_READ | PROT_WRITE, 0));
#endif
}

/* Calls allowed with some arguments only; rules of one call are alternatives. */
static int allow_with_arguments(scmp_filter_ctx context)
{
	static const int fcntls[] = { F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD,
				      F_DUPFD_CLOEXEC };
	const struct { int call; struct scmp_arg_cmp what; } looked_at[] = {
		{ SCMP_SYS(clone), SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD) },
		{ SCMP_SYS(newfstatat), SCMP_A3(SCMP_CMP_EQ, AT_EMPTY_PATH, 0) },
		{ SCMP_SYS(prctl), SCMP_A0(SCMP_CMP_EQ, PR_SET_NAME, 0) },
		{ SCMP_SYS(tgkill), SCMP_A0(SCMP_CMP_EQ, FILTER_OWN_PID, 0) },
	};

	for (size_t i = 0; i < sizeof(looked_at) / sizeof(looked_at[0]); i++)
		if (seccomp_rule_add(context, SCMP_ACT_ALLOW, looked_at[i].call, 1,
				     looked_at[i].what) < 0)
			return -1;
	for (size_t i = 0; i < sizeof(fcntls) / sizeof(fcntls[0]); i++)
		if (seccomp_rule_add(context, SCMP_ACT_ALLOW, SCMP_SYS(fcntl), 1,
				     SCMP_A1(SCMP_CMP_EQ, (scmp_datum_t)fcntls[i], 0)) < 0)
			return -1;
	/* Its own limits, to read: no pid and no new values. */
	return seccomp_rule_add(context, SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), 2,
				SCMP_A0(SCMP_CMP_EQ, 0, 0), SCMP_A2(SCMP_CMP_EQ, 0, 0));
}

static int export_filter(scmp_filter_ctx context, struct sock_filter **filter,
			 unsigned short *count)
{
	int fd = memfd_create("filter", MFD_CLOEXEC);
	struct stat st;
	int rc = -1;

	if (fd < 0)
		return -1;
	if (seccomp_export_bpf(context, fd) == 0 && fstat(fd, &st) == 0 &&
	    st.st_size / (off_t)sizeof(**filter) <= BPF_MAXINSNS)
		*filter = mem_get((size_t)st.st_size);
	if (*filter && pread(fd, *filter, (size_t)st.st_size, 0) == st.st_size) {
		*count = (unsigned short)((size_t)st.st_size / sizeof(**filter));
		rc = 0;
	}
	close(fd);
	return rc;
}

int filter_build(struct sock_filter **filter, unsigned short *count, struct err *err)
{
	scmp_filter_ctx context = seccomp_init(OTHERWISE);
	int rc = -1;

	*filter = NULL;
	if (context && allow_plain(context) == 0 && allow_memory(context) == 0 &&
	    allow_with_arguments(context) == 0) {
		/* A foreign architecture's calls have other numbers. */
		(void)seccomp_attr_set(context, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
		(void)seccomp_attr_set(context, SCMP_FLTATR_CTL_OPTIMIZE, 2);
		rc = export_filter(context, filter, count);
	}
	if (context)
		seccomp_release(context);
	if (rc < 0) {
		mem_give_back(*filter);
		*filter = NULL;
		return err_set(err, ERR_NO_MEMORY, "the system call filter cannot be made");
	}
	return 0;
}
