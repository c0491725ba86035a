/* linux_reason.c -- signals of Linux and Android: <asm-generic/siginfo.h>, signal(7). */
#include "minidump/minidump_parts.h"

#include <stdio.h>

#define SIGNALS 32u
#define DUMP_REQUESTED 0xffffffffu           /* Crashpad's: nobody crashed */
#define KINDS_MAX 9u

static const struct {
	const char *name, *prefix;
	const char *kinds[KINDS_MAX];        /* si_code 1, 2, ... */
} signals[SIGNALS] = {
	[1] = { .name = "SIGHUP" }, [2] = { .name = "SIGINT" }, [3] = { .name = "SIGQUIT" },
	[4] = { "SIGILL", "ILL_", { "ILLOPC", "ILLOPN", "ILLADR", "ILLTRP", "PRVOPC", "PRVREG",
				    "COPROC", "BADSTK", "BADIADDR" } },
	[5] = { "SIGTRAP", "TRAP_", { "BRKPT", "TRACE", "BRANCH", "HWBKPT", "UNK", "PERF" } },
	[6] = { .name = "SIGABRT" },
	[7] = { "SIGBUS", "BUS_", { "ADRALN", "ADRERR", "OBJERR", "MCEERR_AR", "MCEERR_AO" } },
	[8] = { "SIGFPE", "FPE_", { "INTDIV", "INTOVF", "FLTDIV", "FLTOVF", "FLTUND", "FLTRES",
				    "FLTINV", "FLTSUB" } },
	[9] = { .name = "SIGKILL" }, [10] = { .name = "SIGUSR1" },
	[11] = { "SIGSEGV", "SEGV_", { "MAPERR", "ACCERR", "BNDERR", "PKUERR" } },
	[12] = { .name = "SIGUSR2" }, [13] = { .name = "SIGPIPE" }, [14] = { .name = "SIGALRM" },
	[15] = { .name = "SIGTERM" }, [16] = { .name = "SIGSTKFLT" }, [17] = { .name = "SIGCHLD" },
	[18] = { .name = "SIGCONT" }, [19] = { .name = "SIGSTOP" }, [20] = { .name = "SIGTSTP" },
	[21] = { .name = "SIGTTIN" }, [22] = { .name = "SIGTTOU" }, [23] = { .name = "SIGURG" },
	[24] = { .name = "SIGXCPU" }, [25] = { .name = "SIGXFSZ" }, [26] = { .name = "SIGVTALRM" },
	[27] = { .name = "SIGPROF" }, [28] = { .name = "SIGWINCH" }, [29] = { .name = "SIGIO" },
	[30] = { .name = "SIGPWR" },
	[31] = { "SIGSYS", "SYS_", { "SECCOMP", "USER_DISPATCH" } },
};

static const struct minidump_code_name senders[] = {
	{ 0x80, "SI_KERNEL" },
	{ (uint32_t)-60, "SI_ASYNCNL" }, { (uint32_t)-7, "SI_DETHREAD" },
	{ (uint32_t)-6, "SI_TKILL" },    { (uint32_t)-5, "SI_SIGIO" },
	{ (uint32_t)-4, "SI_ASYNCIO" },  { (uint32_t)-3, "SI_MESGQ" },
	{ (uint32_t)-2, "SI_TIMER" },    { (uint32_t)-1, "SI_QUEUE" },
};

void minidump_linux_reason(const struct minidump_exception *exception,
			   char out[MINIDUMP_REASON_BYTES])
{
	uint32_t code = exception->code, kind = exception->flags;
	const char *name = code == DUMP_REQUESTED ? "DUMP_REQUESTED"
						  : code < SIGNALS ? signals[code].name : NULL;
	const char *sender = minidump_code_name(senders, sizeof(senders) / sizeof(senders[0]), kind);

	if (!name)
		snprintf(out, MINIDUMP_REASON_BYTES, "unknown 0x%08x / 0x%08x", (unsigned)code,
			 (unsigned)kind);
	else if (code < SIGNALS && kind >= 1 && kind <= KINDS_MAX && signals[code].kinds[kind - 1])
		snprintf(out, MINIDUMP_REASON_BYTES, "%s / %s%s", name, signals[code].prefix,
			 signals[code].kinds[kind - 1]);
	else if (kind == 0)
		snprintf(out, MINIDUMP_REASON_BYTES, "%s", name);
	else if (sender)
		snprintf(out, MINIDUMP_REASON_BYTES, "%s / %s", name, sender);
	else
		snprintf(out, MINIDUMP_REASON_BYTES, "%s / 0x%08x", name, (unsigned)kind);
}
