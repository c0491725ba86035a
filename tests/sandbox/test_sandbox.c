/*
 * test_sandbox -- cells that work, crash, exceed their limits, try to get out, and lie.
 *
 * Passes at every level the kernel gives; what only seccomp or landlock can stop is asked
 * for only where there is seccomp.
 */
#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/process.h"
#include "config/config.h"
#include "operations.h"
#include "sandbox/confine.h"
#include "sandbox/sandbox.h"
#include "support/support.h"

#define PATIENCE_MILLIS 60000

static struct config config;
static struct nursery *nursery;

static void start(void)
{
	struct err err = ERR_INIT;

	config.cell_memory_bytes = (uint64_t)256 << 20;
	config.cell_cpu_seconds = 1;
	config.max_download_bytes = (uint64_t)1 << 30;
	config.sandbox = CONFIG_SANDBOX_BEST;
	ck_assert_msg(nursery_start(&nursery, &config, operations, operation_count, &err) == 0,
		      "%s", err.text);
}

static void stop(void)
{
	nursery_stop(nursery);
	nursery = NULL;
	ck_assert_int_eq(mem_live, 0);
}

static struct cell_handle *spawn_with(const struct cell_order *order)
{
	struct err err = ERR_INIT;
	struct cell_handle *handle;

	ck_assert_msg(nursery_spawn(nursery, order, &handle, &err) == 0, "%s", err.text);
	return handle;
}

static struct cell_handle *spawn(const char *operation, const char *parameters)
{
	return spawn_with(&(struct cell_order){ .operation = operation,
						.parameters = text_of(parameters) });
}

static void wait_event(struct cell_handle *handle, struct cell_event *event)
{
	struct err err = ERR_INIT;

	ck_assert_msg(cell_wait_event(handle, PATIENCE_MILLIS, event, &err) == 0, "%s", err.text);
}

