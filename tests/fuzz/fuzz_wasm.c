/* fuzz_wasm.c -- WebAssembly modules: sections, names, and the DWARF in them. */
#include "fuzz/objects.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	fuzz_with_magic(bytes, size, "\0asm\1\0\0\0", 8);
	return 0;
}
