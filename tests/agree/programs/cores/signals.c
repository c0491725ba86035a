/* A signal in a signal: handlers on the stack and on one of their own, the second of which dies. */
#include <signal.h>
#include <stdlib.h>

static volatile int *volatile nothing;
static char other[65536];

static __attribute__((noinline)) void in_second(void)
{
	abort();
}

static void second(int number)
{
	(void)number;
	in_second();
}

static __attribute__((noinline)) int in_first(int depth)
{
	volatile int here = depth;

	return depth ? in_first(depth - 1) + here : *nothing;
}

static void first(int number)
{
	(void)number;
	in_first(2);
}

static __attribute__((noinline)) int below(int depth)
{
	volatile int here = depth;

	if (depth == 0)
		raise(SIGUSR1);
	else
		return below(depth - 1) + here;
	return 0;
}

int main(void)
{
	struct sigaction on_stack = { .sa_handler = first };
	struct sigaction elsewhere = { .sa_handler = second, .sa_flags = SA_ONSTACK };
	stack_t stack = { .ss_sp = other, .ss_size = sizeof(other) };

	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &on_stack, NULL);
	sigaction(SIGSEGV, &elsewhere, NULL);
	return below(4);
}
