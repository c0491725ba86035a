/* fuzz_ppdb.c -- Portable PDBs; the magic is put over the first bytes. */
#include "fuzz/objects.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	fuzz_with_magic(bytes, size, "BSJB", 4);
	return 0;
}