static int memory_file(const char *text)
{
	int fd = memfd_create("test", MFD_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq((int)write(fd, text, strlen(text)), (int)strlen(text));
	return fd;
}

static unsigned count_descriptors(void)
{
	DIR *folder = opendir("/proc/self/fd");
	unsigned count = 0;

	ck_assert_ptr_nonnull(folder);
	while (readdir(folder))
		count++;
	closedir(folder);
	return count;
}

static pid_t last_process;           /* that each_process() saw */

/* Processes of that name in that group (every test has its own); each gets the signal, if any. */
static unsigned each_process(const char *name, pid_t group, bool zombies_too, int number)
{
	DIR *folder = opendir("/proc");
	struct dirent *entry;
	unsigned count = 0;

	ck_assert_ptr_nonnull(folder);
	while ((entry = readdir(folder)) != NULL) {
		char path[300], state, found[64];
		int pid, its_group;
		FILE *stat;

		snprintf(path, sizeof(path), "/proc/%s/stat", entry->d_name);
		stat = fopen(path, "re");
		if (!stat)
			continue;
		if (fscanf(stat, "%d (%63[^)]) %c %*d %d", &pid, found, &state, &its_group) == 4 &&
		    strcmp(found, name) == 0 && its_group == group &&
		    (zombies_too || state != 'Z')) {
			count++;
			last_process = pid;
			if (number)
				kill(pid, number);
		}
		fclose(stat);
	}
	closedir(folder);
	return count;
}

static unsigned count_processes(const char *name, pid_t group, bool zombies_too)
{
	return each_process(name, group, zombies_too, 0);
}

/* A number in hex of /proc/PID/status. */
static bool status_number(const char *path, const char *field, unsigned long long *number)
{
	FILE *status = fopen(path, "re");
	char line[256];
	bool found = false;

	while (status && !found && fgets(line, sizeof(line), status))
		found = strncmp(line, field, strlen(field)) == 0 &&
			sscanf(line + strlen(field), ": %llx", number) == 1;
	if (status)
		fclose(status);
	return found;
}

static bool vanish_within(const char *name, pid_t group, int millis)
{
	int64_t end = clock_monotonic_millis() + millis;

	while (count_processes(name, group, false) > 0) {
		if (clock_monotonic_millis() > end)
			return false;
		usleep(2000);
	}
	return true;
}

/* --- Works ------------------------------------------------------------------------------ */

START_TEST(runs_an_operation)
{
	struct cell_handle *handle = spawn("echo", "hello");
	struct cell_event event;

	wait_event(handle, &event);
	ck_assert_msg(event.kind == CELL_DONE, "%d %s", event.kind, event.status.text);
	ck_assert(text_is(event.reply, "echo hello"));
	wait_event(handle, &event);
	ck_assert_int_eq(event.kind, CELL_NOTHING);
	cell_kill(handle);
	ck_assert(nursery_is_alive(nursery));
}
END_TEST

START_TEST(takes_large_parameters_and_replies)
{
	size_t size = (size_t)9 << 20;
	char *large = mem_get(size);
	struct cell_event event;
	struct cell_handle *handle;

	memset(large, 'p', size);
	handle = spawn_with(&(struct cell_order){ .operation = "echo",
						  .parameters = { large, size } });
	wait_event(handle, &event);
	ck_assert_msg(event.kind == CELL_DONE, "%d %s", event.kind, event.status.text);
	ck_assert_uint_eq(event.reply.size, size + 5);
	ck_assert_int_eq(memcmp(event.reply.bytes + 5, large, size), 0);
	cell_kill(handle);
	mem_give_back(large);
}
END_TEST

START_TEST(reads_inputs_and_writes_outputs)
{
	struct cell_file from = { "from", memory_file("some bytes") };
	struct cell_file to = { "to", memory_file("") };
	struct cell_handle *handle = spawn_with(&(struct cell_order){
		.operation = "copy", .inputs = &from, .input_count = 1,
		.outputs = &to, .output_count = 1 });
	struct cell_event event;
	char bytes[32] = "";

	wait_event(handle, &event);
	ck_assert_msg(event.kind == CELL_DONE, "%s", event.status.text);
	cell_kill(handle);
	ck_assert_int_eq((int)pread(to.fd, bytes, sizeof(bytes), 0), 10);
	ck_assert_str_eq(bytes, "some bytes");
	close(from.fd);
	close(to.fd);
}
END_TEST

START_TEST(inputs_are_for_reading_only)
{
	struct cell_file from = { "from", memory_file("some bytes") };
	struct cell_handle *handle = spawn_with(&(struct cell_order){
		.operation = "scribble", .inputs = &from, .input_count = 1 });
	struct cell_event event;

	wait_event(handle, &event);
	ck_assert_msg(event.kind == CELL_DONE, "%s", event.status.text);
	ck_assert_msg(text_is(event.reply, "0"), "it starts at the beginning");
	cell_kill(handle);
	close(from.fd);
}
END_TEST

static void run_threads(void)
{
	struct cell_handle *handle = spawn("threads", "");
	struct cell_event event;

	wait_event(handle, &event);
	ck_assert_msg(event.kind == CELL_DONE, "%s", event.status.text);
	ck_assert(text_is(event.reply, "4"));
	cell_kill(handle);
}

START_TEST(threads_work)
{
	run_threads();
}
END_TEST

START_TEST(answers_wants)
{
	struct cell_handle *handle = spawn("want", "");
	struct err err = ERR_INIT;
	struct cell_event event;
	int fd = memory_file("alternate");

	ck_assert_int_eq(cell_answer_want(handle, CELL_ANSWER_ABSENT, -1, NULL, &err), -1);     /* nobody asked */
	wait_event(handle, &event);
	ck_assert_int_eq(event.kind, CELL_WANTS);
	ck_assert_str_eq(event.role, "dwz");
	ck_assert(text_is(event.id, "abcd"));
	ck_assert(text_is(event.name, "x.debug"));
	ck_assert_int_eq(cell_answer_want(handle, CELL_ANSWER_FILE, fd, NULL, &err), 0);
	close(fd);
	wait_event(handle, &event);
	ck_assert_int_eq(event.kind, CELL_WANTS);
	ck_assert_str_eq(event.role, "dwp");
	ck_assert_ptr_null(event.name.bytes);
	ck_assert_int_eq(cell_answer_want(handle, CELL_ANSWER_ABSENT, -1, NULL, &err), 0);
	wait_event(handle, &event);
	ck_assert_msg(event.kind == CELL_DONE, "%s", event.status.text);
	ck_assert(text_is(event.reply, "dwz alternate;dwp absent;"));
	cell_kill(handle);
}
END_TEST

START_TEST(wants_have_an_end)
{
	struct cell_handle *handle = spawn("want_forever", "");
	struct err err = ERR_INIT;
	struct cell_event event;
	unsigned wants = 0;

	for (;;) {
		wait_event(handle, &event);
		if (event.kind != CELL_WANTS)
			break;
		ck_assert_uint_lt(++wants, 1000);
		ck_assert_int_eq(cell_answer_want(handle, CELL_ANSWER_ABSENT, -1, NULL, &err), 0);
	}
	ck_assert_int_eq(event.kind, CELL_DIED);
	ck_assert_int_eq(event.status.kind, ERR_LIMIT);
	cell_kill(handle);
}
END_TEST

START_TEST(residents_talk)
{
	static const size_t sizes[] = { 0, 1, 5, 16384, 16385, 100000, (size_t)3 << 20 };
	struct cell_handle *handle = spawn("parrot", "");
	char *message = mem_get((size_t)3 << 20);
	struct err err = ERR_INIT;
	struct cell_event event;

	memset(message, 'm', (size_t)3 << 20);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		ck_assert_msg(cell_send(handle, (struct text){ message, sizes[i] }, &err) == 0,
			      "%s", err.text);
		wait_event(handle, &event);
		ck_assert_msg(event.kind == CELL_MESSAGE, "%d %s", event.kind, event.status.text);
		ck_assert_uint_eq(event.reply.size, sizes[i]);
		ck_assert_int_eq(memcmp(event.reply.bytes, message, sizes[i]), 0);
	}
	ck_assert_int_eq(cell_send(handle, TEXT("end"), &err), 0);
	wait_event(handle, &event);
	ck_assert_int_eq(event.kind, CELL_DONE);
	cell_kill(handle);
	mem_give_back(message);
}
END_TEST

