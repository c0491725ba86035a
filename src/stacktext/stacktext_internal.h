/*
 * stacktext_internal.h -- what one line is, a dialect a file.  Private to this component.
 *
 * Lines come without blanks at either end.  False: the line is nothing of the kind, and what was to
 * be filled is undefined.
 */
#ifndef STACKTEXT_STACKTEXT_INTERNAL_H
#define STACKTEXT_STACKTEXT_INTERNAL_H

#include "stacktext/stacktext.h"
#include "stacktext/stacktext_kind.h"

/* The line without what loggers put before it. */
struct text log_prefix_skip(struct text line);

bool mapping_line_read(struct text line, struct stacktext_mapping *mapping);

/* "./crash(compare+0x11)[0x55f8392b31d1]" */
bool glibc_line_read(struct text line, struct stacktext_frame *frame);

/* "#1  0x... in ..."; a number too large is none. */
struct numbered_line { uint64_t number; bool is_signal, is_gdb; };
bool numbered_line_read(struct text line, struct stacktext_frame *frame, struct numbered_line *numbered);
/* "FILE:LINE" or "FILE:LINE:COLUMN" */
bool numbered_line_place(struct text place, struct stacktext_frame *frame);

/* "3:     0x55d9b1a2c3f1 - shop::pay::h0123456789abcdef", or without address; the line below it may be
 * its place. */
bool rust_line_read(struct text line, struct stacktext_frame *frame, uint64_t *number);
bool rust_line_place(struct text line, struct stacktext_frame *frame);

/* " 1  crash!main [crash.c : 5 + 0x3]", " 2  libc.so.6 + 0x27249", " 3  0x7fff1200" */
bool stackwalk_line_read(struct text line, struct stacktext_frame *frame, uint64_t *number);
/* The program counter among registers: "    rip = 0x0000555500001136   rsp = 0x00007ffe13370000" */
bool stackwalk_line_counter(struct text line, uint64_t *address);
/* "0|1|crash|main|crash.c|5|0x3" */
#define STACKWALK_FIELDS 9u          /* one more than any line has: the rest of it */
size_t stackwalk_line_fields(struct text line, struct text fields[STACKWALK_FIELDS]);
bool stackwalk_line_machine(struct text line, struct stacktext_frame *frame, uint64_t *thread,
			    uint64_t *number);

/* kind_json.c: which request some JSON is. */
struct stacktext_detected kind_json_detect(struct text json);
/* kind_lines.c: which text. */
struct stacktext_detected kind_lines_detect(struct text text);

#endif
