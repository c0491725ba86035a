/*
 * kit -- DWARF written by hand, and what a reader made of it written as text.
 *
 * Sections are spelled as words: b h w q are numbers of 1, 2, 4 and 8 bytes, u and i
 * LEB128 numbers, s a NUL-ended string up to the next blank; "[" begins a 32-bit length
 * that "]" fills in, "{" and "}" the same as one byte.  ".N" pads with zeros to offset N.
 *
 *	kit_put(kit, DWARF_INFO, "[ h4 w0 b8  u1 scu.c ]");
 */
#ifndef DWARF_KIT_H
#define DWARF_KIT_H

#include <check.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "object/dwarf/dwarf.h"

struct kit_symbol {
	uint64_t address;
	const char *name;
};

struct kit {
	struct buf main[DWARF_SECTIONS], split[DWARF_SECTIONS], alternate[DWARF_SECTIONS];
	struct dwarf_input input;
	const struct kit_symbol *symbols;        /* ended by a NULL name; NULL: no table */
	struct buf said;                         /* what the sink was given */
	struct err err;                          /* of the last unit that failed */
	unsigned failed;
};

void kit_init(struct kit *kit);
void kit_release(struct kit *kit);
void kit_put(struct kit *kit, enum dwarf_section section, const char *words);
void kit_put_in(struct buf *section, const char *words, bool big_endian);

/*
 * Reads every unit.  One line per function, in the order given:
 *	NAME START+SIZE[ LANGUAGE]: ADDRESS=FILE:LINE ... ; >NAME(START+SIZE ...)@FILE:LINE
 * Numbers of addresses are hexadecimal; a row or call without a file says "?"; ">" stands
 * once per depth of inlining.
 */
const char *kit_read(struct kit *kit);

/* The same for sections that somebody else found; -1 when dwarf_open() failed. */
int kit_read_input(const struct dwarf_input *input, size_t arena_bytes, struct buf *said,
		   struct err *err, unsigned *failed);

/* The unit most tests stand on: abbreviations 1 (compile unit with name, low pc, high pc as
 * a length, line table), 2 (function: name, low, high), 3 (inlined call: origin ref4, low,
 * high, call file, call line), 4 (block with children), 5 (function with name only). */
#define KIT_ABBREVS \
	"u1 u0x11 b1 u3 u8 u0x11 u1 u0x12 u6 u0x10 u0x17 u0 u0 " \
	"u2 u0x2e b1 u3 u8 u0x11 u1 u0x12 u6 u0 u0 " \
	"u3 u0x1d b1 u0x31 u0x13 u0x11 u1 u0x12 u6 u0x58 u0xb u0x59 u0xb u0 u0 " \
	"u4 u0xb b1 u0 u0 " \
	"u5 u0x2e b0 u3 u8 u0 u0 u0 "

#endif