/* A cell that does not read never blocks its asker. */
START_TEST(sending_never_blocks)
{
	struct cell_handle *handle = spawn("sleep", "");
	struct err err = ERR_INIT;
	int sent = 0;

	while (cell_send(handle, TEXT("are you there?"), &err) == 0)
		ck_assert_int_lt(++sent, 100000);
	ck_assert_msg(err.kind == ERR_BUSY, "%s", err.text);
	cell_kill(handle);
}
END_TEST

/* --- Ends badly -------------------------------------------------------------------------- */

static const struct {
	const char *what, *operation;
	enum cell_event_kind event;
	enum err_kind kind;
	const char *text;            /* contained in the status */
} endings[] = {
	{ "an operation that fails", "refuse", CELL_FAILED, ERR_MALFORMED,
	  "reading toy: byte 7 is ? wrong" },
	{ "a kind cells cannot know", "deny", CELL_FAILED, ERR_INTERNAL, "cells cannot know" },
	{ "no such operation", "dance", CELL_FAILED, ERR_INTERNAL, "no operation \"dance\"" },
	{ "a wild pointer", "segfault", CELL_DIED, ERR_CRASHED,
	  "cell died of SIGSEGV while running segfault" },
	{ "a stack overflow", "overflow", CELL_DIED, ERR_CRASHED,
	  "cell died of SIGSEGV while running overflow" },
	{ "abort", "abort", CELL_DIED, ERR_CRASHED, "cell died of SIGABRT while running abort" },
	{ "a bus error of its own", "bus", CELL_DIED, ERR_CRASHED, "cell died of SIGBUS" },
	{ "exit without a result", "leave", CELL_DIED, ERR_CRASHED, "exited with status 3" },
	{ "CPU time", "spin", CELL_DIED, ERR_LIMIT, "CPU time limit while running spin" },
};

START_TEST(says_how_it_ended)
{
	struct cell_handle *handle = spawn(endings[_i].operation, "");
	struct cell_event event;

	wait_event(handle, &event);
	ck_assert_msg(event.kind == endings[_i].event, "%s: %d", endings[_i].what, event.kind);
	ck_assert_msg(event.status.kind == endings[_i].kind, "%s: %s %s", endings[_i].what,
		      err_kind_name(event.status.kind), event.status.text);
	ck_assert_msg(strstr(event.status.text, endings[_i].text), "%s: %s", endings[_i].what,
		      event.status.text);
	cell_kill(handle);
	ck_assert(nursery_is_alive(nursery));
}
END_TEST

START_TEST(cpu_time_ends_the_stubborn)
{
	struct cell_handle *handle = spawn("spin_on", "");
	struct cell_event event;

	wait_event(handle, &event);
	ck_assert_int_eq(event.kind, CELL_DIED);
	ck_assert_msg(event.status.kind == ERR_LIMIT, "%s", event.status.text);
	cell_kill(handle);
}
END_TEST

#ifndef SYMGATE_SANITIZED            /* shadow memory: no ceiling there */
START_TEST(memory_has_a_ceiling)
{
	struct cell_handle *handle = spawn("eat", "");
	struct cell_event event;

	wait_event(handle, &event);
	ck_assert_msg(event.kind == CELL_FAILED, "%s", event.status.text);
	ck_assert_msg(event.status.kind == ERR_LIMIT, "%s", event.status.text);
	ck_assert_msg(strstr(event.status.text, "memory ceiling of 268435456 bytes"), "%s",
		      event.status.text);
	cell_kill(handle);
}
END_TEST

/* Anonymous and shared memory that the one cell of this test has. */
static uint64_t cell_resident_bytes(void)
{
	uint64_t kilobytes = 0;
	struct dirent *entry;
	DIR *folder = opendir("/proc");

	ck_assert_ptr_nonnull(folder);
	while ((entry = readdir(folder)) != NULL) {
		bool is_cell = false;
		char path[300], line[256];
		FILE *status;

		snprintf(path, sizeof(path), "/proc/%s/status", entry->d_name);
		status = fopen(path, "re");
		if (!status)
			continue;
		while (fgets(line, sizeof(line), status)) {
			unsigned long value;

			is_cell |= strcmp(line, "Name:\tsymgate-cell\n") == 0;
			if (sscanf(line, "PPid: %lu", &value) == 1)
				is_cell &= getpgid((pid_t)value) == getpgrp();
			if (is_cell && (sscanf(line, "RssAnon: %lu", &value) == 1 ||
					sscanf(line, "RssShmem: %lu", &value) == 1))
				kilobytes += value;
		}
		fclose(status);
	}
	closedir(folder);
	return kilobytes << 10;
}

