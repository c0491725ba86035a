/* fuzz_macho.c -- Mach-O files, thin and fat, of either width and byte order. */
#include "fuzz/objects.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	fuzz_object(bytes, size);
	return 0;
}
