/* test_tool.c -- programs that are run: how they end, what they may write, and that nothing of them stays. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "sandbox/tool.h"
#include "support/support.h"

static char folder[] = "/tmp/symgate-tool-XXXXXX";
static char scratch[64], marker[96];

static void setup(void)
{
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(scratch, sizeof(scratch), "%s/scratch", folder);
	ck_assert_int_eq(mkdir(scratch, 0700), 0);
	snprintf(marker, sizeof(marker), "%s/marker", folder);
}

static void teardown(void)
{
	tool_remove_folder(folder);
}

static struct tool_end run(const char *script, int64_t timeout_millis)
{
	static const char *const none[] = { NULL };
	char variable[128];
	const char *command[] = { "/bin/sh", "-c", script, NULL };
	const char *environment[] = { "PATH=/usr/bin:/bin", variable, NULL };
	const struct tool_order order = {
		.command = command, .environment = environment, .writable = none, .folder = scratch,
		.scratch = scratch, .timeout_millis = timeout_millis, .memory_bytes = UINT64_MAX,
		.file_bytes = 1 << 20, .cpu_seconds = 10,
	};
	struct tool_end end;
	struct err err = ERR_INIT;

	snprintf(variable, sizeof(variable), "MARKER=%s", marker);
	ck_assert_msg(tool_run(&order, &end, &err) == 0, "%s", err.text);
	return end;
}

static bool exists(const char *path)
{
	return access(path, F_OK) == 0;
}

START_TEST(ends_are_told)
{
	static const struct { const char *script; enum tool_end_kind kind; int code; const char *said; } cases[] = {
		{ "exit 0", TOOL_EXITED, 0, "" },
		{ "echo good; echo bad >&2; exit 3", TOOL_EXITED, 3, "good\nbad\n" },
		{ "kill -SEGV $$", TOOL_KILLED, SIGSEGV, "" },
		{ "printf 'a\\033[1mb'", TOOL_EXITED, 0, "a?[1mb" },
		{ "pwd -P | grep -c scratch", TOOL_EXITED, 0, "1\n" },
		{ "cat; ls /proc/self/fd | wc -l", TOOL_EXITED, 0, "4\n" },
		{ "ulimit -c", TOOL_EXITED, 0, "0\n" },
		{ "sleep 100", TOOL_TIMEOUT, 0, "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tool_end end = run(cases[i].script, cases[i].kind == TOOL_TIMEOUT ? 200 : 20000);

		ck_assert_msg(end.kind == cases[i].kind && end.code == cases[i].code &&
			      strcmp(end.said, cases[i].said) == 0, "%s: %u %d \"%s\"", cases[i].script,
			      end.kind, end.code, end.said);
	}
}
END_TEST

START_TEST(what_cannot_be_started_is_told)
{
	static const char *const none[] = { NULL }, *const command[] = { "/no/such/program", NULL };
	const struct tool_order order = {
		.command = command, .environment = none, .writable = none, .folder = scratch,
		.scratch = scratch, .timeout_millis = 10000, .memory_bytes = UINT64_MAX,
		.file_bytes = UINT64_MAX, .cpu_seconds = 10,
	};
	struct tool_end end;
	struct err err = ERR_INIT;

	ck_assert_int_eq(tool_run(&order, &end, &err), 0);
	ck_assert_msg(end.kind == TOOL_NOT_STARTED && end.code == ENOENT, "%u %d", end.kind, end.code);
}
END_TEST

START_TEST(much_is_said_and_little_kept)
{
	struct tool_end end = run("head -c 100000000 /dev/zero | tr '\\0' x >&2; exit 1", 60000);

	ck_assert_msg(end.kind == TOOL_EXITED && end.code == 1, "%u %d", end.kind, end.code);
	ck_assert_uint_eq(strlen(end.said), TOOL_SAID_BYTES - 1);
}
END_TEST

/* In whatever sessions and groups they are, and though nobody waits for them. */
START_TEST(nothing_it_started_stays)
{
	struct tool_end end = run("setsid sh -c 'sleep 1; echo x >marker' >/dev/null 2>&1 & "
				  "(setsid sleep 0.7 & ) ; sleep 0.1; exit 0", 20000);

	ck_assert_msg(end.kind == TOOL_EXITED && end.code == 0, "%u %d", end.kind, end.code);
	usleep(1200000);
	snprintf(marker, sizeof(marker), "%s/marker", scratch);
	ck_assert(!exists(marker));
	end = run("trap '' TERM; (setsid sh -c 'sleep 1; echo x >marker') & sleep 100", 200);
	ck_assert_uint_eq(end.kind, TOOL_TIMEOUT);
	usleep(1200000);
	ck_assert(!exists(marker));
}
END_TEST

/* What the cell would do is gone with it. */
START_TEST(a_killed_cell_takes_it_along)
{
	pid_t cell = fork();

	if (cell == 0) {
		run("echo $$ >pid; (setsid sh -c \"sleep 3; echo x >$MARKER\") & sleep 100", 60000);
		_exit(0);
	}
	snprintf(marker, sizeof(marker), "%s/pid", scratch);
	for (int i = 0; i < 6000 && !exists(marker); i++)
		usleep(10000);
	ck_assert(exists(marker));
	kill(cell, SIGKILL);
	ck_assert_int_eq(waitpid(cell, NULL, 0), cell);
	for (int i = 0; i < 6000 && exists(scratch); i++)
		usleep(10000);
	ck_assert(!exists(scratch));
}
END_TEST

START_TEST(it_writes_to_its_folder_alone)
{
	struct tool_end end;
	bool has_landlock = syscall(444, NULL, 0, 1) > 0;

	end = run("echo x >inside && mkdir sub && echo x >sub/x && rm -r sub && echo x >/dev/null", 20000);
	ck_assert_msg(end.kind == TOOL_EXITED && end.code == 0, "%d %s", end.code, end.said);
	end = run("echo x >$MARKER", 20000);
	ck_assert_msg(has_landlock ? end.code != 0 && !exists(marker) : end.code == 0, "%d %s", end.code, end.said);
	end = run("head -c 3000000 /dev/zero >large", 20000);
	ck_assert(end.kind == TOOL_KILLED || end.code != 0);
}
END_TEST

START_TEST(folders_go_and_links_stay)
{
	char path[160], outside[128];

	snprintf(outside, sizeof(outside), "%s/outside", folder);
	ck_assert_int_eq(mkdir(outside, 0700), 0);
	ck_assert_int_eq(run("mkdir -p a/b/c; echo x >a/b/c/d; chmod 0 a/b; ln -s ../outside out; ln -s /etc etc",
			     20000).code, 0);
	snprintf(path, sizeof(path), "%s/scratch", folder);
	tool_remove_folder(path);
	ck_assert(!exists(path));
	ck_assert(exists(outside) && exists("/etc/passwd"));
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("tool");
	Suite *suite = suite_create("tool");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_set_timeout(tests, 120);
	tcase_add_test(tests, ends_are_told);
	tcase_add_test(tests, what_cannot_be_started_is_told);
	tcase_add_test(tests, much_is_said_and_little_kept);
	tcase_add_test(tests, nothing_it_started_stays);
	tcase_add_test(tests, a_killed_cell_takes_it_along);
	tcase_add_test(tests, it_writes_to_its_folder_alone);
	tcase_add_test(tests, folders_go_and_links_stay);
	suite_add_tcase(suite, tests);
	return support_main(suite);
}