/* Ways to have memory, and how much of the ceiling each must reach where it is not refused. */
static const struct { const char *way; unsigned percent; } ways[] = {
	{ "private", 90 }, { "break", 90 }, { "made read-only", 90 }, { "shared", 0 },
	{ "shared later", 0 }, { "memory file", 0 }, { "stack", 0 },
};

START_TEST(all_memory_has_one_ceiling)
{
	struct cell_handle *handle;
	struct cell_event event;
	uint64_t had;

	if (nursery_level(nursery) < SANDBOX_FILTERED)
		return;
	handle = spawn("hoard", ways[_i].way);
	wait_event(handle, &event);
	if (event.kind == CELL_DIED) {
		ck_assert_msg(strstr(event.status.text, "SIGSYS"), "%s: %s", ways[_i].way,
			      event.status.text);
		cell_kill(handle);
		return;
	}
	ck_assert_msg(event.kind == CELL_MESSAGE, "%s: %s", ways[_i].way, event.status.text);
	had = cell_resident_bytes();
	ck_assert_msg(had > 0 && had < config.cell_memory_bytes, "%s: %llu bytes", ways[_i].way,
		      (unsigned long long)had);
	ck_assert_msg(had >= config.cell_memory_bytes / 100 * ways[_i].percent, "%s: %llu bytes",
		      ways[_i].way, (unsigned long long)had);
	cell_kill(handle);
}
END_TEST
#endif

/* The kernel counts no threads of root. */
START_TEST(threads_have_a_ceiling)
{
	struct cell_handle *handle;
	struct cell_event event;

	if (getuid() == 0)
		return;
	handle = spawn("many_threads", "");
	wait_event(handle, &event);
	ck_assert_msg(event.kind == CELL_DONE, "%s", event.status.text);
	ck_assert_int_gt((int)strtol(event.reply.bytes, NULL, 10), 0);
	ck_assert_int_lt((int)strtol(event.reply.bytes, NULL, 10), LIMIT_CELL_TASKS);
	cell_kill(handle);
}
END_TEST

START_TEST(files_have_a_ceiling)
{
	struct cell_file to = { "to", memory_file("") };
	struct cell_handle *handle = spawn_with(&(struct cell_order){
		.operation = "write_much", .outputs = &to, .output_count = 1 });
	struct cell_event event;

	wait_event(handle, &event);
	ck_assert_int_eq(event.kind, CELL_DIED);
	ck_assert_msg(event.status.kind == ERR_LIMIT, "%s", event.status.text);
	ck_assert_msg(strstr(event.status.text, "file size limit"), "%s", event.status.text);
	cell_kill(handle);
	close(to.fd);
}
END_TEST

/* What stops it there is the operator's limit for the service: our own passing error. */
START_TEST(a_limit_of_the_service_is_no_fault_of_the_file)
{
	const struct rlimit little = { 1 << 20, RLIM_INFINITY };
	struct cell_file to = { "to", memory_file("") };
	struct cell_handle *handle;
	struct cell_event event;

	stop();
	process_protect();
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &little), 0);
	start();
	handle = spawn_with(&(struct cell_order){
		.operation = "write_much", .outputs = &to, .output_count = 1 });
	wait_event(handle, &event);
	ck_assert_msg(event.kind == CELL_FAILED, "%s", event.status.text);
	ck_assert_msg(event.status.kind == ERR_IO, "%s", event.status.text);
	ck_assert_int_eq(event.status.os_errno, EFBIG);
	cell_kill(handle);
	close(to.fd);
}
END_TEST

/* As root, or as good as root where that can be had. */
START_TEST(cells_have_no_capabilities)
{
	static const char *const sets[] = { "CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb" };
	unsigned long long set, any = 0;
	struct cell_handle *handle;
	struct cell_event event;
	char path[64];

	stop();
	if (geteuid() != 0 && unshare(CLONE_NEWUSER) < 0)
		printf("   no user namespace to be root in: %s\n", strerror(errno));
	ck_assert(status_number("/proc/self/status", "CapEff", &any));
	start();
	handle = spawn("sleep", "");
	wait_event(handle, &event);
	ck_assert_int_eq(event.kind, CELL_MESSAGE);
	ck_assert_uint_eq(each_process("symgate-cell", getpgrp(), false, 0), 1);
	snprintf(path, sizeof(path), "/proc/%d/status", (int)last_process);
	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
		ck_assert(status_number(path, sets[i], &set));
		/* Who has none cannot empty the bounding set; nothing is gained from it. */
		if (any || strcmp(sets[i], "CapBnd") != 0)
			ck_assert_msg(set == 0, "%s is %llx", sets[i], set);
	}
	cell_kill(handle);
}
END_TEST

