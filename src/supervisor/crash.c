/*
 * crash.c -- see crash.h.
 *
 * The handler takes no lock of ours and allocates nothing: it may have come out of malloc().  It
 * calls what is async-signal-safe, libunwind's local walk, and names from own_symbols.h; libunwind's
 * own names are not asked for, since it unpacks .gnu_debugdata for them.
 */
#define UNW_LOCAL_ONLY
#include "supervisor/crash.h"

#include <libunwind.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

#include "base/log.h"
#include "supervisor/own_symbols.h"

#define FRAMES_MAX 64
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

/* " symgate+0x1234" */
static void put_place(struct text name, uint64_t offset)
{
	if (!name.bytes)
		return;
	put(" ", 1);
	put(name.bytes, name.size);
	put("+", 1);
	put_hex(offset);
}

static void put_frame(unw_cursor_t *cursor, bool is_called)
{
	struct own_place place;
	unw_word_t address = 0;

	unw_get_reg(cursor, UNW_REG_IP, &address);
	/* A return address may be that of the function behind. */
	own_symbols_find(address - (is_called && address > 0), &place);
	place.offset += is_called;
	place.function_offset += is_called;
	put("crash frame ", 12);
	put_hex(address);
	put_place(place.module, place.offset);
	put_place(place.function, place.function_offset);
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
			put_frame(&cursor, frames > 0);
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

	own_symbols_open();
	sigaltstack(&stack, NULL);
	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		sigaction(numbers[i], &action, NULL);
}
