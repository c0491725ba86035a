/*
 * addr2line -- answers as addr2line prints them, for scripts that read its output.
 */
#ifndef CLI_ADDR2LINE_H
#define CLI_ADDR2LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

struct buf;

struct addr2line {
	bool is_used;                /* one of its options was given */
	bool functions, inlines, basenames, pretty, addresses;   /* -f -i -s -p -a */
	unsigned digits;             /* of an address: 8 or 16 */
};

/* What stands before the frames of an address. */
void addr2line_begin(const struct addr2line *style, uint64_t address, struct buf *out);
/* The frame of that index, the innermost being 0; all but it are left out without -i. */
void addr2line_frame(const struct addr2line *style, size_t index, struct text function,
		     struct text file, uint32_t line, struct buf *out);
/* Instead of frames where there are none. */
void addr2line_nothing(const struct addr2line *style, struct buf *out);

#endif