/* The file was fine, somebody cut it short: nothing to be remembered. */
START_TEST(an_input_cut_short_is_transient)
{
	char path[] = "/tmp/symgate-cut-XXXXXX";
	struct cell_file from = { "from", mkstemp(path) };
	struct cell_handle *handle;
	struct cell_event event;

	ck_assert_int_ge(from.fd, 0);
	ck_assert_int_eq(ftruncate(from.fd, 1 << 20), 0);
	handle = spawn_with(&(struct cell_order){ .operation = "read_slowly", .inputs = &from,
						  .input_count = 1 });
	wait_event(handle, &event);
	ck_assert_int_eq(event.kind, CELL_MESSAGE);
	ck_assert_int_eq(ftruncate(from.fd, 0), 0);
	wait_event(handle, &event);
	ck_assert_int_eq(event.kind, CELL_FAILED);
	ck_assert_msg(event.status.kind == ERR_IO, "%s", event.status.text);
	cell_kill(handle);
	unlink(path);
	close(from.fd);
}
END_TEST

/* The same for bytes that were changed in place. */
START_TEST(an_input_overwritten_is_transient)
{
	char path[] = "/tmp/symgate-cut-XXXXXX";
	struct cell_file from = { "from", mkstemp(path) };
	struct cell_handle *handle;
	struct cell_event event;

	ck_assert_int_ge(from.fd, 0);
	ck_assert_int_eq(ftruncate(from.fd, 1 << 20), 0);
	usleep(20000);                       /* file systems keep times to the tick */
	handle = spawn_with(&(struct cell_order){ .operation = "read_slowly", .inputs = &from,
						  .input_count = 1 });
	wait_event(handle, &event);
	ck_assert_int_eq(event.kind, CELL_MESSAGE);
	ck_assert_int_eq((int)pwrite(from.fd, "x", 1, 4096), 1);
	wait_event(handle, &event);
	ck_assert_int_eq(event.kind, CELL_FAILED);
	ck_assert_msg(event.status.kind == ERR_IO && event.status.os_errno == CELL_INPUT_CHANGED, "%s",
		      event.status.text);
	cell_kill(handle);
	unlink(path);
	close(from.fd);
}
END_TEST

static const struct { const char *what; size_t more; uint64_t other; bool is_sound; } seals[] = {
	{ "what it must be", 0, 0, true }, { "other bytes", 0, 1, false }, { "another size", 1, 0, false },
};

static struct checksum_seal seal_of(int fd, size_t more, uint64_t other)
{
	struct checksum_seal seal;
	struct err err = ERR_INIT;

	ck_assert_int_eq(checksum_seal_file(fd, &seal, &err), 0);
	seal.size_bytes += more;
	seal.value ^= other;
	return seal;
}

static void expect_changed(struct cell_handle *handle)
{
	struct cell_event event;

	wait_event(handle, &event);
	ck_assert_int_eq(event.kind, CELL_FAILED);
	ck_assert_int_eq(event.status.kind, ERR_IO);
	ck_assert_int_eq(event.status.os_errno, CELL_INPUT_CHANGED);
	ck_assert_msg(strstr(event.status.text, "not what was kept") != NULL, "%s", event.status.text);
}

START_TEST(sealed_inputs_are_what_they_must_be)
{
	struct cell_file from = { "from", memory_file("some bytes") };
	struct cell_file to = { "to", memory_file("") };
	struct checksum_seal seal = seal_of(from.fd, seals[_i].more, seals[_i].other);
	struct cell_handle *handle = spawn_with(&(struct cell_order){
		.operation = "copy", .inputs = &from, .input_count = 1, .seals = &seal,
		.outputs = &to, .output_count = 1 });
	struct cell_event event;

	if (seals[_i].is_sound) {
		wait_event(handle, &event);
		ck_assert_msg(event.kind == CELL_DONE, "%s", event.status.text);
	} else {
		expect_changed(handle);
	}
	cell_kill(handle);
	close(from.fd);
	close(to.fd);
}
END_TEST

START_TEST(sealed_answers_are_what_they_must_be)
{
	struct cell_handle *handle = spawn("want", "");
	int fd = memory_file("alternate");
	struct checksum_seal seal = seal_of(fd, seals[_i].more, seals[_i].other);
	struct err err = ERR_INIT;
	struct cell_event event;

	wait_event(handle, &event);
	ck_assert_int_eq(event.kind, CELL_WANTS);
	ck_assert_int_eq(cell_answer_want(handle, CELL_ANSWER_FILE, fd, &seal, &err), 0);
	if (seals[_i].is_sound) {
		wait_event(handle, &event);
		ck_assert_int_eq(event.kind, CELL_WANTS);     /* the next */
	} else {
		expect_changed(handle);
	}
	cell_kill(handle);
	close(fd);
}
END_TEST

/* Ended by the system or an operator: not the cell's doing. */
START_TEST(being_killed_is_not_its_fault)
{
	static const int signals[] = { SIGKILL, SIGTERM, SIGINT };

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		struct cell_handle *handle = spawn("sleep", "");
		struct cell_event event;

		wait_event(handle, &event);
		ck_assert_int_eq(event.kind, CELL_MESSAGE);
		ck_assert_uint_eq(each_process("symgate-cell", getpgrp(), false, signals[i]), 1);
		wait_event(handle, &event);
		ck_assert_int_eq(event.kind, CELL_DIED);
		ck_assert_msg(event.status.kind == ERR_IO, "%s", event.status.text);
		cell_kill(handle);
	}
}
END_TEST

