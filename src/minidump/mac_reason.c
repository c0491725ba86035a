/*
 * mac_reason.c -- exceptions of macOS and iOS: <mach/exception_types.h>, <mach/kern_return.h>,
 * <mach/CPU/exception.h>, <kern/exc_resource.h>, <kern/exc_guard.h>.
 */
#include "minidump/minidump_parts.h"

#include <stdio.h>

#define COUNT_OF(table) (sizeof(table) / sizeof((table)[0]))

enum mac_exception {
	EXC_BAD_ACCESS = 1, EXC_BAD_INSTRUCTION, EXC_ARITHMETIC, EXC_EMULATION, EXC_SOFTWARE,
	EXC_BREAKPOINT, EXC_SYSCALL, EXC_MACH_SYSCALL, EXC_RPC_ALERT,
	EXC_RESOURCE = 11, EXC_GUARD,
	EXC_SIMULATED = 0x43507378           /* Crashpad's "CPsx": nobody crashed */
};

static const struct minidump_code_name exceptions[] = {
	{ EXC_BAD_ACCESS, "EXC_BAD_ACCESS" }, { EXC_BAD_INSTRUCTION, "EXC_BAD_INSTRUCTION" },
	{ EXC_ARITHMETIC, "EXC_ARITHMETIC" }, { EXC_EMULATION, "EXC_EMULATION" },
	{ EXC_SOFTWARE, "EXC_SOFTWARE" },     { EXC_BREAKPOINT, "EXC_BREAKPOINT" },
	{ EXC_SYSCALL, "EXC_SYSCALL" },       { EXC_MACH_SYSCALL, "EXC_MACH_SYSCALL" },
	{ EXC_RPC_ALERT, "EXC_RPC_ALERT" },   { EXC_RESOURCE, "EXC_RESOURCE" },
	{ EXC_GUARD, "EXC_GUARD" },
};

/* --- The first code, by exception and processor --------------------------------------------------- */

enum mac_cpu { CPU_ANY, CPU_IS_X86, CPU_IS_ARM64, CPU_IS_PPC, MAC_CPUS };

