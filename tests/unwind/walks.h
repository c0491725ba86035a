/*
 * walks.h -- small stacks in text, walked, and what came out as text again.
 *
 * Module 0 lies at 40000000, module 1 at 50000000 (64 KiB each), the stack at 80000000.
 */
#ifndef TESTS_UNWIND_WALKS_H
#define TESTS_UNWIND_WALKS_H

#include <stdbool.h>

#include "unwind/unwind.h"

#define WALKS_MODULES     2u
#define WALKS_WORDS_MAX   4096u
#define WALKS_FRAMES_MAX  64u
#define WALKS_CFI_MAX     1024u
#define WALKS_STACK       UINT64_C(0x80000000)

struct walk_case {
	const char *what;
	enum unwind_arch arch;
	enum unwind_os os;
	const char *registers;       /* "eip=40001010 esp=80000000": hex, the others are unknown */
	const char *stack;           /* "11223344 40001234 0*160": words in hex */
	const char *cfi;             /* of module 0; NULL: none; behind MODULE as a file has it */
	const char *functions;       /* "1000+100 2000+100:8": in each module, with parameter bytes;
				      * NULL: no symbols */
	const char *show;            /* registers to tell of callers */
	const char *frames;          /* "context 40001010/80000000, cfi 40002011/80000008 ebx=7" */
	bool symbols_decide;
	bool big_endian;
};

/* Walks, and compares. */
void walk_check(const struct walk_case *walk_case);

/* The same in steps, for tests with ways of their own. */
struct walk_world {
	struct unwind walk;
	struct unwind_memory memory;
	struct unwind_region region;
	struct unwind_modules modules;
	struct unwind_module items[WALKS_MODULES];
	struct unwind_symbols symbols;
	struct cfi cfi;
	char cfi_file[WALKS_CFI_MAX];
	struct unwind_registers registers;
	struct unwind_frame frames[WALKS_FRAMES_MAX];
	struct unwind_registers frame_registers[WALKS_FRAMES_MAX];
	uint8_t stack[WALKS_WORDS_MAX * 8];
	const char *functions;
	char told[8192];
};

void walk_prepare(struct walk_world *world, const struct walk_case *walk_case);
/* What was found, in the form of `frames`. */
const char *walk_tell(struct walk_world *world, const char *show);

#endif
