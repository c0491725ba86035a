/* fuzz_bundle.c -- source bundles; the magic is put over the first bytes. */
#include "fuzz/objects.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	fuzz_with_magic(bytes, size, "SYSB", 4);
	return 0;
}