/* Whatever the processor goes first. */
static const struct {
	uint32_t exception;
	enum mac_cpu cpu;
	uint32_t code;
	const char *name;
} codes[] = {
	{ EXC_BAD_ACCESS, CPU_ANY, 1, "KERN_INVALID_ADDRESS" },
	{ EXC_BAD_ACCESS, CPU_ANY, 2, "KERN_PROTECTION_FAILURE" },
	{ EXC_BAD_ACCESS, CPU_ANY, 5, "KERN_FAILURE" },
	{ EXC_BAD_ACCESS, CPU_ANY, 8, "KERN_NO_ACCESS" },
	{ EXC_BAD_ACCESS, CPU_ANY, 9, "KERN_MEMORY_FAILURE" },
	{ EXC_BAD_ACCESS, CPU_ANY, 10, "KERN_MEMORY_ERROR" },
	{ EXC_BAD_ACCESS, CPU_ANY, 50, "KERN_CODESIGN_ERROR" },
	{ EXC_BAD_ACCESS, CPU_IS_ARM64, 0x101, "EXC_ARM_DA_ALIGN" },
	{ EXC_BAD_ACCESS, CPU_IS_ARM64, 0x102, "EXC_ARM_DA_DEBUG" },
	{ EXC_BAD_ACCESS, CPU_IS_ARM64, 0x103, "EXC_ARM_SP_ALIGN" },
	{ EXC_BAD_ACCESS, CPU_IS_ARM64, 0x104, "EXC_ARM_SWP" },
	{ EXC_BAD_ACCESS, CPU_IS_ARM64, 0x105, "EXC_ARM_PAC_FAIL" },
	{ EXC_BAD_ACCESS, CPU_IS_X86, 13, "EXC_I386_GPFLT" },
	{ EXC_BAD_ACCESS, CPU_IS_PPC, 0x101, "EXC_PPC_VM_PROT_READ" },
	{ EXC_BAD_ACCESS, CPU_IS_PPC, 0x102, "EXC_PPC_BADSPACE" },
	{ EXC_BAD_ACCESS, CPU_IS_PPC, 0x103, "EXC_PPC_UNALIGNED" },
	{ EXC_BAD_INSTRUCTION, CPU_IS_ARM64, 1, "EXC_ARM_UNDEFINED" },
	{ EXC_BAD_INSTRUCTION, CPU_IS_X86, 1, "EXC_I386_INVOP" },
	{ EXC_BAD_INSTRUCTION, CPU_IS_X86, 10, "EXC_I386_INVTSSFLT" },
	{ EXC_BAD_INSTRUCTION, CPU_IS_X86, 11, "EXC_I386_SEGNPFLT" },
	{ EXC_BAD_INSTRUCTION, CPU_IS_X86, 12, "EXC_I386_STKFLT" },
	{ EXC_BAD_INSTRUCTION, CPU_IS_X86, 13, "EXC_I386_GPFLT" },
	{ EXC_BAD_INSTRUCTION, CPU_IS_X86, 17, "EXC_I386_ALIGNFLT" },
	{ EXC_BAD_INSTRUCTION, CPU_IS_PPC, 1, "EXC_PPC_INVALID_SYSCALL" },
	{ EXC_BAD_INSTRUCTION, CPU_IS_PPC, 2, "EXC_PPC_UNIPL_INST" },
	{ EXC_BAD_INSTRUCTION, CPU_IS_PPC, 3, "EXC_PPC_PRIVINST" },
	{ EXC_BAD_INSTRUCTION, CPU_IS_PPC, 4, "EXC_PPC_PRIVREG" },
	{ EXC_BAD_INSTRUCTION, CPU_IS_PPC, 5, "EXC_PPC_TRACE" },
	{ EXC_BAD_INSTRUCTION, CPU_IS_PPC, 6, "EXC_PPC_PERFMON" },
	{ EXC_ARITHMETIC, CPU_IS_ARM64, 1, "EXC_ARM_FP_IO" },
	{ EXC_ARITHMETIC, CPU_IS_ARM64, 2, "EXC_ARM_FP_DZ" },
	{ EXC_ARITHMETIC, CPU_IS_ARM64, 3, "EXC_ARM_FP_OF" },
	{ EXC_ARITHMETIC, CPU_IS_ARM64, 4, "EXC_ARM_FP_UF" },
	{ EXC_ARITHMETIC, CPU_IS_ARM64, 5, "EXC_ARM_FP_IX" },
	{ EXC_ARITHMETIC, CPU_IS_ARM64, 6, "EXC_ARM_FP_ID" },
	{ EXC_ARITHMETIC, CPU_IS_X86, 1, "EXC_I386_DIV" },
	{ EXC_ARITHMETIC, CPU_IS_X86, 2, "EXC_I386_INTO" },
	{ EXC_ARITHMETIC, CPU_IS_X86, 3, "EXC_I386_NOEXT" },
	{ EXC_ARITHMETIC, CPU_IS_X86, 4, "EXC_I386_EXTOVR" },
	{ EXC_ARITHMETIC, CPU_IS_X86, 5, "EXC_I386_EXTERR" },
	{ EXC_ARITHMETIC, CPU_IS_X86, 6, "EXC_I386_EMERR" },
	{ EXC_ARITHMETIC, CPU_IS_X86, 7, "EXC_I386_BOUND" },
	{ EXC_ARITHMETIC, CPU_IS_X86, 8, "EXC_I386_SSEEXTERR" },
	{ EXC_ARITHMETIC, CPU_IS_PPC, 1, "EXC_PPC_OVERFLOW" },
	{ EXC_ARITHMETIC, CPU_IS_PPC, 2, "EXC_PPC_ZERO_DIVIDE" },
	{ EXC_ARITHMETIC, CPU_IS_PPC, 3, "EXC_PPC_FLT_INEXACT" },
	{ EXC_ARITHMETIC, CPU_IS_PPC, 4, "EXC_PPC_FLT_ZERO_DIVIDE" },
	{ EXC_ARITHMETIC, CPU_IS_PPC, 5, "EXC_PPC_FLT_UNDERFLOW" },
	{ EXC_ARITHMETIC, CPU_IS_PPC, 6, "EXC_PPC_FLT_OVERFLOW" },
	{ EXC_ARITHMETIC, CPU_IS_PPC, 7, "EXC_PPC_FLT_NOT_A_NUMBER" },
	{ EXC_ARITHMETIC, CPU_IS_PPC, 8, "EXC_PPC_NOEMULATION" },
	{ EXC_ARITHMETIC, CPU_IS_PPC, 9, "EXC_PPC_ALTIVECASSIST" },
	{ EXC_SOFTWARE, CPU_ANY, 0x10002, "SIGABRT" },
	{ EXC_SOFTWARE, CPU_ANY, 0xdeadc0de, "UNCAUGHT_NS_EXCEPTION" },
	{ EXC_SOFTWARE, CPU_ANY, 1, "EXC_PPC_TRAP" },
	{ EXC_SOFTWARE, CPU_ANY, 0x10100, "EXC_PPC_MIGRATE" },
	{ EXC_BREAKPOINT, CPU_IS_ARM64, 1, "EXC_ARM_BREAKPOINT" },
	{ EXC_BREAKPOINT, CPU_IS_X86, 1, "EXC_I386_SGL" },
	{ EXC_BREAKPOINT, CPU_IS_X86, 2, "EXC_I386_BPT" },
	{ EXC_BREAKPOINT, CPU_IS_PPC, 1, "EXC_PPC_BREAKPOINT" },
};

