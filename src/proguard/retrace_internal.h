/*
 * retrace_internal -- what the dialects share.  Private to this component.
 */
#ifndef PROGUARD_RETRACE_INTERNAL_H
#define PROGUARD_RETRACE_INTERNAL_H

#include "base/buf.h"
#include "proguard/proguard_internal.h"
#include "proguard/retrace.h"

int retrace_line_library(struct retrace *retrace, struct text line, struct buf *out, struct err *err);
int retrace_line_proguard(struct retrace *retrace, struct text line, struct buf *out, struct err *err);
int retrace_line_r8(struct retrace *retrace, struct text line, struct buf *out, struct err *err);

static inline void retrace_pass(struct text line, struct buf *out)
{
	buf_add_text(out, line);
	buf_add_char(out, '\n');
}

/* An exception begins a stack: its class, as it is called here; its original name or TEXT_NONE. */
void retrace_begin_stack(struct retrace *retrace, struct text class_name, struct text original);
/* A frame by the whole rule; permission to rewrite ends with it. */
int retrace_frame(struct retrace *retrace, struct text class_name, struct text method, bool has_line,
		  uint32_t line, enum proguard_outcome *outcome, struct err *err)
	__attribute__((warn_unused_result));

/* May entries be looked at for one more frame?  False is counted: it passes as it is. */
bool retrace_may_look(struct retrace *retrace);

/* Digits alone; none, or too many for 32 bits: false. */
bool retrace_line_number(struct text digits, uint32_t *line);
/* In decimal. */
void retrace_add_number(int64_t number, struct buf *out);

#endif
