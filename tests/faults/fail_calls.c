/*
 * fail_calls -- a library to be preloaded: one kind of system call fails when it is told to.
 *
 * What fails, where and how often stands in a file that is mapped by all processes and written by
 * the test (test_errnos.py knows its layout).  Only calls on files and between our own processes
 * count: not the log, not the web server's connection, not the network.
 *
 * Built by the test: gcc -shared -fPIC -o fail_calls.so fail_calls.c
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum kind { WRITE, READ, OPEN, RENAME, FSYNC, SEND, RECEIVE, MAP, MAKE, FORK, MEMORY, KINDS };
enum role { OTHER, FRONT, WORKSHOP, NURSERY, CELL, ROLES };

struct control {
	atomic_uint armed;
	uint32_t kind, roles;        /* roles: a set of bits */
	int32_t error;
	atomic_llong skip, left;     /* calls that are let pass, and that fail after them */
	atomic_ullong fired;
	atomic_ullong seen[ROLES][KINDS];
};

static struct control *control;
static enum role role;
static uintptr_t program_start, program_end;

static int find_program(struct dl_phdr_info *info, size_t size, void *payload)
{
	(void)size, (void)payload;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD && (info->dlpi_phdr[i].p_flags & PF_X)) {
			program_start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
			program_end = program_start + info->dlpi_phdr[i].p_memsz;
		}
	return 1;                    /* the first is the program itself */
}

