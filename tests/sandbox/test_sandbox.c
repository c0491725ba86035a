/*
 * test_sandbox -- cells that work, come and go, and what a nursery starts with.
 */
#include <check.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "sandbox/confine.h"
#include "sandbox/fixture.h"
#include "sandbox/operations.h"
#include "support/support.h"

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

static unsigned count_processes(const char *name, pid_t group, bool zombies_too)
{
	return fixture_each_process(name, group, zombies_too, 0);
}

static bool vanish(const char *name, pid_t group)
{
	int64_t end = clock_monotonic_millis() + support_stretched(10000);

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
	struct cell_handle *handle = fixture_spawn("echo", "hello");
	struct cell_event event;

	fixture_wait_event(handle, &event);
	ck_assert_msg(event.kind == CELL_DONE, "%d %s", event.kind, event.status.text);
	ck_assert(text_is(event.reply, "echo hello"));
	fixture_wait_event(handle, &event);
	ck_assert_int_eq(event.kind, CELL_NOTHING);
	cell_kill(handle);
	ck_assert(nursery_is_alive(fixture_nursery));
}
END_TEST

START_TEST(what_an_operation_needs_is_had_before)
{
	struct cell_handle *handle = fixture_spawn("prepared", "");
	struct cell_event event;

	fixture_wait_event(handle, &event);
	ck_assert_msg(event.kind == CELL_DONE, "%d %s", event.kind, event.status.text);
	ck_assert(text_is(event.reply, "prepared"));
	cell_kill(handle);
}
END_TEST

START_TEST(takes_large_parameters_and_replies)
{
	size_t size = (size_t)9 << 20;
	char *large = mem_get(size);
	struct cell_event event;
	struct cell_handle *handle;

	memset(large, 'p', size);
	handle = fixture_spawn_with(&(struct cell_order){ .operation = "echo",
							  .parameters = { large, size } });
	fixture_wait_event(handle, &event);
	ck_assert_msg(event.kind == CELL_DONE, "%d %s", event.kind, event.status.text);
	ck_assert_uint_eq(event.reply.size, size + 5);
	ck_assert_int_eq(memcmp(event.reply.bytes + 5, large, size), 0);
	cell_kill(handle);
	mem_give_back(large);
}
END_TEST

START_TEST(reads_inputs_and_writes_outputs)
{
	struct cell_file from = { "from", fixture_memory_file("some bytes") };
	struct cell_file to = { "to", fixture_memory_file("") };
	struct cell_handle *handle = fixture_spawn_with(&(struct cell_order){
		.operation = "copy", .inputs = &from, .input_count = 1,
		.outputs = &to, .output_count = 1 });
	struct cell_event event;
	char bytes[32] = "";

	fixture_wait_event(handle, &event);
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
	struct cell_file from = { "from", fixture_memory_file("some bytes") };
	struct cell_handle *handle = fixture_spawn_with(&(struct cell_order){
		.operation = "scribble", .inputs = &from, .input_count = 1 });
	struct cell_event event;

	fixture_wait_event(handle, &event);
	ck_assert_msg(event.kind == CELL_DONE, "%s", event.status.text);
	ck_assert_msg(text_is(event.reply, "0"), "it starts at the beginning");
	cell_kill(handle);
	close(from.fd);
}
END_TEST

