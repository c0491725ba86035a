/* test_crash_log.c -- a process that dies writes its stack, whatever it was about, and dies of the same. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "supervisor/crash.h"
#include "support/support.h"

#define LOG_BYTES 65536
#define PATIENCE_SECONDS 20u

/* Global, so that it stands in the symbol table, and not inlined. */
void test_crash_here(int number);

static volatile int *volatile nothing;

__attribute__((noinline)) void test_crash_here(int number)
{
	static char block[64];
	char *volatile inside = block + 8;

	switch (number) {
	case 0:
		*nothing = 1;
		break;
	case 1:
		abort();
	case 2:
		free(inside);             /* malloc itself ends the process */
		break;
	default:
		raise(SIGFPE);
	}
	__asm__ volatile("");                /* no tail call */
}

/* What the process writes; its end is in *status. */
static const char *log_of(int number, int *status)
{
	static char log[LOG_BYTES];
	size_t size = 0;
	ssize_t got;
	int ends[2];
	pid_t pid;

	ck_assert_int_eq(pipe(ends), 0);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		dup2(ends[1], STDERR_FILENO);
		close(ends[0]);
		close(ends[1]);
		alarm(PATIENCE_SECONDS);
		crash_install();
		test_crash_here(number);
		_exit(0);
	}
	close(ends[1]);
	while (size < sizeof(log) - 1 && (got = read(ends[0], log + size, sizeof(log) - 1 - size)) > 0)
		size += (size_t)got;
	log[size] = '\0';
	close(ends[0]);
	ck_assert_int_eq(waitpid(pid, status, 0), pid);
	return log;
}

START_TEST(the_stack_is_written)
{
	static const int signals[] = { SIGSEGV, SIGABRT, SIGABRT, SIGFPE };
	int status;
	const char *log = log_of(_i, &status);

	ck_assert_msg(WIFSIGNALED(status) && WTERMSIG(status) == signals[_i], "%d: %x\n%s", _i,
		      (unsigned)status, log);
	ck_assert_msg(strstr(log, "crash signal 0x") != NULL, "%s", log);
	ck_assert_msg(strstr(log, " test_crash_here") != NULL, "%s", log);
	ck_assert_msg(strstr(log, " symgate+0x") != NULL, "%s", log);
	ck_assert_msg(_i == 0 || strstr(log, " libc.so.6+0x") != NULL, "%s", log);
	ck_assert_msg(strstr(log, " support_main+0x") != NULL, "%s", log);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("crash_log");
	TCase *tests = tcase_create("crash_log");

#ifdef SYMGATE_SANITIZED                     /* a sanitizer ends what the others do */
	tcase_add_loop_test(tests, the_stack_is_written, 1, 2);
#else
	tcase_add_loop_test(tests, the_stack_is_written, 0, 4);
#endif
	suite_add_tcase(suite, tests);
	return support_main(suite);
}
