/*
 * disassemble -- machine code as text, an instruction a line.
 *
 * May include: base, and the disassembler.
 */
#ifndef CONVERT_DISASSEMBLE_H
#define CONVERT_DISASSEMBLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

struct json_writer;

/* "x86_64", "i686": how profilers call it; NULL: we do not read that one (enum arch). */
const char *disassemble_arch(uint32_t arch);
/* Writes [offset, text] for each instruction that begins in the first `size` bytes, in Intel's syntax, with
 * targets as addresses; the code begins at `address` and may be longer, so that the last one is whole.  A byte
 * that begins none is told as one.  Returns how many bytes were read.  `arch` is one that has a name. */
uint64_t disassemble_write(uint32_t arch, struct text code, uint64_t address, uint64_t size, struct json_writer *json);

#endif
