/* fuzz_dwarf.c -- sections of DWARF, as tests/object/dwarf/container.h packs them. */
#include "object/dwarf/container.h"

#define ARENA_BYTES ((size_t)256 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct err err = ERR_INIT;
	struct dwarf_input input;

	container_open(&input, bytes, size);
	(void)container_read(&input, ARENA_BYTES, &err);
	return 0;
}