/* --- Tries to get out -------------------------------------------------------------------- */

static const char *const forbidden[] = {
	"open", "create", "socket", "unix", "socketpair", "exec", "fork", "vfork", "ptrace", "kill",
	"tgkill", "signal by descriptor", "unlink", "peek", "limits", "dumpable",
	"executable memory",
};

START_TEST(refuses_what_is_forbidden)
{
	struct cell_handle *handle;
	struct cell_event event;

	if (nursery_level(nursery) < SANDBOX_FILTERED)
		return;
	handle = spawn("try", forbidden[_i]);
	wait_event(handle, &event);
	if (event.kind == CELL_DIED)
		ck_assert_msg(strstr(event.status.text, "SIGSYS"), "%s: %s", forbidden[_i],
			      event.status.text);
	else
		ck_assert_msg(event.kind == CELL_FAILED && strstr(event.status.text, "refused"),
			      "%s: %.*s %s", forbidden[_i], (int)event.reply.size,
			      event.reply.size ? event.reply.bytes : "", event.status.text);
	cell_kill(handle);
	ck_assert(nursery_is_alive(nursery));
}
END_TEST

/* Landlock alone, without the filter's help, closes paths too. */
START_TEST(landlock_closes_every_path)
{
	struct confinement confinement;
	enum sandbox_level reached = SANDBOX_PLAIN;
	struct err err = ERR_INIT;
	int status;
	pid_t pid;

	if (nursery_level(nursery) < SANDBOX_FULL)
		return;
	ck_assert_int_eq(confine_prepare(&confinement, &config, &err), 0);
	pid = fork();
	if (pid == 0) {
		mem_give_back(confinement.filter);
		confinement.filter = NULL;
		if (confine_self(&confinement, &reached, &err) < 0)
			_exit(2);
		_exit(open("/etc/passwd", O_RDONLY) >= 0 || open("/", O_RDONLY) >= 0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	confine_release(&confinement);
}
END_TEST

START_TEST(a_cell_has_its_own_descriptors_only)
{
	struct cell_file inputs[2] = { { "from", memory_file("a") }, { "other", memory_file("b") } };
	struct cell_file to = { "to", memory_file("") };
	struct cell_handle *others[8], *handle;
	struct cell_event event;
	unsigned count = 0;

	for (int i = 0; i < 8; i++)
		others[i] = spawn("hang", "");
	handle = spawn_with(&(struct cell_order){ .operation = "descriptors", .inputs = inputs,
						  .input_count = 2, .outputs = &to,
						  .output_count = 1 });
	wait_event(handle, &event);
	ck_assert_msg(event.kind == CELL_DONE, "%s", event.status.text);
	for (size_t i = 0; i < event.reply.size; i++)
		count += event.reply.bytes[i] == ' ';
	/* 0, 1 and 2 on /dev/null, the channel, two inputs, one output */
	ck_assert_msg(count == 7, "%.*s", (int)event.reply.size, event.reply.bytes);
	cell_kill(handle);
	for (int i = 0; i < 8; i++)
		cell_kill(others[i]);
	close(inputs[0].fd);
	close(inputs[1].fd);
	close(to.fd);
}
END_TEST

/* --- Lies -------------------------------------------------------------------------------- */

static const struct {
	const char *what, *lie;
	enum cell_event_kind event;
	enum err_kind kind;
} lies[] = {
	{ "a packet without a head", "a", CELL_DIED, ERR_CRASHED },
	{ "an unknown type", "b", CELL_DIED, ERR_CRASHED },
	{ "a status cut short", "c", CELL_DIED, ERR_CRASHED },
	{ "an unknown kind, a text without end", "d", CELL_FAILED, ERR_INTERNAL },
	{ "sizes past the packet", "e", CELL_DIED, ERR_CRASHED },
	{ "a role without end", "f", CELL_DIED, ERR_CRASHED },
	{ "a role that is none", "g", CELL_DIED, ERR_CRASHED },
	{ "two wants at once", "h", CELL_DIED, ERR_CRASHED },
	{ "a packet too long", "i", CELL_DIED, ERR_CRASHED },
	{ "an endless message", "j", CELL_DIED, ERR_LIMIT },
	{ "done in the middle of a message", "k", CELL_DIED, ERR_CRASHED },
	{ "a forged end", "l", CELL_DIED, ERR_CRASHED },
	{ "an empty packet", "m", CELL_DIED, ERR_IO },
};

START_TEST(survives_lies)
{
	struct cell_handle *handle = spawn("lie", lies[_i].lie);
	struct cell_event event;

	do
		wait_event(handle, &event);
	while (event.kind == CELL_WANTS);
	ck_assert_msg(event.kind == lies[_i].event, "%s: %d", lies[_i].what, event.kind);
	ck_assert_msg(event.status.kind == lies[_i].kind, "%s: %s", lies[_i].what,
		      event.status.text);
	ck_assert_uint_lt(strlen(event.status.text), ERR_TEXT_BYTES);
	cell_kill(handle);
}
END_TEST

/* --- Comes and goes ---------------------------------------------------------------------- */

START_TEST(a_thousand_cells_leave_nothing)
{
	unsigned descriptors = count_descriptors();
	int64_t start_micros = clock_monotonic_micros();

	for (int i = 0; i < 1000; i++) {
		struct cell_handle *handle = spawn(i % 10 ? "echo" : "hang", "x");
		struct cell_event event;

		if (i % 10) {
			wait_event(handle, &event);
			ck_assert_msg(event.kind == CELL_DONE, "%s", event.status.text);
		}
		cell_kill(handle);
	}
	printf("hatch to done: %lld us per cell\n",
	       (long long)(clock_monotonic_micros() - start_micros) / 1000);
	ck_assert_uint_eq(count_descriptors(), descriptors);
	for (int i = 0; i < 2000 && count_processes("symgate-cell", getpgrp(), true) > 0; i++)
		usleep(2000);
	ck_assert_uint_eq(count_processes("symgate-cell", getpgrp(), true), 0);
}
END_TEST

START_TEST(many_at_once)
{
	struct cell_handle *handles[64];
	struct cell_event event;

	for (int i = 0; i < 64; i++)
		handles[i] = spawn(i % 2 ? "parrot" : "echo", "x");
	for (int i = 0; i < 64; i++) {
		struct err err = ERR_INIT;

		if (i % 2)
			ck_assert_int_eq(cell_send(handles[i], TEXT("hi"), &err), 0);
		wait_event(handles[i], &event);
		ck_assert_int_eq(event.kind, i % 2 ? CELL_MESSAGE : CELL_DONE);
		cell_kill(handles[i]);
	}
}
END_TEST

START_TEST(killing_the_nursery_ends_its_cells)
{
	struct cell_handle *handle = spawn("sleep", "");
	struct err err = ERR_INIT;
	struct cell_event event;
	struct cell_handle *another;

	wait_event(handle, &event);
	ck_assert_int_eq(event.kind, CELL_MESSAGE);
	ck_assert(nursery_is_alive(nursery));
	ck_assert_uint_eq(each_process("symgate-nursery", getpgrp(), false, SIGKILL), 1);
	wait_event(handle, &event);
	ck_assert_int_eq(event.kind, CELL_DIED);
	ck_assert_msg(event.status.kind == ERR_IO, "%s", event.status.text);
	cell_kill(handle);
	ck_assert(!nursery_is_alive(nursery));
	ck_assert_int_eq(nursery_spawn(nursery,
				       &(struct cell_order){ .operation = "echo" }, &another, &err),
			 -1);
	ck_assert_int_eq(err.kind, ERR_IO);
	ck_assert_msg(strstr(err.text, "nursery is gone"), "%s", err.text);
	ck_assert(vanish_within("symgate-cell", getpgrp(), 5000));
}
END_TEST

/* A process of its own group with a nursery and two cells, all there on return. */
static pid_t start_family(void)
{
	int ready[2];
	char word;
	pid_t pid;

	ck_assert_int_eq(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		struct cell_handle *handles[2];
		struct cell_event event;

		setpgid(0, 0);
		start();
		for (int i = 0; i < 2; i++) {
			handles[i] = spawn("sleep", "");
			wait_event(handles[i], &event);
		}
		signal(SIGTERM, SIG_IGN);
		if (write(ready[1], "x", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	ck_assert_int_eq((int)read(ready[0], &word, 1), 1);
	close(ready[0]);
	ck_assert_uint_eq(count_processes("symgate-cell", pid, true), 2);
	ck_assert_uint_eq(count_processes("symgate-nursery", pid, true), 1);
	return pid;
}

START_TEST(killing_the_parent_ends_all)
{
	pid_t pid = start_family();

	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	ck_assert(vanish_within("symgate-nursery", pid, 5000));
	ck_assert(vanish_within("symgate-cell", pid, 5000));
}
END_TEST

START_TEST(a_group_signal_ends_nursery_and_cells)
{
	pid_t pid = start_family();

	kill(-pid, SIGHUP);          /* "reopen the log" is not for them */
	usleep(20000);
	kill(-pid, SIGTERM);         /* the parent of this test ignores it */
	ck_assert(vanish_within("symgate-nursery", pid, 2000));
	ck_assert(vanish_within("symgate-cell", pid, 2000));
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}
END_TEST

/* --- Start ------------------------------------------------------------------------------- */

static const struct {
	const char *what;
	enum sandbox_level ceiling;
	enum config_sandbox require;
	bool starts;
	const char *text;
} levels[] = {
	{ "best, nothing to have", SANDBOX_PLAIN, CONFIG_SANDBOX_BEST, true, NULL },
	{ "best, no landlock", SANDBOX_FILTERED, CONFIG_SANDBOX_BEST, true, NULL },
	{ "full, no seccomp", SANDBOX_PLAIN, CONFIG_SANDBOX_FULL, false,
	  "sandbox.require is full, but this kernel gives only plain (no seccomp)" },
	{ "full, no landlock", SANDBOX_FILTERED, CONFIG_SANDBOX_FULL, false,
	  "sandbox.require is full, but this kernel gives only " },
};

START_TEST(holds_to_the_required_level)
{
	struct err err = ERR_INIT;
	struct config wish = config;
	struct nursery *other;
	int rc;

	sandbox_level_ceiling = levels[_i].ceiling;
	wish.sandbox = levels[_i].require;
	wish.max_download_bytes = wish.cell_memory_bytes = CONFIG_UNLIMITED;
	rc = nursery_start(&other, &wish, operations, operation_count, &err);
	ck_assert_msg((rc == 0) == levels[_i].starts, "%s: %s", levels[_i].what, err.text);
	if (rc == 0) {
		ck_assert_int_le(nursery_level(other), levels[_i].ceiling);
		nursery_stop(nursery);
		nursery = other;
		run_threads();
	} else {
		ck_assert_msg(strstr(err.text, levels[_i].text), "%s: %s", levels[_i].what,
			      err.text);
		ck_assert_int_eq(err.kind, ERR_UNSUPPORTED);
	}
}
END_TEST

static int order_one(void *payload, struct err *err)
{
	static const char large[20000] = "parameters";
	struct cell_order order = { .operation = "echo", .parameters = { large, sizeof(large) } };
	struct nursery *own;
	struct cell_handle *handle = NULL;
	struct cell_event event;
	int rc;

	(void)payload;
	rc = nursery_start(&own, &config, operations, operation_count, err);
	if (rc < 0)
		return -1;
	rc = nursery_spawn(own, &order, &handle, err);
	if (rc == 0)
		rc = cell_wait_event(handle, PATIENCE_MILLIS, &event, err);
	if (rc == 0 && event.kind != CELL_DONE)
		rc = err_set(err, ERR_NO_MEMORY, "the other side had none: %s", event.status.text);
	cell_kill(handle);
	nursery_stop(own);
	return rc;
}

/* The countdown runs in the nursery too (it is forked with it): refusals there are words. */
START_TEST(survives_every_allocation_failure)
{
	support_every_allocation_failure(order_one, NULL, 200);
}
END_TEST

#define COUNT(table) ((int)(sizeof(table) / sizeof((table)[0])))

int main(void)
{
	Suite *suite = suite_create("sandbox");
	TCase *tcase = tcase_create("cells");

	tcase_add_checked_fixture(tcase, start, stop);
	tcase_add_test(tcase, runs_an_operation);
	tcase_add_test(tcase, takes_large_parameters_and_replies);
	tcase_add_test(tcase, reads_inputs_and_writes_outputs);
	tcase_add_test(tcase, inputs_are_for_reading_only);
	tcase_add_test(tcase, threads_work);
	tcase_add_test(tcase, answers_wants);
	tcase_add_test(tcase, wants_have_an_end);
	tcase_add_test(tcase, residents_talk);
	tcase_add_test(tcase, sending_never_blocks);
	tcase_add_loop_test(tcase, says_how_it_ended, 0, COUNT(endings));
	tcase_add_test(tcase, cpu_time_ends_the_stubborn);
#ifndef SYMGATE_SANITIZED
	tcase_add_test(tcase, memory_has_a_ceiling);
	tcase_add_loop_test(tcase, all_memory_has_one_ceiling, 0, COUNT(ways));
#endif
	tcase_add_test(tcase, threads_have_a_ceiling);
	tcase_add_test(tcase, files_have_a_ceiling);
	tcase_add_test(tcase, a_limit_of_the_service_is_no_fault_of_the_file);
	tcase_add_test(tcase, cells_have_no_capabilities);
	tcase_add_test(tcase, an_input_cut_short_is_transient);
	tcase_add_test(tcase, an_input_overwritten_is_transient);
	tcase_add_loop_test(tcase, sealed_inputs_are_what_they_must_be, 0, 3);
	tcase_add_loop_test(tcase, sealed_answers_are_what_they_must_be, 0, 3);
	tcase_add_test(tcase, being_killed_is_not_its_fault);
	tcase_add_loop_test(tcase, refuses_what_is_forbidden, 0, COUNT(forbidden));
	tcase_add_test(tcase, landlock_closes_every_path);
	tcase_add_test(tcase, a_cell_has_its_own_descriptors_only);
	tcase_add_loop_test(tcase, survives_lies, 0, COUNT(lies));
	tcase_add_test(tcase, a_thousand_cells_leave_nothing);
	tcase_add_test(tcase, many_at_once);
	tcase_add_test(tcase, killing_the_nursery_ends_its_cells);
	tcase_add_test(tcase, killing_the_parent_ends_all);
	tcase_add_test(tcase, a_group_signal_ends_nursery_and_cells);
	tcase_add_loop_test(tcase, holds_to_the_required_level, 0, COUNT(levels));
	tcase_add_test(tcase, survives_every_allocation_failure);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
