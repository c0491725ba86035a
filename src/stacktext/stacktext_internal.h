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
/* The same without its number, as gdb's `info threads' has it. */
bool numbered_line_rest(struct text rest, struct stacktext_frame *frame);
/* "FILE:LINE" or "FILE:LINE:COLUMN" */
bool numbered_line_place(struct text place, struct stacktext_frame *frame);

/* "* frame #0: 0x0000000100003f50 crash`pay(cart=0x0) at crash.c:9:5" */
bool lldb_line_read(struct text line, struct stacktext_frame *frame, uint64_t *number);

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

/* "0x00400000 - 0x0042bfff  crash  ???  (main)", "Module|crash||crash.pdb|5A98...|0x00400000|0x0042bfff|1" */
bool stackwalk_line_module(struct text line, struct stacktext_module *module);

/* "Thread 2 (Thread 0x7f... (LWP 3) "worker"):", "Thread 0 (crashed)", "pid: 1, tid: 2, name: main": what it says
 * goes into the stack that comes next. */
bool heading_line_read(struct text line, struct stacktext_stack *next);
/* "* 1    Thread 0x7ffff7d8 (LWP 12) "crash" pay (cart=0x0) at crash.c:9" */
bool heading_line_listed(struct text line, struct stacktext_stack *stack, struct stacktext_frame *frame);
/* Why the program ended, and where: true when the line says something of it. */
bool fact_line_read(struct text line, struct stacktext_facts *facts);

/* stacktext_threads.c: once all is read, which thread crashed, and what gdb's list says of the others. */
void stacktext_threads_settle(struct stacktext *text);

/* kind_json.c: which request some JSON is. */
struct stacktext_detected kind_json_detect(struct text json);
/* kind_lines.c: which text. */
struct stacktext_detected kind_lines_detect(struct text text);

#endif
