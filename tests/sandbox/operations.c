/* operations.c -- see operations.h. */
#include "operations.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "sandbox/frame.h"

static int echo(struct cell *cell, struct err *err)
{
	(void)err;
	buf_printf(cell->reply, "echo ");
	buf_add_text(cell->reply, cell->parameters);
	return 0;
}

static int copy(struct cell *cell, struct err *err)
{
	struct file_map map;
	int rc;

	if (file_map_fd(&map, cell_input(cell, "from"), err) < 0)
		return -1;
	rc = file_write_all(cell_output(cell, "to"), map.bytes, map.size, err);
	buf_printf(cell->reply, "%zu", map.size);
	file_unmap(&map);
	return rc;
}

static int refuse(struct cell *cell, struct err *err)
{
	(void)cell;
	err_set(err, ERR_MALFORMED, "byte 7 is \x01 wrong");
	return err_while(err, "reading toy");
}

static int deny(struct cell *cell, struct err *err)
{
	(void)cell;
	return err_set(err, ERR_DENIED, "cells cannot know that");
}

static int segfault(struct cell *cell, struct err *err)
{
	(void)cell;
	(void)err;
	raise(SIGSEGV);
	return 0;
}

static unsigned deeper(volatile unsigned char *above)
{
	volatile unsigned char capacity[4096];

	capacity[0] = above ? above[0] : 1;
	return capacity[0] ? deeper(capacity) + capacity[0] : 0;
}

static int overflow(struct cell *cell, struct err *err)
{
	(void)err;
	buf_printf(cell->reply, "%u", deeper(NULL));
	return 0;
}

static int give_up(struct cell *cell, struct err *err)
{
	(void)cell;
	(void)err;
	abort();
}

static int leave(struct cell *cell, struct err *err)
{
	(void)cell;
	(void)err;
	_exit(3);
}

static int spin(struct cell *cell, struct err *err)
{
	(void)err;
	for (volatile unsigned long i = 0; cell->reply; i++)
		;
	return 0;
}

/* As spin, by somebody who has read the manual. */
static int spin_on(struct cell *cell, struct err *err)
{
	signal(SIGXCPU, SIG_IGN);
	return spin(cell, err);
}

static int eat(struct cell *cell, struct err *err)
{
	size_t had = 0;
	char *block;

	(void)cell;
	while ((block = mem_get(1 << 20)) != NULL) {
		memset(block, 1, 1 << 20);
		had += 1 << 20;
	}
	return err_set(err, ERR_NO_MEMORY, "no memory after %zu bytes", had);
}

static int write_much(struct cell *cell, struct err *err)
{
	/* Sparse: the limit is about where, not about how much. */
	if (pwrite(cell_output(cell, "to"), "x", 1, (off_t)1 << 60) == 1)
		return 0;
	return err_os(err, errno, "writing far out");
}

static int hang(struct cell *cell, struct err *err)
{
	struct buf message;

	buf_init(&message, 1 << 20);
	while (cell_next_message(cell, &message, err) > 0)
		;
	return 0;
}

static int sleep_long(struct cell *cell, struct err *err)
{
	(void)err;
	if (cell_send_message(cell, TEXT("asleep"), err) < 0)
		return -1;
	for (;;)
		sleep(1000);
}

/* --- What is forbidden ------------------------------------------------------------------ */