static enum mac_cpu cpu_of(const struct minidump_system *system)
{
	static const enum mac_cpu cpus[UNWIND_ARCHES] = {
		[UNWIND_X86] = CPU_IS_X86, [UNWIND_X86_64] = CPU_IS_X86,
		[UNWIND_ARM64] = CPU_IS_ARM64,
		[UNWIND_PPC] = CPU_IS_PPC, [UNWIND_PPC64] = CPU_IS_PPC,
	};

	return system->has_unwind_arch ? cpus[system->unwind_arch] : CPU_ANY;
}

static const char *name_of_code(enum mac_cpu cpu, const struct minidump_exception *exception)
{
	for (size_t i = 0; i < COUNT_OF(codes); i++)
		if (codes[i].exception == exception->code && codes[i].code == exception->flags &&
		    (codes[i].cpu == CPU_ANY || codes[i].cpu == cpu))
			return codes[i].name;
	return NULL;
}

/* --- EXC_RESOURCE --------------------------------------------------------------------------------- */

/* Bits [shift, shift + width) of a word. */
static uint64_t bits(uint64_t word, unsigned shift, unsigned width)
{
	return word >> shift & (((uint64_t)1 << width) - 1);
}

enum mac_resource { RESOURCE_CPU = 1, RESOURCE_WAKEUPS, RESOURCE_MEMORY, RESOURCE_IO, RESOURCE_THREADS };

static const struct {
	const char *name;
	const char *flavors[3];      /* by number, from 1 */
} resources[] = {
	[RESOURCE_CPU] = { "CPU", { NULL, "CPU_MONITOR", "CPU_MONITOR_FATAL" } },
	[RESOURCE_WAKEUPS] = { "WAKEUPS", { NULL, "WAKEUPS_MONITOR" } },
	[RESOURCE_MEMORY] = { "MEMORY", { NULL, "HIGH_WATERMARK" } },
	[RESOURCE_IO] = { "IO", { NULL, "IO_PHYSICAL_WRITES", "IO_LOGICAL_WRITES" } },
	[RESOURCE_THREADS] = { "THREADS", { NULL, "THREADS_HIGH_WATERMARK" } },
};

static void print_resource_words(enum mac_resource type, uint64_t code, uint64_t observed, char *out,
				 size_t capacity)
{
	switch (type) {
	case RESOURCE_CPU:
		/* Of what was consumed only 3 bits are told, as other programs do. */
		snprintf(out, capacity, "interval: %llus CPU limit: %llu%% CPU consumed: %llu%%",
			 (unsigned long long)bits(code, 7, 25), (unsigned long long)bits(code, 0, 3),
			 (unsigned long long)bits(observed, 0, 3));
		break;
	case RESOURCE_WAKEUPS:
		snprintf(out, capacity,
			 "interval: %llus wakeups permitted: %llu wakeups observed: %llu",
			 (unsigned long long)bits(code, 20, 20), (unsigned long long)bits(code, 0, 12),
			 (unsigned long long)bits(observed, 0, 12));
		break;
	case RESOURCE_MEMORY:
		snprintf(out, capacity, "high watermark limit: %lluMiB",
			 (unsigned long long)bits(code, 0, 13));
		break;
	case RESOURCE_IO:
		snprintf(out, capacity, "interval: %llus I/O limit: %llu%% I/O observed: %llu%%",
			 (unsigned long long)bits(code, 15, 17), (unsigned long long)bits(code, 0, 15),
			 (unsigned long long)bits(observed, 0, 15));
		break;
	case RESOURCE_THREADS:
		snprintf(out, capacity, "high watermark limit: %llu",
			 (unsigned long long)bits(code, 0, 15));
		break;
	}
}

