/*
 * convert -- objects to CfiCaches in memory, for tests.
 */
#ifndef CFI_TEST_CONVERT_H
#define CFI_TEST_CONVERT_H

#include "base/err.h"
#include "base/text.h"
#include "cfi/cfi.h"

/* The cache of these bytes, until the test ends; TEXT_NONE with err when there is none. */
struct text convert_bytes(const void *bytes, size_t size, unsigned chain_max,
			  struct cfi_report *report, struct err *err);
/* Of a file that must convert. */
struct text convert_path(const char *path);
/* Of STACK records, which become a symbol file. */
struct text convert_records(const char *arch, const char *records);
/* Opens it; the test ends when it does not. */
struct cfi convert_open(struct text cache);

/* payload-less work for support_every_byte_change(): converts, and opens what came out. */
void convert_survive(void *payload, const uint8_t *bytes, size_t size);

/* For support_every_allocation_failure(); the payload is a struct text of the object. */
int convert_work(void *object, struct err *err);

#endif
