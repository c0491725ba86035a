/*
 * disassemble -- machine code as text, an instruction a line.
 *
 * May include: base, and the disassemblers.
 */
#ifndef CONVERT_DISASSEMBLE_H
#define CONVERT_DISASSEMBLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

struct err;
struct json_writer;

/* Loads what reads code of other processors than x86, before a cell is confined.  What kept us from it is told
 * to who asks for such code. */
void disassemble_load(void);
/* "x86_64", "i686", "aarch64", "arm": how profilers call it; NULL: we do not read that one (enum arch). */
const char *disassemble_arch(uint32_t arch);
/* Of one that has a name: how its lines are written, "Intel" or "ARM". */
const char *disassemble_syntax(uint32_t arch);
/* Instructions of one that has a name begin at multiples of so many bytes. */
unsigned disassemble_alignment(uint32_t arch);
/* Writes [offset, text] for each instruction that begins in the first `size` bytes, with
 * targets as addresses; the code begins at `address` and may be longer, so that the last one is whole.  Bytes
 * that begin none are told as such.  *read: how many bytes were.  `arch` is one that has a name. */
int disassemble_write(uint32_t arch, struct text code, uint64_t address, uint64_t size, struct json_writer *json,
		      uint64_t *read, struct err *err) __attribute__((warn_unused_result));

#endif
