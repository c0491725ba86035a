/*
 * checksum -- tells bytes that were damaged from those that were written: XXH64 with the seed 0
 * (xxHash fast digest algorithm, version 0.1.1), the same on every machine, so it may be stored.
 *
 * It is fast (doc/performance.md), and no protection against those who choose the bytes.
 */
#ifndef BASE_CHECKSUM_H
#define BASE_CHECKSUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;

#define CHECKSUM_STRIPE_BYTES 32u
#define CHECKSUM_LANES        4u

struct checksum {
	uint64_t lanes[CHECKSUM_LANES];
	uint64_t size_bytes;
	uint8_t rest[CHECKSUM_STRIPE_BYTES];     /* of the last stripe, size_bytes % 32 of them */
};
void checksum_init(struct checksum *checksum);
void checksum_add(struct checksum *checksum, const void *bytes, size_t size);
uint64_t checksum_value(const struct checksum *checksum);

uint64_t checksum_of(const void *bytes, size_t size);

/* How long a file is and what its bytes come to. */
struct checksum_seal { uint64_t size_bytes, value; bool is_set; };
/* Reads the file from its beginning, without moving its offset. */
int checksum_seal_file(int fd, struct checksum_seal *seal, struct err *err)
	__attribute__((warn_unused_result));
/* 1 when the file is what was sealed (or nothing was), 0, -1 when it cannot be read. */
int checksum_check_file(int fd, const struct checksum_seal *seal, struct err *err)
	__attribute__((warn_unused_result));

#endif