static void print_resource(const struct minidump_exception *exception, char *out)
{
	uint64_t code = exception->parameters[1], subcode = exception->parameters[2];
	uint64_t type = bits(exception->flags, 29, 3), flavor = bits(code, 58, 3);
	char words[128];

	if (type == 0 || type >= COUNT_OF(resources)) {
		snprintf(out, MINIDUMP_REASON_BYTES, "EXC_RESOURCE / 0x%08x",
			 (unsigned)exception->flags);
		return;
	}
	if (flavor >= COUNT_OF(resources[0].flavors) || !resources[type].flavors[flavor]) {
		snprintf(out, MINIDUMP_REASON_BYTES,
			 "EXC_RESOURCE / RESOURCE_TYPE_%s / 0x%016llx / 0x%016llx",
			 resources[type].name, (unsigned long long)code, (unsigned long long)subcode);
		return;
	}
	print_resource_words((enum mac_resource)type, code, subcode, words, sizeof(words));
	snprintf(out, MINIDUMP_REASON_BYTES, "EXC_RESOURCE / RESOURCE_TYPE_%s / FLAVOR_%s %s",
		 resources[type].name, resources[type].flavors[flavor], words);
}

/* --- EXC_GUARD -------------------------------------------------------------------------------------- */

static const struct minidump_code_name port_flavors[] = {
	{ 0x1, "DESTROY" },          { 0x2, "MOD_REFS" },          { 0x3, "INVALID_OPTIONS" },
	{ 0x4, "SET_CONTEXT" },      { 0x5, "THREAD_SET_STATE" },  { 0x8, "UNGUARDED" },
	{ 0x10, "INCORRECT_GUARD" }, { 0x20, "IMMOVABLE" },        { 0x40, "STRICT_REPLY" },
	{ 0x80, "MSG_FILTERED" },    { 0x100, "INVALID_RIGHT" },   { 0x200, "INVALID_NAME" },
	{ 0x400, "INVALID_VALUE" },  { 0x800, "INVALID_ARGUMENT" }, { 0x1000, "RIGHT_EXISTS" },
	{ 0x2000, "KERN_NO_SPACE" }, { 0x4000, "KERN_FAILURE" },   { 0x8000, "KERN_RESOURCE" },
	{ 0x10000, "SEND_INVALID_REPLY" },   { 0x20000, "SEND_INVALID_VOUCHER" },
	{ 0x40000, "SEND_INVALID_RIGHT" },   { 0x80000, "RCV_INVALID_NAME" },
	{ 0x100000, "RCV_GUARDED_DESC" },    { 0x200000, "MOD_REFS_NON_FATAL" },
	{ 0x400000, "IMMOVABLE_NON_FATAL" }, { 0x800000, "REQUIRE_REPLY_PORT_SEMANTICS" },
	{ 0x1000000, "EXCEPTION_BEHAVIOR_ENFORCE" },
};
static const struct minidump_code_name fd_flavors[] = {
	{ 1, "CLOSE" }, { 2, "DUP" }, { 4, "NOCLOEXEC" }, { 8, "SOCKET_IPC" }, { 0x10, "FILEPORT" },
	{ 0x20, "MISMATCH" }, { 0x40, "WRITE" },
};
static const struct minidump_code_name vn_flavors[] = {
	{ 1, "RENAME_TO" }, { 2, "RENAME_FROM" }, { 4, "UNLINK" }, { 8, "WRITE_OTHER" },
	{ 0x10, "TRUNC_OTHER" }, { 0x20, "LINK" }, { 0x40, "EXCHDATA" },
};
static const struct minidump_code_name memory_flavors[] = { { 1, "DEALLOC_GAP" } };
static const struct minidump_code_name syscall_flavors[] = { { 0, "MACH_TRAP" } };

enum mac_guard { GUARD_NONE, GUARD_MACH_PORT, GUARD_FD, GUARD_USER, GUARD_VN, GUARD_VIRT_MEMORY,
		 GUARD_REJECTED_SC };