static void run_threads(void)
{
	struct cell_handle *handle = fixture_spawn("threads", "");
	struct cell_event event;

	fixture_wait_event(handle, &event);
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
	struct cell_handle *handle = fixture_spawn("want", "");
	struct err err = ERR_INIT;
	struct cell_event event;
	int fd = fixture_memory_file("alternate");

	ck_assert_int_eq(cell_answer_want(handle, CELL_ANSWER_ABSENT, -1, NULL, &err), -1);     /* nobody asked */
	fixture_wait_event(handle, &event);
	ck_assert_int_eq(event.kind, CELL_WANTS);
	ck_assert_str_eq(event.role, "dwz");
	ck_assert(text_is(event.id, "abcd"));
	ck_assert(text_is(event.name, "x.debug"));
	ck_assert_int_eq(cell_answer_want(handle, CELL_ANSWER_FILE, fd, NULL, &err), 0);
	close(fd);
	fixture_wait_event(handle, &event);
	ck_assert_int_eq(event.kind, CELL_WANTS);
	ck_assert_str_eq(event.role, "dwp");
	ck_assert_ptr_null(event.name.bytes);
	ck_assert_int_eq(cell_answer_want(handle, CELL_ANSWER_ABSENT, -1, NULL, &err), 0);
	fixture_wait_event(handle, &event);
	ck_assert_msg(event.kind == CELL_DONE, "%s", event.status.text);
	ck_assert(text_is(event.reply, "dwz alternate;dwp absent;"));
	cell_kill(handle);
}
END_TEST

START_TEST(wants_have_an_end)
{
	struct cell_handle *handle = fixture_spawn("want_forever", "");
	struct err err = ERR_INIT;
	struct cell_event event;
	unsigned wants = 0;

	for (;;) {
		fixture_wait_event(handle, &event);
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
	struct cell_handle *handle = fixture_spawn("parrot", "");
	char *message = mem_get((size_t)3 << 20);
	struct err err = ERR_INIT;
	struct cell_event event;

	memset(message, 'm', (size_t)3 << 20);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		ck_assert_msg(cell_send(handle, (struct text){ message, sizes[i] }, &err) == 0,
			      "%s", err.text);
		fixture_wait_event(handle, &event);
		ck_assert_msg(event.kind == CELL_MESSAGE, "%d %s", event.kind, event.status.text);
		ck_assert_uint_eq(event.reply.size, sizes[i]);
		ck_assert_int_eq(memcmp(event.reply.bytes, message, sizes[i]), 0);
	}
	ck_assert_int_eq(cell_send(handle, TEXT("end"), &err), 0);
	fixture_wait_event(handle, &event);
	ck_assert_int_eq(event.kind, CELL_DONE);
	cell_kill(handle);
	mem_give_back(message);
}
END_TEST

/* A cell that does not read never blocks its asker. */
START_TEST(sending_never_blocks)
{
	struct cell_handle *handle = fixture_spawn("sleep", "");
	struct err err = ERR_INIT;
	int sent = 0;

	while (cell_send(handle, TEXT("are you there?"), &err) == 0)
		ck_assert_int_lt(++sent, 100000);
	ck_assert_msg(err.kind == ERR_BUSY, "%s", err.text);
	cell_kill(handle);
}
END_TEST

/* --- Comes and goes ---------------------------------------------------------------------- */

START_TEST(a_thousand_cells_leave_nothing)
{
	unsigned descriptors = count_descriptors();
	int64_t start_micros = clock_monotonic_micros();

	for (int i = 0; i < 1000; i++) {
		struct cell_handle *handle = fixture_spawn(i % 10 ? "echo" : "hang", "x");
		struct cell_event event;

		if (i % 10) {
			fixture_wait_event(handle, &event);
			ck_assert_msg(event.kind == CELL_DONE, "%s", event.status.text);
		}
		cell_kill(handle);
	}
	printf("hatch to done: %lld us per cell\n",
	       (long long)(clock_monotonic_micros() - start_micros) / 1000);
	ck_assert_uint_eq(count_descriptors(), descriptors);
	for (int i = 0; i < 20000 && count_processes("symgate-cell", getpgrp(), true) > 0; i++)
		usleep(2000);
	ck_assert_uint_eq(count_processes("symgate-cell", getpgrp(), true), 0);
}
END_TEST

