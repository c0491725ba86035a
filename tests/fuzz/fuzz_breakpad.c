/* fuzz_breakpad.c -- Breakpad symbol files; the MODULE record is put over the first bytes. */
#include "fuzz/objects.h"

#define MODULE "MODULE Linux x86_64 0123456789ABCDEF0123456789ABCDEF0 p\n"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	fuzz_with_magic(bytes, size, MODULE, sizeof(MODULE) - 1);
	return 0;
}
