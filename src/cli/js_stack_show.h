/*
 * js_stack_show -- stacks of JavaScript for people: an answer in the place of the stack it was asked with.
 */
#ifndef CLI_JS_STACK_SHOW_H
#define CLI_JS_STACK_SHOW_H

#include <stdbool.h>

#include "base/text.h"

struct buf;
struct cJSON;
struct err;

/* The text again, its frames as the answer has them; with the lines around them if wanted. */
int js_stack_show(struct text stack, const struct cJSON *reply, bool with_context, struct buf *out,
		  struct err *err) __attribute__((warn_unused_result));
/* An answer's frames by themselves. */
void js_stack_show_reply(const struct cJSON *reply, bool with_context, struct buf *out);
/* What the answer says went wrong, a line each. */
void js_stack_show_errors(const struct cJSON *reply, struct buf *out);

#endif
