/*
 * memo -- names demangled before, remembered by this process.
 *
 * Bounded by two generations: when the young one is full the old one is forgotten and the
 * young one becomes the old one; what is asked for again moves to the young one.  Thread-safe.
 */
#ifndef CONVERT_MEMO_H
#define CONVERT_MEMO_H

#include <stdbool.h>

#include "convert/convert.h"

#define CONVERT_MEMO_NAMES 32768u                        /* of one generation */
#define CONVERT_MEMO_BYTES ((size_t)8 << 20)             /* of one generation */
#define CONVERT_MEMO_NAME_BYTES 2048u                    /* longer ones are not remembered */

struct arena;
struct convert_memo;

int  convert_memo_open(struct convert_memo **memo, struct err *err)
	__attribute__((warn_unused_result));
void convert_memo_close(struct convert_memo *memo);

/* Fills name->readable (in the arena, or TEXT_NONE: stands for itself); false: not known. */
bool convert_memo_lookup(struct convert_memo *memo, struct convert_name *name,
			 struct arena *arena);
/* Remembers name->readable; does nothing when memory is short. */
void convert_memo_store(struct convert_memo *memo, const struct convert_name *name);

#endif
