/*
 * mem -- the only door to the system allocator.
 *
 * Tests set mem_fail_after = N to make the Nth request fail, then N+1, and so
 * on until a whole job passes without meeting the failure.  Thread-safe.
 */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stdatomic.h>
#include <stddef.h>

extern atomic_long mem_fail_after;   /* < 0: never (production) */
extern atomic_long mem_live;         /* blocks handed out and not yet given back */

/* How often this thread was refused, here or by an arena: for those who ask a library that does not
 * say why it gave up. */
extern _Thread_local unsigned long mem_refusals;

/* Zeroed; NULL when there is none. */
void *mem_get(size_t bytes) __attribute__((warn_unused_result, malloc));
/* count * size, zeroed; NULL on overflow too. */
void *mem_get_array(size_t count, size_t size) __attribute__((warn_unused_result, malloc));
/* Grows or shrinks; new bytes are not zeroed; on NULL the old block still stands. */
void *mem_resize(void *block, size_t bytes) __attribute__((warn_unused_result));
char *mem_strdup(const char *text) __attribute__((warn_unused_result, malloc));
void  mem_give_back(void *block);    /* NULL is fine */

/* From now on large blocks of this process go back to the system when they are given back.
 * Left to itself, malloc keeps what grew in steps as holes: a fifth of a conversion's peak. */
void mem_keep_no_large_blocks(void);

#endif