static const struct {
	const char *name;
	const struct minidump_code_name *flavors;
	size_t flavor_count;
	const char *target;          /* what the low bits of the code are; NULL: not told */
	const char *subcode;         /* what the subcode is */
} guards[] = {
	[GUARD_NONE] = { "NONE", NULL, 0, NULL, NULL },
	[GUARD_MACH_PORT] = { "MACH_PORT", port_flavors, COUNT_OF(port_flavors), "port name",
			      "subcode" },
	[GUARD_FD] = { "FD", fd_flavors, COUNT_OF(fd_flavors), "file descriptor",
		       "guard identifier" },
	[GUARD_USER] = { "USER", NULL, 0, "namespace", "guard identifier" },
	[GUARD_VN] = { "VN", vn_flavors, COUNT_OF(vn_flavors), "pid", "guard identifier" },
	[GUARD_VIRT_MEMORY] = { "VIRT_MEMORY", memory_flavors, COUNT_OF(memory_flavors), NULL,
				"offset" },
	[GUARD_REJECTED_SC] = { "REJECTED_SC", syscall_flavors, COUNT_OF(syscall_flavors), NULL,
				"syscall" },
};

static size_t append_number(char *out, size_t used, const char *name, uint64_t value)
{
	int size = snprintf(out + used, MINIDUMP_REASON_BYTES - used, " %s: %llu", name,
			    (unsigned long long)value);

	used += (size_t)size;
	return used < MINIDUMP_REASON_BYTES ? used : MINIDUMP_REASON_BYTES - 1;
}

static void print_guard(const struct minidump_exception *exception, char *out)
{
	uint64_t code = exception->parameters[1], subcode = exception->parameters[2];
	uint64_t type = bits(exception->flags, 29, 3);
	uint32_t flavor = (uint32_t)bits(code, 32, 29);
	const char *name;
	size_t used;

	if (type >= COUNT_OF(guards)) {
		snprintf(out, MINIDUMP_REASON_BYTES, "EXC_GUARD / 0x%08x", (unsigned)exception->flags);
		return;
	}
	used = (size_t)snprintf(out, MINIDUMP_REASON_BYTES, "EXC_GUARD / GUARD_TYPE_%s",
				guards[type].name);
	if (type == GUARD_NONE)
		return;
	name = minidump_code_name(guards[type].flavors, guards[type].flavor_count, flavor);
	if (type == GUARD_USER) {
		used += (size_t)snprintf(out + used, MINIDUMP_REASON_BYTES - used, "/");
	} else if (name) {
		used += (size_t)snprintf(out + used, MINIDUMP_REASON_BYTES - used, " / GUARD_EXC_%s",
					 name);
	} else {
		snprintf(out + used, MINIDUMP_REASON_BYTES - used, " / 0x%016llx / 0x%016llx",
			 (unsigned long long)code, (unsigned long long)subcode);
		return;
	}
	if (guards[type].target)
		used = append_number(out, used, guards[type].target, bits(code, 0, 28));
	if (type != GUARD_MACH_PORT || subcode != 0)
		append_number(out, used, guards[type].subcode, subcode);
}

/* --- All -------------------------------------------------------------------------------------------- */

void minidump_mac_reason(const struct minidump *dump, char *out)
{
	const struct minidump_exception *exception = &dump->exception;
	const char *name = minidump_code_name(exceptions, COUNT_OF(exceptions), exception->code);
	const char *code = name_of_code(cpu_of(&dump->system), exception);

	if (exception->code == EXC_SIMULATED)
		snprintf(out, MINIDUMP_REASON_BYTES, "Simulated Exception");
	else if (exception->code == EXC_RESOURCE)
		print_resource(exception, out);
	else if (exception->code == EXC_GUARD)
		print_guard(exception, out);
	else if (!name)
		snprintf(out, MINIDUMP_REASON_BYTES, "unknown 0x%08x / 0x%08x",
			 (unsigned)exception->code, (unsigned)exception->flags);
	else if (code)
		snprintf(out, MINIDUMP_REASON_BYTES, "%s / %s", name, code);
	else
		snprintf(out, MINIDUMP_REASON_BYTES, "%s / 0x%08x", name, (unsigned)exception->flags);
}