static int try_syscall(const char *what)
{
	if (strcmp(what, "open") == 0)
		return open("/etc/passwd", O_RDONLY);
	if (strcmp(what, "create") == 0)
		return open("/tmp/symgate-escaped", O_RDWR | O_CREAT, 0600);
	if (strcmp(what, "socket") == 0)
		return socket(AF_INET, SOCK_STREAM, 0);
	if (strcmp(what, "unix") == 0)
		return socket(AF_UNIX, SOCK_STREAM, 0);
	if (strcmp(what, "socketpair") == 0)
		return socketpair(AF_UNIX, SOCK_STREAM, 0, (int[2]){ 0, 0 });
	if (strcmp(what, "exec") == 0)
		return execl("/bin/true", "true", (char *)NULL);
	if (strcmp(what, "fork") == 0)
		return fork();
	if (strcmp(what, "vfork") == 0)
		return (int)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	if (strcmp(what, "ptrace") == 0)
		return (int)ptrace(PTRACE_ATTACH, getppid(), 0, 0);
	if (strcmp(what, "kill") == 0)
		return kill(getppid(), SIGTERM);
	if (strcmp(what, "tgkill") == 0)
		return (int)syscall(SYS_tgkill, getppid(), getppid(), SIGTERM);
	if (strcmp(what, "signal by descriptor") == 0)
		return fcntl(0, F_SETOWN, getppid());
	if (strcmp(what, "unlink") == 0)
		return unlink("/tmp/symgate-nothing");
	if (strcmp(what, "peek") == 0)
		return process_vm_readv(getppid(), NULL, 0, NULL, 0, 0) < 0 ? -1 : 0;
	if (strcmp(what, "limits") == 0)
		return (int)syscall(SYS_prlimit64, 0, 7, (uint64_t[2]){ 9, 9 }, NULL);
	if (strcmp(what, "dumpable") == 0)
		return prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
	if (strcmp(what, "executable memory") == 0)
		return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
			== MAP_FAILED ? -1 : 0;
	return 0;
}

static int try(struct cell *cell, struct err *err)
{
	char what[32];
	int rc;

	snprintf(what, sizeof(what), "%.*s", (int)cell->parameters.size, cell->parameters.bytes);
	rc = try_syscall(what);
	if (rc < 0)
		return err_set(err, ERR_UNSUPPORTED, "refused with errno %d", errno);
	buf_printf(cell->reply, "%s worked", what);
	return 0;
}