START_TEST(many_at_once)
{
	struct cell_handle *handles[64];
	struct cell_event event;

	for (int i = 0; i < 64; i++)
		handles[i] = fixture_spawn(i % 2 ? "parrot" : "echo", "x");
	for (int i = 0; i < 64; i++) {
		struct err err = ERR_INIT;

		if (i % 2)
			ck_assert_int_eq(cell_send(handles[i], TEXT("hi"), &err), 0);
		fixture_wait_event(handles[i], &event);
		ck_assert_int_eq(event.kind, i % 2 ? CELL_MESSAGE : CELL_DONE);
		cell_kill(handles[i]);
	}
}
END_TEST

START_TEST(killing_the_nursery_ends_its_cells)
{
	struct cell_handle *handle = fixture_spawn("sleep", "");
	struct err err = ERR_INIT;
	struct cell_event event;
	struct cell_handle *another;

	fixture_wait_event(handle, &event);
	ck_assert_int_eq(event.kind, CELL_MESSAGE);
	ck_assert(nursery_is_alive(fixture_nursery));
	ck_assert_uint_eq(fixture_each_process("symgate-nursery", getpgrp(), false, SIGKILL), 1);
	fixture_wait_event(handle, &event);
	ck_assert_int_eq(event.kind, CELL_DIED);
	ck_assert_msg(event.status.kind == ERR_IO, "%s", event.status.text);
	cell_kill(handle);
	ck_assert(!nursery_is_alive(fixture_nursery));
	ck_assert_int_eq(nursery_spawn(fixture_nursery,
				       &(struct cell_order){ .operation = "echo" }, &another, &err),
			 -1);
	ck_assert_int_eq(err.kind, ERR_IO);
	ck_assert_msg(strstr(err.text, "nursery is gone"), "%s", err.text);
	ck_assert(vanish("symgate-cell", getpgrp()));
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
		fixture_start();
		for (int i = 0; i < 2; i++) {
			handles[i] = fixture_spawn("sleep", "");
			fixture_wait_event(handles[i], &event);
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
	ck_assert(vanish("symgate-nursery", pid));
	ck_assert(vanish("symgate-cell", pid));
}
END_TEST

START_TEST(a_group_signal_ends_nursery_and_cells)
{
	pid_t pid = start_family();

	kill(-pid, SIGHUP);          /* "reopen the log" is not for them */
	usleep(20000);
	kill(-pid, SIGTERM);         /* the parent of this test ignores it */
	ck_assert(vanish("symgate-nursery", pid));
	ck_assert(vanish("symgate-cell", pid));
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
	struct config wish = fixture_config;
	struct nursery *other;
	int rc;

	sandbox_level_ceiling = levels[_i].ceiling;
	wish.sandbox = levels[_i].require;
	wish.max_download_bytes = wish.cell_memory_bytes = CONFIG_UNLIMITED;
	rc = nursery_start(&other, &wish, operations, operation_count, &err);
	ck_assert_msg((rc == 0) == levels[_i].starts, "%s: %s", levels[_i].what, err.text);
	if (rc == 0) {
		ck_assert_int_le(nursery_level(other), levels[_i].ceiling);
		nursery_stop(fixture_nursery);
		fixture_nursery = other;
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
	rc = nursery_start(&own, &fixture_config, operations, operation_count, err);
	if (rc < 0)
		return -1;
	rc = nursery_spawn(own, &order, &handle, err);
	if (rc == 0)
		rc = cell_wait_event(handle, FIXTURE_PATIENCE_MILLIS, &event, err);
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

	tcase_add_checked_fixture(tcase, fixture_start, fixture_stop);
	tcase_add_test(tcase, runs_an_operation);
	tcase_add_test(tcase, what_an_operation_needs_is_had_before);
	tcase_add_test(tcase, takes_large_parameters_and_replies);
	tcase_add_test(tcase, reads_inputs_and_writes_outputs);
	tcase_add_test(tcase, inputs_are_for_reading_only);
	tcase_add_test(tcase, threads_work);
	tcase_add_test(tcase, answers_wants);
	tcase_add_test(tcase, wants_have_an_end);
	tcase_add_test(tcase, residents_talk);
	tcase_add_test(tcase, sending_never_blocks);
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
