/*
 * test_escape -- cells that try to get out.
 *
 * Passes at every level the kernel gives; what only seccomp or landlock can stop is asked
 * for only where there is seccomp.
 */
#include <check.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "sandbox/confine.h"
#include "sandbox/fixture.h"
#include "support/support.h"

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

	if (nursery_level(fixture_nursery) < SANDBOX_FILTERED)
		return;
	handle = fixture_spawn("try", forbidden[_i]);
	fixture_wait_event(handle, &event);
	if (event.kind == CELL_DIED)
		ck_assert_msg(strstr(event.status.text, "SIGSYS"), "%s: %s", forbidden[_i],
			      event.status.text);
	else
		ck_assert_msg(event.kind == CELL_FAILED && strstr(event.status.text, "refused"),
			      "%s: %.*s %s", forbidden[_i], (int)event.reply.size,
			      event.reply.size ? event.reply.bytes : "", event.status.text);
	cell_kill(handle);
	ck_assert(nursery_is_alive(fixture_nursery));
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

	if (nursery_level(fixture_nursery) < SANDBOX_FULL)
		return;
	ck_assert_int_eq(confine_prepare(&confinement, &fixture_config, &err), 0);
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
	struct cell_file inputs[2] = { { "from", fixture_memory_file("a") },
				       { "other", fixture_memory_file("b") } };
	struct cell_file to = { "to", fixture_memory_file("") };
	struct cell_handle *others[8], *handle;
	struct cell_event event;
	unsigned count = 0;

	for (int i = 0; i < 8; i++)
		others[i] = fixture_spawn("hang", "");
	handle = fixture_spawn_with(&(struct cell_order){ .operation = "descriptors", .inputs = inputs,
							  .input_count = 2, .outputs = &to,
							  .output_count = 1 });
	fixture_wait_event(handle, &event);
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

#define COUNT(table) ((int)(sizeof(table) / sizeof((table)[0])))

int main(void)
{
	Suite *suite = suite_create("sandbox escape");
	TCase *tcase = tcase_create("escape");

	tcase_add_checked_fixture(tcase, fixture_start, fixture_stop);
	tcase_add_loop_test(tcase, refuses_what_is_forbidden, 0, COUNT(forbidden));
	tcase_add_test(tcase, landlock_closes_every_path);
	tcase_add_test(tcase, a_cell_has_its_own_descriptors_only);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