static int descriptors(struct cell *cell, struct err *err)
{
	(void)err;
	for (int fd = 0; fd < 4096; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			buf_printf(cell->reply, "%d ", fd);
	return 0;
}

/* Is the input really for reading only, and from its start? */
static int scribble(struct cell *cell, struct err *err)
{
	int fd = cell_input(cell, "from");
	off_t at = lseek(fd, 0, SEEK_CUR);

	if (pwrite(fd, "x", 1, 0) == 1)
		return err_set(err, ERR_MALFORMED, "wrote into its input");
	buf_printf(cell->reply, "%lld", (long long)at);
	return 0;
}

/* --- Threads, memory, limits ------------------------------------------------------------- */

static void *add_up(void *payload)
{
	char *block = mem_get(1 << 20);

	if (block)
		*(size_t *)payload += 1;
	mem_give_back(block);
	return NULL;
}

static int threads(struct cell *cell, struct err *err)
{
	pthread_t ids[4];
	size_t sums[4] = { 0 };

	for (int i = 0; i < 4; i++)
		if (pthread_create(&ids[i], NULL, add_up, &sums[i]) != 0)
			return err_set(err, ERR_NO_MEMORY, "no thread");
	for (int i = 0; i < 4; i++)
		pthread_join(ids[i], NULL);
	buf_printf(cell->reply, "%zu", sums[0] + sums[1] + sums[2] + sums[3]);
	return 0;
}

/* One way or another to have a piece more of memory; false: there is no more that way. */
static bool take_piece(const char *way, size_t size)
{
	int protection = PROT_READ | PROT_WRITE;
	char *piece = MAP_FAILED;

	if (strcmp(way, "private") == 0 || strcmp(way, "made read-only") == 0) {
		piece = mmap(NULL, size, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	} else if (strcmp(way, "shared") == 0) {
		piece = mmap(NULL, size, protection, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	} else if (strcmp(way, "shared later") == 0) {
		piece = mmap(NULL, size, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		if (piece != MAP_FAILED && mprotect(piece, size, protection) < 0)
			return false;
	} else if (strcmp(way, "memory file") == 0) {
		int fd = memfd_create("more", 0);

		if (fd >= 0 && ftruncate(fd, (off_t)size) == 0)
			piece = mmap(NULL, size, protection, MAP_SHARED, fd, 0);
	} else if (strcmp(way, "stack") == 0) {
		piece = mmap(NULL, size, protection,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN, -1, 0);
	} else if (strcmp(way, "break") == 0) {
		piece = sbrk((intptr_t)size);
		if (piece == (char *)-1)
			return false;
	}
	if (piece == MAP_FAILED)
		return false;
	memset(piece, 1, size);
	if (strcmp(way, "made read-only") == 0)
		(void)mprotect(piece, size, PROT_READ);
	return true;
}

/* Takes what it can get, up to four times what these cells may have, and waits to be measured. */
static int hoard(struct cell *cell, struct err *err)
{
	char way[32];

	snprintf(way, sizeof(way), "%.*s", (int)cell->parameters.size, cell->parameters.bytes);
	for (int i = 0; i < 1024 && take_piece(way, 1 << 20); i++)
		;
	return sleep_long(cell, err);
}

static void *wait_for_ever(void *payload)
{
	while (sleep(1000) == 0)
		;
	return payload;
}

static int many_threads(struct cell *cell, struct err *err)
{
	pthread_attr_t small;
	pthread_t id;
	unsigned count = 0;

	(void)err;
	if (pthread_attr_init(&small) != 0 || pthread_attr_setstacksize(&small, 16384) != 0)
		return -1;
	while (count < 3000 && pthread_create(&id, &small, wait_for_ever, NULL) == 0)
		count++;
	buf_printf(cell->reply, "%u", count);
	return 0;
}

/* --- Wants and messages ------------------------------------------------------------------ */

static int want(struct cell *cell, struct err *err)
{
	static const char *const roles[] = { "dwz", "dwp" };

	for (int i = 0; i < 2; i++) {
		struct file_map map;
		int fd;
		int rc = cell_want(cell, roles[i], TEXT("abcd"), i ? TEXT_NONE : TEXT("x.debug"),
				   &fd, err);

		if (rc < 0)
			return -1;
		if (rc == 0) {
			buf_printf(cell->reply, "%s absent;", roles[i]);
			continue;
		}
		if (file_map_fd(&map, fd, err) < 0)
			return -1;
		buf_printf(cell->reply, "%s %.*s;", roles[i], (int)map.size, map.bytes);
		file_unmap(&map);
		close(fd);
	}
	return 0;
}

static int want_forever(struct cell *cell, struct err *err)
{
	for (;;) {
		int fd;

		if (cell_want(cell, "dwo", TEXT("1"), TEXT_NONE, &fd, err) < 0)
			return -1;
	}
}

static int parrot(struct cell *cell, struct err *err)
{
	struct buf message;
	int rc;

	buf_init(&message, (size_t)64 << 20);
	while ((rc = cell_next_message(cell, &message, err)) > 0) {
		if (text_is(buf_text(&message), "end"))
			break;
		if (cell_send_message(cell, buf_text(&message), err) < 0)
			return -1;
	}
	return rc < 0 ? -1 : 0;
}

/* Reads a mapped input slowly enough for somebody to cut it short meanwhile. */
static int read_slowly(struct cell *cell, struct err *err)
{
	struct file_map map;
	unsigned sum = 0;

	if (file_map_fd(&map, cell_input(cell, "from"), err) < 0 ||
	    cell_send_message(cell, TEXT("mapped"), err) < 0)
		return -1;
	while (sum == 0)             /* until somebody writes into it */
		for (size_t i = 0; i < map.size; i += 4096)
			sum += ((const volatile uint8_t *)map.bytes)[i];
	buf_printf(cell->reply, "%u", sum);
	return 0;
}

static int bus(struct cell *cell, struct err *err)
{
	(void)cell;
	(void)err;
	raise(SIGBUS);               /* the handler finds every input whole and lets go */
	return raise(SIGBUS);
}

/* --- Lies -------------------------------------------------------------------------------- */

static void send_raw(struct cell *cell, const void *bytes, size_t size)
{
	struct iovec part = { (void *)(uintptr_t)bytes, size };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };

	(void)sendmsg(cell->channel, &message, MSG_NOSIGNAL);
}

static void lie_with(struct cell *cell, uint32_t type, const void *bytes, size_t size)
{
	(void)frame_send(cell->channel, (enum frame_type)type, (struct text){ bytes, size },
			 TEXT_NONE, 0, NULL, 0, 0);
}

static void lie_about_want(struct cell *cell, const char *role, uint32_t id, uint32_t name)
{
	struct frame_want want_frame = { .id_size = id, .name_size = name, .has = 3 };

	memcpy(want_frame.role, role, strnlen(role, CELL_ROLE_BYTES));
	lie_with(cell, FRAME_WANT, &want_frame, sizeof(want_frame));
}

static void flood(struct cell *cell)
{
	static const char part[1000];

	for (int i = 0; i < 100000; i++)
		(void)frame_send(cell->channel, FRAME_MESSAGE, (struct text){ part, sizeof(part) },
				 TEXT_NONE, 1, NULL, 0, 0);
}

static int lie(struct cell *cell, struct err *err)
{
	struct frame_failed failed = { .kind = 4711 };
	static const char big[FRAME_PACKET_BYTES + 1000];

	memset(failed.text, 'A', sizeof(failed.text));
	switch (cell->parameters.bytes[0]) {
	case 'a':
		send_raw(cell, "x", 1);
		break;
	case 'b':
		lie_with(cell, 99, "", 0);
		break;
	case 'c':
		lie_with(cell, FRAME_FAILED, "short", 5);
		break;
	case 'd':
		lie_with(cell, FRAME_FAILED, &failed, sizeof(failed));
		break;
	case 'e':
		lie_about_want(cell, "dwz", 4000000000u, 4000000000u);
		break;
	case 'f':
		lie_about_want(cell, "012345678901234567890123456789", 0, 0);
		break;
	case 'g':
		lie_about_want(cell, "../x", 0, 0);
		break;
	case 'h':
		lie_about_want(cell, "dwz", 0, 0);
		lie_about_want(cell, "dwz", 0, 0);
		break;
	case 'i':
		send_raw(cell, big, sizeof(big));
		break;
	case 'j':
		flood(cell);
		break;
	case 'k':
		(void)frame_send(cell->channel, FRAME_MESSAGE, TEXT("x"), TEXT_NONE, 1, NULL, 0, 0);
		return 0;                    /* DONE in the middle of a message */
	case 'l':
		lie_with(cell, FRAME_ENDED, "x", 1);
		break;
	case 'm':
		send_raw(cell, "", 0);
		break;
	default:
		break;
	}
	return hang(cell, err);
}

static int prepared = -1;

/* What a confined cell may not do. */
static void prepare(void)
{
	prepared = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
}

static int tell_prepared(struct cell *cell, struct err *err)
{
	(void)err;
	buf_add_string(cell->reply, prepared >= 0 ? "prepared" : "unprepared");
	return 0;
}

const struct cell_operation operations[] = {
	{ "echo", echo, NULL }, { "copy", copy, NULL }, { "refuse", refuse, NULL }, { "deny", deny, NULL },
	{ "segfault", segfault, NULL }, { "overflow", overflow, NULL }, { "abort", give_up, NULL },
	{ "leave", leave, NULL }, { "spin", spin, NULL }, { "spin_on", spin_on, NULL }, { "eat", eat, NULL },
	{ "write_much", write_much, NULL }, { "hang", hang, NULL }, { "sleep", sleep_long, NULL }, { "try", try, NULL },
	{ "descriptors", descriptors, NULL }, { "scribble", scribble, NULL }, { "threads", threads, NULL },
	{ "hoard", hoard, NULL }, { "many_threads", many_threads, NULL },
	{ "want", want, NULL }, { "want_forever", want_forever, NULL }, { "parrot", parrot, NULL },
	{ "read_slowly", read_slowly, NULL }, { "bus", bus, NULL }, { "lie", lie, NULL },
	{ "prepared", tell_prepared, prepare },
};
const size_t operation_count = sizeof(operations) / sizeof(operations[0]);
