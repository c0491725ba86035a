/*
 * cli_table -- fields and columns for people, safe on a terminal.
 *
 * Text from files may hold control bytes: here they are shown, not obeyed.
 */
#ifndef CLI_CLI_TABLE_H
#define CLI_CLI_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

struct buf;
struct err;
struct json_writer;

/* "  name          value\n"; nothing when the value is absent or empty. */
void table_add_field(struct buf *out, const char *name, struct text value);
/* Characters, not bytes. */
size_t table_width(struct text text);
/* The text, and blanks up to that many columns; at least one blank. */
void table_add_cell(struct buf *out, struct text text, size_t columns);
/* "12 s", "3 m", "5 h", "2 d": how long, in one word. */
void table_add_age(struct buf *out, int64_t seconds);
/* "2026-01-02T03:04:05Z, 3 h ago", or "in 3 h" */
void table_add_time(struct buf *out, int64_t at, int64_t now);
/* "key":"2026-01-02T03:04:05Z" */
void table_json_time(struct json_writer *json, const char *key, int64_t at);
/* The location in a cache key's text; TEXT_NONE: it has none. */
struct text table_location(struct text key);
/* "1.5 GB", "12 kB" */
void table_add_bytes(struct buf *out, uint64_t bytes);
/* Is it one of "a|b|c"? */
bool table_is_choice(const char *choices, struct text word);
/* A number of lines, 1 to a million. */
bool table_read_limit(const char *word, int64_t *most);
/* To standard output, and emptied. */
int  table_write(struct buf *out, struct err *err) __attribute__((warn_unused_result));

#endif
