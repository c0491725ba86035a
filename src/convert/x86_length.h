/*
 * x86_length -- how long the common instructions of x86-64 are, told by a table of 512 entries.
 *
 * It says nothing it is not sure of: what it knows is an instruction of that length for the disassembler too,
 * and what it does not know has to be asked there (tests/convert/test_return_pads.c compares them).
 */
#ifndef CONVERT_X86_LENGTH_H
#define CONVERT_X86_LENGTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define X86_BYTES_MAX 15u            /* of one instruction */

/* 0: not known.  `code` has X86_BYTES_MAX bytes.  *is_call: CALL, INT with a number, SYSCALL. */
unsigned x86_length(const uint8_t *code, bool *is_call) __attribute__((warn_unused_result));
/* Goes on from `at` over what is known and no call, up to `end`, behind which X86_BYTES_MAX more bytes are:
 * where it stopped. */
size_t   x86_length_skip(const uint8_t *code, size_t at, size_t end) __attribute__((warn_unused_result));
/* May a call's opcode be that byte? */
bool     x86_length_may_call(uint8_t byte);

#endif
