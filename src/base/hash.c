/* hash.c -- see hash.h. */
#include "base/hash.h"

#include <errno.h>
#include <nettle/hmac.h>
#include <nettle/sha1.h>
#include <nettle/sha2.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/debugid.h"

/* There is no answer to give without these; going on would give a wrong one. */
static _Noreturn void give_up(const char *what)
{
	fprintf(stderr, "symgate: %s\n", what);
	abort();
}

void hash_sha256(const void *bytes, size_t size, uint8_t out[HASH_SHA256_BYTES])
{
	struct sha256_ctx sha;

	sha256_init(&sha);
	sha256_update(&sha, size, bytes);
	sha256_digest(&sha, HASH_SHA256_BYTES, out);
}

void hash_keyed(const void *key, size_t key_size, const void *bytes, size_t size,
		uint8_t out[HASH_SHA256_BYTES])
{
	struct hmac_sha256_ctx hmac;

	hmac_sha256_set_key(&hmac, key_size, key);
	hmac_sha256_update(&hmac, size, bytes);
	hmac_sha256_digest(&hmac, HASH_SHA256_BYTES, out);
	explicit_bzero(&hmac, sizeof(hmac));
}

void hash_uuid5(const uint8_t space[HASH_UUID_BYTES], const void *name, size_t size,
		uint8_t out[HASH_UUID_BYTES])
{
	struct sha1_ctx sha;

	sha1_init(&sha);
	sha1_update(&sha, HASH_UUID_BYTES, space);
	sha1_update(&sha, size, name);
	sha1_digest(&sha, HASH_UUID_BYTES, out);
	out[6] = (uint8_t)((out[6] & 0x0f) | 0x50);
	out[8] = (uint8_t)((out[8] & 0x3f) | 0x80);
}

/*
 * Sixteen bytes a step: the two words, each blinded by a secret or by the state, are
 * multiplied to 128 bits and folded.  The secrets are drawn once per process, so nobody
 * outside can choose keys that fall together.
 */
static uint64_t secrets[3];
static pthread_once_t drawn = PTHREAD_ONCE_INIT;

static void draw_secrets(void)
{
	random_bytes(secrets, sizeof(secrets));
}

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 wide;

static inline uint64_t fold(uint64_t a, uint64_t b)
{
	wide product = (wide)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}
#else
/* The same by halves, for machines of 32 bits. */
static inline uint64_t fold(uint64_t a, uint64_t b)
{
	uint64_t a_low = a & UINT32_MAX, a_high = a >> 32;
	uint64_t b_low = b & UINT32_MAX, b_high = b >> 32;
	uint64_t crossed = a_high * b_low + (a_low * b_low >> 32);
	uint64_t middle = a_low * b_high + (crossed & UINT32_MAX);

	return a * b ^ (a_high * b_high + (crossed >> 32) + (middle >> 32));
}
#endif

static inline uint64_t word_at(const uint8_t *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof(word));
	return word;
}

uint64_t hash_fast(const void *bytes, size_t size)
{
	const uint8_t *at = bytes;
	size_t left = size;
	uint64_t state, tail[2] = { 0, 0 };

	pthread_once(&drawn, draw_secrets);
	state = secrets[0];
	for (; left > sizeof(tail); left -= sizeof(tail), at += sizeof(tail))
		state = fold(word_at(at) ^ secrets[1], word_at(at + 8) ^ state);
	if (left)
		memcpy(tail, at, left);
	state = fold(tail[0] ^ secrets[1], tail[1] ^ state);
	return fold(state ^ secrets[2], size ^ secrets[1]);
}

void random_bytes(void *out, size_t size)
{
	uint8_t *at = out;

	while (size) {
		ssize_t got = getrandom(at, size, 0);

		if (got < 0 && errno != EINTR)
			give_up("the system has no random bytes");
		if (got > 0) {
			at += got;
			size -= (size_t)got;
		}
	}
}

void random_uuid(char out[HASH_UUID_TEXT_BYTES])
{
	char text[DEBUGID_TEXT_BYTES];
	uint8_t uuid[DEBUGID_UUID_BYTES];
	struct debugid id;

	random_bytes(uuid, sizeof(uuid));
	uuid[6] = (uint8_t)((uuid[6] & 0x0f) | 0x40);   /* RFC 9562 §5.4: version 4 */
	uuid[8] = (uint8_t)((uuid[8] & 0x3f) | 0x80);
	id = debugid_from_uuid(uuid, 0);
	debugid_format(&id, text);
	memcpy(out, text, HASH_UUID_TEXT_BYTES);
}
