/* fuzz_pe.c -- PE images: headers, exports, debug directory, and the DWARF in them. */
#include "fuzz/objects.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	fuzz_with_magic(bytes, size, "MZ", 2);
	return 0;
}
