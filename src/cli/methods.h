/*
 * methods -- managed code on the command line: METHOD+OFFSET, and the place it stands for.
 *
 * A method is its row (3) or its metadata token (0x06000003), the offset one into its IL
 * code; both are hexadecimal, and a method alone is its beginning.
 */
#ifndef CLI_METHODS_H
#define CLI_METHODS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

struct buf;
struct json_writer;
struct ppdbcache;
struct ppdbcache_place;

struct method_question {
	uint32_t method, offset;     /* method: the row */
};

bool method_parse(struct text text, struct method_question *question);

/* "0x6000003+0x1c: " and the place; NULL: unknown. */
void method_show(const struct method_question *question, const struct ppdbcache_place *place,
		 bool colour, struct buf *out);
/* The members of {"method", "offset", "frames"}. */
void method_json(const struct method_question *question, const struct ppdbcache_place *place,
		 struct json_writer *json);

/* A listing of all of it, as text or JSON. */
void methods_dump(const struct ppdbcache *cache, struct buf *out);
void methods_dump_head(const struct ppdbcache *cache, struct json_writer *json);
void methods_dump_range(const struct ppdbcache *cache, uint32_t index, struct json_writer *json);

#endif
