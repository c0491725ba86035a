/*
 * objects -- reads all there is in a debug file: what the fuzz targets of the containers do.
 */
#ifndef FUZZ_OBJECTS_H
#define FUZZ_OBJECTS_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Opens every slice, attaches the bytes to themselves in each role, reads all units. */
void fuzz_object(const uint8_t *bytes, size_t size);

/* The same over a copy that begins with `magic`. */
void fuzz_with_magic(const uint8_t *bytes, size_t size, const char *magic, size_t magic_size);

#endif
