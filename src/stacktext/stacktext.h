/*
 * stacktext -- stacks, modules and mappings as other programs print them (doc/formats/stacktext.md).
 *
 *	gdb              #1  0x00007ffff7e11bf4 in qsort (b=...) at ./stdlib/msort.c:64
 *	sanitizers       #1 0x55b4cc649f18 in compare /src/crash.c:27:9
 *	                 #1 0x563f1bb07f18  (/bin/crash+0xdef18) (BuildId: 704fb21d...)
 *	glibc            ./crash(compare+0x11)[0x55f8392b31d1], ./crash(+0x11d1) [0x55f8392b31d1]
 *	Android          #01 pc 000000000004a1b8  /data/app/libshop.so (pay+52) (BuildId: 8e5c0f...)
 *	Rust             3:     0x55d9b1a2c3f1 - shop::pay
 *	lldb             frame #1: 0x0000000100003f80 crash`pay(cart=0x0) at crash.c:9:5
 *	stackwalk        1  crash!main [crash.c : 5 + 0x3], 0|1|crash|main|crash.c|5|0x3
 *	/proc/PID/maps   7f89ed000000-7f89ed026000 r--p 00000000 08:01 1234  /lib/libc.so.6
 *	gdb's            0x7ffff7dd2000 0x7ffff7df8000 0x26000 0x0 r--p /lib/libc.so.6
 *
 * One text may hold all of them; lines that are nothing of it are skipped, but for those that say what
 * a stack is, and why the program ended.  The text is anybody's: nothing in it is believed but as a
 * question.  Everything handed out is borrowed from it.
 *
 * Pure.  May include: base.
 */
#ifndef STACKTEXT_STACKTEXT_H
#define STACKTEXT_STACKTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

struct arena;
struct err;

#define STACKTEXT_BYTES_MAX ((size_t)16 * 1024 * 1024)

struct stacktext_mapping {
	uint64_t start, end, offset; /* start < end */
	struct text path;            /* TEXT_NONE: of no file */
};

struct stacktext_frame {
	bool has_address;
	uint64_t address;
	/* What called: the call stands before it.  A sanitizer and Android have gone back already. */
	bool is_return;
	struct text module;          /* a path, or TEXT_NONE */
	bool has_offset;             /* without an address, too: then it is all that is known */
	uint64_t offset;             /* in the module; with a symbol: from it */
	struct text symbol;          /* glibc's "SYMBOL+OFFSET", or TEXT_NONE */
	struct text build_id;        /* of the module, in hex, or TEXT_NONE */
	struct text function, file;  /* what the text says itself; TEXT_NONE: nothing */
	uint32_t line;
};

struct stacktext_stack {
	struct text title;           /* "Thread 1 (LWP 123):"; may be TEXT_NONE */
	bool has_number;             /* as the text counts threads */
	uint64_t number;
	bool has_id;                 /* of the system */
	uint64_t id;
	struct text name;            /* TEXT_NONE: not said */
	bool is_crashed;             /* of one at most */
	bool is_listed;              /* one frame, of gdb's `info threads' */
	size_t first, count;         /* of the frames, the innermost first */
};

struct stacktext_module {            /* of a list the text has */
	struct text path;
	struct text debug_file;      /* TEXT_NONE: not said */
	struct text debug_id;        /* as it stands there, or TEXT_NONE */
	uint64_t start, end;         /* start < end */
};

/* What the text says besides; TEXT_NONE where it does not. */
struct stacktext_facts {
	struct text reason;          /* "SIGSEGV, Segmentation fault" */
	struct text details;
	struct text os_name, os_version, cpu;
	bool has_crashed_number;     /* of the thread that crashed, as the text counts them */
	uint64_t crashed_number;
	bool is_android;             /* some frame is as Android prints them */
};

struct stacktext {
	struct stacktext_mapping *mappings;
	size_t mapping_count;
	struct stacktext_module *modules;
	size_t module_count;
	struct stacktext_frame *frames;
	size_t frame_count;
	struct stacktext_stack *stacks;
	size_t stack_count;
	struct stacktext_facts facts;
};

/* ERR_TOO_LARGE over STACKTEXT_BYTES_MAX.  Nothing recognised is no error: all counts are 0. */
int stacktext_read(struct stacktext *into, struct text text, struct arena *arena, struct err *err)
	__attribute__((warn_unused_result));

/* The file the address was mapped from; NULL: none. */
const struct stacktext_mapping *stacktext_mapping_at(const struct stacktext *text, uint64_t address);
/* Where its first byte would be mapped: what addresses of the file are relative to. */
uint64_t stacktext_base(const struct stacktext *text, struct text path);

/* "0x12ab" or "12ab" as a whole. */
bool stacktext_address(struct text word, uint64_t *address);

#endif