__attribute__((constructor)) static void begin(void)
{
	const char *path = getenv("FAIL_CALLS");
	int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
	void *bytes;

	if (fd < 0)
		return;
	bytes = mmap(NULL, sizeof(*control), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	dl_iterate_phdr(find_program, NULL);
	if (bytes != MAP_FAILED)
		control = bytes;
}

static bool fails(enum kind kind)
{
	if (!control || role == OTHER)
		return false;
	atomic_fetch_add(&control->seen[role][kind], 1);
	if (!atomic_load(&control->armed) || control->kind != (uint32_t)kind ||
	    !(control->roles & (1u << role)))
		return false;
	if (atomic_fetch_sub(&control->skip, 1) > 0 || atomic_fetch_sub(&control->left, 1) <= 0)
		return false;
	atomic_fetch_add(&control->fired, 1);
	/* No error: slow.  Without a system call, since cells may make few. */
	while (control->error == 0 && atomic_load(&control->armed))
		;
	errno = control->error;
	return control->error != 0;
}

static bool is_file(int fd)
{
	struct stat st;
	int before = errno;
	bool is = fd > STDERR_FILENO && fstat(fd, &st) == 0 && S_ISREG(st.st_mode);

	errno = before;
	return is;
}

static void *next(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

#define NEXT(name) \
	static __typeof__(&name) real; \
	if (!real) { \
		void *found = next(#name); \
		memcpy(&real, &found, sizeof(real)); \
	}

/* --- Who we are --------------------------------------------------------------------------- */

int prctl(int option, ...)
{
	static const struct { const char *name; enum role role; } names[] = {
		{ "front", FRONT }, { "workshop", WORKSHOP }, { "symgate-nursery", NURSERY },
		{ "symgate-cell", CELL },
	};
	static int (*real)(int, unsigned long, unsigned long, unsigned long, unsigned long);
	unsigned long args[4];
	va_list ap;

	va_start(ap, option);
	for (int i = 0; i < 4; i++)
		args[i] = va_arg(ap, unsigned long);
	va_end(ap);
	if (option == PR_SET_NAME) {
		role = OTHER;
		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			if (strcmp((const char *)args[0], names[i].name) == 0)
				role = names[i].role;
	}
	if (!real) {
		void *found = next("prctl");

		memcpy(&real, &found, sizeof(real));
	}
	return real(option, args[0], args[1], args[2], args[3]);
}

/* --- Files -------------------------------------------------------------------------------- */

ssize_t write(int fd, const void *bytes, size_t size)
{
	NEXT(write)
	return is_file(fd) && fails(WRITE) ? -1 : real(fd, bytes, size);
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t at)
{
	NEXT(pwrite)
	return is_file(fd) && fails(WRITE) ? -1 : real(fd, bytes, size, at);
}

ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t at)
{
	NEXT(pwrite64)
	return is_file(fd) && fails(WRITE) ? -1 : real(fd, bytes, size, at);
}

ssize_t read(int fd, void *bytes, size_t size)
{
	NEXT(read)
	return is_file(fd) && fails(READ) ? -1 : real(fd, bytes, size);
}

ssize_t pread(int fd, void *bytes, size_t size, off_t at)
{
	NEXT(pread)
	return is_file(fd) && fails(READ) ? -1 : real(fd, bytes, size, at);
}

ssize_t pread64(int fd, void *bytes, size_t size, off64_t at)
{
	NEXT(pread64)
	return is_file(fd) && fails(READ) ? -1 : real(fd, bytes, size, at);
}

/* What belongs to the system's libraries is none of ours. */
static bool is_ours(const char *path)
{
	static const char *const others[] = { "/etc/", "/usr/", "/lib", "/dev/", "/sys/" };

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (strncmp(path, others[i], strlen(others[i])) == 0)
			return false;
	return strncmp(path, "/proc/", 6) != 0 || strncmp(path, "/proc/self/fd/", 14) == 0;
}

#define OPENS(name) \
	int name(const char *path, int flags, ...) \
	{ \
		va_list ap; \
		unsigned mode = 0; \
		NEXT(name) \
		if (flags & (O_CREAT | O_TMPFILE)) { \
			va_start(ap, flags); \
			mode = va_arg(ap, unsigned); \
			va_end(ap); \
		} \
		return is_ours(path) && fails(OPEN) ? -1 : real(path, flags, mode); \
	}
OPENS(open)
OPENS(open64)

int rename(const char *from, const char *to)
{
	NEXT(rename)
	return fails(RENAME) ? -1 : real(from, to);
}

int fsync(int fd)
{
	NEXT(fsync)
	return fails(FSYNC) ? -1 : real(fd);
}

int fdatasync(int fd)
{
	NEXT(fdatasync)
	return fails(FSYNC) ? -1 : real(fd);
}

void *mmap(void *where, size_t size, int protection, int flags, int fd, off_t at)
{
	NEXT(mmap)
	return fd >= 0 && fails(MAP) ? MAP_FAILED : real(where, size, protection, flags, fd, at);
}

void *mmap64(void *where, size_t size, int protection, int flags, int fd, off64_t at)
{
	NEXT(mmap64)
	return fd >= 0 && fails(MAP) ? MAP_FAILED : real(where, size, protection, flags, fd, at);
}

/* --- Between processes -------------------------------------------------------------------- */

/* A front also talks to the web server. */
static bool is_between_us(int fd)
{
	socklen_t size = sizeof(int);
	int type = 0, before = errno;
	bool is = role != FRONT ||
		  (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_SEQPACKET);

	errno = before;
	return is;
}

ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
	NEXT(sendmsg)
	return is_between_us(fd) && fails(SEND) ? -1 : real(fd, message, flags);
}

ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
	NEXT(recvmsg)
	return is_between_us(fd) && fails(RECEIVE) ? -1 : real(fd, message, flags);
}

int socketpair(int family, int type, int protocol, int ends[2])
{
	NEXT(socketpair)
	return fails(MAKE) ? -1 : real(family, type, protocol, ends);
}

int memfd_create(const char *name, unsigned flags)
{
	NEXT(memfd_create)
	return fails(MAKE) ? -1 : real(name, flags);
}

int ftruncate(int fd, off_t size)
{
	NEXT(ftruncate)
	return fails(MAKE) ? -1 : real(fd, size);
}

int ftruncate64(int fd, off64_t size)
{
	NEXT(ftruncate64)
	return fails(MAKE) ? -1 : real(fd, size);
}

pid_t fork(void)
{
	NEXT(fork)
	return fails(FORK) ? -1 : real();
}

/* --- Memory: only what the program asks for by itself ------------------------------------------ */

extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);

static bool is_of_program(const void *caller)
{
	return (uintptr_t)caller >= program_start && (uintptr_t)caller < program_end;
}

void *calloc(size_t count, size_t size)
{
	if (is_of_program(__builtin_return_address(0)) && fails(MEMORY))
		return NULL;
	return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size)
{
	if (is_of_program(__builtin_return_address(0)) && fails(MEMORY))
		return NULL;
	return __libc_realloc(block, size);
}
