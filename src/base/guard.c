/* guard.c -- see guard.h. */
#include "base/guard.h"

#include <setjmp.h>
#include <signal.h>
#include <stddef.h>

/* Where this thread's guarded call began; NULL outside of one. */
static _Thread_local sigjmp_buf *volatile way_out;

static void on_bus_error(int signal_number, siginfo_t *info, void *context)
{
	sigset_t bus;

	(void)context;
	sigemptyset(&bus);
	sigaddset(&bus, SIGBUS);
	if (way_out && info->si_code > 0) {     /* the kernel's word, not a kill(2) */
		/* guard_run() does not save the mask: that would be a system call each
		 * time, and this happens hardly ever. */
		pthread_sigmask(SIG_UNBLOCK, &bus, NULL);
		siglongjmp(*way_out, 1);
	}
	signal(signal_number, SIG_DFL);
	pthread_sigmask(SIG_UNBLOCK, &bus, NULL);
	raise(signal_number);
}

int guard_install(void)
{
	struct sigaction action = { .sa_flags = SA_SIGINFO };

	action.sa_sigaction = on_bus_error;
	sigemptyset(&action.sa_mask);
	return sigaction(SIGBUS, &action, NULL);
}

int guard_run(int (*fn)(void *payload), void *payload, int *cut_short)
{
	sigjmp_buf here;
	sigjmp_buf *volatile outer = way_out;
	volatile int result = -1;

	*cut_short = 0;
	if (sigsetjmp(here, 0) == 0) {
		way_out = &here;
		result = fn(payload);
	} else {
		*cut_short = 1;
	}
	way_out = outer;
	return result;
}
