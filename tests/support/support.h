/*
 * support -- what all tests share: a main, the two torments (every allocation fails once,
 * every byte changes once), and fixtures made by recipe.
 *
 * Everything here ends the test with ck_abort_msg() when it cannot do its part.  Paths and
 * buffers it returns live until the test ends.  A test may take up to 120 seconds before
 * Check stops it (CK_DEFAULT_TIMEOUT in the environment says otherwise).
 */
#ifndef SUPPORT_SUPPORT_H
#define SUPPORT_SUPPORT_H

#include <check.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/file.h"

/* This test cannot be run here; tests/skips has the name and the reason. */
void support_skip(const char *name);

/*
 * Runs the suite, prints Check's summary, returns what main() returns.  With SUPPORT_COUNTS
 * in the environment the line "<passed> <failed> <suite>" is added to that file.
 */
int support_main(Suite *suite);

/*
 * Lets the first allocation fail, then the second, and so on until work() succeeds, at most
 * `most` times.  Each failure must be ERR_NO_MEMORY or ERR_LIMIT, and work() must give back
 * all it took, whether it fails or not.
 */
void support_every_allocation_failure(int (*work)(void *payload, struct err *err),
				      void *payload, long most);

/*
 * Calls work() with every byte changed in several ways and with the end cut off at many
 * places.  Above 16 KiB, or where SUPPORT_CHANGES says how many changes may be made, it is a
 * sample, the same each time: its seed is printed, and SUPPORT_SEED sets another.  The bytes lie
 * in a heap block of just that size.
 */
void support_every_byte_change(const uint8_t *bytes, size_t size,
			       void (*work)(void *payload, const uint8_t *bytes, size_t size),
			       void *payload);

/*
 * The path of tests-fixtures/<name> in the build folder, made by running `recipe` with
 * `sh -ec` unless that was done before with the same words.  The recipe writes the file
 * $OUT; $DIR is a folder of its own for what it needs on the way (removed afterwards; $OUT
 * lies in it) and $SRC the top of the source tree.
 */
const char *support_fixture(const char *name, const char *recipe);

/* A path below the top of the source tree. */
const char *support_source(const char *relative);

/* A path below $SYMGATE_SHARED; NULL when that is not set or there is no such file. */
const char *support_shared(const char *relative);

/* The whole file mapped; give back with file_unmap(). */
struct file_map support_map(const char *path);

/* The whole file in a heap block of just its size, so that sanitizers see every byte read
 * past its end. */
struct file_map support_read(const char *path);

/* A time limit, longer where others keep the processors busy, as Check's own are. */
int64_t support_stretched(int64_t millis);

/* Keeps a block of mem_get() until the test ends, as no leak; returns it.  NULL is a failure. */
void *support_keep(void *block);

/* Formatted, on the heap; for paths and recipes. */
char *support_printf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
