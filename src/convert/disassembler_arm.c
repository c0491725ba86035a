/*
 * disassembler_arm.c -- code of ARM's processors, by Capstone.
 *
 * Its tables are as large as all the rest of the program and full of addresses that cost every start: it is loaded
 * by who needs it.
 */
#include "convert/disassembler.h"

#include <stdio.h>
#include <string.h>

#include <capstone/capstone.h>

#include "base/err.h"
#include "base/library.h"
#include "base/mem.h"

#define DIGITS_OF(number) #number
#define LIBRARY_OF(number) "libcapstone.so." DIGITS_OF(number)
#define LIBRARY LIBRARY_OF(CS_API_MAJOR)

#define CAPSTONE_CALLS(CALL) CALL(cs_open) CALL(cs_close) CALL(cs_malloc) CALL(cs_free) CALL(cs_disasm_iter)

#define DECLARE(name) __typeof__(&name) name;
static struct { CAPSTONE_CALLS(DECLARE) } capstone;
#undef DECLARE
#define CALL(name) { #name, &capstone.name },
static const struct library_call calls[] = { CAPSTONE_CALLS(CALL) };
#undef CALL

static bool is_asked, is_loaded;
static struct err failure = ERR_INIT;

struct arm { csh handle; cs_insn *instruction; bool is_wide; };

void disassembler_arm_load(void)
{
	if (!is_asked)
		is_loaded = library_load(LIBRARY, calls, sizeof(calls) / sizeof(calls[0]), &failure) == 0;
	is_asked = true;
}

static void arm_close(void *state)
{
	struct arm *arm = state;

	if (arm->instruction)
		capstone.cs_free(arm->instruction, 1);
	if (arm->handle)
		capstone.cs_close(&arm->handle);
	mem_give_back(arm);
}

static void *arm_open(const struct disassembler_kind *kind, struct err *err)
{
	bool is_wide = kind->family == CPU_ARM64;
	struct arm *arm;

	disassembler_arm_load();
	if (!is_loaded) {
		*err = failure;
		return NULL;
	}
	arm = mem_get(sizeof(*arm));
	if (!arm) {
		err_set(err, ERR_NO_MEMORY, "no memory for a disassembler");
		return NULL;
	}
	arm->is_wide = is_wide;
	if (capstone.cs_open(is_wide ? CS_ARCH_ARM64 : CS_ARCH_ARM, is_wide ? CS_MODE_ARM : CS_MODE_THUMB,
			     &arm->handle) == CS_ERR_OK)
		arm->instruction = capstone.cs_malloc(arm->handle);
	if (arm->instruction)
		return arm;
	arm_close(arm);
	err_set(err, ERR_NO_MEMORY, "the disassembler does not start");
	return NULL;
}

/* The numbers of the two sets overlap. */
static bool is_wide_branch(unsigned id)
{
	return id == ARM64_INS_B || id == ARM64_INS_BL || id == ARM64_INS_CBZ || id == ARM64_INS_CBNZ ||
	       id == ARM64_INS_TBZ || id == ARM64_INS_TBNZ;
}

static bool is_thumb_branch(unsigned id)
{
	return id == ARM_INS_B || id == ARM_INS_BL || id == ARM_INS_BLX || id == ARM_INS_CBZ || id == ARM_INS_CBNZ;
}

static bool is_branch(const struct arm *arm)
{
	return arm->is_wide ? is_wide_branch(arm->instruction->id) : is_thumb_branch(arm->instruction->id);
}

/* Targets are addresses, the last thing of a branch: "b.eq 0x1010", not "b.eq #0x1010". */
static unsigned arm_describe(void *state, struct text code, uint64_t address, char line[DISASSEMBLER_LINE_BYTES])
{
	const struct arm *arm = state;
	const uint8_t *bytes = (const uint8_t *)code.bytes;
	const char *operands = arm->instruction->op_str, *target;
	size_t size = code.size;

	if (!capstone.cs_disasm_iter(arm->handle, &bytes, &size, &address, arm->instruction) ||
	    arm->instruction->size > code.size)
		return 0;
	target = is_branch(arm) ? strrchr(operands, '#') : NULL;
	if (target)
		snprintf(line, DISASSEMBLER_LINE_BYTES, "%s %.*s%s", arm->instruction->mnemonic,
			 (int)(target - operands), operands, target + 1);
	else
		snprintf(line, DISASSEMBLER_LINE_BYTES, "%s%s%s", arm->instruction->mnemonic, *operands ? " " : "",
			 operands);
	return arm->instruction->size;
}

#define ARM .syntax = "ARM", .open = arm_open, .describe = arm_describe, .close = arm_close

const struct disassembler_kind disassembler_arm64 = { .family = CPU_ARM64, .arch = "aarch64", .alignment = 4, ARM };
/* Thumb is what there is to read: nothing in an image says which of both sets some code is of. */
const struct disassembler_kind disassembler_arm = { .family = CPU_ARM, .arch = "arm", .alignment = 2, ARM };
