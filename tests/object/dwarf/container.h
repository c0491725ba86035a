/*
 * container -- DWARF sections in one run of bytes, for torments and fuzzing.
 *
 * One byte of flags (1 big-endian, 2 relocatable, 4 variables wanted), then for the main, the split and the
 * alternate file a 32-bit little-endian size per section, then the sections.  Sizes too
 * large are cut to what is there, so that every input means something.
 */
#ifndef DWARF_CONTAINER_H
#define DWARF_CONTAINER_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "object/dwarf/dwarf.h"

void container_open(struct dwarf_input *input, const uint8_t *bytes, size_t size);
void container_pack(struct buf *out, const struct dwarf_input *input);

/* The sections of a 64-bit little-endian ELF file; names end in `suffix`. */
void container_find(struct dwarf_sections *sections, const uint8_t *bytes, size_t size,
		    const char *suffix);

/* Opens and reads every unit; ends the process when the sink is given what object.h rules
 * out.  0, or -1 with the first failure. */
int container_read(const struct dwarf_input *input, size_t arena_bytes, struct err *err);

#endif
