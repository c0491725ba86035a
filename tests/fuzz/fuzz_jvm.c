/* fuzz_jvm.c -- a body of POST /symbolicate-jvm, from JSON to reply: see body_damage.h. */
#include "kinds/body_damage.h"
#include "kinds/jvm/jvm_answers.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	return body_damage_answer(jvm_answer_to, bytes, size);
}
