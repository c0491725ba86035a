/* sha1.c -- see sha1.h. */
#include "base/sha1.h"

#include <endian.h>
#include <string.h>

#define BLOCK_BYTES 64u
#define LENGTH_AT (BLOCK_BYTES - 8)
#define ROUNDS 80u

struct sha1 {
	uint32_t state[5];
	uint8_t block[BLOCK_BYTES];
	size_t held;                         /* of the block */
};

static uint32_t turned(uint32_t word, unsigned bits)
{
	return word << bits | word >> (32 - bits);
}

/* FIPS 180-4 sections 4.1.1 and 4.2.1: the function and the constant of each twenty rounds. */
static uint32_t mixed(unsigned round, uint32_t x, uint32_t y, uint32_t z)
{
	switch (round / 20) {
	case 0:  return ((x & y) ^ (~x & z)) + 0x5a827999;
	case 1:  return (x ^ y ^ z) + 0x6ed9eba1;
	case 2:  return ((x & y) ^ (x & z) ^ (y & z)) + 0x8f1bbcdc;
	default: return (x ^ y ^ z) + 0xca62c1d6;
	}
}

/* Section 6.1.2. */
static void take_block(struct sha1 *sha)
{
	uint32_t words[ROUNDS], v[5];

	memcpy(words, sha->block, BLOCK_BYTES);
	for (unsigned i = 0; i < ROUNDS; i++)
		words[i] = i < 16 ? be32toh(words[i])
				  : turned(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
	memcpy(v, sha->state, sizeof(v));
	for (unsigned i = 0; i < ROUNDS; i++) {
		uint32_t next = turned(v[0], 5) + mixed(i, v[1], v[2], v[3]) + v[4] + words[i];

		memmove(v + 1, v, sizeof(v) - sizeof(v[0]));
		v[2] = turned(v[2], 30);
		v[0] = next;
	}
	for (unsigned i = 0; i < 5; i++)
		sha->state[i] += v[i];
	sha->held = 0;
}

static void add(struct sha1 *sha, const void *bytes, size_t size)
{
	const uint8_t *at = bytes;

	for (size_t i = 0; i < size; i++) {
		sha->block[sha->held++] = at[i];
		if (sha->held == BLOCK_BYTES)
			take_block(sha);
	}
}

void sha1(const void *first, size_t first_size, const void *second, size_t second_size,
	  uint8_t out[SHA1_BYTES])
{
	static const uint8_t padding[BLOCK_BYTES] = { 0x80 };
	struct sha1 sha = { .state = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0 } };
	uint64_t bits = htobe64(((uint64_t)first_size + second_size) * 8);

	add(&sha, first, first_size);
	add(&sha, second, second_size);
	add(&sha, padding, (sha.held < LENGTH_AT ? LENGTH_AT : LENGTH_AT + BLOCK_BYTES) - sha.held);
	add(&sha, &bits, sizeof(bits));
	for (unsigned i = 0; i < 5; i++)
		sha.state[i] = htobe32(sha.state[i]);
	memcpy(out, sha.state, SHA1_BYTES);
}
