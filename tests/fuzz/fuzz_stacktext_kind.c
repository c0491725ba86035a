/*
 * fuzz_stacktext_kind.c -- which kind any bytes are.
 *
 * There is an answer for all of them, with a reason where it is none, and what is beyond the bound says
 * nothing.
 */
#include <stdint.h>
#include <stdlib.h>

#include "stacktext/stacktext_kind.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct text text = { (const char *)bytes, size };
	struct stacktext_detected detected = stacktext_detect(text), again;
	enum stacktext_kind named;

	if (detected.kind >= STACKTEXT_KINDS || (detected.kind == STACKTEXT_UNKNOWN) != (detected.reason != NULL))
		abort();
	if ((detected.kind == STACKTEXT_NATIVE) != (detected.dialect != STACKTEXT_NO_DIALECT) ||
	    (detected.is_packed && detected.kind != STACKTEXT_CORE))
		abort();
	if (!stacktext_kind_named(text_of(stacktext_kind_name(detected.kind)), &named) || named != detected.kind)
		abort();
	if (size > STACKTEXT_HEAD_BYTES) {
		text.size = STACKTEXT_HEAD_BYTES;
		again = stacktext_detect(text);
		if (again.kind != detected.kind || again.dialect != detected.dialect)
			abort();
	}
	return 0;
}
