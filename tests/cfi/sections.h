/*
 * sections -- an object that is nothing but unwind sections, given as bytes: what containers hand
 * out, without the containers.
 */
#ifndef CFI_TEST_SECTIONS_H
#define CFI_TEST_SECTIONS_H

#include "object/object.h"

#define SECTIONS_MOST 3u

struct sections {
	struct object object;
	struct object_format format;
	struct work_budget work;
	struct object_unwind list[SECTIONS_MOST];
	unsigned count;
	struct text image;           /* from address 0 on */
};

/* `format` as the object's name: "elf", "macho", "pe". */
void sections_init(struct sections *sections, const char *format, uint32_t arch);
/* At `address`; 64-bit for processors that are. */
void sections_add(struct sections *sections, enum object_unwind_kind kind, uint64_t address,
		  const void *bytes, size_t size);

#endif
