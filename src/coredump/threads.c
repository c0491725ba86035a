/*
 * threads.c -- elf_prstatus, as the kernel lays it out for each processor.
 *
 * The structure begins with the same members everywhere, as wide as the class of the file; then
 * come the general registers in the order of the processor's ptrace interface (elf_gregset_t).
 */
#include "coredump/coredump_internal.h"

#define PRSTATUS_PID_32      24u     /* pr_pid */
#define PRSTATUS_PID_64      32u
#define PRSTATUS_CURSIG      12u     /* pr_cursig */
#define PRSTATUS_REGISTERS_32 72u    /* pr_reg */
#define PRSTATUS_REGISTERS_64 112u

/* A register of ours and its place among the file's, in words. */
struct place { uint8_t number, at; };

struct machine {
	uint16_t machine;
	bool is_64_bit;
	enum unwind_arch arch;
	uint8_t first, count, from;  /* registers first .. first + count stand in a row from there */
	uint8_t place_count;
	struct place places[20];
};

static const struct machine machines[] = {
	{ EM_X86_64, true, UNWIND_X86_64, 0, 0, 0, 17, {
		{ UNWIND_X86_64_RAX, 10 }, { UNWIND_X86_64_RDX, 12 }, { UNWIND_X86_64_RCX, 11 },
		{ UNWIND_X86_64_RBX, 5 },  { UNWIND_X86_64_RSI, 13 }, { UNWIND_X86_64_RDI, 14 },
		{ UNWIND_X86_64_RBP, 4 },  { UNWIND_X86_64_RSP, 19 }, { UNWIND_X86_64_R8, 9 },
		{ UNWIND_X86_64_R8 + 1, 8 }, { UNWIND_X86_64_R8 + 2, 7 }, { UNWIND_X86_64_R8 + 3, 6 },
		{ UNWIND_X86_64_R12, 3 },  { UNWIND_X86_64_R12 + 1, 2 }, { UNWIND_X86_64_R12 + 2, 1 },
		{ UNWIND_X86_64_R12 + 3, 0 }, { UNWIND_X86_64_RIP, 16 } } },
	{ EM_386, false, UNWIND_X86, 0, 0, 0, 10, {
		{ UNWIND_X86_EIP, 12 }, { UNWIND_X86_ESP, 15 }, { UNWIND_X86_EBP, 5 },
		{ UNWIND_X86_EBX, 0 },  { UNWIND_X86_ESI, 3 },  { UNWIND_X86_EDI, 4 },
		{ UNWIND_X86_EAX, 6 },  { UNWIND_X86_ECX, 1 },  { UNWIND_X86_EDX, 2 },
		{ UNWIND_X86_EFLAGS, 14 } } },
	{ EM_ARM, false, UNWIND_ARM, UNWIND_ARM_R0, 11, 0, 5, {
		{ UNWIND_ARM_FP, 11 }, { UNWIND_ARM_R12, 12 }, { UNWIND_ARM_SP, 13 },
		{ UNWIND_ARM_LR, 14 }, { UNWIND_ARM_PC, 15 } } },
	{ EM_AARCH64, true, UNWIND_ARM64, UNWIND_ARM64_X0, 33, 0, 0, { { 0, 0 } } },
	{ EM_MIPS, false, UNWIND_MIPS, UNWIND_MIPS_S0, 8, 6 + 16, 5, {
		{ UNWIND_MIPS_GP, 6 + 28 }, { UNWIND_MIPS_SP, 6 + 29 }, { UNWIND_MIPS_FP, 6 + 30 },
		{ UNWIND_MIPS_RA, 6 + 31 }, { UNWIND_MIPS_PC, 40 } } },
	{ EM_MIPS, true, UNWIND_MIPS64, UNWIND_MIPS_S0, 8, 16, 5, {
		{ UNWIND_MIPS_GP, 28 }, { UNWIND_MIPS_SP, 29 }, { UNWIND_MIPS_FP, 30 },
		{ UNWIND_MIPS_RA, 31 }, { UNWIND_MIPS_PC, 34 } } },
	{ EM_PPC, false, UNWIND_PPC, UNWIND_PPC_R0, 32, 0, 6, {
		{ UNWIND_PPC_SRR0, 32 }, { UNWIND_PPC_SRR1, 33 }, { UNWIND_PPC_CTR, 35 },
		{ UNWIND_PPC_LR, 36 }, { UNWIND_PPC_XER, 37 }, { UNWIND_PPC_CR, 38 } } },
	{ EM_PPC64, true, UNWIND_PPC64, UNWIND_PPC_R0, 32, 0, 6, {
		{ UNWIND_PPC_SRR0, 32 }, { UNWIND_PPC_SRR1, 33 }, { UNWIND_PPC_CTR, 35 },
		{ UNWIND_PPC_LR, 36 }, { UNWIND_PPC_XER, 37 }, { UNWIND_PPC_CR, 38 } } },
};

static const struct machine *machine_of(uint16_t machine, bool is_64_bit)
{
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
		if (machines[i].machine == machine && machines[i].is_64_bit == is_64_bit)
			return &machines[i];
	return NULL;
}

bool coredump_walker(uint16_t machine, bool is_64_bit, enum unwind_arch *arch)
{
	const struct machine *found = machine_of(machine, is_64_bit);

	if (found)
		*arch = found->arch;
	return found != NULL;
}

static void read_register(const struct coredump *core, struct reader registers,
			  struct coredump_thread *thread, unsigned number, unsigned at)
{
	unsigned width = core->is_64_bit ? 8 : 4;
	uint64_t value;

	reader_seek(&registers, (uint64_t)at * width);
	value = reader_unsigned(&registers, width);
	if (!registers.failed)
		unwind_registers_set(&thread->registers, number, value);
}

bool coredump_read_thread(const struct coredump *core, struct reader status,
			  struct coredump_thread *thread)
{
	const struct machine *machine = machine_of(core->machine, core->is_64_bit);
	struct reader registers;

	*thread = (struct coredump_thread){ .id = 0 };
	reader_seek(&status, PRSTATUS_CURSIG);
	thread->signal = reader_u16(&status);
	reader_seek(&status, core->is_64_bit ? PRSTATUS_PID_64 : PRSTATUS_PID_32);
	thread->id = reader_u32(&status);
	reader_seek(&status, core->is_64_bit ? PRSTATUS_REGISTERS_64 : PRSTATUS_REGISTERS_32);
	if (status.failed)
		return false;
	if (!machine)
		return true;
	unwind_registers_init(&thread->registers, machine->arch);
	registers = reader_part(&status, "pr_reg", reader_left(&status));
	for (unsigned i = 0; i < machine->count; i++)
		read_register(core, registers, thread, machine->first + i, machine->from + i);
	for (unsigned i = 0; i < machine->place_count; i++)
		read_register(core, registers, thread, machine->places[i].number,
			      machine->places[i].at);
	return true;
}
