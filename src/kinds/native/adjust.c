/* adjust.c -- from a return address to the call it belongs to. */
#include "kinds/native/native.h"

/* ILL, Darwin's BUS, SEGV: they stop a thread at the instruction itself.  Linux numbers BUS 7;
 * Symbolicator does not count that one, and its answers are the measure here. */
static bool is_crash_signal(struct maybe_u64 signal)
{
	return signal.is_set && (signal.value == 4 || signal.value == 10 || signal.value == 11);
}

static const char *ip_register(enum cpu_family family)
{
	switch (family) {
	case CPU_X86:
		return "eip";
	case CPU_X86_64:
		return "rip";
	case CPU_ARM:
	case CPU_ARM64:
	case CPU_ARM64_32:
	case CPU_MIPS:
	case CPU_MIPS64:
		return "pc";
	case CPU_PPC:
	case CPU_PPC64:
		return "srr0";
	default:
		return NULL;
	}
}

/* The innermost frame of a thread that a signal stopped somewhere else is a caller, too. */
static bool ip_differs(const struct adjustment *adjustment, uint64_t address)
{
	const char *name = ip_register(arch_family(adjustment->arch));

	for (size_t i = 0; name && i < adjustment->trace->register_count; i++)
		if (text_is(adjustment->trace->registers[i].name, name))
			return adjustment->trace->registers[i].value != address;
	return false;
}

static bool wants_previous(const struct adjustment *adjustment, size_t index, uint64_t address)
{
	switch (adjustment->trace->frames[index].adjust) {
	case MAYBE_TRUE:
		return true;
	case MAYBE_FALSE:
		return false;
	default:
		break;
	}
	if (adjustment->any_frame_says || index != 0)
		return true;
	return is_crash_signal(adjustment->signal) && ip_differs(adjustment, address);
}

/* MIPS calls have a delay slot: the return address is two instructions on. */
static unsigned step_back(uint32_t arch)
{
	enum cpu_family family = arch_family(arch);
	unsigned alignment = arch_alignment(arch);

	return family == CPU_MIPS || family == CPU_MIPS64 ? 2 * alignment : alignment;
}

bool adjust_address(const struct adjustment *adjustment, size_t index, uint64_t image_addr,
		    uint64_t address, uint64_t *adjusted)
{
	unsigned step = step_back(adjustment->arch);

	*adjusted = address - address % arch_alignment(adjustment->arch);
	if (wants_previous(adjustment, index, address)) {
		if (*adjusted < step)
			return false;
		*adjusted -= step;
	}
	return *adjusted >= image_addr;
}
