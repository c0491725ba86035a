/* fuzz_demangle.c -- one name, in every language. */
#include <stdint.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/limits.h"
#include "demangle/demangle.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static const enum language languages[] = { LANGUAGE_UNKNOWN, LANGUAGE_CPP, LANGUAGE_RUST,
						   LANGUAGE_SWIFT };
	struct text name = { (const char *)bytes, size };
	struct buf out;

	buf_init(&out, 2 * LIMIT_DEMANGLED_BYTES);
	for (size_t i = 0; i < sizeof(languages) / sizeof(languages[0]); i++) {
		buf_clear(&out);
		if (demangle(name, languages[i], &out) != (out.size > 0) ||
		    out.size > LIMIT_DEMANGLED_BYTES)
			abort();
	}
	buf_release(&out);
	return 0;
}
