/* sha256.c -- see sha256.h. */
#include "base/sha256.h"

#include <endian.h>
#include <pthread.h>
#include <string.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#include <immintrin.h>
#define HAS_SHA_INSTRUCTIONS 1
#define SHA_TARGET __attribute__((target("sha,sse4.1,ssse3")))
#endif

#define ROUNDS 64u
#define LENGTH_AT (SHA256_BLOCK_BYTES - 8)

typedef void blocks_fn(uint32_t state[8], const uint8_t *at, size_t count);

/* FIPS 180-4 section 4.2.2. */
static const uint32_t constants[ROUNDS] __attribute__((aligned(16))) = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
	0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
	0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
	0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
	0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
	0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
	0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
	0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

/* --- In C ---------------------------------------------------------------------------------- */

static inline uint32_t turned(uint32_t word, unsigned bits)
{
	return word >> bits | word << (32 - bits);
}

/* Section 6.2.2, step 1. */
static void schedule(uint32_t words[ROUNDS], const uint8_t *block)
{
	memcpy(words, block, SHA256_BLOCK_BYTES);
	for (unsigned i = 0; i < 16; i++)
		words[i] = be32toh(words[i]);
	for (unsigned i = 16; i < ROUNDS; i++) {
		uint32_t near = words[i - 2], far = words[i - 15];

		words[i] = words[i - 16] + words[i - 7] +
			   (turned(far, 7) ^ turned(far, 18) ^ far >> 3) +
			   (turned(near, 17) ^ turned(near, 19) ^ near >> 10);
	}
}

/* Steps 2 to 4; the working variables a to h are in `v`. */
static void plain_block(uint32_t state[8], const uint8_t *block)
{
	uint32_t words[ROUNDS], v[8];

	schedule(words, block);
	memcpy(v, state, sizeof(v));
	for (unsigned i = 0; i < ROUNDS; i++) {
		uint32_t chosen = (v[4] & v[5]) ^ (~v[4] & v[6]);
		uint32_t major = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
		uint32_t one = v[7] + (turned(v[4], 6) ^ turned(v[4], 11) ^ turned(v[4], 25)) +
			       chosen + constants[i] + words[i];
		uint32_t two = (turned(v[0], 2) ^ turned(v[0], 13) ^ turned(v[0], 22)) + major;

		memmove(v + 1, v, sizeof(v) - sizeof(v[0]));
		v[4] += one;
		v[0] = one + two;
	}
	for (unsigned i = 0; i < 8; i++)
		state[i] += v[i];
}

static void plain_blocks(uint32_t state[8], const uint8_t *at, size_t count)
{
	for (; count > 0; count--, at += SHA256_BLOCK_BYTES)
		plain_block(state, at);
}

/* --- By the instructions of x86 ------------------------------------------------------------ */

#ifdef HAS_SHA_INSTRUCTIONS
/* Four rounds an iteration; the state is in the order the instructions want. */
SHA_TARGET static void sha_block(__m128i *abef, __m128i *cdgh, const uint8_t *block)
{
	const __m128i order = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
	__m128i words[4], first = *abef, second = *cdgh;

	for (unsigned i = 0; i < 4; i++)
		words[i] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(const void *)block + i),
					    order);
#pragma GCC unroll 16
	for (unsigned i = 0; i < ROUNDS / 4; i++) {
		__m128i *now = &words[i % 4], sum;

		if (i >= 4) {
			sum = _mm_add_epi32(_mm_sha256msg1_epu32(*now, words[(i + 1) % 4]),
					    _mm_alignr_epi8(words[(i + 3) % 4], words[(i + 2) % 4], 4));
			*now = _mm_sha256msg2_epu32(sum, words[(i + 3) % 4]);
		}
		sum = _mm_add_epi32(*now, _mm_load_si128((const __m128i *)(const void *)constants + i));
		second = _mm_sha256rnds2_epu32(second, first, sum);
		first = _mm_sha256rnds2_epu32(first, second, _mm_shuffle_epi32(sum, 0x0e));
	}
	*abef = _mm_add_epi32(*abef, first);
	*cdgh = _mm_add_epi32(*cdgh, second);
}

