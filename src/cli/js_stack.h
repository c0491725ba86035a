/*
 * js_stack -- stacks of JavaScript as engines write them: V8, SpiderMonkey, JavaScriptCore, Hermes.
 */
#ifndef CLI_JS_STACK_H
#define CLI_JS_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

struct buf;
struct cJSON;
struct err;

struct js_stack_frame {
	struct text function;        /* TEXT_NONE: it has none */
	struct text url;             /* as it stands there */
	uint32_t line, column;       /* column 0: not said */
};

/* Is a line a frame?  Texts are slices of it. */
bool js_stack_line(struct text line, struct js_stack_frame *frame);

/* The request's "stacktraces" of a text, innermost frame first: [{"frames":[...]}]; how many frames. */
int js_stack_write_frames(struct text stack, struct buf *out, size_t *count, struct err *err)
	__attribute__((warn_unused_result));

/* The text again, its frames as the answer has them; with the lines around them if wanted. */
int js_stack_show(struct text stack, const struct cJSON *reply, bool with_context, struct buf *out,
		  struct err *err) __attribute__((warn_unused_result));
/* An answer's frames by themselves. */
void js_stack_show_reply(const struct cJSON *reply, bool with_context, struct buf *out);
/* What the answer says went wrong, a line each. */
void js_stack_show_errors(const struct cJSON *reply, struct buf *out);

#endif
