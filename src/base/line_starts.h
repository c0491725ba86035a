/*
 * line_starts -- the lines of a text, by a table that stands in a file beside it and is not believed: `count`
 * numbers of 32 bits, ascending, where in the text each line begins.  Lines are counted from 0 here.
 */
#ifndef BASE_LINE_STARTS_H
#define BASE_LINE_STARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

#define LINE_STARTS_BYTES 4u         /* of each */

struct line_starts { struct text text; const uint8_t *starts; uint32_t count; };

/* A line as it stands, up to the next; false: there is none, or the table is wrong there. */
bool line_starts_slice(const struct line_starts *lines, uint32_t index, struct text *slice);
/* The same without the line feed and the carriage return at its end. */
bool line_starts_line(const struct line_starts *lines, uint32_t index, struct text *line);

#endif
