/* fuzz_js_request.c -- a body of POST /symbolicate-js, from JSON to reply: see body_damage.h. */
#include "kinds/body_damage.h"
#include "kinds/js/js_answers.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	return body_damage_answer(js_answer_to, bytes, size);
}
