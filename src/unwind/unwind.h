/*
 * unwind -- walks a stack: from the registers of a thread to all its frames.
 *
 * A walk is a function of registers, memory, modules and their CFI, and of nothing else.  Each
 * frame's caller is looked for by CFI (STACK WIN, then STACK CFI, and what it says by having no
 * record), then by the frame pointer, then by scanning the stack.  Where Breakpad and rust-minidump
 * differ, it goes with the latter.
 *
 * A walk stops where it needs the CFI of a module that is not there yet, and goes on when it is:
 * the unfinished step is taken again from its beginning.  Everything handed in is borrowed and
 * untrusted, and nothing is allocated: frames go to the caller's array.
 *
 * May include: base, cfi.
 */
#ifndef UNWIND_UNWIND_H
#define UNWIND_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cfi/cfi.h"
#include "unwind/regions.h"
#include "unwind/registers.h"

#define UNWIND_LIMIT_FRAMES         131072u  /* of one thread; an 8 MB stack of 64-byte frames */
#define UNWIND_LIMIT_SCANNED_FRAMES 16384u   /* of one thread, as Breakpad: then no more scanning */
#define UNWIND_LIMIT_STACKLESS      16u      /* one above the other: functions that need no stack call no others */
#define UNWIND_LIMIT_RULE_BYTES     ((uint64_t)1 << 28)  /* of rules read for one thread: then no more CFI */
#define UNWIND_LIMIT_ALL_FRAMES     (1u << 21)           /* of all threads, which may share one stack, */
#define UNWIND_LIMIT_ALL_RULE_BYTES ((uint64_t)1 << 32)  /* ... and of their rules */
#define UNWIND_SCAN_WORDS           40u
#define UNWIND_SCAN_WORDS_EXTENDED  160u     /* from the context, and from what CFI gave */
#define UNWIND_NO_MODULE            UINT32_MAX

enum unwind_trust {
	UNWIND_TRUST_NONE, UNWIND_TRUST_SCAN,
	UNWIND_TRUST_CFI_SCAN,       /* Breakpad's; a word of the format, none of our methods */
	UNWIND_TRUST_FP, UNWIND_TRUST_CFI,
	UNWIND_TRUST_PREWALKED,      /* somebody else walked it */
	UNWIND_TRUST_CONTEXT,
	UNWIND_TRUSTS                /* count */
};

enum unwind_os {
	UNWIND_OS_OTHER,             /* Linux, Android and all without ways of their own */
	UNWIND_OS_WINDOWS, UNWIND_OS_MACOS, UNWIND_OS_IOS
};

enum unwind_cfi_state {
	UNWIND_CFI_WANTED,           /* nobody has looked: the walk stops where it needs it */
	UNWIND_CFI_ABSENT,           /* there is none, or it cannot be had */
	UNWIND_CFI_OPEN
};

struct unwind_module {
	uint64_t address, size;
	const struct cfi *cfi;       /* UNWIND_CFI_OPEN only */
	enum unwind_cfi_state state;
	bool is_touched;             /* set by walks: a frame or a scanned word lies in it */
};

#define UNWIND_ROWS_KEPT 256u        /* a power of two */

/* The record a look-up found; stacks of one process meet the same functions again and again. */
struct unwind_row {
	const struct cfi *cfi;       /* NULL: an empty place */
	uint64_t address;            /* in the module */
	bool is_found;
	struct cfi_rows rows;
};

/* All walks of a process share them, one at a time.  Zeroed before the first. */
struct unwind_modules {
	struct unwind_module *items; /* by address; of two that overlap the later one is asked */
	size_t count;

	/* Private: what all walks did. */
	struct unwind_row kept[UNWIND_ROWS_KEPT];
	uint64_t rule_bytes;
	uint32_t frame_count;
};

enum unwind_answer { UNWIND_NO, UNWIND_YES, UNWIND_NOT_YET };

/* What symbols say about an address in a module. */
struct unwind_symbols {
	/* Does a function lie there?  Asked about words on the stack.  NOT_YET: the walk stops and
	 * needs the symbols of that module.  Without symbols the answer is YES. */
	enum unwind_answer (*has_function)(void *payload, uint32_t module, uint64_t address);
	/* How many bytes of parameters its function takes, where STACK WIN does not tell.  NULL: on
	 * x86 every callee counts as one without parameters, whatever STACK WIN says, as it does
	 * for Symbolicator. */
	uint32_t (*parameter_bytes)(void *payload, uint32_t module, uint64_t address);
	void *payload;
	/* has_function() decides, as where one file holds symbols and CFI.  Otherwise it is asked
	 * only about modules that have CFI but no record of the address. */
	bool decides_alone;
};

struct unwind_frame {
	uint64_t resume_address;     /* the program counter, or the return address */
	uint64_t instruction;        /* the same, or inside of the call that is to return there */
	uint64_t stack_pointer;
	uint64_t frame_pointer;      /* 0 where it is not known */
	uint32_t module;             /* which holds `instruction`; UNWIND_NO_MODULE */
	enum unwind_trust trust;
};

enum unwind_state {
	UNWIND_END,                  /* all frames are there */
	UNWIND_NEEDS_CFI,            /* of module `needed`: its state is to be set */
	UNWIND_NEEDS_SYMBOLS         /* of module `needed`: has_function() is to know */
};

/* One thread's walk.  Zero it, fill in the first part, call unwind_begin(). */
struct unwind {
	const struct unwind_memory *memory;      /* the stack's region, or all there are */
	struct unwind_modules *modules;
	const struct unwind_symbols *symbols;    /* NULL: none are known */
	enum unwind_os os;
	/* Rules that name a frame address but no return address say that there is no caller (DWARF 5
	 * section 6.4.4).  Symbolicator goes on by frame pointer and by scanning, so its kinds of
	 * requests leave this unset. */
	bool ends_without_return;
	/* A frame pointer that leads to no caller a stack can have is passed over, as in the vDSO of
	 * x86, which uses it for something else; else the stack ends there, as for Symbolicator. */
	bool passes_bad_pointers;
	struct unwind_frame *frames;
	struct unwind_registers *frame_registers;        /* of each frame; NULL: not wanted */
	size_t capacity;                         /* of both arrays */

	size_t frame_count;          /* walked; those beyond the capacity are not stored */
	uint32_t needed;

	/* Private: the frame whose caller comes next. */
	struct unwind_registers registers;
	struct unwind_frame frame;
	uint32_t callee_parameter_bytes;         /* of the frame it called */
	uint64_t pointer_mask;       /* arm64: the bits of an address that are no signature */
	uint64_t rule_bytes_left;
	uint32_t scanned_frames;
	uint32_t stackless_frames;               /* in a row */
	bool has_no_caller;          /* the rules say so */
};

/* The first frame is that of the registers, as long as their program counter is known. */
void unwind_begin(struct unwind *walk, const struct unwind_registers *registers);

/* The first frame is one that was found elsewhere, with its registers. */
void unwind_begin_at(struct unwind *walk, const struct unwind_registers *registers,
		     const struct unwind_frame *frame);

/* Walks on, to the end or to where something is needed. */
enum unwind_state unwind_walk(struct unwind *walk);

/* "none", "scan", "cfiscan", "fp", "cfi", "prewalked", "context". */
const char *unwind_trust_name(enum unwind_trust trust);

/* The index of the module that holds an address, or UNWIND_NO_MODULE. */
uint32_t unwind_module_at(const struct unwind_modules *modules, uint64_t address);

#endif
