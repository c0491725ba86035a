/*
 * sha256 -- SHA-256 (FIPS 180-4), with the processor's own instructions where it has them.
 *
 * Ours and not libcrypto's: linking and starting that takes longer than a short command.
 * Private to base: others hash by hash.h.
 */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define SHA256_BYTES 32u
#define SHA256_BLOCK_BYTES 64u

struct sha256 {
	uint32_t state[8];
	uint64_t size;                       /* of what was added */
	uint8_t rest[SHA256_BLOCK_BYTES];    /* its last size % SHA256_BLOCK_BYTES bytes */
};

void sha256_init(struct sha256 *sha);
void sha256_add(struct sha256 *sha, const void *bytes, size_t size);
/* `sha` is of no use then. */
void sha256_end(struct sha256 *sha, uint8_t out[SHA256_BYTES]);

/* Without those instructions, for tests. */
void sha256_plainly(const void *bytes, size_t size, uint8_t out[SHA256_BYTES]);

#endif
