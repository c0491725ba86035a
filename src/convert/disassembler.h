/* disassembler -- what reads the code of one family of processors.  Private to disassemble.c and its kinds. */
#ifndef CONVERT_DISASSEMBLER_H
#define CONVERT_DISASSEMBLER_H

#include <stdint.h>

#include "base/arch.h"
#include "base/text.h"

#define DISASSEMBLER_LINE_BYTES 256u

struct err;

struct disassembler_kind {
	enum cpu_family family;
	const char *arch, *syntax;
	unsigned alignment;          /* where instructions begin; what is none is as long */
	/* What describe() is given; NULL: error. */
	void *(*open)(const struct disassembler_kind *kind, struct err *err);
	/* How long the instruction is that the code begins with; 0: it begins with none. */
	unsigned (*describe)(void *state, struct text code, uint64_t address, char line[DISASSEMBLER_LINE_BYTES]);
	void (*close)(void *state);
};

extern const struct disassembler_kind disassembler_x86_64, disassembler_x86, disassembler_arm64, disassembler_arm;

void disassembler_arm_load(void);

#endif
