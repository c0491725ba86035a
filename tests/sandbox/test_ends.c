/*
 * test_ends -- cells that fail, crash, exceed their limits, are killed, and lie.
 */
#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/err.h"
#include "base/limits.h"
#include "base/process.h"
#include "sandbox/fixture.h"
#include "support/support.h"

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
	struct cell_handle *handle;
	struct cell_event event;

	if (strcmp(endings[_i].operation, "spin") == 0)
		fixture_restart_with_cpu(1);
	handle = fixture_spawn(endings[_i].operation, "");
	fixture_wait_event(handle, &event);
	ck_assert_msg(event.kind == endings[_i].event, "%s: %d", endings[_i].what, event.kind);
	ck_assert_msg(event.status.kind == endings[_i].kind, "%s: %s %s", endings[_i].what,
		      err_kind_name(event.status.kind), event.status.text);
	ck_assert_msg(strstr(event.status.text, endings[_i].text), "%s: %s", endings[_i].what,
		      event.status.text);
	cell_kill(handle);
	ck_assert(nursery_is_alive(fixture_nursery));
}
END_TEST

START_TEST(cpu_time_ends_the_stubborn)
{
	struct cell_handle *handle;
	struct cell_event event;

	fixture_restart_with_cpu(1);
	handle = fixture_spawn("spin_on", "");
	fixture_wait_event(handle, &event);
	ck_assert_int_eq(event.kind, CELL_DIED);
	ck_assert_msg(event.status.kind == ERR_LIMIT, "%s", event.status.text);
	cell_kill(handle);
}
END_TEST

#ifndef SYMGATE_SANITIZED            /* shadow memory: no ceiling there */
START_TEST(memory_has_a_ceiling)
{
	struct cell_handle *handle = fixture_spawn("eat", "");
	struct cell_event event;

	fixture_wait_event(handle, &event);
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

	if (nursery_level(fixture_nursery) < SANDBOX_FILTERED)
		return;
	handle = fixture_spawn("hoard", ways[_i].way);
	fixture_wait_event(handle, &event);
	if (event.kind == CELL_DIED) {
		ck_assert_msg(strstr(event.status.text, "SIGSYS"), "%s: %s", ways[_i].way,
			      event.status.text);
		cell_kill(handle);
		return;
	}
	ck_assert_msg(event.kind == CELL_MESSAGE, "%s: %s", ways[_i].way, event.status.text);
	had = cell_resident_bytes();
	ck_assert_msg(had > 0 && had < fixture_config.cell_memory_bytes, "%s: %llu bytes", ways[_i].way,
		      (unsigned long long)had);
	ck_assert_msg(had >= fixture_config.cell_memory_bytes / 100 * ways[_i].percent, "%s: %llu bytes",
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
	handle = fixture_spawn("many_threads", "");
	fixture_wait_event(handle, &event);
	ck_assert_msg(event.kind == CELL_DONE, "%s", event.status.text);
	ck_assert_int_gt((int)strtol(event.reply.bytes, NULL, 10), 0);
	ck_assert_int_lt((int)strtol(event.reply.bytes, NULL, 10), LIMIT_CELL_TASKS);
	cell_kill(handle);
}
END_TEST

START_TEST(files_have_a_ceiling)
{
	struct cell_file to = { "to", fixture_memory_file("") };
	struct cell_handle *handle = fixture_spawn_with(&(struct cell_order){
		.operation = "write_much", .outputs = &to, .output_count = 1 });
	struct cell_event event;

	fixture_wait_event(handle, &event);
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
	struct cell_file to = { "to", fixture_memory_file("") };
	struct cell_handle *handle;
	struct cell_event event;

	fixture_stop();
	process_protect();
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &little), 0);
	fixture_start();
	handle = fixture_spawn_with(&(struct cell_order){
		.operation = "write_much", .outputs = &to, .output_count = 1 });
	fixture_wait_event(handle, &event);
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

	fixture_stop();
	if (geteuid() != 0 && unshare(CLONE_NEWUSER) < 0)
		printf("   no user namespace to be root in: %s\n", strerror(errno));
	ck_assert(status_number("/proc/self/status", "CapEff", &any));
	fixture_start();
	handle = fixture_spawn("sleep", "");
	fixture_wait_event(handle, &event);
	ck_assert_int_eq(event.kind, CELL_MESSAGE);
	ck_assert_uint_eq(fixture_each_process("symgate-cell", getpgrp(), false, 0), 1);
	snprintf(path, sizeof(path), "/proc/%d/status", (int)fixture_last_process);
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
	handle = fixture_spawn_with(&(struct cell_order){ .operation = "read_slowly", .inputs = &from,
							  .input_count = 1 });
	fixture_wait_event(handle, &event);
	ck_assert_int_eq(event.kind, CELL_MESSAGE);
	ck_assert_int_eq(ftruncate(from.fd, 0), 0);
	fixture_wait_event(handle, &event);
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
	handle = fixture_spawn_with(&(struct cell_order){ .operation = "read_slowly", .inputs = &from,
							  .input_count = 1 });
	fixture_wait_event(handle, &event);
	ck_assert_int_eq(event.kind, CELL_MESSAGE);
	ck_assert_int_eq((int)pwrite(from.fd, "x", 1, 4096), 1);
	fixture_wait_event(handle, &event);
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

	fixture_wait_event(handle, &event);
	ck_assert_int_eq(event.kind, CELL_FAILED);
	ck_assert_int_eq(event.status.kind, ERR_IO);
	ck_assert_int_eq(event.status.os_errno, CELL_INPUT_CHANGED);
	ck_assert_msg(strstr(event.status.text, "not what was kept") != NULL, "%s", event.status.text);
}