SHA_TARGET static void sha_blocks(uint32_t state[8], const uint8_t *at, size_t count)
{
	__m128i *memory = (__m128i *)(void *)state;
	__m128i cdab = _mm_shuffle_epi32(_mm_loadu_si128(memory), 0xb1);
	__m128i efgh = _mm_shuffle_epi32(_mm_loadu_si128(memory + 1), 0x1b);
	__m128i abef = _mm_alignr_epi8(cdab, efgh, 8), cdgh = _mm_blend_epi16(efgh, cdab, 0xf0);
	__m128i feba, dchg;

	for (; count > 0; count--, at += SHA256_BLOCK_BYTES)
		sha_block(&abef, &cdgh, at);
	feba = _mm_shuffle_epi32(abef, 0x1b);
	dchg = _mm_shuffle_epi32(cdgh, 0xb1);
	_mm_storeu_si128(memory, _mm_blend_epi16(feba, dchg, 0xf0));
	_mm_storeu_si128(memory + 1, _mm_alignr_epi8(dchg, feba, 8));
}

/* Intel's manual, volume 2, CPUID: leaf 1 for SSSE3 and SSE4.1, leaf 7 for SHA. */
static blocks_fn *best_blocks(void)
{
	unsigned a, b, c, d;

	if (__get_cpuid(1, &a, &b, &c, &d) && (c & bit_SSSE3) && (c & bit_SSE4_1) &&
	    __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_SHA))
		return sha_blocks;
	return plain_blocks;
}
#else
static blocks_fn *best_blocks(void)
{
	return plain_blocks;
}
#endif

static blocks_fn *blocks;
static pthread_once_t chosen_once = PTHREAD_ONCE_INIT;

static void choose(void)
{
	blocks = best_blocks();
}

/* --- Pieces -------------------------------------------------------------------------------- */

void sha256_init(struct sha256 *sha)
{
	/* Section 5.3.3. */
	*sha = (struct sha256){ .state = {
		0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
		0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
	} };
}

static void add(struct sha256 *sha, const uint8_t *at, size_t size, blocks_fn *fn)
{
	size_t held = sha->size % SHA256_BLOCK_BYTES;

	sha->size += size;
	if (held > 0) {
		size_t step = SHA256_BLOCK_BYTES - held < size ? SHA256_BLOCK_BYTES - held : size;

		memcpy(sha->rest + held, at, step);
		if (held + step < SHA256_BLOCK_BYTES)
			return;
		fn(sha->state, sha->rest, 1);
		at += step;
		size -= step;
	}
	fn(sha->state, at, size / SHA256_BLOCK_BYTES);
	if (size % SHA256_BLOCK_BYTES > 0)
		memcpy(sha->rest, at + (size - size % SHA256_BLOCK_BYTES), size % SHA256_BLOCK_BYTES);
}

/* Section 5.1.1: a bit, zeros, the size in bits. */
static void end(struct sha256 *sha, uint8_t out[SHA256_BYTES], blocks_fn *fn)
{
	uint64_t bits = htobe64(sha->size * 8);
	size_t held = sha->size % SHA256_BLOCK_BYTES;

	sha->rest[held++] = 0x80;
	if (held > LENGTH_AT) {
		memset(sha->rest + held, 0, SHA256_BLOCK_BYTES - held);
		fn(sha->state, sha->rest, 1);
		held = 0;
	}
	memset(sha->rest + held, 0, LENGTH_AT - held);
	memcpy(sha->rest + LENGTH_AT, &bits, sizeof(bits));
	fn(sha->state, sha->rest, 1);
	for (unsigned i = 0; i < 8; i++)
		sha->state[i] = htobe32(sha->state[i]);
	memcpy(out, sha->state, SHA256_BYTES);
}

void sha256_add(struct sha256 *sha, const void *bytes, size_t size)
{
	pthread_once(&chosen_once, choose);
	if (size > 0)
		add(sha, bytes, size, blocks);
}

void sha256_end(struct sha256 *sha, uint8_t out[SHA256_BYTES])
{
	pthread_once(&chosen_once, choose);
	end(sha, out, blocks);
}

void sha256_plainly(const void *bytes, size_t size, uint8_t out[SHA256_BYTES])
{
	struct sha256 sha;

	sha256_init(&sha);
	if (size > 0)
		add(&sha, bytes, size, plain_blocks);
	end(&sha, out, plain_blocks);
}
