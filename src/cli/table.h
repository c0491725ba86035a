/*
 * table -- fields and columns for people, safe on a terminal.
 *
 * Text from files may hold control bytes: here they are shown, not obeyed.
 */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

struct buf;
struct err;

/* "  name          value\n"; nothing when the value is absent or empty. */
void table_add_field(struct buf *out, const char *name, struct text value);
/* The text, and blanks up to that many columns; at least one blank. */
void table_add_cell(struct buf *out, struct text text, size_t columns);
/* "12 s", "3 m", "5 h", "2 d": how long, in one word. */
void table_add_age(struct buf *out, int64_t seconds);
/* "1.5 GB", "12 kB" */
void table_add_bytes(struct buf *out, uint64_t bytes);
/* To standard output, and emptied. */
int  table_write(struct buf *out, struct err *err) __attribute__((warn_unused_result));

#endif
