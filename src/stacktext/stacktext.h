/*
 * stacktext -- stacks and mappings as other programs print them.
 *
 *	gdb              #1  0x00007ffff7e11bf4 in qsort (b=...) at ./stdlib/msort.c:64
 *	sanitizers       #1 0x55b4cc649f18 in compare /src/crash.c:27:9
 *	                 #1 0x563f1bb07f18  (/bin/crash+0xdef18) (BuildId: 704fb21d...)
 *	glibc            ./crash(compare+0x11)[0x55f8392b31d1], ./crash(+0x11d1) [0x55f8392b31d1]
 *	/proc/PID/maps   7f89ed000000-7f89ed026000 r--p 00000000 08:01 1234  /lib/libc.so.6
 *	gdb's            0x7ffff7dd2000 0x7ffff7df8000 0x26000 0x0 r--p /lib/libc.so.6
 *
 * One text may hold all of them; lines that are nothing of it are skipped, but for the one that
 * says what a stack is.  The text is anybody's: nothing in it is believed but as a question.
 * Everything handed out is borrowed from it.
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
	/* What called: the call stands before it.  A sanitizer has gone back already. */
	bool is_return;
	struct text module;          /* a path, or TEXT_NONE */
	bool has_offset;
	uint64_t offset;             /* in the module; with a symbol: from it */
	struct text symbol;          /* glibc's "SYMBOL+OFFSET", or TEXT_NONE */
	struct text build_id;        /* of the module, in hex, or TEXT_NONE */
	struct text function, file;  /* what the text says itself; TEXT_NONE: nothing */
	uint32_t line;
};

struct stacktext_stack {
	struct text title;           /* "Thread 1 (LWP 123):"; may be TEXT_NONE */
	size_t first, count;         /* of the frames, the innermost first */
};

struct stacktext {
	struct stacktext_mapping *mappings;
	size_t mapping_count;
	struct stacktext_frame *frames;
	size_t frame_count;
	struct stacktext_stack *stacks;
	size_t stack_count;
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
