/*
 * js_stack -- stacks of JavaScript as engines write them: V8, SpiderMonkey, JavaScriptCore, Hermes.
 *
 *	    at pay (https://shop.example/app.min.js:1:2034)
 *	    at async https://shop.example/app.min.js:1:99
 *	pay@https://shop.example/app.min.js:1:2034
 *
 * May include: base.
 */
#ifndef STACKTEXT_JS_STACK_H
#define STACKTEXT_JS_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

struct buf;
struct err;

struct js_stack_frame {
	struct text function;        /* TEXT_NONE: it has none */
	struct text url;             /* as it stands there */
	uint32_t line, column;       /* column 0: not said */
};

/* Is a line a frame, behind what loggers put before it?  Texts are slices of it. */
bool js_stack_line(struct text line, struct js_stack_frame *frame);

/* The request's "stacktraces" of a text, innermost frame first: [{"frames":[...]}]; how many frames. */
int js_stack_write_frames(struct text stack, struct buf *out, size_t *count, struct err *err)
	__attribute__((warn_unused_result));

#endif
