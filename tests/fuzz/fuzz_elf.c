/* fuzz_elf.c -- ELF files with all that hangs on them. */
#include "fuzz/objects.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	fuzz_with_magic(bytes, size, "\177ELF", 4);
	return 0;
}
