/* crash.c -- see crash.h.  Only async-signal-safe calls, and libunwind's local walk. */
#define UNW_LOCAL_ONLY
#include "supervisor/crash.h"

#include <libunwind.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"

#define FRAMES_MAX 64
#define NAME_BYTES 200
#define ALTERNATE_STACK_BYTES ((size_t)64 * 1024)

static char alternate_stack[ALTERNATE_STACK_BYTES];

static void put(const char *text, size_t size)
{
	(void)!write(log_descriptor(), text, size);
}

static void put_hex(uint64_t value)
{
	char text[16];
	size_t at = sizeof(text);

	do {
		text[--at] = "0123456789abcdef"[value & 15];
		value >>= 4;
	} while (value);
	put("0x", 2);
	put(text + at, sizeof(text) - at);
}

static void put_frame(unw_cursor_t *cursor)
{
	unw_word_t address = 0, offset = 0;
	char name[NAME_BYTES];

	unw_get_reg(cursor, UNW_REG_IP, &address);
	put("crash frame ", 12);
	put_hex(address);
	if (unw_get_proc_name(cursor, name, sizeof(name), &offset) == 0) {
		put(" ", 1);
		put(name, strlen(name));
		put("+", 1);
		put_hex(offset);
	}
	put("\n", 1);
}

static void tell_and_die(int number, siginfo_t *info, void *context)
{
	unw_cursor_t cursor;

	put("crash signal ", 13);
	put_hex((uint64_t)number);
	put(" address ", 9);
	put_hex((uint64_t)(uintptr_t)info->si_addr);
	put("\n", 1);
	if (unw_init_local2(&cursor, context, UNW_INIT_SIGNAL_FRAME) == 0) {
		int frames = 0;

		do
			put_frame(&cursor);
		while (++frames < FRAMES_MAX && unw_step(&cursor) > 0);
	}
	raise(number);                       /* SA_RESETHAND: the default action now */
}

void crash_install(void)
{
	static const int numbers[] = { SIGSEGV, SIGABRT, SIGILL, SIGFPE };
	struct sigaction action = {
		.sa_sigaction = tell_and_die, .sa_flags = (int)(SA_SIGINFO | SA_RESETHAND | SA_ONSTACK),
	};
	stack_t stack = { .ss_sp = alternate_stack, .ss_size = sizeof(alternate_stack) };

	sigaltstack(&stack, NULL);
	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		sigaction(numbers[i], &action, NULL);
}
