/*
 * request_json -- a body's JSON as cJSON's tree, by one bounded pass of our own; and cJSON inside an arena.
 *
 * What the pass lets through is JSON and valid UTF-8, nested at most LIMIT_JSON_DEPTH
 * deep.  The tree keeps numbers as doubles and strings NUL-ended; so that nothing gets lost there
 *   - an integer of more than 15 digits becomes the string "<JSON_INTEGER_MARK><digits>",
 *     where the mark is a byte no UTF-8 text can hold,
 *   - any number written with a fraction or an exponent, and "-0", becomes 0.5: an integer
 *     was not written there, and nobody wants to know more,
 *   - \u0000 and halves of surrogate pairs become U+FFFD.
 */
#ifndef WORK_REQUEST_JSON_H
#define WORK_REQUEST_JSON_H

#include "base/text.h"

struct arena;
struct cJSON;
struct err;

#define JSON_INTEGER_MARK '\xff'

/* The tree, all of it in the arena; `body` is not needed any more.  ERR_BAD_REQUEST with the byte where it
 * went wrong; ERR_LIMIT: over the arena's ceiling. */
int request_json_parse(struct text body, struct arena *arena, struct cJSON **json, struct err *err)
	__attribute__((warn_unused_result));

/* Until it is called again with what it returned (or NULL), cJSON in this thread takes its
 * memory from `arena` and gives none back, whoever calls it. */
struct arena *request_json_lend_arena(struct arena *arena);

/* Gives marked integers back as numbers (rounded as doubles are), for readers that know
 * nothing of marks. */
void request_json_unmark(struct cJSON *json);

#endif
