/*
 * cfi -- how to get from a frame to its caller: the unwind information of a module as sorted
 * Breakpad text, the published CfiCache layout, version 2 (doc/formats/cfi.md).  Other tools can read
 * ours.
 *
 * Written once from an object, then mapped and searched in place.  After eight bytes of preamble
 * come a MODULE record (PE files), the STACK WIN records of type 0, those of type 4 and the STACK
 * CFI records, each kind ascending by address and without overlaps: opening reads the beginning, a
 * look-up halves the text until it stands at a line.  The text is untrusted: every step is
 * bounded, and what is not sorted is not found.
 *
 * Everything handed out is borrowed from the text.  Addresses are relative to the module's.
 *
 * May include: base, object.h.
 */
#ifndef CFI_CFI_H
#define CFI_CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

struct err;
struct object;

#define CFI_VERSION 2u

struct cfi {
	struct text text;            /* behind the preamble */
	uint32_t version;            /* 2; 1: text without preamble */
	struct text module;          /* the rest of the MODULE line, or TEXT_NONE */
	bool has_win, has_cfi;       /* may there be records of that kind? */
	bool omits_leaves;           /* code without a record is of functions that need no stack */
};

/* Reads the beginning only.  ERR_MALFORMED: neither a CfiCache nor STACK records;
 * ERR_UNSUPPORTED: another version.  An empty text is one without records. */
int cfi_open(struct cfi *cfi, const void *bytes, size_t size, struct err *err)
	__attribute__((warn_unused_result));

/* --- STACK CFI -------------------------------------------------------------------------- */

/* The record that covers an address, with all that holds there. */
struct cfi_rows {
	uint64_t start, size;        /* of the INIT record: [start, start + size) */
	struct text init;            /* its rules */
	struct text deltas;          /* whole lines: the rows behind it up to the address */
};

/* False: no record covers the address. */
bool cfi_find(const struct cfi *cfi, uint64_t address, struct cfi_rows *rows);

/* Walks the rules of INIT, then those of each delta in order: of two for one register the later
 * one holds. */
struct cfi_rules {
	struct text line;            /* what is left of the line in hand */
	struct text deltas;          /* the lines behind it */
	bool is_fresh;               /* nothing of the line has been handed out */
};

struct cfi_rule {
	struct text name;            /* without the colon: ".cfa", ".ra", "$rbx", "x19" */
	struct text expression;      /* postfix, as in STACK CFI records; never empty */
};

void cfi_rules_begin(struct cfi_rules *rules, const struct cfi_rows *rows);
/* 1: *rule is the next; 0: there are no more; -1: a line is not made of rules (none, one without
 * an expression, an expression before the first register), so that none of them may be used. */
int cfi_rules_next(struct cfi_rules *rules, struct cfi_rule *rule);

/* --- STACK WIN -------------------------------------------------------------------------- */

enum cfi_win_type { CFI_WIN_FPO = 0, CFI_WIN_FRAME_DATA = 4 };

struct cfi_win {
	enum cfi_win_type type;
	uint64_t start, size;        /* of the code: [start, start + size) */
	uint32_t prologue_bytes, epilogue_bytes, parameter_bytes, saved_register_bytes,
		 local_bytes, max_stack_bytes;
	struct text program;         /* of frame data; TEXT_NONE for FPO */
	bool allocates_base_pointer; /* FPO only */
};

/* The frame data that covers the address; FPO only where there is none.  False: neither. */
bool cfi_find_win(const struct cfi *cfi, uint64_t address, struct cfi_win *win);

/* One line without its newline, as it stands in a symbol file; false: it is no STACK WIN record of
 * these two types that anybody could use. */
bool cfi_win_read(struct text line, struct cfi_win *win);

/* --- Writing ---------------------------------------------------------------------------- */

struct cfi_options {
	unsigned chain_max;          /* chained unwind information of PE files; 0: 128 */
};

struct cfi_report {
	uint64_t records;            /* INIT and STACK WIN records written */
	uint64_t bytes;
	uint64_t bad_records;        /* these cost themselves */
	uint64_t steps;              /* of the object's work budget */
	char first_bad[240];         /* where and why the first one failed; "" when none */
};

/* Converts what an opened object tells of unwinding into the file `fd` (empty), written from its
 * beginning to its end.  Beside what the object unpacks, memory is 48 bytes for a record and half a
 * megabyte.  ERR_MALFORMED: none of it is to be believed. */
int cfi_write(struct object *object, const struct cfi_options *options, int fd,
	      struct cfi_report *report, struct err *err) __attribute__((warn_unused_result));

#endif
