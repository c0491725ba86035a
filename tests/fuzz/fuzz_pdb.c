/* fuzz_pdb.c -- PDBs: pages and streams, and all that is in them. */
#include "fuzz/objects.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	fuzz_with_magic(bytes, size, "Microsoft C/C++ MSF 7.00\r\n\x1a" "DS\0\0", 32);
	return 0;
}
