/*
 * records -- the lines of a Breakpad symbol file, one at a time.
 *
 * Private to object/breakpad.  Fields are separated by spaces or tabs; a line ends with LF and
 * any number of CR before it; the last field runs to the end of the line.
 *
 * May include: base.
 */
#ifndef OBJECT_BREAKPAD_RECORDS_H
#define OBJECT_BREAKPAD_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* What is left of a line. */
struct fields {
	const char *at, *end;
};

enum record_type {
	RECORD_LINE,                 /* begins with none of the words below */
	RECORD_FUNC, RECORD_FILE, RECORD_PUBLIC, RECORD_INLINE, RECORD_INLINE_ORIGIN,
	RECORD_STACK, RECORD_INFO, RECORD_MODULE, RECORD_EMPTY,
};

struct record_range {
	uint64_t address, size;
};

/* The line at *at, which moves behind its end; CRs are cut off.  False at the end. */
bool record_next(const char **at, const char *end, struct fields *line);

/* A line of a function: ADDRESS SIZE LINE FILE. */
struct line_fields {
	uint64_t address, size;
	uint32_t line, file;
};

/* The same for a line as dumpers write it, read in one go; false, and *at does not move, for
 * any other, which may be one all the same. */
bool record_next_line(const char **at, const char *end, struct line_fields *line);

/* By its first word, which is skipped; the separator after it too. */
enum record_type record_kind(struct fields *line);

/* One number and the separators behind it; false when there is none or it is too big. */
bool field_hex(struct fields *fields, uint64_t *value);
bool field_decimal(struct fields *fields, uint32_t *value);
/* Negative ones become 0. */
bool field_line_number(struct fields *fields, uint32_t *value);
struct text field_word(struct fields *fields);
struct text field_rest(struct fields *fields);
/* Skips the "m" of "FUNC m ..." and "PUBLIC m ...". */
void field_skip_multiple(struct fields *fields);

#endif