START_TEST(sealed_inputs_are_what_they_must_be)
{
	struct cell_file from = { "from", fixture_memory_file("some bytes") };
	struct cell_file to = { "to", fixture_memory_file("") };
	struct checksum_seal seal = seal_of(from.fd, seals[_i].more, seals[_i].other);
	struct cell_handle *handle = fixture_spawn_with(&(struct cell_order){
		.operation = "copy", .inputs = &from, .input_count = 1, .seals = &seal,
		.outputs = &to, .output_count = 1 });
	struct cell_event event;

	if (seals[_i].is_sound) {
		fixture_wait_event(handle, &event);
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
	struct cell_handle *handle = fixture_spawn("want", "");
	int fd = fixture_memory_file("alternate");
	struct checksum_seal seal = seal_of(fd, seals[_i].more, seals[_i].other);
	struct err err = ERR_INIT;
	struct cell_event event;

	fixture_wait_event(handle, &event);
	ck_assert_int_eq(event.kind, CELL_WANTS);
	ck_assert_int_eq(cell_answer_want(handle, CELL_ANSWER_FILE, fd, &seal, &err), 0);
	if (seals[_i].is_sound) {
		fixture_wait_event(handle, &event);
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
		struct cell_handle *handle = fixture_spawn("sleep", "");
		struct cell_event event;

		fixture_wait_event(handle, &event);
		ck_assert_int_eq(event.kind, CELL_MESSAGE);
		ck_assert_uint_eq(fixture_each_process("symgate-cell", getpgrp(), false, signals[i]), 1);
		fixture_wait_event(handle, &event);
		ck_assert_int_eq(event.kind, CELL_DIED);
		ck_assert_msg(event.status.kind == ERR_IO, "%s", event.status.text);
		cell_kill(handle);
	}
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
	struct cell_handle *handle = fixture_spawn("lie", lies[_i].lie);
	struct cell_event event;

	do
		fixture_wait_event(handle, &event);
	while (event.kind == CELL_WANTS);
	ck_assert_msg(event.kind == lies[_i].event, "%s: %d", lies[_i].what, event.kind);
	ck_assert_msg(event.status.kind == lies[_i].kind, "%s: %s", lies[_i].what,
		      event.status.text);
	ck_assert_uint_lt(strlen(event.status.text), ERR_TEXT_BYTES);
	cell_kill(handle);
}
END_TEST

#define COUNT(table) ((int)(sizeof(table) / sizeof((table)[0])))

int main(void)
{
	Suite *suite = suite_create("sandbox ends");
	TCase *tcase = tcase_create("ends");

	tcase_add_checked_fixture(tcase, fixture_start, fixture_stop);
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
	tcase_add_loop_test(tcase, survives_lies, 0, COUNT(lies));
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
