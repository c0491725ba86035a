/*
 * cfi_lines -- STACK records as text: which kind a line is, and where it stands.
 *
 * Private to cfi.
 *
 * May include: base.
 */
#ifndef CFI_CFI_LINES_H
#define CFI_CFI_LINES_H

#include "cfi/cfi.h"

/* In the order of the text. */
enum cfi_line_kind {
	CFI_LINE_OTHER, CFI_LINE_WIN_FPO, CFI_LINE_WIN_FRAME_DATA, CFI_LINE_ROW, CFI_LINE_INIT
};

struct cfi_line {
	enum cfi_line_kind kind;
	uint64_t address;            /* 0 for other lines */
	struct text rest;            /* behind the address: size, rules, ... */
};

/* Of one without its end (LF, and any CR before it). */
struct cfi_line cfi_line_read(struct text line);

/* The same from what is unlikely to stand elsewhere: rows are walked over by their first bytes, and
 * read when they are used. */
enum cfi_line_kind cfi_line_guess(struct text line);

/* The size of an INIT record, which stands before its rules; false: it has none, or 0. */
bool cfi_line_take_size(struct cfi_line *line, uint64_t *size);

/* The next field of hex digits, at most `digits_max`; false and nothing taken for all else. */
bool cfi_take_hex(struct text *rest, unsigned digits_max, uint64_t *value);
/* The next word; empty at the end. */
struct text cfi_take_word(struct text *rest);
/* Without the CRs at its end. */
struct text cfi_line_trim(struct text line);

#endif
