/*
 * pdata -- the exception directory of PE images: RUNTIME_FUNCTION records and what they refer to
 * (Microsoft's "x64 exception handling" and "ARM64 exception handling").
 *
 * Private to cfi.
 *
 * May include: base, object.
 */
#ifndef CFI_PDATA_H
#define CFI_PDATA_H

#include "base/reader.h"
#include "cfi/cfi_writer.h"

#define PDATA_X64_BYTES   12u        /* begin, end, unwind information */
#define PDATA_ARM64_BYTES 8u         /* begin, unwind information or packed data */

/* What is at that address of the image, as far as it is one piece. */
struct reader pdata_image_at(const struct cfi_writer *writer, uint64_t address);

/* pdata_x64.c; the entry's reference is the address of the unwind information. */
int pdata_x64_collect(struct cfi_writer *writer, uint32_t source, struct err *err);
int pdata_x64_print(struct cfi_writer *writer, const struct cfi_entry *entry, struct err *err);

/* pdata_arm64.c; the entry's reference is the record's second word. */
int pdata_arm64_collect(struct cfi_writer *writer, uint32_t source, struct err *err);
int pdata_arm64_print(struct cfi_writer *writer, const struct cfi_entry *entry, struct err *err);

#endif
